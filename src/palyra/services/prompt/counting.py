"""Counting tokens once: a conversation is sent again with every turn, and counting it is most of the work."""

from collections.abc import Callable
from hashlib import blake2b

MOST_KNOWN = 65_536
_SHORT_CHARS = 64
"""counting fewer takes no longer than looking them up"""


class TokenCounter:
    """`count`, which remembers what it has counted, by digest. One for each model; thread-safe."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._known: dict[bytes, int] = {}

    def __call__(self, text: str) -> int:
        if len(text) <= _SHORT_CHARS:
            return self._count(text)
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        tokens = self._known.get(digest)
        if tokens is None:
            tokens = self._count(text)
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[digest] = tokens
        return tokens
