"""One typed client over the operations: straight into the app in this process."""
