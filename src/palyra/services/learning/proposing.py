"""What becomes of a proposal: nobody is asked, a person is, or it is written at once; with the reasons on record."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from palyra.core.errors import PalyraError
from palyra.core.hashing import Json
from palyra.core.ids import CandidateId, MemoryId
from palyra.core.redact import EVERYTHING, redact_text
from palyra.domain.chat.session import Run, Session
from palyra.domain.classify import Classification, classify_memory_write
from palyra.domain.compaction.disposition import dispose, nothing_known
from palyra.domain.compaction.plan import Disposition
from palyra.domain.journal import Actor, EventDraft, draft_of_event
from palyra.domain.labels import Category, written_kinds
from palyra.domain.learning.candidate import LearningCandidate, LearningPolicy, LearningState
from palyra.domain.learning.events import CandidateMoved, CandidateProposed
from palyra.domain.learning.proposal import Heard, LearnedKind, Proposal
from palyra.domain.memory import CandidateState, Merged, Trust
from palyra.domain.scope import Visibility
from palyra.language.wording import Relation, fingerprint, relate
from palyra.services.learning.applying import Unresolved, Written, ready_for, write_memory
from palyra.services.learning.context import Learning, place_of
from palyra.services.memory.comparing import Looked, decide_looked, look
from palyra.services.sessions.context import origin_in
from palyra.store.connection import ReadTx
from palyra.store.learning.records import alike
from palyra.store.memory.candidates import alike as alike_held
from palyra.store.memory.items import fetch_item, fetch_seqs

_SIMILAR = 8
_KEY_CHARS = 32


@dataclass(frozen=True, slots=True)
class Considered:
    """A proposal that is worth a candidate, and the memory it would be; procedures have none."""

    candidate: LearningCandidate
    memory: Looked | None
    doubts: tuple[str, ...]


@dataclass(slots=True)
class Account:
    drafts: list[EventDraft] = field(default_factory=list)
    proposed: int = 0
    applied: int = 0
    known: int = 0


async def consider(
    learning: Learning, session: Session, run: Run, proposal: Proposal, extractor: str, heard: Sequence[Heard]
) -> Considered | dict[str, Json]:
    """Worth a candidate, or else what is put on record about it."""
    label = classify_memory_write(proposal.text, encode=learning.memory.terms.encode)
    reason = _refusal(proposal, learning.policy)
    if reason:
        return {
            "kind": proposal.kind.value,
            "text": redact_text(proposal.text, EVERYTHING).text,
            "confidence_bps": proposal.confidence_bps,
            "basis": list(proposal.basis),
            "reason": reason,
        }
    _, scope = place_of(session.principal, session.channel)
    at_ms = learning.clock.now_ms()
    candidate = LearningCandidate(
        CandidateId(learning.store.ids.next(at_ms)),
        0,
        scope,
        run.run_id,
        session.session_id,
        proposal.kind,
        proposal.text,
        proposal.confidence_bps,
        proposal.basis,
        proposal.evidence,
        proposal.trust,
        label.risks,
        written_kinds(label.sensitive),
        proposal.key,
        proposal.steps,
        proposal.title,
        extractor,
        dedupe_key(proposal),
        (),
        (),
        (),
        LearningState.PROPOSED,
        at_ms,
        at_ms,
        None,
        None,
        made_item=False,
        document="",
    )
    doubts = _doubts(learning, proposal, label)
    if proposal.kind is LearnedKind.PROCEDURE:
        return Considered(candidate, None, doubts)
    spoken = {said.seq: said.at_ms for one in heard for said in one.said}
    said_at_ms = spoken.get(proposal.evidence[-1].seq) if proposal.evidence else None
    try:
        ready = ready_for(learning, candidate, proposal.text, session.key, said_at_ms, Actor.SYSTEM)
    except PalyraError as error:
        return {"kind": proposal.kind.value, "confidence_bps": proposal.confidence_bps, "reason": error.message}
    because = tuple(dict.fromkeys((*doubts, *ready.because)))
    return Considered(candidate, await look(learning.memory, ready), because)


def dedupe_key(proposal: Proposal) -> str:
    """Equal for two that propose the same, however they are typed. The slot is no part of it: a new word on an old
    subject is a new proposal."""
    return f"{proposal.kind.value}:{fingerprint(proposal.text)[:_KEY_CHARS]}"


def _refusal(proposal: Proposal, policy: LearningPolicy) -> str:
    """Why nobody is even asked; empty: somebody may be."""
    verdict = dispose(proposal.text, proposal.trust, proposal.confidence_bps, nothing_known, policy.auto_write_bps)
    if verdict.disposition in (Disposition.BLOCKED_SENSITIVE, Disposition.BLOCKED_POISONED):
        return verdict.reason
    least = policy.review_from_bps(proposal.kind)
    if proposal.confidence_bps < least:
        return f"confidence {proposal.confidence_bps} is below {least}"
    return ""


def _doubts(learning: Learning, proposal: Proposal, label: Classification) -> tuple[str, ...]:
    """Why it is not written without asking; empty: it is."""
    doubts: list[str] = []
    if proposal.kind is not LearnedKind.DURABLE_FACT:
        doubts.append(proposal.kind.value)
    elif proposal.confidence_bps < learning.policy.auto_write_bps:
        doubts.append("not_sure_enough")
    if proposal.trust > Trust.OWNER:
        doubts.append(f"from_{proposal.trust.label}")
    if label.risks:
        doubts.append("reads_like_instructions")
    doubts += learning.memory.sensitive.reasons_to_hold(label.sensitive, is_owners=proposal.trust is Trust.OWNER)
    if label.category is Category.TRANSIENT:
        doubts.append("may_not_last")
    return tuple(doubts)


def decide_one(tx: ReadTx, learning: Learning, run: Run, one: Considered, account: Account) -> None:
    candidate, because = one.candidate, list(one.doubts)
    if alike(tx, candidate.scope, candidate.dedupe_key) is not None:
        account.known += 1
        return
    if one.memory is not None and _is_known(tx, learning, one.memory, candidate.kind):
        account.known += 1
        return
    similar, conflicts = ((), ()) if one.memory is None else _neighbours(tx, one.memory)
    if conflicts:
        because.append("conflict")
    written: Written | None = None
    if not because and one.memory is not None:
        match write_memory(tx, learning, candidate, one.memory, Actor.SYSTEM):
            case Unresolved(conflicts=others):
                conflicts = tuple(dict.fromkeys((*conflicts, *others)))
                because.append("conflict")
            case Written() as done:
                written = done
    origin = origin_in(run, Actor.SYSTEM, run.run_id)
    proposed = CandidateProposed(
        candidate.candidate_id,
        run.run_id,
        run.session_id,
        candidate.kind.value,
        candidate.text,
        candidate.confidence_bps,
        candidate.basis,
        tuple({"seq": s.seq, "event_id": s.event_id, "start": s.start, "end": s.end} for s in candidate.evidence),
        candidate.dedupe_key,
        candidate.extractor,
        candidate.scope.channel,
        int(candidate.trust),
        candidate.risks,
        candidate.sensitivity,
        candidate.slot,
        candidate.steps,
        candidate.title,
        similar,
        conflicts,
        tuple(because),
    )
    account.drafts.append(draft_of_event(proposed, origin))
    account.proposed += 1
    if written is not None:
        account.drafts += written.drafts
        account.applied += 1
        moved = CandidateMoved(
            candidate.candidate_id,
            LearningState.AUTO_APPLIED.value,
            memory_id=written.memory_id,
            made_item=written.made_item,
            before=written.before,
        )
    else:
        state = LearningState.CONFLICTED if conflicts else LearningState.NEEDS_REVIEW
        moved = CandidateMoved(candidate.candidate_id, state.value)
    account.drafts.append(draft_of_event(moved, origin))


def _is_known(tx: ReadTx, learning: Learning, looked: Looked, kind: LearnedKind) -> bool:
    """What is remembered, or waits to be, is no news. A preference is, until it is one that prompts are told."""
    stored = looked.ready.stored
    held = alike_held(tx, looked.ready.scope, stored.likeness)
    if held is not None and held.state is not CandidateState.APPROVED:
        return True
    _, outcome = decide_looked(tx, learning.memory, looked)
    if not isinstance(outcome, Merged):
        return False
    place, _ = place_of(looked.ready.scope.principal, looked.ready.scope.channel)
    item = fetch_item(tx, outcome.memory_id, place)
    return item is not None and (kind is LearnedKind.DURABLE_FACT or item.category.value == kind.value)


def _neighbours(tx: ReadTx, looked: Looked) -> tuple[tuple[MemoryId, ...], tuple[MemoryId, ...]]:
    scope = looked.ready.scope
    sight = Visibility(scope.principal, scope.channel)
    found = fetch_seqs(tx, looked.neighbours, sight) if looked.neighbours else {}
    similar: list[MemoryId] = []
    conflicts: list[MemoryId] = []
    own = set(looked.ready.stored.provenance)
    for item in found.values():
        if item.closed_at_ms is not None or item.superseded_by is not None or own.intersection(item.provenance):
            continue
        relation = relate(item.text, looked.ready.stored.text).relation
        (conflicts if relation is Relation.CONFLICT else similar).append(item.memory_id)
    return tuple(similar[:_SIMILAR]), tuple(conflicts)
