"""`palyra learning …`: what was learned from conversations, and a person's word about it."""
