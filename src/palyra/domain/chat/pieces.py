"""A long text in pieces that memory can hold: cut between paragraphs where there are any, and nothing left out."""

from collections.abc import Iterator

from palyra.core.tokens import estimate_tokens
from palyra.domain.memory import MemoryLimits

_PIECE_CHARS = 4_000
_BREAKS = ("\n\n", "\n", ". ", "\u3002", " ")
"""where a text may be cut, best first"""


def pieces(text: str, allowed: MemoryLimits) -> Iterator[str]:
    start = 0
    while start < len(text):
        size = _PIECE_CHARS
        while True:
            end = _cut(text, start, size)
            piece = text[start:end].strip()
            fits = len(piece.encode()) <= allowed.max_item_bytes and estimate_tokens(piece) <= allowed.max_item_tokens
            if fits or size == 1:
                break
            size = max(1, size // 2)
        if piece:
            yield piece
        start = end


def _cut(text: str, start: int, size: int) -> int:
    """Where a piece of at most `size` characters ends: at the best break of its last quarter."""
    end = start + size
    if end >= len(text):
        return len(text)
    for mark in _BREAKS:
        at = text.rfind(mark, end - size // 4, end)
        if at > start:
            return at + len(mark)
    return end
