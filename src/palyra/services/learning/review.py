"""A person's part: look at what was proposed, approve it as it is or reworded, reject it, put it off, take it back.

No agent decides: every change here asks who is acting, besides what the surfaces ask.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from palyra.core import limits
from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound, PalyraError
from palyra.core.ids import ALPHABET, CandidateId
from palyra.core.text import has_lone_surrogate, normalise
from palyra.domain.chat.transcript import messages
from palyra.domain.compaction.tape import spoken
from palyra.domain.journal import Actor, Decision, EventDraft, EventRecord, Origin, RequestKey, draft_of_event
from palyra.domain.learning.candidate import LearningCandidate, LearningState, LearningStep, check_step
from palyra.domain.learning.events import CandidateMoved, CandidateSnoozed
from palyra.domain.learning.proposal import LearnedKind, Span
from palyra.domain.memory import MemoryItem
from palyra.domain.scope import Visibility
from palyra.services.learning.applying import Unresolved, Written, ready_for, taken_back, write_memory, write_procedure
from palyra.services.learning.context import Learning, find_candidate
from palyra.services.memory.context import origin_of
from palyra.services.memory.ingest import Looked, check_person, look
from palyra.services.memory.repeats import once
from palyra.services.workspace.sync import sync
from palyra.store.connection import ReadTx
from palyra.store.journal import events_of_request
from palyra.store.learning.records import (
    Preference,
    count_by_state,
    count_queued,
    count_snoozed,
    ids_beginning,
    list_candidates,
    preferences_in_force,
    steps_of,
)
from palyra.store.memory.items import fetch_item
from palyra.store.memory.usage import count_candidates
from palyra.store.sessions.records import fetch_record, fetch_session, tape_of

WAITING = (LearningState.NEEDS_REVIEW, LearningState.CONFLICTED)
_PAGE = 500
_ID_CHARS = 26
_SHORTEST_ID = 6
_SHOWN_IDS = 5
_CONTEXT_CHARS = 2_000
_TEXT_CHARS = 4_000
_PREFERENCES = 64
_MOST_SNOOZE_MS = 366 * 86_400_000


# -- looking


@dataclass(frozen=True, slots=True)
class Quote:
    """A place in a conversation that a candidate rests on. Empty words: erased since."""

    seq: int
    event_id: str
    session_id: str
    run_id: str
    at_ms: int
    words: str
    message: str
    """all that was said there, cut if it is long"""


@dataclass(frozen=True, slots=True)
class Detail:
    candidate: LearningCandidate
    evidence: tuple[Quote, ...]
    similar: tuple[MemoryItem, ...]
    conflicts: tuple[MemoryItem, ...]
    steps: tuple[LearningStep, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    counts: dict[LearningState, int]
    snoozed: int
    """of those that wait"""
    queued: int
    """runs that were not read yet"""
    held: int
    """texts that wait on the way into memory"""


async def list_(
    learning: Learning,
    caller: Visibility,
    states: Sequence[LearningState],
    kinds: Sequence[LearnedKind] = (),
    after_seq: int = 0,
    limit: int = 50,
    *,
    snoozed: bool = False,
) -> list[LearningCandidate]:
    """In the order they were proposed; those that were put off only with `snoozed`."""
    if not 1 <= limit <= _PAGE:
        raise InvalidArgument(f"limit {limit} is outside 1..{_PAGE}", hint="ask for smaller pages")
    if not 0 <= after_seq < 1 << 62:
        raise InvalidArgument(f"after_seq {after_seq} is outside 0..2**62", hint="0 begins at the beginning")
    awake = None if snoozed else learning.clock.now_ms()
    return await learning.store.db.read(
        lambda tx: list_candidates(tx, caller, states, kinds, awake_at_ms=awake, after_seq=after_seq, limit=limit)
    )


async def overview(learning: Learning, caller: Visibility) -> Overview:
    now_ms = learning.clock.now_ms()

    def read(tx: ReadTx) -> Overview:
        return Overview(
            count_by_state(tx, caller),
            count_snoozed(tx, caller, now_ms),
            count_queued(tx, caller),
            count_candidates(tx, caller),
        )

    return await learning.store.db.read(read)


async def quotes(
    learning: Learning, candidates: Sequence[LearningCandidate], caller: Visibility
) -> list[tuple[Quote, ...]]:
    """What each of them rests on, in the same order."""
    return await learning.store.db.read(lambda tx: [_quotes(tx, one, caller) for one in candidates])


async def get(learning: Learning, candidate_id: str, caller: Visibility) -> Detail:
    """By its id, or by a beginning of it that no other candidate in sight shares."""

    def read(tx: ReadTx) -> Detail:
        found = find_candidate(tx, _whole_id(tx, candidate_id, caller), caller)
        return Detail(
            found,
            _quotes(tx, found, caller),
            _items(tx, found.similar, caller),
            _items(tx, found.conflicts, caller),
            tuple(steps_of(tx, found.candidate_id)),
        )

    return await learning.store.db.read(read)


async def preferences(learning: Learning, caller: Visibility) -> list[Preference]:
    """Those that stand in prompts, newest first."""
    now_ms = learning.clock.now_ms()
    return await learning.store.db.read(lambda tx: preferences_in_force(tx, caller, now_ms, _PREFERENCES))


def _whole_id(tx: ReadTx, text: str, caller: Visibility) -> str:
    if not _SHORTEST_ID <= len(text) < _ID_CHARS or not set(text.upper()) <= set(ALPHABET):
        return text
    found = ids_beginning(tx, text.upper(), caller, _SHOWN_IDS)
    if not found:
        raise NotFound(f"no learning candidate begins with {text.upper()}", hint="palyra learning list --state all")
    if len(found) > 1:
        raise InvalidArgument(
            f"several candidates begin with {text.upper()}", hint=f"write more of it: {', '.join(found)}"
        )
    return found[0]


# -- deciding


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person says about a candidate."""

    state: LearningState
    """approved, rejected, or needs_review: it waits again"""
    text: str | None = None
    reason: str = ""


