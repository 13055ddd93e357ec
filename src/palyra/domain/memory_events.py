"""What can happen to memory, one frozen dataclass each. Its fields are the payload; None and empty ones are left out.

`WORDS` names the fields that hold somebody's words: the only ones where the redactor has to look. The others are
our own ids, digests, codes and numbers.
"""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from palyra.core.hashing import Json
from palyra.core.ids import CandidateId, MemoryId


@dataclass(frozen=True, slots=True)
class MemoryStored:
    KIND: ClassVar = "memory.stored"
    V: ClassVar = 1
    TELLS: ClassVar = "remembered: {text}"
    WORDS: ClassVar[tuple[str, ...]] = ("text", "speaker", "thread", "tags")
    memory_id: MemoryId
    text: str
    likeness: str
    """digest of the text's normal form: equal for texts that say the same in other case or spacing"""
    source: str
    category: str
    sensitivity: str
    """kinds of what is in it, parted by blanks, or `public`"""
    trust: int
    confidence_bps: int
    channel: str | None = None
    session_id: str | None = None
    tags: tuple[str, ...] = ()
    speaker: str = ""
    thread: str = ""
    said_at_ms: int | None = None
    expires_at_ms: int | None = None
    valid_from_ms: int | None = None
    valid_to_ms: int | None = None
    supersedes: MemoryId | None = None
    provenance: tuple[str, ...] = ()
    pinned: bool = False
    candidate_id: CandidateId | None = None
    risks: tuple[str, ...] = ()
    vouched: bool = False
    is_statement: bool = False
    """read out of what was said; what is retained or imported as a turn is the turn itself"""


@dataclass(frozen=True, slots=True)
class MemoryMerged:
    """The same was said again. Its own words stay here."""

    KIND: ClassVar = "memory.merged"
    V: ClassVar = 1
    TELLS: ClassVar = "heard the same again: {text}"
    WORDS: ClassVar[tuple[str, ...]] = ("text", "tags")
    memory_id: MemoryId
    text: str
    reasons: tuple[str, ...]
    confidence_bps: int
    source: str
    tags: tuple[str, ...] = ()
    provenance: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryHeld:
    KIND: ClassVar = "memory.held"
    V: ClassVar = 1
    TELLS: ClassVar = "held back until a person decides ({because}): {item.text}"
    WORDS: ClassVar[tuple[str, ...]] = ("item",)
    candidate_id: CandidateId
    because: tuple[str, ...]
    item: dict[str, Json]
    """the body of the `memory.stored` it would become, without ids"""


@dataclass(frozen=True, slots=True)
class MemoryDecided:
    KIND: ClassVar = "memory.decided"
    V: ClassVar = 1
    TELLS: ClassVar = "what was held back is {decision}[: {reason}]"
    WORDS: ClassVar[tuple[str, ...]] = ("reason",)
    candidate_id: CandidateId
    decision: str
    memory_id: MemoryId | None = None
    reason: str = ""
    batch: str = ""
    """of decisions made together, which can be taken back together"""


@dataclass(frozen=True, slots=True)
class MemoryRefused:
    """A draft that was not taken in, and why. Without its text: it was not wanted."""

    KIND: ClassVar = "memory.refused"
    V: ClassVar = 1
    TELLS: ClassVar = "did not take in what {source} said: {reasons}"
    WORDS: ClassVar[tuple[str, ...]] = ()
    reasons: tuple[str, ...]
    source: str
    candidate_id: CandidateId | None = None
    """the one that says the same and waits already"""
    because: tuple[str, ...] = ()
    """what that one waits for"""


@dataclass(frozen=True, slots=True)
class MemoryUpdated:
    KIND: ClassVar = "memory.updated"
    V: ClassVar = 1
    TELLS: ClassVar = "changed {memory_id}[, which says now: {text}][ ({reason})]"
    WORDS: ClassVar[tuple[str, ...]] = ("text", "tags", "reason")
    memory_id: MemoryId
    text: str | None = None
    likeness: str | None = None
    sensitivity: str | None = None
    category: str | None = None
    confidence_bps: int | None = None
    tags: list[str] | None = None
    pin: int | None = None
    """1 pins, 0 unpins"""
    expires_at_ms: int | None = None
    """0: never"""
    reason: str = ""
    source: str | None = None
    """what was only said has become a durable fact, or is that no longer"""


@dataclass(frozen=True, slots=True)
class MemorySuperseded:
    KIND: ClassVar = "memory.superseded"
    V: ClassVar = 1
    TELLS: ClassVar = "{by} took the place of {memory_id}"
    WORDS: ClassVar[tuple[str, ...]] = ()
    memory_id: MemoryId
    by: MemoryId
    valid_to_ms: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoryReinstated:
    """What had taken its place was taken back."""

    KIND: ClassVar = "memory.reinstated"
    V: ClassVar = 1
    TELLS: ClassVar = "{memory_id} holds again, instead of {instead_of}"
    WORDS: ClassVar[tuple[str, ...]] = ()
    memory_id: MemoryId
    instead_of: MemoryId
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoryLinked:
    KIND: ClassVar = "memory.linked"
    V: ClassVar = 1
    TELLS: ClassVar = "{memory_id} {relation} {other_id}[: {reasons}]"
    MEANS: ClassVar = {"conflict": "contradicts"}
    WORDS: ClassVar[tuple[str, ...]] = ()
    memory_id: MemoryId
    other_id: MemoryId
    relation: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoryDeleted:
    KIND: ClassVar = "memory.deleted"
    V: ClassVar = 1
    TELLS: ClassVar = "took {memory_ids#memory|memories} out: {why}"
    WORDS: ClassVar[tuple[str, ...]] = ()
    memory_ids: tuple[MemoryId, ...]
    why: str
    """deleted, purged, expired, evicted, or undone with the turn that said it"""


@dataclass(frozen=True, slots=True)
class MemoryRestored:
    """What was taken out is memory again, as it was."""

    KIND: ClassVar = "memory.restored"
    V: ClassVar = 1
    TELLS: ClassVar = "brought {memory_id} back"
    WORDS: ClassVar[tuple[str, ...]] = ()
    memory_id: MemoryId


@dataclass(frozen=True, slots=True)
class MemoryRecalled:
    """A recall receipt: what was asked (as a hash), found and given to the agent. Ids and hashes, no text."""

    KIND: ClassVar = "memory.recalled"
    V: ClassVar = 1
    TELLS: ClassVar = "gave an agent {chosen#memory|memories}, {tokens#token|tokens}"
    WORDS: ClassVar[tuple[str, ...]] = ()
    query_hash: str
    block_hash: str
    tokens: int
    chosen: tuple[MemoryId, ...]
    candidates: tuple[tuple[str, float], ...]
    """memory id and score, best first"""
    degraded: tuple[str, ...] = ()


MemoryEvent: TypeAlias = (
    MemoryStored
    | MemoryMerged
    | MemoryHeld
    | MemoryDecided
    | MemoryRefused
    | MemoryUpdated
    | MemorySuperseded
    | MemoryReinstated
    | MemoryLinked
    | MemoryDeleted
    | MemoryRestored
    | MemoryRecalled
)
MEMORY_EVENTS: tuple[type[MemoryEvent], ...] = (
    MemoryStored,
    MemoryMerged,
    MemoryHeld,
    MemoryDecided,
    MemoryRefused,
    MemoryUpdated,
    MemorySuperseded,
    MemoryReinstated,
    MemoryLinked,
    MemoryDeleted,
    MemoryRestored,
    MemoryRecalled,
)
