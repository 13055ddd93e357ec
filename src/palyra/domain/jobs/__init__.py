"""What the daemon does by itself: how often, how much at a time, and what came of it."""
