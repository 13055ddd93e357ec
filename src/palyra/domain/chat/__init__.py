"""Conversations: what is said, kept, shown, referred to, handed in and allowed."""