async def decide(
    learning: Learning,
    candidate_id: str,
    verdict: Verdict,
    caller: Visibility,
    actor: Actor,
    request: RequestKey | None = None,
) -> LearningCandidate:
    """Approved is also applied, in the same transaction. The same request again gets the first answer."""
    check_person(actor)
    verdict = _checked(verdict)
    if verdict.state is LearningState.APPROVED:
        return await _approve(learning, candidate_id, verdict, caller, actor, request)

    def work(tx: ReadTx) -> Decision[CandidateId]:
        found = find_candidate(tx, candidate_id, caller)
        check_step(candidate_id, found.state, verdict.state)
        moved = CandidateMoved(found.candidate_id, verdict.state.value, reason=verdict.reason)
        return Decision((_draft(found, moved, actor),), found.candidate_id)

    return await _decided(learning, work, caller, request)


async def _approve(
    learning: Learning,
    candidate_id: str,
    verdict: Verdict,
    caller: Visibility,
    actor: Actor,
    request: RequestKey | None,
) -> LearningCandidate:
    def found_now(tx: ReadTx) -> tuple[LearningCandidate, str, int | None]:
        found = find_candidate(tx, candidate_id, caller)
        check_step(candidate_id, found.state, LearningState.APPROVED)
        if not _has_evidence(tx, found, caller):
            raise FailedPrecondition(
                f"what candidate {candidate_id} rests on has been erased", hint="reject it; nothing can show it"
            )
        session = fetch_session(tx, found.from_session_id, caller)
        said = [record.at_ms for span in found.evidence if (record := fetch_record(tx, span.event_id, caller))]
        return found, "" if session is None else session.key, said[-1] if said else None

    def before(tx: ReadTx) -> tuple[LearningCandidate, str, int | None] | None:
        is_repeated = request is not None and events_of_request(tx, caller.principal, request)
        return None if is_repeated else found_now(tx)

    read = await learning.store.db.read(before)
    looked: Looked | None = None
    if read is not None and read[0].kind is not LearnedKind.PROCEDURE:
        candidate, thread, at_ms = read
        text = verdict.text or candidate.text
        looked = await look(learning.memory, ready_for(learning, candidate, text, thread, at_ms, actor))

    def work(tx: ReadTx) -> Decision[CandidateId]:
        found, _, _ = found_now(tx)
        text = verdict.text or found.text
        approved = CandidateMoved(found.candidate_id, LearningState.APPROVED.value, verdict.text or "", verdict.reason)
        written = _written(tx, learning, found, looked, text, actor)
        applied = CandidateMoved(
            found.candidate_id,
            LearningState.APPLIED.value,
            memory_id=written.memory_id,
            made_item=written.made_item,
            document=written.document,
            before=written.before,
        )
        drafts = (_draft(found, approved, actor), *written.drafts, _draft(found, applied, actor))
        return Decision(drafts, found.candidate_id)

    done = await _decided(learning, work, caller, request)
    learning.memory.follower.wake()
    if done.document:
        await sync(learning.workspace, Visibility(caller.principal))
    return done


