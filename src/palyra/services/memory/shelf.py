"""Indexes held in memory, one per principal: the least recently searched go when all together are too large."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

_MEMORY_BYTES = 1 << 30


class Sized(Protocol):
    def memory_bytes(self) -> int: ...


T = TypeVar("T", bound=Sized)


class Shelf(Generic[T]):
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[str, T] = OrderedDict()

    def of(self, principal: str, make: Callable[[], T]) -> T:
        with self._lock:
            found = self._held.get(principal)
            if found is None:
                found = self._held[principal] = make()
                self._make_room()
            self._held.move_to_end(principal)
            return found

    def get(self, principal: str) -> T | None:
        return self._held.get(principal)

    def forget(self, principal: str | None = None) -> None:
        """What is held of one principal, or of all."""
        with self._lock:
            if principal is None:
                self._held.clear()
            else:
                self._held.pop(principal, None)

    def memory_bytes(self) -> int:
        with self._lock:
            return sum(one.memory_bytes() for one in self._held.values())

    def _make_room(self) -> None:
        total = sum(one.memory_bytes() for one in self._held.values())
        while total > _MEMORY_BYTES and len(self._held) > 1:
            _, dropped = self._held.popitem(last=False)
            total -= dropped.memory_bytes()
