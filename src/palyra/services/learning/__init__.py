"""Reflecting on runs, and deciding about what was learned."""
