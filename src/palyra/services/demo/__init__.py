"""A sample history to look at, in a principal of its own, and taking all of it out again."""
