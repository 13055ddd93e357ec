"""`post_run_reflection`: reads runs that are over, and proposes what they tell.

A run waits in the queue from the transaction that ends it until the transaction that writes down what was found in it.
Between two readings of one session a cooldown passes: runs wait meanwhile, and none is dropped.
"""

import asyncio
import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from palyra.core.errors import PalyraError
from palyra.core.hashing import Json
from palyra.core.ids import CandidateId, MemoryId, RunId, SessionId
from palyra.core.redact import EVERYTHING, redact_text
from palyra.domain.chat.session import Run, Session
from palyra.domain.classify import Classification, classify
from palyra.domain.compaction.disposition import dispose, nothing_known
from palyra.domain.compaction.plan import Disposition
from palyra.domain.journal import Actor, Decision, EventDraft, draft_of_event
from palyra.domain.labels import Category, Sensitivity
from palyra.domain.learning.candidate import LearningCandidate, LearningPolicy, LearningState
from palyra.domain.learning.events import CandidateMoved, CandidateProposed, RunReflected
from palyra.domain.learning.proposal import Heard, LearnedKind, Proposal
from palyra.domain.memory import MemorySource, Merged, Trust
from palyra.domain.scope import Visibility
from palyra.domain.similarity import Relation, fingerprint, relate
from palyra.services.learning.applying import Unresolved, Written, ready_for, write_memory
from palyra.services.learning.context import Learning, place_of
from palyra.services.learning.listening import heard_before
from palyra.services.memory.ingest import Looked, decide_looked, look
from palyra.services.models import ask
from palyra.services.sessions.context import find_session, origin_in
from palyra.store.connection import ReadTx
from palyra.store.learning.records import alike, is_queued, queued_sessions
from palyra.store.memory.items import fetch_item, fetch_seqs
from palyra.store.sessions.records import own_run

log = logging.getLogger("palyra.learning")

_SESSIONS = 64
_SHOWN_DROPPED = 32
_SIMILAR = 8
_KEY_CHARS = 32
_RULES = "rules"


@dataclass(frozen=True, slots=True)
class Reflected:
    """What reading some runs came to."""

    runs: int = 0
    proposed: int = 0
    applied: int = 0
    more: bool = False
    """others wait, and no cooldown holds them"""


@dataclass(frozen=True, slots=True)
class _Extracted:
    by_rules: tuple[Proposal, ...]
    by_model: tuple[Proposal, ...] = ()
    model: str = ""
    notices: tuple[str, ...] = ()

    @property
    def extractor(self) -> str:
        return self.model or _RULES

    def proposals(self, most: int) -> list[tuple[Proposal, str]]:
        """Each with who proposes it."""
        rules = [(one, _RULES) for one in self.by_rules]
        return [*rules, *((one, self.model) for one in self.by_model)][:most]


@dataclass(frozen=True, slots=True)
class _Looked:
    """A proposal that is worth a candidate, and the memory it would be; procedures have none."""

    candidate: LearningCandidate
    memory: Looked | None
    doubts: tuple[str, ...]


@dataclass(slots=True)
class _Account:
    drafts: list[EventDraft] = field(default_factory=list)
    proposed: int = 0
    applied: int = 0
    known: int = 0


async def reflect_due(
    learning: Learning, most: int = 16, *, at_once: bool = False, seer: Visibility | None = None
) -> Reflected:
    """At most so many runs, those that wait longest first: of everybody, or of what the seer sees. `at_once`: whatever
    the cooldown says."""
    now_ms = learning.clock.now_ms()
    queue = await learning.store.db.read(lambda tx: queued_sessions(tx, _SESSIONS, seer))
    done = Reflected()
    failed: PalyraError | None = None
    for waiting in queue:
        since_ms = None if waiting.last_read_ms is None else now_ms - waiting.last_read_ms
        if not at_once and since_ms is not None and 0 <= since_ms < learning.policy.cooldown_ms:
            continue
        for run_id in waiting.run_ids:
            if done.runs == most:
                return Reflected(done.runs, done.proposed, done.applied, more=True)
            try:
                read = await reflect(learning, waiting.session_id, run_id)
            except PalyraError as error:  # it waits; those behind it do not
                failed = error
                break
            done = Reflected(done.runs + 1, done.proposed + read.proposed, done.applied + read.applied)
    if failed is not None and not done.runs:
        raise failed
    return done


async def reflect(learning: Learning, session_id: SessionId, run_id: RunId) -> Reflected:
    """Reads one run and writes down what was found, in one transaction. A second time nothing happens."""

    def read(tx: ReadTx) -> tuple[Session, Run, tuple[Heard, ...]] | None:
        run = own_run(tx, run_id)
        if run is None or not is_queued(tx, run_id):
            return None
        session = find_session(tx, session_id, Visibility(run.principal, run.channel))
        return session, run, () if run.undone_seq is not None else heard_before(tx, session, run)

    found = await learning.store.db.read(read)
    if found is None:
        return Reflected()
    session, run, heard = found
    extracted = await _extract(learning, heard)
    dropped: list[dict[str, Json]] = []
    looked: list[_Looked] = []
    for proposal, extractor in extracted.proposals(learning.policy.max_candidates_per_run):
        one = await _look(learning, session, run, proposal, extractor, heard)
        if isinstance(one, _Looked):
            looked.append(one)
        else:
            dropped.append(one)

    def decide(tx: ReadTx) -> Decision[Reflected]:
        if not is_queued(tx, run_id):
            return Decision((), Reflected())
        account = _Account()
        seen: set[str] = set()
        for one in looked:
            key = one.candidate.dedupe_key
            if key in seen or alike(tx, one.candidate.scope, key) is not None:
                account.known += 1
                continue
            seen.add(key)
            _decide_one(tx, learning, run, one, account)
        reflected = RunReflected(
            run.run_id,
            session.session_id,
            extracted.extractor,
            account.proposed,
            account.known,
            tuple(dropped[:_SHOWN_DROPPED]),
            extracted.notices,
        )
        first = draft_of_event(reflected, origin_in(run, Actor.SYSTEM, run.run_id))
        return Decision((first, *account.drafts), Reflected(1, account.proposed, account.applied))

    committed = await learning.journal.commit(decide)
    learning.memory.follower.wake()
    return committed.outcome


