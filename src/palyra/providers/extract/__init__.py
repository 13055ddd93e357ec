"""What is in a file that somebody handed in: one module per format, named in `table.py`."""
