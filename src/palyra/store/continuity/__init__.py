"""Checkpoints, compactions, and the lines of documents that branches have."""
