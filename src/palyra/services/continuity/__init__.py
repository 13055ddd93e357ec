"""What lets work go on: compactions, checkpoints, and branches with documents of their own."""
