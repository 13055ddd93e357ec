"""Workspace documents: what they may be called and hold, their managed blocks, and how versions of them meet."""
