"""Documents as files in a folder that a person can open."""
