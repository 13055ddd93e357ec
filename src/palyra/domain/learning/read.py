"""What reading a finished turn came to: memories, proposals that wait, and what stays on the tape alone."""

from dataclasses import dataclass

from palyra.core.ids import EventId, RunId
from palyra.domain.memory import HeldForReview, IngestOutcome, Merged, Rejected
from palyra.language.statements import Kind

READER = "reader"
"""who has read it, on record"""


@dataclass(frozen=True, slots=True)
class FoundStatement:
    """One thing a turn says, and what became of it: a memory, a proposal that waits, or neither, and why."""

    text: str
    event_id: EventId
    start: int
    end: int
    kind: Kind | None = None
    confidence_bps: int = 0
    outcome: IngestOutcome | None = None
    because: str = ""

    @property
    def waits(self) -> bool:
        return isinstance(self.outcome, HeldForReview)

    @property
    def is_left(self) -> bool:
        return self.outcome is None or isinstance(self.outcome, Rejected)


@dataclass(frozen=True, slots=True)
class TurnRead:
    """What one finished turn came to."""

    run_id: RunId
    found: tuple[FoundStatement, ...] = ()

    @property
    def written(self) -> list[FoundStatement]:
        return [one for one in self.found if not one.waits and not one.is_left]

    @property
    def merged(self) -> int:
        return sum(isinstance(one.outcome, Merged) for one in self.found)

    @property
    def waiting(self) -> list[FoundStatement]:
        return [one for one in self.found if one.waits]

    @property
    def left(self) -> list[FoundStatement]:
        return [one for one in self.found if one.is_left]
