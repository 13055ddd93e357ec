"""Scheduled prompts and their runs as rows."""
