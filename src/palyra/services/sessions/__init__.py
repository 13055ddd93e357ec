"""Sessions: making, finding, renaming and ending them; their runs and their tape."""
