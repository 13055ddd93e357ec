"""Sessions: begin, find, rename, reset, archive, branch, undo, pin. Every change is an event; nothing is deleted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from palyra.core.errors import AlreadyExists, FailedPrecondition, InvalidArgument, NotFound
from palyra.core.ids import EventId, MemoryId, RunId, SessionId, is_ulid, parse_ulid
from palyra.core.text import has_lone_surrogate, normalise
from palyra.domain.chat.session import Run, Session, TapeRecord, TapeType
from palyra.domain.chat.session_events import (
    RunUndone,
    SessionArchived,
    SessionCreated,
    SessionEvent,
    SessionRenamed,
    SessionReset,
    TapePinned,
)
from palyra.domain.chat.transcript import auto_title
from palyra.domain.journal import (
    Actor,
    Decision,
    EventDraft,
    EventRecord,
    Origin,
    RequestKey,
    check_identifier,
    draft_of_event,
)
from palyra.domain.learning.candidate import LearningCandidate, LearningState
from palyra.domain.learning.events import CandidateMoved
from palyra.domain.memory_events import MemoryDeleted
from palyra.domain.scope import Visibility
from palyra.language.wrappings import own_text
from palyra.services.sessions.context import (
    SessionPlace,
    Sessions,
    TapePlace,
    find_run,
    find_session,
    new_session_id,
    origin_in,
)
from palyra.store.connection import ReadTx
from palyra.store.journal_store import Once
from palyra.store.learning.records import candidates_of_runs
from palyra.store.sessions.erasing import items_made_from
from palyra.store.sessions.records import (
    children_of,
    conversation_runs,
    fetch_record,
    fetch_session,
    key_is_taken,
    list_sessions,
    open_runs,
    tape_of,
)

_KEY_BYTES = 128
_TITLE_CHARS = 200
_PAGE = 500
_LINEAGE = 64
_NEWEST, _RUNS = 16, 20_000
"""where the end of a conversation is looked for: seldom is more than the last run still going on"""


@dataclass(frozen=True, slots=True)
class Kin:
    """A session with those it comes from, nearest first, and those that come from it."""

    session: Session
    ancestors: tuple[Session, ...]
    branches: tuple[Session, ...]
    active: tuple[Run, ...]


async def create(
    sessions: Sessions,
    caller: Visibility,
    actor: Actor,
    key: str | None = None,
    title: str = "",
    request: RequestKey | None = None,
) -> Session:
    session_id = new_session_id(sessions)
    name, title = check_key(key, session_id), check_title(title)

    def decide(tx: ReadTx) -> Decision[SessionId]:
        check_free(tx, caller.principal, name)
        origin = _origin_of(caller, actor, session_id)
        return Decision(creation_drafts(SessionCreated(session_id, name), title, origin), session_id)

    return await _made(sessions, caller, decide, request)


async def branch(
    sessions: Sessions,
    name: str,
    caller: Visibility,
    actor: Actor,
    run_id: str | None = None,
    key: str | None = None,
    title: str = "",
    request: RequestKey | None = None,
) -> Session:
    """Shares what was said up to the end of that run; from there on each goes its own way."""
    session_id = new_session_id(sessions)
    new_key, title = check_key(key, session_id), check_title(title)

    def decide(tx: ReadTx) -> Decision[SessionId]:
        parent = find_session(tx, name, caller)
        check_free(tx, caller.principal, new_key)
        at_seq = end_of(tx, parent, run_id, caller)
        event = SessionCreated(session_id, new_key, parent.session_id, at_seq, parent.cut_seq)
        origin = _origin_of(Visibility(parent.principal, parent.channel), actor, session_id)
        return Decision(creation_drafts(event, title or parent.title, origin), session_id)

    return await _made(sessions, caller, decide, request)


def end_of(tx: ReadTx, session: Session, run_id: str | None, caller: Visibility) -> int:
    if run_id is None:
        newest = (run for most in (_NEWEST, _RUNS) for run in reversed(conversation_runs(tx, session, most)))
        over = next((run for run in newest if run.state.is_over), None)
        if over is None:
            return session.cut_seq
        last = over
    else:
        last = find_run(tx, run_id, caller)
        if last.run_id not in (run.run_id for run in conversation_runs(tx, session, 1, last.seq + 1)):
            raise InvalidArgument(
                f"run {run_id} is no part of session {session.key!r}", hint="palyra session show lists its runs"
            )
        if not last.state.is_over:
            raise FailedPrecondition(f"run {run_id} is still {last.state.value}", hint="wait for it, or abort it")
    records = tape_of(tx, [last.run_id])
    return max([last.seq, *(record.seq for record in records)])


async def _made(
    sessions: Sessions,
    caller: Visibility,
    decide: Callable[[ReadTx], Decision[SessionId]],
    request: RequestKey | None,
) -> Session:
    once = None if request is None else Once(caller.principal, request, first_session)
    committed = await sessions.journal.commit(decide, once)
    return await get(sessions, committed.outcome, caller)


def found_or_made(
    tx: ReadTx, name: str, caller: Visibility, actor: Actor, new: SessionId
) -> tuple[Session | None, TapePlace, tuple[EventDraft, ...]]:
    """The session of that id or key, or else what makes one of that key under the id `new`."""
    found = fetch_session(tx, name, caller)
    if found is not None:
        if found.archived:
            raise FailedPrecondition(f"session {found.key!r} is archived", hint="palyra session archive --undo KEY")
        return found, found, ()
    if is_ulid(name):
        find_session(tx, name, caller)  # says what is the matter with it
    check_free(tx, caller.principal, check_key(name, new))
    place = SessionPlace(caller.principal, caller.channel, new)
    return None, place, creation_drafts(SessionCreated(new, name), "", origin_in(place, actor))


def title_drafts(session: Session | None, place: TapePlace, message: str) -> tuple[EventDraft, ...]:
    """What names a session that has no title after what was said first in it."""
    untitled = session is None or not (session.title or session.titled_by_hand)
    title = auto_title(own_text(message)) if untitled else ""
    if not title:
        return ()
    renamed = SessionRenamed(place.session_id, title, by_hand=False)
    return (draft_of_event(renamed, origin_in(place, Actor.SYSTEM)),)


def first_session(written: list[EventRecord]) -> SessionId:
    if written[0].origin.session_id is None:
        raise InvalidArgument("this request id was used for something else", hint="use a new one for every request")
    return SessionId(written[0].origin.session_id)


def creation_drafts(event: SessionCreated, title: str, origin: Origin) -> tuple[EventDraft, ...]:
    made = draft_of_event(event, origin)
    if not title:
        return (made,)
    return made, draft_of_event(SessionRenamed(event.session_id, title, by_hand=True), origin)


def check_free(tx: ReadTx, principal: str, key: str) -> None:
    if key_is_taken(tx, principal, key):
        raise AlreadyExists(f"{principal!r} has a session {key!r} already", hint="use it, or choose another key")


async def get(sessions: Sessions, name: str, caller: Visibility) -> Session:
    return await sessions.store.db.read(lambda tx: find_session(tx, name, caller))


async def list_(
    sessions: Sessions, caller: Visibility, after_key: str | None, limit: int, *, archived: bool = False
) -> list[Session]:
    if not 1 <= limit <= _PAGE:
        raise InvalidArgument(f"limit {limit} is outside 1..{_PAGE}", hint="ask for smaller pages")

    def read(tx: ReadTx) -> list[Session]:
        after = None if after_key is None else find_session(tx, after_key, caller)
        return list_sessions(tx, caller, after, limit, archived=archived)

    return await sessions.store.db.read(read)


async def kin(sessions: Sessions, name: str, caller: Visibility) -> Kin:
    def read(tx: ReadTx) -> Kin:
        session = find_session(tx, name, caller)
        ancestors: list[Session] = []
        parent = session.parent_id
        while parent is not None and len(ancestors) < _LINEAGE:
            found = fetch_session(tx, parent, caller)
            if found is None:
                break
            ancestors.append(found)
            parent = found.parent_id
        branches = children_of(tx, session.session_id, caller)
        return Kin(session, tuple(ancestors), tuple(branches), tuple(open_runs(tx, session.session_id)))

    return await sessions.store.db.read(read)


async def rename(
    sessions: Sessions, name: str, caller: Visibility, actor: Actor, title: str, *, by_hand: bool = True
) -> Session:
    title = check_title(title)

    def change(session: Session) -> SessionEvent | None:
        if not by_hand and session.titled_by_hand:
            return None
        return None if session.title == title else SessionRenamed(session.session_id, title, by_hand)

    return await _change(sessions, name, caller, actor, change)


async def reset(sessions: Sessions, name: str, caller: Visibility, actor: Actor) -> Session:
    def decide(tx: ReadTx) -> Decision[SessionId]:
        session = find_session(tx, name, caller)
        _check_quiet(tx, session)
        return Decision(
            (draft_of_event(SessionReset(session.session_id), origin_in(session, actor)),), session.session_id
        )

    committed = await sessions.journal.commit(decide)
    return await get(sessions, committed.outcome, caller)


async def archive(sessions: Sessions, name: str, caller: Visibility, actor: Actor, *, archived: bool) -> Session:
    def change(session: Session) -> SessionEvent | None:
        return None if session.archived == archived else SessionArchived(session.session_id, archived)

    return await _change(sessions, name, caller, actor, change)


async def undo(
    sessions: Sessions, name: str, caller: Visibility, actor: Actor, *, may_forget: bool = True
) -> tuple[RunId, str]:
    """Takes the last turn out of the conversation, and what only it told out of memory. What it asked comes back."""

    def decide(tx: ReadTx) -> Decision[tuple[RunId, str]]:
        session = find_session(tx, name, caller)
        _check_quiet(tx, session)
        runs = [run for run in conversation_runs(tx, session, 1) if run.session_id == session.session_id]
        if not runs:
            raise FailedPrecondition(
                f"session {session.key!r} has no turn of its own to undo", hint="a branch does not change its parent"
            )
        records, origin = tape_of(tx, [runs[-1].run_id]), origin_in(session, actor, runs[-1].run_id)
        drafts = [draft_of_event(RunUndone(runs[-1].run_id), origin)]
        said = [record.event_id for record in records if record.type is TapeType.USER_MESSAGE]
        told = items_made_from(tx, said, session.principal, only_open=True) if may_forget else []
        if told:
            drafts.append(draft_of_event(MemoryDeleted(tuple(map(MemoryId, told)), "undone"), origin))
        drafts += _unlearned(tx, runs[-1], frozenset(told), origin)
        return Decision(tuple(drafts), (runs[-1].run_id, question_of(records)))

    return (await sessions.journal.commit(decide)).outcome


def _unlearned(tx: ReadTx, run: Run, gone: frozenset[str], origin: Origin) -> list[EventDraft]:
    """Nobody is asked any more about what was proposed there, and what was written without asking went with it."""
    drafts: list[EventDraft] = []
    for one in candidates_of_runs(tx, [run.run_id], run.principal):
        state = one.state.withdrawn
        if state is None or not (one.state.waits or _went_with_it(one, gone)):
            continue  # approved is approved: a person has decided
        drafts.append(
            draft_of_event(CandidateMoved(one.candidate_id, state.value, reason="the turn was undone"), origin)
        )
    return drafts


def _went_with_it(one: LearningCandidate, gone: frozenset[str]) -> bool:
    return one.state is LearningState.AUTO_APPLIED and one.memory_id in gone


async def pin(
    sessions: Sessions, name: str, event_id: str, caller: Visibility, actor: Actor, *, pinned: bool
) -> TapeRecord:
    parse_ulid(event_id, "event id")

    def find(tx: ReadTx) -> tuple[Session, TapeRecord]:
        session = find_session(tx, name, caller)
        record = fetch_record(tx, event_id, caller)
        if record is None or record.session_id != session.session_id:
            raise NotFound(f"session {session.key!r} has no entry {event_id}", hint="palyra session show lists them")
        if record.payload is None:
            raise FailedPrecondition(f"entry {event_id} has been erased", hint="there is nothing left to keep")
        return session, record

    def decide(tx: ReadTx) -> Decision[None]:
        session, record = find(tx)
        if record.pinned == pinned:
            return Decision((), None)
        event = TapePinned(EventId(event_id), pinned)
        return Decision((draft_of_event(event, origin_in(session, actor, record.run_id)),), None)

    await sessions.journal.commit(decide)
    return (await sessions.store.db.read(find))[1]


async def _change(
    sessions: Sessions,
    name: str,
    caller: Visibility,
    actor: Actor,
    change: Callable[[Session], SessionEvent | None],
) -> Session:
    def decide(tx: ReadTx) -> Decision[SessionId]:
        session = find_session(tx, name, caller)
        event = change(session)
        drafts = () if event is None else (draft_of_event(event, origin_in(session, actor)),)
        return Decision(drafts, session.session_id)

    committed = await sessions.journal.commit(decide)
    return await get(sessions, committed.outcome, caller)


def _check_quiet(tx: ReadTx, session: Session) -> None:
    if active := open_runs(tx, session.session_id):
        raise FailedPrecondition(
            f"run {active[0].run_id} of session {session.key!r} is {active[0].state.value}",
            hint="wait for it, or abort it",
        )


def question_of(records: Iterable[TapeRecord], *, clean: bool = False) -> str:
    """What a run was asked: all its messages, for some are merged. `clean`: with names in place of references."""
    asked = [r.payload for r in records if r.type is TapeType.USER_MESSAGE and r.payload is not None]
    return "\n\n".join(payload.get("clean_text", payload["text"]) if clean else payload["text"] for payload in asked)


def check_key(key: str | None, session_id: SessionId) -> str:
    """A name that can stand in an address, and is no id of something else."""
    if key is None:
        return session_id
    check_identifier(key, "session key")
    if len(key.encode()) > _KEY_BYTES or any(sign in key for sign in "/?#%\\"):
        raise InvalidArgument(
            f"session key {key[:64]!r} is longer than {_KEY_BYTES} bytes or holds one of / ? # % \\",
            hint="use letters, digits, dots, dashes and colons",
        )
    if is_ulid(key):
        raise InvalidArgument(f"session key {key} looks like an id", hint="choose a name a person would choose")
    return key


def check_title(title: str) -> str:
    if has_lone_surrogate(title):
        raise InvalidArgument("the title holds half of a surrogate pair", hint="send well-formed Unicode text")
    flat = " ".join(normalise(title).split())
    if len(flat) > _TITLE_CHARS:
        raise InvalidArgument(f"the title has {len(flat)} characters; at most {_TITLE_CHARS}", hint="shorten it")
    return flat


def _origin_of(caller: Visibility, actor: Actor, session_id: SessionId) -> Origin:
    return Origin(caller.principal, actor, caller.channel, session_id)
