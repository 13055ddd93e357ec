"""Workspace documents: every revision, what a person said about them, and which revision each file is."""