def _written(
    tx: ReadTx, learning: Learning, found: LearningCandidate, looked: Looked | None, text: str, actor: Actor
) -> Written:
    if looked is None:
        return write_procedure(tx, found, text, actor)
    written = write_memory(tx, learning, found, looked, actor)
    assert not isinstance(written, Unresolved), "a person's word resolves"  # noqa: S101 - a mistake of our own
    return written


async def roll_back(
    learning: Learning,
    candidate_id: str,
    caller: Visibility,
    actor: Actor,
    reason: str = "",
    request: RequestKey | None = None,
) -> LearningCandidate:
    """Undoes what applying did. What was said stays said: `quarantine` takes that out, too."""
    check_person(actor)
    reason = check_reason(reason)

    def work(tx: ReadTx) -> Decision[CandidateId]:
        found = find_candidate(tx, candidate_id, caller)
        return Decision(tuple(rolled_back(tx, found, actor, reason)), found.candidate_id)

    done = await _decided(learning, work, caller, request)
    learning.memory.follower.wake()
    await sync(learning.workspace, Visibility(caller.principal))
    return done


def rolled_back(tx: ReadTx, found: LearningCandidate, actor: Actor, reason: str) -> list[EventDraft]:
    check_step(found.candidate_id, found.state, LearningState.ROLLED_BACK)
    moved = CandidateMoved(found.candidate_id, LearningState.ROLLED_BACK.value, reason=reason)
    return [*taken_back(tx, found, actor), _draft(found, moved, actor)]


