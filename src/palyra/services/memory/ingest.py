"""Taking memory in: check, read what is there, decide, commit. One pipeline for every surface."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from palyra.core.errors import FailedPrecondition, NotFound, PalyraError, PermissionDenied
from palyra.core.ids import CandidateId, MemoryId, parse_ulid
from palyra.core.text import normalise
from palyra.domain.ingest import Known, Ready, decide, draft_of, make_ready
from palyra.domain.journal import Actor, Decision, EventRecord, Origin, RequestKey, draft_of_event
from palyra.domain.memory import (
    Candidate,
    CandidateState,
    ConflictFound,
    Draft,
    HeldForReview,
    Ingested,
    IngestOutcome,
    MemorySource,
    Merged,
    Stored,
    is_person,
)
from palyra.domain.memory_events import (
    MemoryDecided,
    MemoryEvent,
    MemoryMerged,
    MemoryRefused,
)
from palyra.domain.scope import Scope, ScopeKind, Visibility, scope_for
from palyra.language.sensitive import sensing
from palyra.language.steering import sentences
from palyra.services.memory.comparing import Looked, decide_looked, known_now, look
from palyra.services.memory.context import Memory, origin_of
from palyra.services.memory.repeats import REJECTED, check_parts, first_outcome, once, part_of
from palyra.store.connection import ReadTx
from palyra.store.journal import events_of_request
from palyra.store.memory.candidates import candidate_exists, fetch_candidate, list_candidates
from palyra.store.memory.items import known_likenesses

log = logging.getLogger("palyra.memory")

_EPISODES_PER_DECISION = 256
_MANY_FACTS = 32
"""in one go: worth an index in memory"""


async def ingest(
    memory: Memory,
    draft: Draft,
    caller: Visibility,
    actor: Actor = Actor.USER,
    *,
    scope: ScopeKind | None = None,
    request: RequestKey | None = None,
) -> Ingested:
    """Durable when it returns. The same request again gets the first answer."""
    await load_for(memory, [draft.text], actor)
    ready = check_draft(memory, draft, scope_for(caller, scope), actor)
    return await _ingest_one(memory, ready, origin_of(caller, actor), request)


async def ingest_many(
    memory: Memory,
    drafts: Sequence[Draft],
    caller: Visibility,
    actor: Actor = Actor.USER,
    *,
    scope: ScopeKind | None = None,
    request: RequestKey | None = None,
) -> list[Ingested]:
    """Every draft is checked before the first is written. Turns of a conversation go in many at a time."""
    check_parts(request)
    place = scope_for(caller, scope)
    await load_for(memory, [draft.text for draft in drafts], actor)
    readies = [check_draft(memory, draft, place, actor) for draft in drafts]
    return await ingest_checked(memory, readies, origin_of(caller, actor), request)


async def ingest_checked(
    memory: Memory,
    readies: Sequence[Ready],
    origin: Origin,
    request: RequestKey | None = None,
    check: Callable[[ReadTx], None] = lambda _tx: None,
) -> list[Ingested]:
    """`check` raises, in the transaction that would write, if what they were made of does not stand any more."""
    results: list[Ingested] = []
    if sum(not (ready.because or ready.draft.is_episode) for ready in readies) >= _MANY_FACTS:
        await memory.store.db.read(lambda tx: memory.engine.load(tx, origin.principal))
    for start in range(0, len(readies), _EPISODES_PER_DECISION):
        batch = readies[start : start + _EPISODES_PER_DECISION]
        if all(ready.draft.is_episode for ready in batch):
            results += await _ingest_batch(memory, batch, origin, part_of(request, start))
        else:
            for number, ready in enumerate(batch, start):
                results.append(await _ingest_one(memory, ready, origin, part_of(request, number), check))
    return results


async def _ingest_one(
    memory: Memory,
    ready: Ready,
    origin: Origin,
    request: RequestKey | None,
    check: Callable[[ReadTx], None] = lambda _tx: None,
) -> Ingested:
    looked = await look(memory, ready)

    def work(tx: ReadTx) -> Decision[IngestOutcome]:
        check(tx)
        events, outcome = decide_looked(tx, memory, looked)
        return Decision(tuple(draft_of_event(event, origin) for event in events), outcome)

    committed = await memory.journal.commit(work, once(origin.principal, request, first_outcome))
    memory.follower.wake()
    if isinstance(committed.outcome, Stored | ConflictFound):
        memory.engine.item_written(origin.principal, committed.receipts[0].seq, looked.terms)
    return Ingested(committed.outcome, committed.receipts[0])


async def _ingest_batch(
    memory: Memory, batch: Sequence[Ready], origin: Origin, request: RequestKey | None
) -> list[Ingested]:
    def work(tx: ReadTx) -> Decision[list[IngestOutcome]]:
        drafts, outcomes = [], cast("list[IngestOutcome]", [])
        fresh: dict[tuple[Scope, str, str, str, int | None], MemoryId] = {}
        held: dict[tuple[Scope, str], HeldForReview] = {}
        before = known_likenesses(tx, origin.principal, [ready.stored.likeness for ready in batch])
        for ready in batch:
            draft, stored = ready.draft, ready.stored
            turn = (ready.scope, stored.likeness, draft.thread, draft.speaker, draft.said_at_ms)
            events: tuple[MemoryEvent, ...]
            outcome: IngestOutcome
            if not ready.because and turn in fresh:  # twice in this very batch
                events = (MemoryMerged(fresh[turn], stored.text, ("same_turn",), stored.confidence_bps, stored.source),)
                outcome = Merged(fresh[turn], ("same_turn",))
            elif ready.because and (ready.scope, stored.likeness) in held:
                outcome = held[ready.scope, stored.likeness]
                events = (MemoryRefused(("already_waiting",), stored.source, outcome.candidate_id, outcome.because),)
            else:
                is_new = not ready.because and stored.likeness not in before
                known = Known() if is_new else known_now(tx, memory, Looked(ready))
                events, outcome = decide(ready, known, memory.clock.now_ms(), memory.store.ids.next)
            if isinstance(outcome, Stored):
                fresh[turn] = outcome.memory_id
            if isinstance(outcome, HeldForReview):
                held[ready.scope, stored.likeness] = outcome
            drafts.append(draft_of_event(events[0], origin))  # a turn is one event
            outcomes.append(outcome)
        return Decision(tuple(drafts), outcomes)

    def replay(written: list[EventRecord]) -> list[IngestOutcome]:
        return [first_outcome([event]) for event in written]

    follow = await memory.follower.vectors_now([ready.stored.text for ready in batch])
    committed = await memory.journal.commit(work, once(origin.principal, request, replay), follow)
    if follow is None:
        memory.follower.wake(len(batch))
    return [Ingested(outcome, receipt) for outcome, receipt in zip(committed.outcome, committed.receipts, strict=True)]


# -- review


async def candidates(
    memory: Memory, caller: Visibility, state: CandidateState, after_seq: int, limit: int
) -> list[Candidate]:
    return await memory.store.db.read(lambda tx: list_candidates(tx, caller, state, after_seq, limit))


async def approve(
    memory: Memory,
    candidate_id: str,
    caller: Visibility,
    actor: Actor,
    *,
    text: str | None = None,
    reason: str = "",
    batch: str = "",
    request: RequestKey | None = None,
) -> Ingested:
    """A person's decision: the candidate becomes memory as it is, or as they have reworded it."""
    check_person(actor)

    def approved(tx: ReadTx) -> Ready:
        candidate = _undecided(tx, candidate_id, caller)
        draft = draft_of(candidate.body if text is None else {**candidate.body, "text": text})
        if draft.expires_at_ms is not None and draft.expires_at_ms <= memory.clock.now_ms():
            draft = replace(draft, expires_at_ms=None)  # it waited too long; its time starts anew
        ready = check_draft(memory, draft, candidate.scope, actor)
        # Their origin keeps the trust it had; what a person has decided is that it may be used.
        source = MemorySource.DURABLE_FACT if draft.is_statement else draft.source
        stored = replace(ready.stored, candidate_id=candidate.candidate_id, vouched=True, source=source.value)
        return Ready(ready.draft, ready.scope, stored, ())

    def unless_repeated(tx: ReadTx) -> Ready | None:
        is_repeated = request is not None and events_of_request(tx, caller.principal, request)
        return None if is_repeated else approved(tx)

    ready = await memory.store.db.read(unless_repeated)
    looked = None if ready is None else await look(memory, ready)

    def work(tx: ReadTx) -> Decision[IngestOutcome]:
        ready = approved(tx)
        again = Looked(ready) if looked is None else replace(looked, ready=ready)
        events, outcome = decide_looked(tx, memory, again)
        became = outcome.memory_id if isinstance(outcome, Stored | Merged | ConflictFound) else None
        decided = MemoryDecided(CandidateId(candidate_id), CandidateState.APPROVED.value, became, reason, batch)
        origin = origin_of(caller, actor)
        return Decision(tuple(draft_of_event(event, origin) for event in (*events, decided)), outcome)

    committed = await memory.journal.commit(work, once(caller.principal, request, first_outcome))
    memory.follower.wake()
    return Ingested(committed.outcome, committed.receipts[0])


