"""Finished turns are read as soon as they are over: what they state goes into memory, the rest stays on the tape.

A run waits in the queue of the journal from the transaction that ends it until it is on record that it was read, so a
process that dies in between reads it again, and what it had written already is found by its request id. The answer to
a turn waits for none of this.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from palyra.core.errors import FailedPrecondition, InvalidArgument, PalyraError
from palyra.core.hashing import Json, sha256
from palyra.core.ids import RunId
from palyra.domain.chat.session import Run, Session
from palyra.domain.ingest import Ready
from palyra.domain.journal import Actor, Decision, RequestKey, draft_of_event
from palyra.domain.labels import Category
from palyra.domain.learning.candidate import LearningPolicy
from palyra.domain.learning.events import RunReflected
from palyra.domain.learning.proposal import LearnedKind
from palyra.domain.learning.read import READER, FoundStatement, TurnRead
from palyra.domain.learning.turn import HeardTurn
from palyra.domain.memory import (
    Draft,
    MemorySource,
    Rejected,
)
from palyra.domain.scope import ScopeKind, Visibility, scope_for
from palyra.language.statements import Kind, Statement
from palyra.services.learning.listening import turn_of
from palyra.services.memory.context import Memory, origin_of
from palyra.services.memory.ingest import check_draft, ingest_checked, load_for
from palyra.services.sessions.context import Sessions, find_session, origin_in
from palyra.store.connection import ReadTx
from palyra.store.learning.read_turns import READ_REQUEST
from palyra.store.learning.records import is_queued, queued_runs
from palyra.store.sessions.records import fetch_record, own_run

if TYPE_CHECKING:
    from palyra.language.reading import Left, Reader

log = logging.getLogger("palyra.learning")

_CATEGORIES = {
    Kind.FACT: Category.DURABLE_FACT,
    Kind.PREFERENCE: Category.PREFERENCE,
    Kind.PROCEDURE: Category.PROCEDURE,
    Kind.DECISION: Category.DECISION,
    Kind.CONSTRAINT: Category.CONSTRAINT,
}
_LEARNED = {Kind.PREFERENCE: LearnedKind.PREFERENCE, Kind.PROCEDURE: LearnedKind.PROCEDURE}
_SHORT_CHARS = 330
"""of a turn that says little more than one thing"""
_AT_ONCE = 64
_REMEMBERED = 4_096
"""turns read by this process, for whoever waits for them"""
SHOWN_DROPPED = 32
"""on record, of one turn"""


class TurnReader:
    """One per process: turns are read one after the other, in the order they ended."""

    def __init__(self, sessions: Sessions, memory: Memory, policy: LearningPolicy, *, has_model: bool) -> None:
        self._sessions = sessions
        self._memory = memory
        self._policy = policy
        self._has_model = has_model
        """then a run stays queued until the model has read it, too"""
        self._reader: Reader | None = None
        self._reading = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._woken = self._is_busy = False
        self._step = asyncio.Event()
        """set, and another made, whenever one run more was read, and at the end"""
        self._seq = 0
        """of the last queued run that was looked at"""
        self._read: OrderedDict[RunId, TurnRead] = OrderedDict()

    def wake(self) -> None:
        """A turn is over. Whoever calls waits for nothing."""
        self._woken = self._is_busy = True
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._read_queue(), name="reading finished turns")

    async def wait(self, run_ids: Iterable[RunId], seconds: float) -> dict[RunId, TurnRead]:
        """Those of the runs that were read by then."""
        wanted = list(run_ids)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                if seconds > 0 and any(run_id not in self._read for run_id in wanted):
                    self.wake()
                    while self._is_busy and any(run_id not in self._read for run_id in wanted):
                        await self._step.wait()
        return {run_id: self._read[run_id] for run_id in wanted if run_id in self._read}

    async def close(self, seconds: float) -> None:
        """What is not read by then waits in the queue."""
        if self._task is not None and not self._task.done():
            await asyncio.wait({self._task}, timeout=seconds)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _read_queue(self) -> None:
        try:
            while self._woken:
                self._woken = False
                while waiting := await self._sessions.store.db.read(lambda tx: queued_runs(tx, self._seq, _AT_ONCE)):
                    for seq, run_id in waiting:
                        await self._read_quietly(run_id)
                        self._seq = max(self._seq, seq)
                        self._stepped()
        finally:
            self._is_busy = False
            self._stepped()

    async def _read_quietly(self, run_id: RunId) -> None:
        """What cannot be read waits in the queue for the job; those behind it do not."""
        try:
            await self.read(run_id)
        except PalyraError as error:
            log.warning("run %s is not read yet: %s", run_id, error.message)
        except Exception:
            log.exception("run %s is not read yet", run_id)

    def _stepped(self) -> None:
        self._step.set()
        self._step = asyncio.Event()

    async def read(self, run_id: RunId) -> TurnRead | None:
        """Once, however often it is asked for. None: it does not wait to be read."""
        async with self._reading:
            if run_id in self._read:
                return self._read[run_id]
            found = await self._sessions.store.db.read(lambda tx: _queued(tx, run_id))
            if found is None:
                return None
            session, run, turns = found
            statements: list[FoundStatement] = []
            with suppress(_TakenBack):
                for turn in turns:
                    statements += await self._read_turn(session, run_id, turn)
            done = TurnRead(run_id, tuple(statements))
            if not self._has_model:
                await _record(self._sessions, session, run, done)
            self._read[run_id] = done
            while len(self._read) > _REMEMBERED:
                self._read.popitem(last=False)
            return done

    async def _read_turn(self, session: Session, run_id: RunId, turn: HeardTurn) -> list[FoundStatement]:
        statements, left = await asyncio.to_thread(self._stated, turn)
        drafts: list[tuple[Statement, Ready]] = []
        found = [
            FoundStatement(
                piece.text, turn.event_id, *piece.span, None, round(10_000 * piece.probability), because=piece.because
            )
            for piece in left
        ]
        await load_for(self._memory, [statement.text for statement in statements], turn.actor)
        for statement in statements:
            ready = self._ready(session, turn, statement)
            if isinstance(ready, str):
                found.append(_left(turn, statement, ready))
            else:
                drafts.append((statement, ready))
        place = Visibility(session.principal, session.channel)
        request = RequestKey(f"{READ_REQUEST}{turn.event_id}", sha256(turn.event_id.encode()))

        def check(tx: ReadTx) -> None:
            if not _stands(tx, run_id, turn, place):
                raise _TakenBack("the turn was taken back while it was read", hint="nothing of it is kept")

        readies = [ready for _, ready in drafts]
        done = await ingest_checked(self._memory, readies, origin_of(place, turn.actor), request, check)
        for (statement, ready), ingested in zip(drafts, done, strict=True):
            found.append(
                FoundStatement(
                    ready.stored.text,
                    turn.event_id,
                    *_span(statement),
                    statement.kind,
                    statement.confidence_bps,
                    ingested.outcome,
                    ", ".join(ingested.outcome.reasons) if isinstance(ingested.outcome, Rejected) else "",
                )
            )
        return sorted(found, key=lambda one: (one.start, one.end))

    def _stated(self, turn: HeardTurn) -> "tuple[Sequence[Statement], Sequence[Left]]":
        from palyra.language.reading import Reader  # noqa: PLC0415 - its weights

        if self._reader is None:
            self._reader = Reader(self._memory.encoder)
        read = self._reader.read(turn.said, turn.before, turn.repeated)
        return read.statements, read.left

    def _ready(self, session: Session, turn: HeardTurn, statement: Statement) -> Ready | str:
        """What would be stored, and what holds it up; or why it stays on the tape."""
        learned = _LEARNED.get(statement.kind, LearnedKind.DURABLE_FACT)
        if statement.confidence_bps < self._policy.review_from_bps(learned):
            return statement.because or "below"
        draft = Draft(
            statement.text,
            MemorySource.USER_MESSAGE,
            category=_CATEGORIES[statement.kind],
            confidence_bps=statement.confidence_bps,
            speaker=turn.said.speaker or "",
            thread=session.key,
            said_at_ms=turn.said.said_at_ms,
            valid_from_ms=statement.valid_from_ms,
            valid_to_ms=statement.valid_to_ms,
            provenance=(turn.event_id,),
            is_statement=True,
            said=_as_said(turn.said.text, statement),
            change=statement.change,
        )
        # Of the whole principal, or of its channel: the next session has to find it.
        kind = ScopeKind.PRINCIPAL if session.channel is None else ScopeKind.CHANNEL
        scope = scope_for(Visibility(session.principal, session.channel), kind)
        try:
            ready = check_draft(self._memory, draft, scope, turn.actor)
        except InvalidArgument as error:
            return error.message
        if statement.confidence_bps >= self._policy.auto_write_bps:
            return ready
        return replace(ready, because=(*ready.because, statement.because or "unsure"))


class _TakenBack(FailedPrecondition):
    """Undone or erased between being read and being written."""


def _stands(tx: ReadTx, run_id: RunId, turn: HeardTurn, place: Visibility) -> bool:
    run, record = own_run(tx, run_id), fetch_record(tx, turn.event_id, place)
    return run is not None and run.undone_seq is None and record is not None and record.payload is not None


def _as_said(text: str, statement: Statement) -> str:
    """The words it was read from: of a short turn all, of a long one the stretch it stands in."""
    if len(text) <= _SHORT_CHARS:
        return text
    start, end = _span(statement)
    return text[start:end] or statement.text


def _queued(tx: ReadTx, run_id: RunId) -> tuple[Session, Run, tuple[HeardTurn, ...]] | None:
    run = own_run(tx, run_id)
    if run is None or not is_queued(tx, run_id):
        return None
    session = find_session(tx, run.session_id, Visibility(run.principal, run.channel))
    return session, run, () if run.undone_seq is not None else turn_of(tx, session, run)


async def _record(sessions: Sessions, session: Session, run: Run, done: TurnRead) -> None:
    def decide(tx: ReadTx) -> Decision[None]:
        if not is_queued(tx, run.run_id):
            return Decision((), None)
        event = RunReflected(
            run.run_id, session.session_id, READER, len(done.waiting), done.merged, left_on_tape(done)[:SHOWN_DROPPED]
        )
        return Decision((draft_of_event(event, origin_in(run, Actor.SYSTEM, run.run_id)),), None)

    await sessions.journal.commit(decide)


def left_on_tape(done: TurnRead) -> tuple[dict[str, Json], ...]:
    """Where it stands there and why it was left, for the record: its words are on the tape already."""
    return tuple(
        {
            "event_id": one.event_id,
            "start": one.start,
            "end": one.end,
            "reason": one.because,
            "sure_bps": one.confidence_bps,
        }
        for one in done.left
    )


def _left(turn: HeardTurn, statement: Statement, because: str) -> FoundStatement:
    return FoundStatement(
        statement.text, turn.event_id, *_span(statement), statement.kind, statement.confidence_bps, because=because
    )


def _span(statement: Statement) -> tuple[int, int]:
    return min((one[0] for one in statement.spans), default=0), max((one[1] for one in statement.spans), default=0)