# -- what it says


async def _extract(learning: Learning, heard: Sequence[Heard]) -> _Extracted:
    """By rules, and by the model if there is one: what both propose is as sure as the rules say."""
    from palyra.domain.learning.rules import propose_by_rules  # noqa: PLC0415 - the tables of many languages

    if not heard or not any(one.said or one.used for one in heard[-1:]):
        return _Extracted(())
    most = learning.policy.max_candidates_per_run
    try:
        by_rules = await asyncio.to_thread(propose_by_rules, heard, most)
    except Exception as error:  # a run that no rule can read must not stop those behind it
        log.exception("the rules cannot read run %s", heard[-1].run_id)
        return _Extracted((), notices=(f"the rules cannot read it: unexpected {type(error).__name__}",))
    if learning.model is None:
        return _Extracted(by_rules)
    from palyra.domain.learning.model_proposals import (  # noqa: PLC0415 - only with a model
        ModelRejected,
        read_answer,
        request_text,
    )

    name = learning.model.info.model
    try:
        answer = await ask(learning.model, request_text(heard, secrets.token_hex(8), most))
    except PalyraError as error:
        return _Extracted(by_rules, notices=(f"the model proposed nothing: {redact_text(error.message).text}",))
    parsed = await asyncio.to_thread(read_answer, answer, heard, most)
    if isinstance(parsed, ModelRejected):
        notices = tuple(f"the model's answer was not taken: {one}" for one in parsed.reasons)
        return _Extracted(by_rules, notices=notices)
    own = {fingerprint(one.text) for one in by_rules}
    others = tuple(one for one in parsed.proposals if fingerprint(one.text) not in own)
    return _Extracted(by_rules, others, name, tuple(parsed.refused))


# -- what becomes of it


async def _look(
    learning: Learning, session: Session, run: Run, proposal: Proposal, extractor: str, heard: Sequence[Heard]
) -> "_Looked | dict[str, Json]":
    """Worth a candidate, or else what is put on record about it."""
    label = classify(proposal.text)
    reason = _refusal(proposal, label, learning.policy)
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
        label.sensitivity.value,
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
    doubts = _doubts(proposal, label, learning.policy)
    if proposal.kind is LearnedKind.PROCEDURE:
        return _Looked(candidate, None, doubts)
    spoken = {said.seq: said.at_ms for one in heard for said in one.said}
    said_at_ms = spoken.get(proposal.evidence[-1].seq) if proposal.evidence else None
    try:
        ready = ready_for(learning, candidate, proposal.text, session.key, said_at_ms, Actor.SYSTEM)
    except PalyraError as error:
        return {"kind": proposal.kind.value, "confidence_bps": proposal.confidence_bps, "reason": error.message}
    return _Looked(candidate, await look(learning.memory, ready), (*doubts, *ready.because))


def dedupe_key(proposal: Proposal) -> str:
    """Equal for two that propose the same, however they are typed. The slot is no part of it: a new word on an old
    subject is a new proposal."""
    return f"{proposal.kind.value}:{fingerprint(proposal.text)[:_KEY_CHARS]}"


def _refusal(proposal: Proposal, label: Classification, policy: LearningPolicy) -> str:
    """Why nobody is even asked; empty: somebody may be."""
    verdict = dispose(proposal.text, proposal.trust, proposal.confidence_bps, nothing_known, policy.auto_write_bps)
    if verdict.disposition in (Disposition.BLOCKED_SENSITIVE, Disposition.BLOCKED_POISONED):
        return verdict.reason
    least = policy.review_from_bps(proposal.kind)
    if proposal.confidence_bps < least:
        return f"confidence {proposal.confidence_bps} is below {least}"
    if label.sensitivity is Sensitivity.SECRET:
        return "it holds a secret or an account number"
    return ""


def _doubts(proposal: Proposal, label: Classification, policy: LearningPolicy) -> tuple[str, ...]:
    """Why it is not written without asking; empty: it is."""
    doubts: list[str] = []
    if proposal.kind is not LearnedKind.DURABLE_FACT:
        doubts.append(proposal.kind.value)
    elif proposal.confidence_bps < policy.auto_write_bps:
        doubts.append("not_sure_enough")
    if proposal.trust > Trust.OWNER:
        doubts.append(f"from_{proposal.trust.label}")
    if label.risks:
        doubts.append("reads_like_instructions")
    if label.sensitivity is not Sensitivity.PUBLIC:
        doubts.append("personal_data")
    if label.category is Category.TRANSIENT:
        doubts.append("may_not_last")
    return tuple(doubts)


def _decide_one(tx: ReadTx, learning: Learning, run: Run, one: _Looked, account: _Account) -> None:
    candidate, because = one.candidate, list(one.doubts)
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
    """A fact that is remembered for good is no news. A preference is, until it is one that prompts are told."""
    if kind is not LearnedKind.DURABLE_FACT:
        return False
    _, outcome = decide_looked(tx, learning.memory, looked)
    if not isinstance(outcome, Merged):
        return False
    place, _ = place_of(looked.ready.scope.principal, looked.ready.scope.channel)
    item = fetch_item(tx, outcome.memory_id, place)
    return item is not None and item.source in (MemorySource.DURABLE_FACT, MemorySource.MANUAL)


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
