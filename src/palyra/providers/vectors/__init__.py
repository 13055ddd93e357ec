"""Vector indexes; `table.py` names them."""
