"""`post_run_reflection`: what waits in the queue is read, and if a model is configured, the model reads it besides.

Our own reader asks for no patience: `turns.py` is woken as a turn ends, and what comes here is what that has missed.
Between two questions to the model about one session a cooldown passes: runs wait meanwhile, and none is dropped.
"""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from palyra.core.errors import PalyraError
from palyra.core.ids import RunId, SessionId
from palyra.core.redact import redact_text
from palyra.domain.chat.session import Run, Session
from palyra.domain.journal import Actor, Decision, draft_of_event
from palyra.domain.learning.events import RunReflected
from palyra.domain.learning.proposal import Heard, Proposal
from palyra.domain.learning.read import READER, TurnRead
from palyra.domain.scope import Visibility
from palyra.ports import ChatModel
from palyra.services.learning.context import Learning
from palyra.services.learning.listening import heard_before
from palyra.services.learning.proposing import Account, Considered, consider, decide_one
from palyra.services.learning.turns import SHOWN_DROPPED, left_on_tape
from palyra.services.models import ask
from palyra.services.sessions.context import find_session, origin_in
from palyra.store.connection import ReadTx
from palyra.store.learning.records import is_queued, queued_sessions
from palyra.store.sessions.records import own_run

_SESSIONS = 64


@dataclass(frozen=True, slots=True)
class Reflected:
    """What reading some runs came to."""

    runs: int = 0
    proposed: int = 0
    """wait for a person"""
    applied: int = 0
    """written at once"""
    more: bool = False
    """others wait, and no cooldown holds them"""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the model answered."""

    proposals: tuple[Proposal, ...] = ()
    notices: tuple[str, ...] = ()


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
        since_ms = -1 if waiting.last_read_ms is None else now_ms - waiting.last_read_ms
        asks = learning.model is not None and not at_once
        if asks and 0 <= since_ms < learning.policy.cooldown_ms:
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
    """Reads one run and writes down what was found. A second time nothing happens."""
    done = await learning.turns.read(run_id)
    if done is None:
        return Reflected()
    if learning.model is None:
        return Reflected(1, len(done.waiting), len(done.written))

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
    name = learning.model.info.model
    heard = (*heard[:-1], *(_as_read(one, done) for one in heard[-1:]))
    asked = await _ask(learning, learning.model, heard)
    dropped = list(left_on_tape(done))
    looked: list[Considered] = []
    for proposal in asked.proposals:
        one = await consider(learning, session, run, proposal, name, heard)
        if isinstance(one, Considered):
            looked.append(one)
        else:
            dropped.append(one)

    def decide(tx: ReadTx) -> Decision[Reflected]:
        if not is_queued(tx, run_id):
            return Decision((), Reflected())
        account = Account()
        seen: set[str] = set()
        for one in looked:
            if one.candidate.dedupe_key not in seen:
                seen.add(one.candidate.dedupe_key)
                decide_one(tx, learning, run, one, account)
        reflected = RunReflected(
            run.run_id,
            session.session_id,
            name if asked.proposals else READER,
            account.proposed + len(done.waiting),
            account.known + done.merged,
            tuple(dropped[:SHOWN_DROPPED]),
            asked.notices,
        )
        first = draft_of_event(reflected, origin_in(run, Actor.SYSTEM, run.run_id))
        waiting = account.proposed - account.applied + len(done.waiting)
        total = Reflected(1, waiting, account.applied + len(done.written))
        return Decision((first, *account.drafts), total)

    committed = await learning.journal.commit(decide)
    learning.memory.follower.wake()
    return committed.outcome


def _as_read(heard: Heard, done: TurnRead) -> Heard:
    """With what our reader has left of it, and why: no model makes a statement of a question."""
    left: dict[str, list[tuple[int, int, str]]] = {one.event_id: [] for one in done.left}
    for one in done.left:
        left[one.event_id].append((one.start, one.end, one.because))
    return replace(heard, said=tuple(replace(said, left=tuple(left.get(said.event_id, ()))) for said in heard.said))


async def _ask(learning: Learning, model: ChatModel, heard: Sequence[Heard]) -> _Asked:
    """What the model proposes; what it cannot is a notice."""
    if not heard or not any(one.said or one.used for one in heard[-1:]):
        return _Asked()
    from palyra.domain.learning.model_proposals import (  # noqa: PLC0415 - only with a model
        ModelRejected,
        read_answer,
        request_text,
    )

    most = learning.policy.max_candidates_per_run
    try:
        answer = await ask(model, request_text(heard, secrets.token_hex(8), most))
    except PalyraError as error:
        return _Asked(notices=(f"the model proposed nothing: {redact_text(error.message).text}",))
    parsed = await asyncio.to_thread(read_answer, answer, heard, most)
    if isinstance(parsed, ModelRejected):
        return _Asked(notices=tuple(f"the model's answer was not taken: {one}" for one in parsed.reasons))
    return _Asked(parsed.proposals, parsed.refused)
