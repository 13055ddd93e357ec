"""What was said in a run, and what a model proposes to learn from it."""

from dataclasses import dataclass
from enum import StrEnum

from palyra.core.ids import EventId
from palyra.domain.compaction.plan import Voice
from palyra.domain.memory import Trust


class LearnedKind(StrEnum):
    DURABLE_FACT = "durable_fact"
    PREFERENCE = "preference"
    PROCEDURE = "procedure"


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message on the tape. What an assistant or a tool says about the person is not the person's word."""

    seq: int
    event_id: EventId
    voice: Voice
    text: str
    at_ms: int = 0
    trust: Trust = Trust.OWNER
    left: tuple[tuple[int, int, str], ...] = ()
    """pieces of it that our reader has left on the tape: from, to and why"""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call of a tool and how it went."""

    seq: int
    event_id: EventId
    name: str
    arguments: str
    """JSON text"""
    succeeded: bool


@dataclass(frozen=True, slots=True)
class Heard:
    """One run: what was said, and which tools did what, in order."""

    run_id: str
    said: tuple[Utterance, ...]
    used: tuple[ToolUse, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidenceSpan:
    """Where it is said: characters `start` to `end` of that record's text. `end` 0: the record as a whole."""

    seq: int
    event_id: EventId
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Proposal:
    kind: LearnedKind
    text: str
    """one sentence that stands for itself, in the person's own words wherever that is possible"""
    confidence_bps: int
    """how likely it is that a person would agree: of those with 9,000, nine in ten"""
    basis: tuple[str, ...]
    """codes that say what the confidence rests on"""
    evidence: tuple[EvidenceSpan, ...]
    trust: Trust = Trust.OWNER
    """of the least trusted evidence"""
    key: str = ""
    """what it is about, for preferences: a later one with the same key takes the place of an earlier one"""
    steps: tuple[str, ...] = ()
    """of a procedure"""
    title: str = ""
    """of a procedure"""
