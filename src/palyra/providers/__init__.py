"""Adapters to the outside, one file each, named in one table per port."""
