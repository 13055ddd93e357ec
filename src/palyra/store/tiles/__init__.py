"""The journal in stretches of 256 events: the tree over their hashes, and the names that are in them."""
