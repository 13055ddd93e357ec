"""Every conversation that is going on in this process: one turn of a session at a time, whoever listens or not."""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from palyra.core import limits
from palyra.core.errors import (
    Exhausted,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PalyraError,
    PermissionDenied,
    TooLarge,
    Unavailable,
)
from palyra.core.ids import RunId, SessionId
from palyra.core.redact import redact_text
from palyra.core.text import has_lone_surrogate, normalise
from palyra.domain.chat.references import parse_references
from palyra.domain.chat.session import QueueMode, Run, RunOrigin, RunState, Session, TapeRecord, TapeType
from palyra.domain.chat.transcript import auto_title
from palyra.domain.journal import Actor, RequestKey
from palyra.domain.scope import Visibility
from palyra.services.chat.live import LiveRun, StreamItem, replay
from palyra.services.chat.parts import ChatParts, NewMessage, Speaker, Turn
from palyra.services.chat.turn import TurnRun
from palyra.services.sessions.context import find_run, find_session, standing_in
from palyra.services.sessions.lifecycle import question_of, rename
from palyra.services.sessions.runs import Begun, Move, Payload, append, begin
from palyra.store.connection import ReadTx
from palyra.store.sessions.records import conversation_runs, own_run, tape_of

log = logging.getLogger("palyra.chat")

_STOP_SECONDS = 5.0
"""what aborted runs get to write down their end"""


@dataclass(frozen=True, slots=True)
class Watched:
    session: Session
    run: Run
    items: AsyncIterator[StreamItem]


class _Queue:
    """Of one session: who may come in, and whose turn it is."""

    def __init__(self) -> None:
        self.entrance = asyncio.Lock()
        self.turn = asyncio.Lock()


