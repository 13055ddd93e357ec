"""One typed client over the operations: over HTTP to a daemon, or straight into the app in this process."""
