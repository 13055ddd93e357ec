"""A person decides: which of two holds, what is taken out and brought back, what waits again."""
