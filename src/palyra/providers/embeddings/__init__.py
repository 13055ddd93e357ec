"""Embedding providers; `table.py` names them."""
