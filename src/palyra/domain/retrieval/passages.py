"""What another source than memory says: a turn, a section of a document, a checkpoint, a sentence of a summary."""

from dataclasses import dataclass

from palyra.core.ids import MemoryId
from palyra.domain.memory import MemoryItem, Trust
from palyra.domain.retrieval.query import RetrievalSourceProfileKind


@dataclass(frozen=True, slots=True)
class PassagePlace:
    """Where it stands; what does not apply is empty."""

    seq: int
    """of the event that holds it"""
    event_id: str
    session_id: str = ""
    session_key: str = ""
    session_title: str = ""
    run_id: str = ""
    type: str = ""
    """of a turn: what the tape calls it, or attachment"""
    path: str = ""
    revision: int = 0
    heading: str = ""
    line: int = 0
    risk: str = ""
    checkpoint_id: str = ""
    name: str = ""
    compaction_id: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    profile: RetrievalSourceProfileKind
    text: str
    speaker: str
    said_at_ms: int
    trust: Trust
    place: PassagePlace

    @property
    def source(self) -> RetrievalSourceProfileKind:
        """What a line of a prompt calls it."""
        return self.profile


@dataclass(frozen=True, slots=True)
class PassageHit:
    passage: Passage
    score: float
    parts: dict[str, float]
    """what the score is made of; adds up to it"""
    snippet: str
    before: tuple[MemoryItem, ...] = ()
    conflicts: tuple[MemoryItem, ...] = ()

    @property
    def told(self) -> Passage:
        return self.passage

    @property
    def id(self) -> MemoryId:
        """In a receipt, where ids of memories stand: of the event that holds it, and the line of a document."""
        place = self.passage.place
        return MemoryId(f"{place.event_id}#{place.line}" if place.line else place.event_id)