class ChatEngine:
    def __init__(self, parts: ChatParts) -> None:
        self._parts = parts
        self._live: dict[RunId, LiveRun] = {}
        self._turns: dict[RunId, Turn] = {}
        self._queues: dict[SessionId, _Queue] = {}
        self._closing = False

    @property
    def parts(self) -> ChatParts:
        return self._parts

    @property
    def active_runs(self) -> int:
        return len(self._live)

    # -- speaking

    async def send(
        self,
        session: Session,
        message: NewMessage,
        speaker: Speaker,
        mode: QueueMode = QueueMode.QUEUE,
        request: RequestKey | None = None,
        origin: RunOrigin = RunOrigin.CHAT,
    ) -> Begun:
        """The message is on the tape when it returns; the answer comes by `watch`."""
        self._check_open()
        message = check_message(message)
        if message.recall is not None and not speaker.may_read:
            raise PermissionDenied(
                f"{speaker.name or 'the caller'} lacks the capability 'read', which a recall needs",
                hint="create a token with --can read --can write",
            )
        if mode is QueueMode.INTERRUPT:
            await self._interrupt(session)
        async with self._queue(session).entrance:
            begun = await begin(
                self._parts.sessions, session, speaker.actor, _payload(message, speaker), origin, mode, request=request
            )
            return await self._go(Turn(session, begun.run_id, speaker, message, origin), begun)

    async def put(
        self, session: Session, message: NewMessage, speaker: Speaker, request: RequestKey, origin: RunOrigin
    ) -> tuple[Turn, Begun]:
        """The message is on the tape when it returns, and nobody answers it before `take_up`: for whoever has more to
        ask than can go on at once."""
        self._check_going()
        message = check_message(message)
        async with self._queue(session).entrance:
            begun = await begin(
                self._parts.sessions, session, speaker.actor, _payload(message, speaker), origin, request=request
            )
        return Turn(session, begun.run_id, speaker, message, origin), begun

    async def take_up(self, turn: Turn, begun: Begun) -> None:
        """Drives what was `put`; once, however often it is asked to."""
        self._check_open()
        if turn.run_id not in self._live:
            await self._go(turn, replace(begun, repeated=False))

    async def retry(
        self,
        session: Session,
        run_id: str | None,
        speaker: Speaker,
        caller: Visibility,
        request: RequestKey | None = None,
    ) -> Begun:
        """Asks the same again; the old turn is taken out of the conversation."""
        self._check_open()

        def read(tx: ReadTx) -> tuple[Run, list[TapeRecord]]:
            runs = conversation_runs(tx, session, 1)
            if run_id is not None:
                run = find_run(tx, run_id, caller)
            elif runs:
                run = runs[-1]
            else:
                raise FailedPrecondition(f"session {session.key!r} has no turn to repeat", hint="say something first")
            if run.session_id != session.session_id:
                raise FailedPrecondition(
                    f"session {session.key!r} has no turn of its own to repeat", hint="a branch leaves its parent alone"
                )
            if not runs or run.run_id != runs[-1].run_id:
                raise FailedPrecondition(
                    f"run {run.run_id} is not the last turn of session {session.key!r}",
                    hint="branch the session there to go another way",
                )
            if not run.state.is_over:
                raise FailedPrecondition(f"run {run.run_id} is {run.state.value}", hint="wait for it, or abort it")
            return run, tape_of(tx, [run.run_id])

        run, records = await self._parts.sessions.store.db.read(read)
        asked = question_of(records)
        if not asked:
            raise FailedPrecondition(f"what run {run.run_id} was asked has been erased", hint="ask anew")
        attachments = [
            id_ for r in records if r.type is TapeType.USER_MESSAGE for id_ in (r.payload or {}).get("attachments", ())
        ]
        message = NewMessage(asked, tuple(attachments))
        async with self._queue(session).entrance:
            begun = await begin(
                self._parts.sessions,
                session,
                speaker.actor,
                _payload(message, speaker),
                RunOrigin.RETRY,
                retry_of=run.run_id,
                request=request,
            )
            return await self._go(Turn(session, begun.run_id, speaker, message, RunOrigin.RETRY), begun)

    async def abort(self, run_id: str, caller: Visibility) -> Run:
        """What has arrived is kept. Aborting twice is the same as once; what is done stays done."""
        sessions = self._parts.sessions
        run = await sessions.store.db.read(lambda tx: find_run(tx, run_id, caller))
        if run.state in (RunState.DONE, RunState.FAILED):
            raise FailedPrecondition(f"run {run_id} is {run.state.value} already", hint="nothing is left to abort")
        if run.state is not RunState.CANCELLED:
            await self._cancel(run)
        return await sessions.store.db.read(lambda tx: find_run(tx, run_id, caller))

    async def decide(self, run_id: str, call_id: str, caller: Visibility, *, approve: bool, reason: str) -> None:
        """A person's word about one call of a tool."""
        run = await self._parts.sessions.store.db.read(lambda tx: find_run(tx, run_id, caller))
        live = self._live.get(run.run_id)
        waiting = None if live is None else live.approvals.get(call_id)
        if waiting is None or waiting.done():
            raise NotFound(f"run {run_id} does not wait for a decision about {call_id[:64]!r}", hint="it may be over")
        waiting.set_result((approve, redact_text(reason).text[:500]))

    # -- listening

    async def watch(self, run_id: str, caller: Visibility, after_seq: int = 0) -> Watched:
        """Everything of a run after `after_seq`, also what is still to come."""
        if not 0 <= after_seq < 1 << 62:
            raise InvalidArgument(f"after_seq {after_seq} is outside 0..2**62", hint="0 begins at the beginning")
        live = self._live.get(RunId(run_id))
        sessions = self._parts.sessions

        def read(tx: ReadTx) -> tuple[Session, Run, list[TapeRecord]]:
            run = find_run(tx, run_id, caller)
            return find_session(tx, run.session_id, caller), run, tape_of(tx, [run.run_id])

        session, run, records = await sessions.store.db.read(read)
        items = replay(records, after_seq) if live is None else live.watch(after_seq)
        return Watched(session, run, items)

    # -- driving

    def _queue(self, session: Session) -> "_Queue":
        return self._queues.setdefault(session.session_id, _Queue())

    async def _go(self, turn: Turn, begun: Begun) -> Begun:
        if begun.repeated:
            return begun
        records = await self._parts.sessions.store.db.read(lambda tx: tape_of(tx, [begun.run_id]))
        if begun.merged:
            live = self._live.get(begun.run_id)
            waiting = self._turns.get(begun.run_id)
            if live is not None and waiting is not None:
                joined = replace(
                    waiting.message,
                    attachments=(*waiting.message.attachments, *turn.message.attachments),
                    references=(*waiting.message.references, *turn.message.references),
                )
                self._turns[begun.run_id] = replace(waiting, message=joined)
                known = {record.seq for record in live.records}
                live.add([record for record in records if record.seq not in known])
            return begun
        live = LiveRun(turn.session, turn.run_id, records)
        self._live[turn.run_id] = live
        self._turns[turn.run_id] = turn
        live.task = asyncio.create_task(self._drive(live, self._queue(turn.session)), name=f"run {turn.run_id}")
        return begun

    async def _drive(self, live: LiveRun, queue: "_Queue") -> None:
        """From its place in the queue to its end, whatever comes."""
        driven: TurnRun | None = None
        try:
            async with queue.turn:  # one after the other, in the order they came in
                await self._accept(live)
                driven = TurnRun(self._parts, live, self._turns[live.run_id])
                await driven.run()
                await self._title(live)
        except asyncio.CancelledError:
            await self._end(live, driven, *self._stopped())
        except PalyraError as error:
            await self._end(live, driven, RunState.FAILED, error.code, error.message, error.hint)
        except Exception:
            log.exception("run %s failed", live.run_id)
            await self._end(live, driven, RunState.FAILED, "internal", "something is broken here; see the log")
        finally:
            self._live.pop(live.run_id, None)
            self._turns.pop(live.run_id, None)
            self._forget_queue(live.session)
            live.end()

    def _forget_queue(self, session: Session) -> None:
        queue = self._queues.get(session.session_id)
        others = any(live.session.session_id == session.session_id for live in self._live.values())
        if queue is not None and not others and not queue.entrance.locked():
            del self._queues[session.session_id]

    async def _accept(self, live: LiveRun) -> None:
        run = await self._parts.sessions.store.db.read(lambda tx: own_run(tx, live.run_id))
        if run is not None and run.state is RunState.PENDING:
            await append(self._parts.sessions, live.session, live.run_id, Actor.SYSTEM, (), Move(RunState.ACCEPTED))

    async def _end(
        self, live: LiveRun, driven: TurnRun | None, state: RunState, code: str, message: str, hint: str = ""
    ) -> None:
        if driven is not None and driven.ended:
            return
        driven = driven or TurnRun(self._parts, live, self._turns[live.run_id])
        try:
            await driven.fail(state, code, redact_text(message).text, redact_text(hint).text)
        except PalyraError as error:
            # The journal cannot be written. The next start finds the run open and ends it.
            log.error("the end of run %s could not be written: %s", live.run_id, error.message)  # noqa: TRY400 - known

    async def _title(self, live: LiveRun) -> None:
        session = live.session
        if session.title:
            return
        title = auto_title(question_of(live.records))
        if title:
            try:
                await rename(
                    self._parts.sessions, session.session_id, standing_in(session), Actor.SYSTEM, title, by_hand=False
                )
            except PalyraError as error:
                log.warning("session %s keeps no title: %s", session.session_id, error.message)

    async def _interrupt(self, session: Session) -> None:
        for live in list(self._live.values()):
            if live.session.session_id == session.session_id and live.task is not None:
                live.task.cancel()
        for live in list(self._live.values()):
            if live.session.session_id == session.session_id:
                await live.over.wait()

    async def _cancel(self, run: Run) -> None:
        live = self._live.get(run.run_id)
        if live is None or live.task is None:
            raise FailedPrecondition(
                f"run {run.run_id} is {run.state.value} in another process", hint="ask the daemon that runs it"
            )
        if not live.aborting:
            live.aborting = True
            live.task.cancel()
        await live.over.wait()

    def _stopped(self) -> tuple[RunState, str, str]:
        if self._closing:
            return RunState.FAILED, "unavailable", "palyrad stopped before this turn was over"
        return RunState.CANCELLED, "cancelled", ""

    def _check_going(self) -> None:
        if self._closing:
            raise Unavailable("palyrad is stopping", hint="repeat once it is up again")

    def _check_open(self) -> None:
        self._check_going()
        if len(self._live) >= limits.ACTIVE_RUNS:
            raise Exhausted(f"{len(self._live)} turns are going on", hint="wait until some are over")

    async def close(self, drain_seconds: float) -> None:
        """Waits for what is going on, then ends it: every tape has an end."""
        self._closing = True
        tasks = [live.task for live in self._live.values() if live.task is not None]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=drain_seconds)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=_STOP_SECONDS)


