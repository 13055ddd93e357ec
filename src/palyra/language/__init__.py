"""The one reader of sentences: what a turn states, what it changes, what bears on a question.

Pure functions; words and weights are data files."""