async def snooze(
    learning: Learning, candidate_id: str, until_ms: int, caller: Visibility, actor: Actor
) -> LearningCandidate:
    """Out of sight until then. In the past: in sight again at once."""
    check_person(actor)
    now_ms = learning.clock.now_ms()
    if not 0 <= until_ms <= now_ms + _MOST_SNOOZE_MS:
        raise InvalidArgument(f"{until_ms} is more than a year away", hint="put it off for days or weeks")

    def work(tx: ReadTx) -> Decision[CandidateId]:
        found = find_candidate(tx, candidate_id, caller)
        if not found.state.waits:
            raise FailedPrecondition(
                f"candidate {candidate_id} is {found.state.value}, and waits for nobody", hint="nothing to put off"
            )
        event = CandidateSnoozed(found.candidate_id, until_ms if until_ms > now_ms else 0)
        return Decision((draft_of_event(event, _origin(found, actor)),), found.candidate_id)

    return await _decided(learning, work, caller, None)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one candidate among many: as it is now, or why it stayed as it was."""

    candidate_id: str
    candidate: LearningCandidate | None
    error: PalyraError | None = None


async def decide_many(
    learning: Learning, candidate_ids: Sequence[str], verdict: Verdict, caller: Visibility, actor: Actor
) -> list[Outcome]:
    """Each by itself: one that cannot be decided holds up no other."""
    check_person(actor)
    verdict = _checked(verdict)
    if verdict.text is not None:
        raise InvalidArgument("many candidates cannot have one text", hint="approve them one by one to reword them")
    wanted = list(dict.fromkeys(candidate_ids))
    if not 1 <= len(wanted) <= limits.BULK_ITEMS:
        raise InvalidArgument(
            f"{len(wanted)} candidates given; between 1 and {limits.BULK_ITEMS} at once", hint="decide in parts"
        )
    outcomes: list[Outcome] = []
    for candidate_id in wanted:
        try:
            done = await decide(learning, candidate_id, verdict, caller, actor)
        except PalyraError as error:
            outcomes.append(Outcome(candidate_id, None, error))
        else:
            outcomes.append(Outcome(candidate_id, done))
    return outcomes


# -- shared


async def _decided(
    learning: Learning,
    work: Callable[[ReadTx], Decision[CandidateId]],
    caller: Visibility,
    request: RequestKey | None,
) -> LearningCandidate:
    committed = await learning.journal.commit(work, once(caller.principal, request, _first_candidate))
    return await learning.store.db.read(lambda tx: find_candidate(tx, committed.outcome, caller))


def _first_candidate(written: list[EventRecord]) -> CandidateId:
    for event in written:
        if event.kind == CandidateMoved.KIND:
            if event.payload is None:
                raise FailedPrecondition("what this request wrote has been erased since", hint="use a new request id")
            return CandidateId(json.loads(event.payload)["candidate_id"])
    raise InvalidArgument("this request id was used for something else", hint="use a new one for every request")


def _draft(found: LearningCandidate, event: CandidateMoved, actor: Actor) -> EventDraft:
    return draft_of_event(event, _origin(found, actor))


def _origin(found: LearningCandidate, actor: Actor) -> Origin:
    return origin_of(Visibility(found.scope.principal, found.scope.channel), actor)


def check_reason(reason: str) -> str:
    return _checked(Verdict(LearningState.ROLLED_BACK, None, reason)).reason


def _checked(verdict: Verdict) -> Verdict:
    for words, most, what in ((verdict.text, _TEXT_CHARS, "text"), (verdict.reason, 500, "reason")):
        if words is None:
            continue
        if has_lone_surrogate(words):
            raise InvalidArgument(f"the {what} holds half of a surrogate pair", hint="send well-formed Unicode text")
        if len(words) > most:
            raise InvalidArgument(f"the {what} has {len(words)} characters; at most {most}", hint="shorten it")
    if verdict.text is not None and not normalise(verdict.text).strip():
        raise InvalidArgument("the text is empty", hint="leave it out to approve the candidate as it is")
    return replace(verdict, text=None if verdict.text is None else normalise(verdict.text).strip())


def _has_evidence(tx: ReadTx, found: LearningCandidate, caller: Visibility) -> bool:
    records = [fetch_record(tx, span.event_id, caller) for span in found.evidence]
    return not records or any(record is not None and record.payload is not None for record in records)


def _items(tx: ReadTx, memory_ids: Sequence[str], caller: Visibility) -> tuple[MemoryItem, ...]:
    found = [fetch_item(tx, memory_id, caller) for memory_id in memory_ids]
    return tuple(item for item in found if item is not None)


def _quotes(tx: ReadTx, found: LearningCandidate, caller: Visibility) -> tuple[Quote, ...]:
    return tuple(quote for span in found.evidence if (quote := _quote(tx, span, caller)))


def _quote(tx: ReadTx, span: Span, caller: Visibility) -> Quote | None:
    record = fetch_record(tx, span.event_id, caller)
    if record is None:
        return None
    said = messages(tape_of(tx, [record.run_id]))
    message = next((one for one in said if one.seq <= record.seq <= one.last_seq), None)
    text = "" if message is None or record.payload is None else spoken(message)
    words = text[span.start : span.end] if span.end else text
    return Quote(
        record.seq,
        record.event_id,
        record.session_id,
        record.run_id,
        record.at_ms,
        words[:_CONTEXT_CHARS],
        text[:_CONTEXT_CHARS],
    )
