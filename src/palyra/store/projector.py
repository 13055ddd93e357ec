"""What a projector is. The table of all of them is `projections.py`.

A projector is pure in (row state, event): no clock, no randomness, everything it needs is in the event. It
reads and writes its own tables and nothing else, so that it can be replayed into an empty database.
Its payload may have been erased since; then `body` is None, and the rows it leaves must equal those that
`erase` leaves behind, so that replaying a journal with erasures gives the live state.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from palyra.core.hashing import Json
from palyra.core.ids import EventId
from palyra.domain.journal import Origin
from palyra.store.connection import WriteTx

Body: TypeAlias = "dict[str, Json] | None"


class Applied(NamedTuple):
    """The part of an event that projectors may read. (A named tuple: every event of every kind makes one.)"""

    seq: int
    event_id: EventId
    kind: str
    origin: Origin
    occurred_at_ms: int
    recorded_at_ms: int


def nothing(_tx: WriteTx, _event: Applied, _body: Body) -> None:
    """For events that are only history."""


@dataclass(frozen=True, slots=True)
class ErasedEvent:
    """An event whose payload is destroyed."""

    event_id: str
    seq: int
    erased_by: int
    """seq of the erasure"""


def nothing_to_erase(_tx: WriteTx, _event: ErasedEvent) -> None:
    """For projections that hold no text."""


def nothing_to_index(_tx: WriteTx, _event: Applied, _body: Body) -> None:
    """For projections that are not searched."""


@dataclass(frozen=True, slots=True)
class Projector:
    tables: tuple[str, ...] = ()
    apply: Callable[[WriteTx, Applied, Body], None] = nothing
    erase: Callable[[WriteTx, ErasedEvent], None] = nothing_to_erase
    erasable: bool = True
    index: Callable[[WriteTx, Applied, Body], None] = nothing_to_index
    """after `apply`, where there are indexes: brings them in line with the rows of that event"""
    apply_all: Callable[[WriteTx, Sequence[tuple[Applied, Body]]], None] | None = None
    """`apply` and `index` for a run of such events, faster; None: they come one at a time"""
    unit: str = ""
    """what such an event is a part of: it is erased as a whole, by that command"""
