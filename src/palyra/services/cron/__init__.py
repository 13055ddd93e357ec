"""Prompts that run by themselves."""
