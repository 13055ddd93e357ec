"""What is learned from conversations: proposals with evidence, and candidates a person decides about."""
