"""What can happen to learning. None, False and empty fields are not written."""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from palyra.core.hashing import Json
from palyra.core.ids import CandidateId, MemoryId, RunId, SessionId


@dataclass(frozen=True, slots=True)
class ReflectionQueued:
    """`post_run_reflection`: written in the transaction that ends the run."""

    KIND: ClassVar = "learning.queued"
    V: ClassVar = 1
    TELLS: ClassVar = "a turn waits to be read"
    WORDS: ClassVar[tuple[str, ...]] = ()
    run_id: RunId
    session_id: SessionId


@dataclass(frozen=True, slots=True)
class RunReflected:
    """The run was read; its header names it. What was not sure enough is on record here, and nobody is asked."""

    KIND: ClassVar = "learning.reflected"
    V: ClassVar = 1
    TELLS: ClassVar = "read a turn: {proposed} proposed, {known} known already"
    WORDS: ClassVar[tuple[str, ...]] = ("dropped", "notices")
    run_id: RunId
    session_id: SessionId
    extractor: str
    proposed: int = 0
    known: int = 0
    """proposals that memory or the queue held already"""
    dropped: tuple[dict[str, Json], ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CandidateProposed:
    KIND: ClassVar = "learning.proposed"
    V: ClassVar = 1
    TELLS: ClassVar = "learned ({kind}), to be decided about: {text}"
    WORDS: ClassVar[tuple[str, ...]] = ("text", "steps", "title", "key")
    candidate_id: CandidateId
    run_id: RunId
    session_id: SessionId
    kind: str
    text: str
    confidence_bps: int
    basis: tuple[str, ...]
    evidence: tuple[dict[str, Json], ...]
    dedupe_key: str
    extractor: str
    channel: str | None = None
    trust: int = 0
    risks: tuple[str, ...] = ()
    sensitivity: str = ""
    key: str = ""
    steps: tuple[str, ...] = ()
    title: str = ""
    similar: tuple[MemoryId, ...] = ()
    conflicts: tuple[MemoryId, ...] = ()
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CandidateMoved:
    KIND: ClassVar = "learning.moved"
    V: ClassVar = 1
    TELLS: ClassVar = "something learned is now: {state}[: {text}][ ({reason})]"
    WORDS: ClassVar[tuple[str, ...]] = ("text", "reason")
    candidate_id: CandidateId
    state: str
    text: str = ""
    """as a person has reworded it"""
    reason: str = ""
    memory_id: MemoryId | None = None
    made_item: bool = False
    document: str = ""
    before: dict[str, Json] | None = None
    """of a memory that was there and was changed: what it takes to change it back"""
    batch: str = ""
    """of decisions made together, which can be taken back together"""


@dataclass(frozen=True, slots=True)
class CandidateSnoozed:
    KIND: ClassVar = "learning.snoozed"
    V: ClassVar = 1
    TELLS: ClassVar = "put a decision off until {until_ms}"
    MEANS: ClassVar = {"0": "now"}
    WORDS: ClassVar[tuple[str, ...]] = ()
    candidate_id: CandidateId
    until_ms: int
    """0: at once"""


LearningEvent: TypeAlias = ReflectionQueued | RunReflected | CandidateProposed | CandidateMoved | CandidateSnoozed
LEARNING_EVENTS: tuple[type[LearningEvent], ...] = (
    ReflectionQueued,
    RunReflected,
    CandidateProposed,
    CandidateMoved,
    CandidateSnoozed,
)
