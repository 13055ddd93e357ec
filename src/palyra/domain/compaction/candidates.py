"""What documents are to hold of a conversation: a view of its statements, each with the document it belongs to."""

from collections.abc import Sequence

from palyra.domain.compaction.disposition import dispose, nothing_known
from palyra.domain.compaction.plan import (
    CandidateEvidence,
    CandidateKind,
    CompactionLimits,
    Disposition,
    DurableCandidate,
    day_of,
)
from palyra.domain.compaction.stated import ByMessage, State, Stated
from palyra.domain.compaction.tape import TapeMessage
from palyra.domain.memory import Trust
from palyra.language.wording.weighty import Gravity, is_task, project_of, weight_of

_NOISE_SHOWN = 8
_PROJECT_CHARS = 64
_POISONED = frozenset({"reads_like_instructions", "untrusted_source"})


def candidates_of(
    messages: Sequence[TapeMessage], stated: ByMessage, limits: CompactionLimits
) -> tuple[DurableCandidate, ...]:
    """In the order they were said; of too many the surest."""
    found: dict[str, DurableCandidate] = {}
    noise = 0
    for said in messages:
        for one in stated.get(said.seq, ()):
            if one.state is State.LEFT:
                noise += 1
            if one.stands or (one.state is State.LEFT and noise <= _NOISE_SHOWN):
                candidate = _candidate(said, one)
                found[one.memory_id or candidate.text] = candidate
    every = list(found.values())
    best = sorted(every, key=lambda one: (one.disposition is Disposition.SKIPPED_NOISE, -one.confidence_bps))
    kept = set(map(id, best[: limits.max_candidates]))
    return tuple(one for one in every if id(one) in kept)


def _candidate(said: TapeMessage, one: Stated) -> DurableCandidate:
    kind = CandidateKind.OPEN_TASK if one.stands and is_task(one.text) else one.kind
    evidence = (CandidateEvidence(said.seq, said.last_seq, *one.span),)
    disposition, reason, text = _disposed(one)
    return DurableCandidate(
        text, kind, evidence, one.sure_bps, disposition, target_of(one.text, kind, said.at_ms), reason
    )


def _disposed(one: Stated) -> tuple[Disposition, str, str]:
    if one.state is State.LEFT:
        return Disposition.SKIPPED_NOISE, f"it stays on the tape: {', '.join(one.because)}", one.text
    found = dispose(one.text, one.trust, 10_000, nothing_known, 0)
    if found.disposition in (Disposition.BLOCKED_SENSITIVE, Disposition.BLOCKED_POISONED):
        return found.disposition, found.reason, found.text
    if one.state is State.WAITS and not _POISONED.isdisjoint(one.because):
        return Disposition.BLOCKED_POISONED, f"it waits for you: {', '.join(one.because)}", one.text
    if one.state is State.WAITS:
        return Disposition.REVIEW_REQUIRED, f"it waits for you: {', '.join(one.because)}", one.text
    if one.state is State.READ:
        return Disposition.REVIEW_REQUIRED, "it is not in memory: its turn was not read before", one.text
    if one.trust > Trust.OWNER:
        return Disposition.REVIEW_REQUIRED, f"it comes from {one.trust.label}, not from the owner", one.text
    return Disposition.AUTO_WRITE, "it is in memory", one.text


def target_of(text: str, kind: CandidateKind, at_ms: int) -> str:
    """The document it belongs to: tasks to the status, what a project is named in to the project, and so on."""
    if kind is CandidateKind.OPEN_TASK:
        return "HEARTBEAT.md"
    slug = "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in project_of(text).lower()).split())
    if slug:
        return f"projects/{slug[:_PROJECT_CHARS]}.md"
    if kind is CandidateKind.DECISION:
        return "context/decisions.md"
    if kind is CandidateKind.PROCEDURE:
        return "context/procedures.md"
    if kind is CandidateKind.FACT and weight_of(text, at_ms) is Gravity.DATE:
        return f"daily/{day_of(at_ms)}.md"
    return "MEMORY.md"
