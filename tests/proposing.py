"""Candidates as reflection leaves them, for tests of what comes after: said on a tape, and proposed in the journal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from palyra.app import App
from palyra.core.hashing import Json
from palyra.core.ids import CandidateId, EventId, RunId
from palyra.domain.chat.session import RunOrigin, RunState, Session, TapeType
from palyra.domain.chat.session_events import RunCreated, RunMoved, SessionEvent, TapeAppended
from palyra.domain.journal import Actor, Decision, EventDraft, draft_of_event
from palyra.domain.learning.candidate import LearningState
from palyra.domain.learning.events import CandidateMoved, CandidateProposed, ReflectionQueued
from palyra.domain.learning.proposal import LearnedKind, Proposal
from palyra.domain.scope import Visibility
from palyra.services.learning.proposing import dedupe_key
from palyra.services.sessions.context import origin_in
from palyra.services.sessions.lifecycle import create

_AT_ONCE = 2_000


@dataclass(frozen=True)
class Said:
    """What somebody said, and what a rule would have made of it."""

    text: str
    kind: LearnedKind = LearnedKind.DURABLE_FACT
    learned: str = ""
    """none: the same words"""
    key: str = ""
    title: str = ""
    steps: tuple[str, ...] = ()
    state: LearningState = LearningState.NEEDS_REVIEW
    because: tuple[str, ...] = ("not_sure_enough",)
    conflicts: tuple[str, ...] = ()


def a_preference(text: str, key: str = "drinks") -> Said:
    return Said(text, LearnedKind.PREFERENCE, key=key, because=("preference",))


def a_procedure(title: str, *steps: str) -> Said:
    return Said(
        f"To {title}: {', '.join(steps)}", LearnedKind.PROCEDURE, title, "", title, steps, because=("procedure",)
    )


async def propose(
    app: App, said: Sequence[Said | str], principal: str = "user:ana", channel: str | None = None, *, taped: bool = True
) -> list[str]:
    """The ids of the candidates, each from a turn of its own in a new session; or, to be quick, from none."""
    place = Visibility(principal, channel)
    session = await create(app.sessions, place, Actor.USER)
    made: list[str] = []
    drafts: list[EventDraft] = []
    for one in said:
        candidate_id, more = _drafts(app, session, Said(one) if isinstance(one, str) else one, taped=taped)
        made.append(candidate_id)
        drafts += more
        if len(drafts) > _AT_ONCE:
            await _commit(app, drafts)
            drafts = []
    await _commit(app, drafts)
    return made


async def queue(app: App, session: Session, run_id: RunId) -> None:
    event = ReflectionQueued(run_id, session.session_id)
    await _commit(app, [draft_of_event(event, origin_in(session, Actor.SYSTEM, run_id))])


async def _commit(app: App, drafts: list[EventDraft]) -> None:
    await app.journal.commit(lambda _tx: Decision(tuple(drafts), None))


def _drafts(app: App, session: Session, one: Said, *, taped: bool) -> tuple[str, list[EventDraft]]:
    ids = app.store.ids
    run_id, event_id, candidate_id = RunId(ids.next()), EventId(ids.next()), CandidateId(ids.next())
    origin = origin_in(session, Actor.USER, run_id)
    words: dict[str, Json] = {"text": one.text, "actor": "user"}
    turn: list[SessionEvent] = [
        RunCreated(run_id, session.session_id, RunState.ACCEPTED.value, RunOrigin.CHAT.value),
        TapeAppended(run_id, session.session_id, TapeType.USER_MESSAGE.value, words),
        RunMoved(run_id, RunState.IN_PROGRESS.value),
        RunMoved(run_id, RunState.DONE.value),
    ]
    drafts = [draft_of_event(event, origin) for event in turn] if taped else []
    if taped:
        drafts[1] = drafts[1]._replace(event_id=event_id)
    text = one.learned or one.text
    span: dict[str, Json] = {"seq": 0, "event_id": event_id, "start": 0, "end": len(one.text)}
    given: dict[str, Any] = {"key": one.key, "steps": one.steps, "title": one.title, "because": one.because}
    proposed = CandidateProposed(
        candidate_id,
        run_id,
        session.session_id,
        one.kind.value,
        text,
        8_200,
        ("first_person",),
        (span,),
        dedupe_key(Proposal(one.kind, text, 8_200, (), ())),
        "rules",
        session.channel,
        conflicts=one.conflicts,  # type: ignore[arg-type]
        **given,
    )
    by_itself = origin_in(session, Actor.SYSTEM, run_id)
    drafts.append(draft_of_event(proposed, by_itself))
    drafts.append(draft_of_event(CandidateMoved(candidate_id, one.state.value), by_itself))
    return candidate_id, drafts
