"""Memory items and what they are made of: sources, trust, drafts, outcomes, and one table of policies by source."""

import math
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any, NamedTuple, TypeAlias

from palyra.core.errors import InvalidArgument
from palyra.core.ids import CandidateId, MemoryId
from palyra.domain.journal import Actor, Receipt
from palyra.domain.labels import Category
from palyra.domain.scope import Scope, ScopeKind

DAY_MS = 86_400_000


class MemorySource(StrEnum):
    USER_MESSAGE = "tape:user_message"
    TOOL_RESULT = "tape:tool_result"
    SUMMARY = "summary"
    MANUAL = "manual"
    IMPORT = "import"
    DURABLE_FACT = "durable_fact"


class Trust(IntEnum):
    """Where a text came from. Lower is nearer to the owner; it never gets lower without a person's decision."""

    OWNER = 0
    AGENT = 1
    TOOL = 2
    WEB = 3
    IMPORT = 4

    @property
    def label(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class SourcePolicy:
    trust: Trust
    confidence_bps: int
    ttl_days: int | None


SOURCE_POLICY: dict[MemorySource, SourcePolicy] = {
    MemorySource.USER_MESSAGE: SourcePolicy(Trust.OWNER, 8_000, None),
    MemorySource.TOOL_RESULT: SourcePolicy(Trust.TOOL, 5_000, 90),
    MemorySource.SUMMARY: SourcePolicy(Trust.AGENT, 7_000, None),
    MemorySource.MANUAL: SourcePolicy(Trust.OWNER, 9_500, None),
    MemorySource.IMPORT: SourcePolicy(Trust.IMPORT, 6_000, None),
    MemorySource.DURABLE_FACT: SourcePolicy(Trust.AGENT, 9_000, None),
}

ACTOR_TRUST: dict[Actor, Trust] = {
    Actor.USER: Trust.OWNER,
    Actor.OPERATOR: Trust.OWNER,
    Actor.AGENT: Trust.AGENT,
    Actor.SYSTEM: Trust.AGENT,
    Actor.PLUGIN: Trust.TOOL,
}
"""An agent that says it quotes the owner is still an agent."""


def is_person(actor: Actor) -> bool:
    return ACTOR_TRUST[actor] is Trust.OWNER


LEAST_TRUST: dict[ScopeKind, Trust] = {
    ScopeKind.PRINCIPAL: Trust.AGENT,
    ScopeKind.CHANNEL: Trust.AGENT,
    ScopeKind.SESSION: Trust.AGENT,
}
"""What a text needs to become active memory without a person's review. Text from tools, pages and files needs one
everywhere: what steers an agent in one session steers it for good once it is remembered."""

REVIEW_BELOW_BPS = 2_500


@dataclass(frozen=True, slots=True)
class Draft:
    """Text before the pipeline. None means: what the source's policy says."""

    text: str
    source: MemorySource = MemorySource.MANUAL
    tags: tuple[str, ...] = ()
    category: Category | None = None
    confidence_bps: int | None = None
    trust: Trust | None = None
    """a caller may give less trust than the source has, never more"""
    speaker: str = ""
    thread: str = ""
    """the conversation it was said in; not a scope"""
    said_at_ms: int | None = None
    expires_at_ms: int | None = None
    valid_from_ms: int | None = None
    valid_to_ms: int | None = None
    provenance: tuple[str, ...] = ()
    """ids of the events it was made from"""
    pinned: bool = False
    vouched: bool = False
    """a person has read it and takes responsibility: a recorded decision, which no agent can make"""
    rests_on: Trust | None = None
    """whose words it was made of, if somebody else wrote it down; None: the writer's"""
    is_statement: bool = False
    """read out of a turn: compared with what is known, although it has a time"""

    said: str | None = None
    """what it was read from, as it was said; None: it was not read from anything, and stands for itself"""
    change: float | None = None
    """how likely whoever read it found it that these words change something said before"""

    @property
    def is_episode(self) -> bool:
        """A turn with its own time in a conversation: said twice, it happened twice, and it is compared with nothing.

        What was read from a turn is none: it is compared like every statement."""
        is_turn = self.source in (MemorySource.USER_MESSAGE, MemorySource.TOOL_RESULT)
        return is_turn and self.said_at_ms is not None and not self.is_statement


class MemoryItem(NamedTuple):
    """`MemoryItemRecord`: one version of a stored memory. (A named tuple: every hit of every search makes one.)"""

    seq: int
    """the event that made this version"""
    memory_id: MemoryId
    scope: Scope
    source: MemorySource
    category: Category
    sensitive: tuple[str, ...]
    """kinds of what is in it, of `SENSITIVE`"""
    trust: Trust
    confidence_bps: int
    text: str
    content_hash: str
    tags: tuple[str, ...]
    speaker: str
    thread: str
    said_at_ms: int
    provenance: tuple[str, ...]
    valid_from_ms: int
    valid_to_ms: int | None
    supersedes: MemoryId | None
    superseded_by: MemoryId | None
    pinned: bool
    expires_at_ms: int | None
    created_at_ms: int
    updated_at_ms: int
    last_recalled_at_ms: int | None
    recall_count: int
    closed_at_ms: int | None
    closed_why: str | None


class CandidateState(StrEnum):
    NEEDS_REVIEW = "needs_review"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something held for review: not yet memory, and never shown to an agent."""

    candidate_id: CandidateId
    seq: int
    scope: Scope
    body: dict[str, Any]
    """the event that would store it, but for the ids"""
    text: str
    because: tuple[str, ...]
    state: CandidateState
    held_at_ms: int
    memory_id: MemoryId | None
    """the item it became"""


@dataclass(frozen=True, slots=True)
class Stored:
    memory_id: MemoryId


@dataclass(frozen=True, slots=True)
class Merged:
    memory_id: MemoryId
    """the item that was there already"""
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeldForReview:
    candidate_id: CandidateId
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConflictFound:
    """Stored, and linked to what it contradicts; `superseded` are those it has replaced."""

    memory_id: MemoryId
    conflicts_with: tuple[MemoryId, ...]
    superseded: tuple[MemoryId, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    reasons: tuple[str, ...]


IngestOutcome: TypeAlias = Stored | Merged | HeldForReview | ConflictFound | Rejected
OUTCOME_NAMES: dict[type[IngestOutcome], str] = {
    Stored: "stored",
    Merged: "merged",
    HeldForReview: "held_for_review",
    ConflictFound: "conflict_found",
    Rejected: "rejected",
}


def outcome_reasons(outcome: IngestOutcome) -> tuple[str, ...]:
    match outcome:
        case Stored():
            return ()
        case HeldForReview(because=because):
            return because
        case Merged(reasons=reasons) | ConflictFound(reasons=reasons) | Rejected(reasons=reasons):
            return reasons


@dataclass(frozen=True, slots=True)
class Ingested:
    outcome: IngestOutcome
    receipt: Receipt
    """of the event that records the outcome"""


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    max_item_bytes: int = 16_384
    max_item_tokens: int = 2_048


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """`MemoryRetentionPolicy`. None means no limit."""

    ttl_days: int | None = None
    max_entries: int | None = None
    max_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Which visible items; every given field must match."""

    tags: tuple[str, ...] = ()
    sources: tuple[MemorySource, ...] = ()
    categories: tuple[Category, ...] = ()
    trusts: tuple[Trust, ...] = ()
    include_past: bool = False
    """also superseded and expired ones"""


@dataclass(frozen=True, slots=True)
class AsOf:
    """A moment to look back to: at a time, or after a journal seq. Neither: now."""

    at_ms: int | None = None
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What an update changes; None leaves it."""

    text: str | None = None
    tags: tuple[str, ...] | None = None
    category: Category | None = None
    confidence_bps: int | None = None
    expires_at_ms: int | None = None
    never_expires: bool = False
    pinned: bool | None = None
    reason: str = ""


def parse_source(name: str) -> MemorySource:
    try:
        return MemorySource(name)
    except ValueError:
        raise InvalidArgument(
            f"unknown source {name[:64]!r}", hint=f"use one of {', '.join(source.value for source in MemorySource)}"
        ) from None


def parse_trust(name: str) -> Trust:
    for trust in Trust:
        if trust.label == name:
            return trust
    raise InvalidArgument(
        f"unknown trust {name[:64]!r}", hint=f"use one of {', '.join(trust.label for trust in Trust)}"
    )


def parse_category(name: str) -> Category:
    try:
        return Category(name)
    except ValueError:
        raise InvalidArgument(
            f"unknown category {name[:64]!r}", hint=f"use one of {', '.join(category.value for category in Category)}"
        ) from None


def to_bps(confidence: float) -> int:
    """Floats only on the wire: 0..1 becomes 0..10000."""
    if math.isnan(confidence) or not 0.0 <= confidence <= 1.0:
        raise InvalidArgument(f"confidence {confidence} is outside 0..1", hint="0.9 means nine in ten")
    return round(confidence * 10_000)
