"""Session compaction: what of a conversation stays as it was said, what is condensed, and what is worth keeping."""
