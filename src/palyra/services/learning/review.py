"""A person's part: approve what was proposed, as it is or reworded, reject it, put it off, take it back.

No agent decides: every change here asks who is acting, besides what the surfaces ask.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from palyra.core import limits
from palyra.core.errors import FailedPrecondition, InvalidArgument, PalyraError
from palyra.core.ids import CandidateId
from palyra.core.text import has_lone_surrogate, normalise
from palyra.domain.journal import Actor, Decision, EventDraft, EventRecord, Origin, RequestKey, draft_of_event
from palyra.domain.learning.candidate import LearningCandidate, LearningState, check_step
from palyra.domain.learning.events import CandidateMoved, CandidateSnoozed
from palyra.domain.learning.proposal import LearnedKind
from palyra.domain.scope import Visibility
from palyra.services.learning.applying import Unresolved, Written, ready_for, taken_back, write_memory, write_procedure
from palyra.services.learning.context import Learning, find_candidate
from palyra.services.memory.comparing import Looked, look
from palyra.services.memory.context import origin_of
from palyra.services.memory.ingest import check_person
from palyra.services.memory.repeats import once
from palyra.services.workspace.sync import sync
from palyra.store.connection import ReadTx
from palyra.store.journal import events_of_request
from palyra.store.sessions.records import fetch_record, fetch_session

_TEXT_CHARS = 4_000
_MOST_SNOOZE_MS = 366 * 86_400_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person says about a candidate."""

    state: LearningState
    """approved, rejected, or needs_review: it waits again"""
    text: str | None = None
    reason: str = ""
    batch: str = ""
    """of decisions made together"""


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
        moved = CandidateMoved(found.candidate_id, verdict.state.value, reason=verdict.reason, batch=verdict.batch)
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
            batch=verdict.batch,
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
class ReviewOutcome:
    """Of one candidate among many: as it is now, or why it stayed as it was."""

    candidate_id: str
    candidate: LearningCandidate | None
    error: PalyraError | None = None


async def decide_many(
    learning: Learning, candidate_ids: Sequence[str], verdict: Verdict, caller: Visibility, actor: Actor
) -> list[ReviewOutcome]:
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
    outcomes: list[ReviewOutcome] = []
    for candidate_id in wanted:
        try:
            done = await decide(learning, candidate_id, verdict, caller, actor)
        except PalyraError as error:
            outcomes.append(ReviewOutcome(candidate_id, None, error))
        else:
            outcomes.append(ReviewOutcome(candidate_id, done))
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
