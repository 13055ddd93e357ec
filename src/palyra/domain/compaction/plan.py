"""What compacting a session would do, as plain values: the plan, and the artifact that is left once it is applied.

    kept        stays in the prompt word for word
    condensed   ranges of the tape, each with the sentences that stand for it from now on
    dropped     tool output that says nothing new
    candidates  what may outlive the session, and what is to become of it

Nothing is lost by a plan: the tape stays, and every range can be read again.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from enum import StrEnum

STRATEGY = "session_window_v1"
KEEP_RECENT = 6


class Planner(StrEnum):
    EXTRACTIVE = "extractive"
    MODEL = "model"


class KeptBecause(StrEnum):
    RECENT = "recent"
    QUESTION = "question"
    """what a recent answer answers"""
    PINNED = "pinned"
    OPEN = "open"
    """its turn waits for an approval or for the result of a call"""


class DroppedBecause(StrEnum):
    REPEATED = "repeated"
    """the same call gave the same result later"""
    SUPERSEDED = "superseded"
    """the same call gave another result later"""


class CandidateKind(StrEnum):
    FACT = "fact"
    PREFERENCE = "preference"
    DECISION = "decision"
    PROCEDURE = "procedure"
    OPEN_TASK = "open_task"


class Disposition(StrEnum):
    AUTO_WRITE = "auto_write"
    REVIEW_REQUIRED = "review_required"
    SKIPPED_DUPLICATE = "skipped_duplicate"
    SKIPPED_NOISE = "skipped_noise"
    BLOCKED_SENSITIVE = "blocked_sensitive"
    BLOCKED_POISONED = "blocked_poisoned"


class ProbeKind(StrEnum):
    """What a probe asks about."""

    CORRECTION = "correction"
    DECISION = "decision"
    PREFERENCE = "preference"
    PERSON = "person"
    """what somebody says about themselves"""
    DATE = "date"
    NUMBER = "number"
    NAME = "name"


class Voice(StrEnum):
    """Who said it, as a summary names them."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class CompactionLimits:
    keep_recent: int = KEEP_RECENT
    """text events that stay as they are"""
    share_bps: int = 1_500
    """of the tokens of what is condensed: what its summary may cost"""
    max_summary_tokens: int = 8_000
    """whatever the share; a session may go on for years, a window is of one size"""
    max_candidates: int = 64
    auto_write_bps: int = 9_000
    """what is as sure is written without asking"""


@dataclass(frozen=True, slots=True)
class KeptMessage:
    seq: int
    """of the message's first tape record"""
    last_seq: int
    because: KeptBecause


@dataclass(frozen=True, slots=True)
class DroppedRange:
    seq: int
    last_seq: int
    because: DroppedBecause
    by_seq: int
    """the call that makes it redundant"""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Said, and taken back later: not part of the summary."""

    seq: int
    by_seq: int


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A sentence that stands for a part of the conversation."""

    seq: int
    """of the message it is taken from"""
    voice: Voice
    day: str
    """YYYY-MM-DD, in UTC"""
    text: str


@dataclass(frozen=True, slots=True)
class Condensed:
    first_seq: int
    last_seq: int
    source_tokens: int
    """what it stands for"""
    lines: tuple[SummaryLine, ...]
    """none, when nothing in it is worth a sentence"""


@dataclass(frozen=True, slots=True)
class CandidateEvidence:
    """Where a candidate is said: characters [start, end) of the message that begins at `seq`, as `spoken` gives it."""

    seq: int
    last_seq: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DurableCandidate:
    text: str
    kind: CandidateKind
    evidence: tuple[CandidateEvidence, ...]
    confidence_bps: int
    disposition: Disposition
    target: str
    """path of a workspace document"""
    reason: str
    """why this disposition, in words"""


@dataclass(frozen=True, slots=True)
class Probe:
    """A fact, as a question would look for it: `cue` is what is asked with, `answer` what has to be found."""

    seq: int
    kind: ProbeKind
    voice: Voice
    cue: tuple[str, ...]
    """index terms, in the order they were said"""
    answer: tuple[str, ...]
    text: str
    """the sentence it was derived from"""


@dataclass(frozen=True, slots=True)
class LossReport:
    """How many probe facts of the condensed part are still said in the summary, in what is kept or in a candidate."""

    probes: int
    present: int
    lost: tuple[Probe, ...]
    """the weightiest that are not, at most `MAX_LOST`"""


MAX_LOST = 32
MAX_PROBES = 64


@dataclass(frozen=True, slots=True)
class CompactionArtifact:
    """All that was condensed in a session so far: what the next prompt is given, and the next plan builds on."""

    condensed: tuple[Condensed, ...]
    """in the order of the tape, apart from each other"""
    strategy: str = STRATEGY

    @property
    def source_tokens(self) -> int:
        return sum(block.source_tokens for block in self.condensed)

    def covers(self, seq: int) -> bool:
        place = bisect_right(self.condensed, seq, key=lambda block: block.first_seq)
        return place > 0 and seq <= self.condensed[place - 1].last_seq

    def without(self, seqs: Collection[int]) -> "CompactionArtifact":
        """The same ranges without the lines taken from these messages: for what was erased or taken back."""
        gone = frozenset(seqs)
        return self.keeping(lambda line: line.seq not in gone)

    def keeping(self, is_kept: Callable[[SummaryLine], bool]) -> "CompactionArtifact":
        """The same ranges with fewer lines."""
        blocks = (replace(block, lines=tuple(filter(is_kept, block.lines))) for block in self.condensed)
        return replace(self, condensed=tuple(blocks))


@dataclass(frozen=True, slots=True)
class SessionCompactionPlan:
    kept: tuple[KeptMessage, ...]
    condensed: tuple[Condensed, ...]
    """those of the earlier compaction included"""
    dropped: tuple[DroppedRange, ...]
    superseded: tuple[TakenBack, ...]
    candidates: tuple[DurableCandidate, ...]
    probes: tuple[Probe, ...]
    """the weightiest, at most `MAX_PROBES`; the loss report counts all"""
    loss: LossReport
    tokens_before: int
    """of the conversation in a prompt as it is now: the earlier summary and all that was said since"""
    tokens_after: int
    planner: Planner = Planner.EXTRACTIVE
    rejections: tuple[str, ...] = ()
    """what of a model's plan was not taken, and why"""
    strategy: str = STRATEGY

    @property
    def artifact(self) -> CompactionArtifact:
        return CompactionArtifact(self.condensed, self.strategy)

    @property
    def cut_bps(self) -> int:
        """Share of the tokens that the next prompt is spared; below zero when there was nothing to condense."""
        return 0 if not self.tokens_before else 10_000 - self.tokens_after * 10_000 // self.tokens_before