async def reject(
    memory: Memory,
    candidate_id: str,
    caller: Visibility,
    actor: Actor,
    *,
    reason: str = "",
    batch: str = "",
    request: RequestKey | None = None,
) -> Ingested:
    check_person(actor)

    def work(tx: ReadTx) -> Decision[IngestOutcome]:
        candidate = _undecided(tx, candidate_id, caller)
        decided = MemoryDecided(candidate.candidate_id, CandidateState.REJECTED.value, None, reason, batch)
        return Decision((draft_of_event(decided, origin_of(caller, actor)),), REJECTED)

    committed = await memory.journal.commit(work, once(caller.principal, request, first_outcome))
    return Ingested(committed.outcome, committed.receipts[0])


def _undecided(tx: ReadTx, candidate_id: str, caller: Visibility) -> Candidate:
    candidate = visible_candidate(tx, candidate_id, caller)
    if candidate.state is not CandidateState.NEEDS_REVIEW:
        raise FailedPrecondition(
            f"candidate {candidate_id} was {candidate.state.value} before",
            hint=f"to decide otherwise: palyra memory reopen {candidate_id}",
        )
    return candidate


def visible_candidate(tx: ReadTx, candidate_id: str, caller: Visibility) -> Candidate:
    parse_ulid(candidate_id, "candidate id")
    candidate = fetch_candidate(tx, candidate_id, caller)
    if candidate is None:
        if candidate_exists(tx, candidate_id):
            raise PermissionDenied(
                f"candidate {candidate_id} is not visible to principal {caller.principal!r} here",
                hint="pass --principal, --channel or --session of its owner",
            )
        raise NotFound(f"no candidate {candidate_id}", hint="palyra memory candidates")
    return candidate


def check_person(actor: Actor) -> None:
    if not is_person(actor):
        raise PermissionDenied(f"a candidate is decided by a person, not by {actor.value}", hint="ask the owner")


async def load_for(memory: Memory, texts: Sequence[str], actor: Actor) -> None:
    """The encoder, if words alone leave open whether one of these is sensitive, or an agent wrote them: then it reads
    each sentence off the event loop. Without it words decide as well as they can."""
    encoder = memory.encoder
    parts = [] if is_person(actor) else [part for text in texts for part in sentences(normalise(text))]
    if encoder is None or not (parts or (not encoder.is_loaded and any(map(sensing().is_open, texts)))):
        return
    try:
        await asyncio.to_thread(encoder.load)
        await asyncio.to_thread(encoder, parts)
    except PalyraError as error:
        log.warning("what is sensitive, or would steer, is found by words alone: %s", error.message)


def check_draft(memory: Memory, draft: Draft, scope: Scope, actor: Actor) -> Ready:
    """What would be stored, or one clear error; writes nothing."""
    now_ms = memory.clock.now_ms()
    return make_ready(draft, scope, actor, memory.terms, now_ms, MemoryId(memory.store.ids.next(now_ms)))
