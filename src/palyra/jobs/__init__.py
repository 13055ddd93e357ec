"""Work that a serving process does by itself, from time to time."""
