"""Language models: one file per adapter, one row each in `table.py`."""
