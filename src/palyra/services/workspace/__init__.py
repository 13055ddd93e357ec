"""Workspace documents: what is written and read, and the files that a person edits."""
