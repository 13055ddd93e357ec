"""Runs and their tape, for whoever drives one: begin, write down, move on, and what a crash leaves behind."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from palyra.core import limits
from palyra.core.errors import Exhausted, FailedPrecondition, InvalidArgument
from palyra.core.hashing import Json
from palyra.core.ids import EventId, RunId
from palyra.domain.chat.conversation import Usage
from palyra.domain.chat.session import QueueMode, Run, RunOrigin, RunState, Session, TapeRecord, TapeType, check_move
from palyra.domain.chat.session_events import RunCreated, RunMoved, RunUndone, TapeAppended
from palyra.domain.journal import Actor, Decision, EventDraft, EventRecord, RequestKey, draft_of_event
from palyra.domain.learning.events import ReflectionQueued
from palyra.services.sessions.context import Sessions, TapePlace, origin_in
from palyra.store.connection import ReadTx
from palyra.store.journal_store import Once
from palyra.store.sessions.records import open_runs, own_run, tape_of

Payload = dict[str, Any]

_PIECE_CHARS = 16_000
"""of an answer in one event: JSON may write each of them in six bytes"""


@dataclass(frozen=True, slots=True)
class Begun:
    run_id: RunId
    state: RunState
    event_id: EventId
    """of the message on the tape"""
    seq: int
    merged: bool = False
    """the message joined a run that was waiting"""
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """The end of a run, or a step towards it."""

    state: RunState
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    error_code: str = ""


async def begin(
    sessions: Sessions,
    session: Session,
    actor: Actor,
    message: Payload,
    origin: RunOrigin = RunOrigin.CHAT,
    mode: QueueMode = QueueMode.QUEUE,
    retry_of: RunId | None = None,
    request: RequestKey | None = None,
) -> Begun:
    """Run and message are on the tape when it returns. It waits if another run of its session is not over."""
    run_id = RunId(sessions.store.ids.next(sessions.clock.now_ms()))

    def decide(tx: ReadTx) -> Decision[tuple[RunId, RunState, bool]]:
        if session.archived:
            raise FailedPrecondition(f"session {session.key!r} is archived", hint="palyra session archive --undo KEY")
        open_ = open_runs(tx, session.session_id)
        waiting = [run for run in open_ if run.state is RunState.PENDING]
        if mode is QueueMode.MERGE and waiting:
            last = waiting[-1]
            added = record_draft(session, last.run_id, actor, TapeType.USER_MESSAGE, message)
            return Decision((added,), (last.run_id, RunState.PENDING, True))
        if len(waiting) >= limits.QUEUED_MESSAGES:
            raise Exhausted(
                f"{len(waiting)} messages wait in session {session.key!r} already", hint="wait, or abort some of them"
            )
        # What passes through us is answered elsewhere, whatever else is going on.
        waits = bool(open_) and origin is not RunOrigin.PROXY
        state = RunState.PENDING if waits else RunState.ACCEPTED
        made = RunCreated(run_id, session.session_id, state.value, origin.value, retry_of)
        where = origin_in(session, actor, run_id)
        drafts = [draft_of_event(made, where), record_draft(session, run_id, actor, TapeType.USER_MESSAGE, message)]
        if retry_of is not None:
            drafts.insert(0, draft_of_event(RunUndone(retry_of), origin_in(session, actor, retry_of)))
        return Decision(tuple(drafts), (run_id, state, False))

    once = None if request is None else Once(session.principal, request, _first_run)
    committed = await sessions.journal.commit(decide, once)
    begun, state, merged = committed.outcome
    said = committed.receipts[-1]
    return Begun(begun, state, said.event_id, said.seq, merged, said.repeated)


def _first_run(written: list[EventRecord]) -> tuple[RunId, RunState, bool]:
    run_id = written[-1].origin.run_id
    if run_id is None or written[-1].kind != TapeAppended.KIND:
        raise InvalidArgument("this request id was used for something else", hint="use a new one for every request")
    return RunId(run_id), RunState.ACCEPTED, len(written) == 1


async def append(
    sessions: Sessions,
    session: TapePlace,
    run_id: RunId,
    actor: Actor,
    records: Sequence[tuple[TapeType, Payload]],
    move: Move | None = None,
) -> list[TapeRecord]:
    """Writes records, and with `move` the next state, in one transaction; what was written comes back."""

    def decide(tx: ReadTx) -> Decision[None]:
        drafts = tuple(record_draft(session, run_id, actor, kind, payload) for kind, payload in records)
        if move is None:
            return Decision(drafts, None)
        run = own_run(tx, run_id)
        if run is None:
            raise FailedPrecondition(f"run {run_id} is not there", hint="palyra journal verify")
        check_move(run, move.state)
        return Decision((*drafts, *move_drafts(sessions, session, run_id, move)), None)

    committed = await sessions.journal.commit(decide)
    seqs = [receipt.seq for receipt in committed.receipts]
    if move is not None and move.state.is_over and sessions.reflects:
        sessions.on_queued()
    if not records:
        return []
    written = await sessions.store.db.read(lambda tx: tape_of(tx, [run_id], seqs[0] - 1))
    return [record for record in written if record.seq in set(seqs)]


def text_records(text: str, kept: int) -> list[tuple[TapeType, Payload]]:
    """The text of an answer from `kept` on, in pieces that fit into an event, for while it is being streamed."""
    return [
        (TapeType.ASSISTANT_TEXT, {"offset": at, "text": text[at : at + _PIECE_CHARS]})
        for at in range(kept, len(text), _PIECE_CHARS)
    ]


def last_records(text: str, kept: int, stop: str, *, complete: bool) -> list[tuple[TapeType, Payload]]:
    """The same, for when the answer is over: the last piece says how it ended."""
    *pieces, (_, last) = text_records(text, kept) or [(TapeType.ASSISTANT_TEXT, {"offset": kept, "text": ""})]
    return [*pieces, (TapeType.ASSISTANT_MESSAGE, {**last, "complete": complete, "stop": stop})]


async def recover(sessions: Sessions) -> list[Run]:
    """Fails the runs of a process that is gone. What had arrived is kept; the tape says how it ended."""

    def decide(tx: ReadTx) -> Decision[list[Run]]:
        left = open_runs(tx)
        drafts: list[EventDraft] = []
        for run in left:
            answer = unfinished_answer(tape_of(tx, [run.run_id]))
            if answer is not None:
                payload: Payload = {"offset": answer, "text": "", "complete": False, "stop": "interrupted"}
                drafts.append(record_draft(run, run.run_id, Actor.SYSTEM, TapeType.ASSISTANT_MESSAGE, payload))
            notice: Payload = {"code": "interrupted", "message": "palyrad ended before this turn was over"}
            drafts.append(record_draft(run, run.run_id, Actor.SYSTEM, TapeType.NOTICE, notice))
            drafts += move_drafts(sessions, run, run.run_id, Move(RunState.FAILED, error_code="interrupted"))
        return Decision(tuple(drafts), left)

    if not await sessions.store.db.read(open_runs):
        return []
    return (await sessions.journal.commit(decide)).outcome


def unfinished_answer(records: Sequence[TapeRecord]) -> int | None:
    """How much of an answer is on the tape without its end; None if there is no such answer."""
    length: int | None = None
    for record in records:
        if record.type is TapeType.ASSISTANT_TEXT and record.payload is not None:
            length = record.payload["offset"] + len(record.payload["text"])
        elif record.type is TapeType.ASSISTANT_MESSAGE:
            length = None
    return length


def record_draft(place: TapePlace, run_id: RunId, actor: Actor, kind: TapeType, payload: Payload) -> EventDraft:
    """`said_at_ms` in the payload is when it was said, if that was not now."""
    event = TapeAppended(run_id, place.session_id, kind.value, cast("dict[str, Json]", payload))
    return draft_of_event(event, origin_in(place, actor, run_id), payload.get("said_at_ms"))


def move_drafts(sessions: Sessions, place: TapePlace, run_id: RunId, move: Move) -> list[EventDraft]:
    """The end of a run is also the beginning of its reflection: in one transaction, so that none is forgotten."""
    used = move.usage
    event = RunMoved(
        run_id,
        move.state.value,
        move.model,
        used.input_tokens,
        used.output_tokens,
        used.cached_tokens,
        move.error_code,
    )
    origin = origin_in(place, Actor.SYSTEM, run_id)
    drafts = [draft_of_event(event, origin)]
    if sessions.reflects and move.state.is_over:
        drafts.append(draft_of_event(ReflectionQueued(run_id, place.session_id), origin))
    return drafts
