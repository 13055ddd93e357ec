"""What a planner works on: the statements the one reader has read from the turns, and what has become of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from palyra.domain.compaction.plan import CandidateKind
from palyra.domain.memory import Trust


class State(StrEnum):
    HOLDS = "holds"
    """it is memory"""
    READ = "read"
    """read for this very plan: the turn was not read before, and nothing of it is memory"""
    WAITS = "waits"
    """a person is to decide"""
    REPLACED = "replaced"
    REJECTED = "rejected"
    ERASED = "erased"
    LEFT = "left"
    """on the tape: it did not seem worth keeping"""


@dataclass(frozen=True, slots=True)
class Stated:
    """One statement of a message, or a piece of it that was left on the tape."""

    seq: int
    """of the message"""
    text: str
    kind: CandidateKind
    state: State
    sure_bps: int
    """how sure the reader was that it is worth keeping"""
    trust: Trust = Trust.OWNER
    span: tuple[int, int] = (0, 0)
    """where in the message it is said"""
    memory_id: str = ""
    because: tuple[str, ...] = ()
    """why it waits, or was left"""

    @property
    def stands(self) -> bool:
        """Nobody has said that it does not hold, and it is more than a piece that was left."""
        return self.state in (State.HOLDS, State.READ, State.WAITS)


ByMessage: TypeAlias = Mapping[int, Sequence[Stated]]
"""by the seq of the message; one that nobody has read has none"""
