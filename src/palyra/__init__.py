"""Palyra: the memory of record for AI agents."""

import logging

# A library stays quiet until its host asks to hear it.
logging.getLogger("palyra").addHandler(logging.NullHandler())
