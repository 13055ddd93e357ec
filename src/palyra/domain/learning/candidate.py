"""Learning candidates: their states, which step may follow which, and what the thresholds say about a new one."""

from dataclasses import dataclass
from enum import StrEnum

from palyra.core.errors import FailedPrecondition
from palyra.core.ids import CandidateId, MemoryId, RunId, SessionId
from palyra.domain.learning.proposal import EvidenceSpan, LearnedKind
from palyra.domain.memory import Trust
from palyra.domain.scope import Scope


class LearningState(StrEnum):
    PROPOSED = "proposed"
    NEEDS_REVIEW = "needs_review"
    APPROVED = "approved"
    REJECTED = "rejected"
    APPLIED = "applied"
    AUTO_APPLIED = "auto_applied"
    CONFLICTED = "conflicted"
    ROLLED_BACK = "rolled_back"

    @property
    def waits(self) -> bool:
        """for a person"""
        return self in (LearningState.NEEDS_REVIEW, LearningState.CONFLICTED)

    @property
    def is_in_force(self) -> bool:
        return self in (LearningState.APPLIED, LearningState.AUTO_APPLIED)

    @property
    def withdrawn(self) -> "LearningState | None":
        """What it becomes when what it rests on is taken out; None: nothing of it holds or waits."""
        if self.waits:
            return LearningState.REJECTED
        return LearningState.ROLLED_BACK if self.is_in_force else None


_S = LearningState
TRANSITIONS: dict[LearningState, frozenset[LearningState]] = {
    _S.PROPOSED: frozenset({_S.NEEDS_REVIEW, _S.AUTO_APPLIED, _S.CONFLICTED}),
    _S.NEEDS_REVIEW: frozenset({_S.APPROVED, _S.REJECTED}),
    _S.CONFLICTED: frozenset({_S.APPROVED, _S.REJECTED}),
    _S.APPROVED: frozenset({_S.APPLIED}),
    _S.APPLIED: frozenset({_S.ROLLED_BACK}),
    _S.AUTO_APPLIED: frozenset({_S.ROLLED_BACK}),
    _S.REJECTED: frozenset({_S.NEEDS_REVIEW}),
    _S.ROLLED_BACK: frozenset({_S.NEEDS_REVIEW}),
}
"""every legal step; snoozing is none: a candidate that waits goes on waiting, out of sight for a while"""


@dataclass(frozen=True, slots=True)
class LearningPolicy:
    """`[learning]`"""

    enabled: bool = True
    cooldown_ms: int = 300_000
    max_candidates_per_run: int = 24
    auto_write_bps: int = 9_000
    review_fact_bps: int = 7_500
    review_preference_bps: int = 8_000
    review_procedure_bps: int = 8_500

    def review_from_bps(self, kind: LearnedKind) -> int:
        match kind:
            case LearnedKind.DURABLE_FACT:
                return self.review_fact_bps
            case LearnedKind.PREFERENCE:
                return self.review_preference_bps
            case LearnedKind.PROCEDURE:
                return self.review_procedure_bps


@dataclass(frozen=True, slots=True)
class LearningCandidate:
    candidate_id: CandidateId
    seq: int
    scope: Scope
    run_id: RunId
    from_session_id: SessionId
    kind: LearnedKind
    text: str
    """as it was proposed, or as a person has reworded it"""
    confidence_bps: int
    basis: tuple[str, ...]
    evidence: tuple[EvidenceSpan, ...]
    trust: Trust
    risks: tuple[str, ...]
    sensitivity: str
    slot: str
    """what a preference is about: a later one with the same takes its place"""
    steps: tuple[str, ...]
    title: str
    extractor: str
    """rules, or the model that proposed it"""
    dedupe_key: str
    similar: tuple[MemoryId, ...]
    conflicts: tuple[MemoryId, ...]
    because: tuple[str, ...]
    """why it was not written at once"""
    state: LearningState
    proposed_at_ms: int
    updated_at_ms: int
    snoozed_until_ms: int | None
    memory_id: MemoryId | None
    """what it became"""
    made_item: bool
    """that memory is its own work, not one that was there before"""
    document: str
    """the path of what it was written to"""


@dataclass(frozen=True, slots=True)
class LearningStep:
    """One line of a candidate's history."""

    seq: int
    state: LearningState
    at_ms: int
    actor: str
    reason: str
    text: str
    """as it was reworded; empty: as it was"""


def check_step(candidate_id: str, current: LearningState, following: LearningState) -> None:
    if following not in TRANSITIONS[current]:
        legal = ", ".join(sorted(state.value for state in TRANSITIONS[current]))
        raise FailedPrecondition(
            f"candidate {candidate_id} is {current.value} and cannot become {following.value}",
            hint=f"from {current.value} it can become {legal}; palyra learning show {candidate_id} has its history",
        )
