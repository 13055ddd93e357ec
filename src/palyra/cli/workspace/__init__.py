"""The commands of the workspace."""