def check_message(message: NewMessage) -> NewMessage:
    """With text that may be kept and shown: normal form, secrets masked."""
    if has_lone_surrogate(message.text):
        raise InvalidArgument("the message holds half of a surrogate pair", hint="send well-formed Unicode text")
    size = len(message.text.encode())
    if size > limits.MESSAGE_BYTES:
        raise TooLarge(
            f"the message is {size} bytes; the limit is {limits.MESSAGE_BYTES}", hint="attach it as a file instead"
        )
    text = redact_text(normalise(message.text)).text
    if not text.strip() and not message.attachments:
        raise InvalidArgument("the message is empty", hint="say something")
    if len(message.attachments) > limits.ATTACHMENTS:
        raise InvalidArgument(
            f"{len(message.attachments)} attachments; at most {limits.ATTACHMENTS} in one message", hint="send fewer"
        )
    if len(message.references) > limits.REFERENCES:
        raise InvalidArgument(
            f"{len(message.references)} references; at most {limits.REFERENCES} in one message", hint="name fewer"
        )
    return replace(message, text=text)


def _payload(message: NewMessage, speaker: Speaker) -> Payload:
    payload: Payload = {"text": message.text}
    if (clean := parse_references(message.text).clean_text) != message.text:
        payload["clean_text"] = clean
    if message.attachments:
        payload["attachments"] = list(message.attachments)
    if speaker.actor is not Actor.USER:
        payload["actor"] = speaker.actor.value
    return payload
