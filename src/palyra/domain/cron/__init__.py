"""Prompts that run by themselves: schedules, what becomes due, and what happened."""
