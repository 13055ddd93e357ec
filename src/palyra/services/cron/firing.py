"""Running what is due: claim, put on the tape, drive, write down the end. Called about once a second.

Each step starts from what the journal says, so a crash between two of them loses nothing and doubles nothing: a claimed
slot is put on the tape under a request id made of its run and attempt, and a run that was put there but not noted is
found again by that id. How a run ended is read from its session; what a dead process left was failed there at start-up.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from palyra.core.errors import Exhausted, NotFound, PalyraError, Unavailable
from palyra.core.hashing import sha256
from palyra.core.ids import RunId
from palyra.domain.access import Capability
from palyra.domain.chat.session import Run, RunOrigin, RunState, Session
from palyra.domain.cron.due import may_begin, retry_at_ms
from palyra.domain.cron.events import CronRunBegun, CronRunEnded
from palyra.domain.cron.job import Concurrency, CronJob, CronJobId, CronRun, CronRunId, CronRunState
from palyra.domain.journal import Actor, Decision, EventDraft, RequestKey, draft_of_event
from palyra.domain.scope import Visibility
from palyra.services.chat.parts import NewMessage, Speaker
from palyra.services.cron.claiming import claim_due, claim_now
from palyra.services.cron.context import Cron, Waiting, origin_of, place_of
from palyra.services.sessions.runs import Move, append
from palyra.store.connection import ReadTx
from palyra.store.cron.records import (
    OverRun,
    fetch_cron_run,
    jobs_by_id,
    open_cron_runs,
    over_runs,
    queued_heads,
    replaced_runs,
)
from palyra.store.sessions.records import fetch_session, own_run

log = logging.getLogger("palyra.cron")

DRIVEN_RUNS = 256
"""turns of scheduled prompts that go on at once: half of what a process has, so that people get their answers"""
RUN_SECONDS = 3_600.0
"""a turn that takes longer is aborted"""
_STARTS = 2_000
"""in one tick"""
_START_SECONDS = 10.0
"""how long a tick waits for what it started; whatever is not on the tape by then gets there without it"""
_OVER = 2_000


@dataclass(frozen=True, slots=True)
class FireReport:
    claimed: int = 0
    skipped: int = 0
    missed: int = 0
    started: int = 0
    ended: int = 0
    waiting: int = 0
    """on the tape, until others are over"""

    @property
    def idle(self) -> bool:
        return self == FireReport(waiting=self.waiting)


async def fire_due(cron: Cron) -> FireReport:
    """One tick. Returns soon: it waits for no turn."""
    async with cron.desk.firing:
        ended = await _settle(cron)
        claimed = await claim_due(cron)
        started = await _start(cron)
        _drive_later(cron)
        await _abort_unwanted(cron)
        waiting = len(cron.desk.waiting)
        return FireReport(claimed.slots, claimed.skipped, claimed.missed, started, ended, waiting)


async def run_now(
    cron: Cron, name: str, caller: Visibility, actor: Actor, request: RequestKey | None = None
) -> CronRun:
    """Besides the schedule, and at once: its prompt is on the tape when it returns, unless another run comes first."""
    claimed = await claim_now(cron, name, caller, actor, request)
    async with cron.desk.firing:
        await _start(cron, claimed)
        _drive_later(cron)
        await _abort_unwanted(cron)
    if cron.desk.driving is not None:
        await asyncio.wait({cron.desk.driving}, timeout=_START_SECONDS)
    found = await cron.store.db.read(lambda tx: fetch_cron_run(tx, claimed.run_id))
    return found or claimed


async def close(cron: Cron) -> None:
    """After the turns have come to their end: nothing of this process is left undone."""
    desk = cron.desk
    tasks = [*desk.starting.values(), *desk.aborting.values(), *filter(None, (desk.driving,))]
    if tasks:
        await asyncio.wait(tasks, timeout=_START_SECONDS)
    async with desk.firing:
        await _settle(cron)


# -- ending


async def _settle(cron: Cron) -> int:
    over = await cron.store.db.read(lambda tx: over_runs(tx, _OVER))
    if not over:
        return 0

    def decide(tx: ReadTx) -> Decision[int]:
        now_ms = cron.clock.now_ms()
        still = over_runs(tx, _OVER)
        jobs = jobs_by_id(tx, [one.run.job_id for one in still])
        ends = [_end(cron, tx, jobs[one.run.job_id], one, now_ms) for one in still]
        return Decision(tuple(ends), len(ends))

    ended = (await cron.journal.commit(decide)).outcome
    for one in over:
        cron.desk.driven.pop(one.run.run_id, None)
        cron.desk.overdue.discard(one.run.run_id)
    return ended


def _end(cron: Cron, tx: ReadTx, job: CronJob, over: OverRun, now_ms: int) -> EventDraft:
    run, state, code = over.run, CronRunState.DONE, over.error_code
    if over.state is RunState.FAILED:
        state = CronRunState.FAILED
    elif over.state is RunState.CANCELLED:
        late = run.run_id in cron.desk.overdue
        state, code = (CronRunState.FAILED, "deadline") if late else (CronRunState.CANCELLED, "cancelled")
    again_at_ms = None
    if state is CronRunState.FAILED and _wants_more(tx, job):
        # A process that died before it got round to this run has not tried it.
        untried = not over.was_in_progress and code in {"interrupted", "unavailable"}
        again_at_ms = now_ms if untried else retry_at_ms(job.policy, run.attempt, now_ms)
    ended = CronRunEnded(run.run_id, state.value, code, again_at_ms)
    return draft_of_event(ended, origin_of(run))


def _wants_more(tx: ReadTx, job: CronJob) -> bool:
    """Whether a run that failed may be tried again: its job is there and on, and no newer run takes its place."""
    if job.deleted_at_ms is not None or not job.enabled or not job.prompt:
        return False
    newer = [run for run in open_cron_runs(tx, job.job_id) if run.state is CronRunState.QUEUED]
    return job.policy.concurrency is not Concurrency.REPLACE or not newer


# -- beginning


async def _start(cron: Cron, only: CronRun | None = None) -> int:
    """Puts what is claimed on the tape, one run of each job at a time."""
    desk, now_ms = cron.desk, cron.clock.now_ms()
    heads = [run for run in await cron.store.db.read(queued_heads) if only is None or run.run_id == only.run_id]
    ready = [run for run in heads if may_begin(run.due_ms, now_ms) and run.run_id not in desk.starting][:_STARTS]
    if not ready:
        return 0
    jobs, sessions = await cron.store.db.read(partial(_places, ready))
    tasks = [
        asyncio.create_task(_begin(cron, jobs[run.job_id], run, sessions.get(run.run_id)), name=f"cron {run.run_id}")
        for run in ready
    ]
    for run, task in zip(ready, tasks, strict=True):
        desk.starting[run.run_id] = task
        task.add_done_callback(partial(_drop, desk.starting, run.run_id))
    # Not cancelled with the tick: between the tape and the note there must be nobody who gives up.
    done, _ = await asyncio.wait(tasks, timeout=_START_SECONDS)
    return len(done)


def _places(ready: Sequence[CronRun], tx: ReadTx) -> tuple[dict[CronJobId, CronJob], dict[CronRunId, Session]]:
    """What they are runs of, and where they speak; in one read for all."""
    found = {run.run_id: fetch_session(tx, run.session_id or "", place_of(run)) for run in ready}
    sessions = {run_id: session for run_id, session in found.items() if session is not None}
    return jobs_by_id(tx, [run.job_id for run in ready]), sessions


def _drop(tasks: dict[CronRunId, asyncio.Task[None]], run_id: CronRunId, _task: asyncio.Task[None]) -> None:
    tasks.pop(run_id, None)


async def _begin(cron: Cron, job: CronJob, run: CronRun, session: Session | None) -> None:
    if session is None:
        await _fail(cron, job, run, NotFound(f"run {run.run_id} has no session", hint="palyra journal verify"))
        return
    try:
        can = frozenset(Capability(name) for name in job.can)
        speaker = Speaker(Actor.SYSTEM, can, f"cron {job.name}")
        turn, begun = await cron.chat().put(session, NewMessage(job.prompt), speaker, _request(run), RunOrigin.CRON)
        noted = draft_of_event(CronRunBegun(run.run_id, begun.run_id), origin_of(run))
        await cron.journal.commit(lambda _tx: Decision((noted,), None))
        cron.desk.waiting.append(Waiting(run, turn, begun))
    except (Unavailable, Exhausted) as error:  # of this process, not of the run: it stays claimed
        log.warning("cron run %s waits: %s", run.run_id, error.message)
    except PalyraError as error:
        await _fail(cron, job, run, error)
    except Exception as error:
        log.exception("cron run %s could not be begun", run.run_id)
        await _fail(cron, job, run, error)


def _request(run: CronRun) -> RequestKey:
    name = f"cron:{run.run_id}:{run.attempt}"
    return RequestKey(name, sha256(name.encode()))


async def _fail(cron: Cron, job: CronJob, run: CronRun, error: Exception) -> None:
    code = error.code if isinstance(error, PalyraError) else "internal"

    def decide(tx: ReadTx) -> Decision[None]:
        now = fetch_cron_run(tx, run.run_id)
        if now is None or now.state is not CronRunState.QUEUED:
            return Decision((), None)
        again = retry_at_ms(job.policy, run.attempt, cron.clock.now_ms()) if _wants_more(tx, job) else None
        return Decision((draft_of_event(CronRunEnded(run.run_id, "failed", code, again), origin_of(run)),), None)

    try:
        await cron.journal.commit(decide)
    except PalyraError as refused:  # the journal cannot be written: the run stays claimed
        log.warning("the end of cron run %s could not be written: %s", run.run_id, refused.message)


# -- driving


def _drive_later(cron: Cron) -> None:
    """In a task of its own: turns that have begun slow down those that are about to, and no tick waits for that."""
    desk = cron.desk
    if desk.waiting and (desk.driving is None or desk.driving.done()):
        desk.driving = asyncio.create_task(_drive(cron), name="cron turns")


async def _drive(cron: Cron) -> None:
    desk = cron.desk
    while desk.waiting and len(desk.driven) < DRIVEN_RUNS:
        one = desk.waiting[0]
        try:
            now = await cron.store.db.read(partial(_own_run, one.turn.run_id))
            if now is not None and not now.state.is_over:
                await cron.chat().take_up(one.turn, one.begun)
                desk.driven[one.run.run_id] = time.monotonic()
        except PalyraError as error:  # there is no room, or it is closing: the next tick goes on here
            log.info("%d cron runs wait for their turn: %s", len(desk.waiting), error.message)
            return
        except Exception:
            log.exception("cron run %s could not be taken up", one.run.run_id)
        desk.waiting.popleft()


def _own_run(run_id: RunId, tx: ReadTx) -> Run | None:
    return own_run(tx, run_id)


async def _abort_unwanted(cron: Cron) -> None:
    """Those that take too long, and those that a newer one replaces."""
    desk, now = cron.desk, time.monotonic()
    late = {run_id for run_id, since in desk.driven.items() if now - since > RUN_SECONDS} - desk.overdue

    def read(tx: ReadTx) -> list[CronRun]:
        return [*replaced_runs(tx), *(run for run_id in late if (run := fetch_cron_run(tx, run_id)) is not None)]

    for run in await cron.store.db.read(read):
        _abort_later(cron, run)
    desk.overdue |= late


def _abort_later(cron: Cron, run: CronRun) -> None:
    """In a task of its own: a turn that does not let itself be ended keeps nobody waiting."""
    if run.run_id not in cron.desk.aborting:
        task = asyncio.create_task(_abort(cron, run), name=f"cron abort {run.run_id}")
        cron.desk.aborting[run.run_id] = task
        task.add_done_callback(partial(_drop, cron.desk.aborting, run.run_id))


async def _abort(cron: Cron, run: CronRun) -> None:
    session_run_id = run.session_run_id
    if session_run_id is None:
        return
    try:
        held = next((one for one in cron.desk.waiting if one.run.run_id == run.run_id), None)
        if held is not None:  # nobody drives it yet
            move = Move(RunState.CANCELLED, error_code="cancelled")
            await append(cron.sessions, held.turn.session, session_run_id, Actor.SYSTEM, (), move)
        else:
            await cron.chat().abort(session_run_id, place_of(run))
    except PalyraError as error:
        log.info("cron run %s needs no abort: %s", run.run_id, error.message)
