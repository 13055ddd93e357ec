"""Palyra: the memory of record for AI agents."""
