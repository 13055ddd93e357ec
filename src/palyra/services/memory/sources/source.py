"""What a source of passages has to say about itself. Whatever an index believes, `passages` decides what is shown."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from palyra.domain.retrieval.passages import Passage
from palyra.domain.scope import Visibility
from palyra.store.connection import ReadTx

Key: TypeAlias = tuple[int, int]
"""the seq of an event, and the number of the piece of it"""


@dataclass(frozen=True, slots=True)
class Record:
    """What one event holds, in the pieces that are found one by one."""

    seq: int
    channel: str | None
    pieces: Sequence[str]
    speaker: str
    thread: str
    at_ms: int
    trust: int


class PassageSource(Protocol):
    def gone(self, tx: ReadTx, principal: str, held: Collection[int]) -> Collection[int]:
        """Of the events that an index holds, those that do not count any more."""

    def new(self, tx: ReadTx, principal: str, held: Collection[int], after_seq: int) -> Iterable[Record]:
        """What has come after that event, and is not held yet."""

    def words(self, tx: ReadTx, terms: Sequence[str], seer: Visibility, limit: int) -> list[tuple[Key, float]]:
        """What the database finds by itself, best first, for when the index fails."""

    def passages(self, tx: ReadTx, keys: Sequence[Key], seer: Visibility) -> Mapping[Key, Passage]:
        """Of these, what the caller may see and is still there."""
