"""A chat turn from the message to the end of its run."""
