"""What compacting a session would do, as plain values: the plan, and the artifact that is left once it is applied.

    kept        stays in the prompt word for word
    condensed   ranges of the tape, each with the statements that stand for it from now on
    dropped     tool output that says nothing new
    candidates  what may outlive the session, and what is to become of it

Nothing is lost by a plan: the tape stays, and every range can be read again.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
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


class SummaryPart(StrEnum):
    """Where in a summary a line stands."""

    SAID = "said"
    DECIDED = "decided"
    OPEN = "open"
    """what is still to be done"""
    DELIVERED = "delivered"
    """what an assistant answered, in its first words"""
    QUOTED = ""
    """as it was told before summaries had parts"""


class Voice(StrEnum):
    """Who said it, as a summary names them."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class CompactionLimits:
    keep_recent: int = KEEP_RECENT
    """text events that stay as they are"""
    statement_tokens: int = 29
    """what a summary may cost for each statement that holds; our estimate errs upwards: of a model's tokens it is 20"""
    share_bps: int = 4_000
    """of the tokens of what is condensed: what its summary may cost at most"""
    max_summary_tokens: int = 8_000
    """whatever the share; a session may go on for years, a window is of one size"""
    max_candidates: int = 128
    completes: bool = True
    """a model's thin plan is completed with the statements it lacks; else it is refused"""


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
class SummaryLine:
    """One statement of the conversation, or what was delivered in it."""

    seq: int
    """of the message it is taken from"""
    voice: Voice
    day: str
    """YYYY-MM-DD, in UTC"""
    text: str
    section: SummaryPart = SummaryPart.QUOTED
    subject: str = ""
    """whom or what it is about, if others are about the same"""
    memory_id: str = ""
    """the memory that says it, too"""
    weight: str = ""
    """why it must not get lost, if it must not"""


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
class LostStatement:
    """Said in what is condensed, and in no place but the tape."""

    seq: int
    kind: str
    """why it must not get lost, if it must not; else what kind of statement it is"""
    text: str


@dataclass(frozen=True, slots=True)
class UnseenTurn:
    """A turn that is not all in sight, by its first words."""

    seq: int
    text: str
    partly: bool
    """something else of it is in sight"""
    why: str


@dataclass(frozen=True, slots=True)
class LossReport:
    """Where the statements of what is condensed are from now on, and all turns that are not wholly in sight."""

    statements: int = 0
    """that hold"""
    in_summary: int = 0
    in_memory: int = 0
    """and not in the summary"""
    in_document: int = 0
    """and in neither"""
    lost: tuple[LostStatement, ...] = ()
    """in no place: the rest of them"""
    turns: int = 0
    turns_in_sight: int = 0
    unseen: tuple[UnseenTurn, ...] = ()
    """the other turns, every one; of a compaction that was applied the first of many"""

    @property
    def present(self) -> int:
        return self.in_summary + self.in_memory + self.in_document

    @property
    def grave(self) -> tuple[LostStatement, ...]:
        """Lost, and not to be: health, safety, obligations, dates, money."""
        return tuple(one for one in self.lost if one.kind in _GRAVE)


_GRAVE = frozenset({"health", "safety", "obligation", "date", "money"})


LOST_ON_RECORD, UNSEEN_ON_RECORD = 64, 256


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
    candidates: tuple[DurableCandidate, ...]
    loss: LossReport
    tokens_before: int
    """of the conversation in a prompt as it is now: the earlier summary and all that was said since"""
    tokens_after: int
    planner: Planner = Planner.EXTRACTIVE
    rejections: tuple[str, ...] = ()
    """what of a model's plan was not taken, and why"""
    strategy: str = STRATEGY

    def on_record(self) -> "SessionCompactionPlan":
        """As it is kept for ever: of what is not in sight the first, the others as numbers."""
        loss = self.loss
        cut = replace(loss, lost=loss.lost[:LOST_ON_RECORD], unseen=loss.unseen[:UNSEEN_ON_RECORD])
        return replace(self, loss=cut)

    @property
    def artifact(self) -> CompactionArtifact:
        return CompactionArtifact(self.condensed, self.strategy)


def day_of(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1_000, UTC).date().isoformat()
