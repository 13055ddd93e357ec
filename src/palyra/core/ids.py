"""ULIDs: 48 bits of milliseconds, 80 bits of randomness, 26 Crockford characters that sort by time.

One NewType per entity, so that swapping two ids is a type error. `UlidFactory` is monotonic: ids made by
one process sort in the order they were made, even within a millisecond and when the clock steps back.
"""

import os
import random
import threading
from typing import NewType

from palyra.core.clock import Clock
from palyra.core.errors import InvalidArgument

EventId = NewType("EventId", str)
MemoryId = NewType("MemoryId", str)
CandidateId = NewType("CandidateId", str)
SessionId = NewType("SessionId", str)
RunId = NewType("RunId", str)
AttachmentId = NewType("AttachmentId", str)
"""not a ULID: the SHA-256 of the bytes, as hex"""

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CHARACTERS = frozenset(ALPHABET)
_RANDOM_BYTES = 10
_POOL_BYTES = 128 * _RANDOM_BYTES
_PAIRS = tuple(a + b for a in ALPHABET for b in ALPHABET)  # ten bits at a time: half the steps of one by one


class UlidFactory:
    """Keeps all but the last 20 bits encoded, so that the ids of one millisecond cost two look-ups each."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._ms = -1
        self._high = 0
        self._prefix = ""
        self._low = 0
        """of the next one"""
        self._pool = b""
        self._used = 0

    def next(self, now_ms: int | None = None) -> str:
        """`now_ms` spares a look at the clock to whoever has just looked."""
        return self.many(1, self._clock.now_ms() if now_ms is None else now_ms)[0]

    def many(self, count: int, now_ms: int) -> list[str]:
        """In ascending order."""
        made: list[str] = []
        with self._lock:
            if now_ms > self._ms:
                self._ms = now_ms
                # The top random bit stays 0: room to count upwards without ever touching the time.
                bits = self._random_bits()
                self._start(now_ms << 60 | bits >> 20, bits & 0xFFFFF)
            low, prefix = self._low, self._prefix
            for beyond in random.randbytes(count):  # noqa: S311 - gaps between ids of one millisecond are no secret
                made.append(prefix + _PAIRS[low >> 10] + _PAIRS[low & 1023])
                low += 1 + (beyond & 15)
                if low >> 20:
                    self._start(self._high + 1, low & 0xFFFFF)
                    low, prefix = self._low, self._prefix
            self._low = low
        return made

    def _random_bits(self) -> int:
        """79 of them. One read of the kernel's pool serves many ids: it lets other threads take the interpreter."""
        if self._used == len(self._pool):
            self._pool, self._used = os.urandom(_POOL_BYTES), 0
        self._used += _RANDOM_BYTES
        return int.from_bytes(self._pool[self._used - _RANDOM_BYTES : self._used], "big") >> 1

    def _start(self, high: int, low: int) -> None:
        self._high, self._low = high, low
        self._prefix = "".join([_PAIRS[high >> shift & 1023] for shift in range(100, -10, -10)])


def is_ulid(text: str) -> bool:
    """In canonical (upper-case) form."""
    return len(text) == 26 and text[0] <= "7" and _CHARACTERS.issuperset(text)


def parse_ulid(text: str, what: str = "id") -> str:
    """`text` itself when it is a ULID."""
    if is_ulid(text):
        return text
    raise InvalidArgument(f"{text[:64]!r} is no {what}", hint="give a whole id, such as 01JD8QZ6T3M4N5P6Q7R8S9TABC")
