"""HTTP, derived from the table of operations."""
