"""Palyra: the memory of record for AI agents."""

import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from palyra.client.memory import Palyra, PalyraSync

__all__ = ["Palyra", "PalyraSync"]

# A library stays quiet until its host asks to hear it.
logging.getLogger("palyra").addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    """Loaded when asked for: the command line imports this package, too, and must start quickly."""
    if name in __all__:
        from palyra.client import memory  # noqa: PLC0415 - see above

        return getattr(memory, name)
    raise AttributeError(f"module 'palyra' has no attribute {name!r}")
