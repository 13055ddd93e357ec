"""What the operations on jobs do."""

import asyncio

from palyra.api.call import Call
from palyra.api.handlers.binding import bind
from palyra.api.operating import jobs as api
from palyra.app import App
from palyra.core import limits
from palyra.core.errors import FailedPrecondition, InvalidArgument
from palyra.domain.journal import Actor, Origin
from palyra.jobs.state import JobView
from palyra.store.jobs.records import JobRunRecord, list_runs
from palyra.wire import jobs as wire

_LONGEST_WAIT_SECONDS = 3_600


async def views(app: App) -> list[JobView]:
    """A process that runs them knows; another reads what was left on record."""
    if not app.serving:
        await app.jobs.load()
    return app.jobs.jobs()


async def _list(call: Call, _request: wire.ListJobs) -> wire.Jobs:
    found = await views(call.app)
    return wire.Jobs(serving=call.app.serving, jobs=[_job(view) for view in found])


async def _run(call: Call, request: wire.RunJob) -> wire.JobRun:
    app = call.app
    if not 0 <= request.wait_seconds <= _LONGEST_WAIT_SECONDS:
        raise InvalidArgument(
            f"wait_seconds {request.wait_seconds} is outside 0..{_LONGEST_WAIT_SECONDS}", hint="0 does not wait at all"
        )
    app.jobs.find(request.name)
    if not app.serving:
        if request.wait_seconds == 0:
            raise FailedPrecondition(
                "no daemon is running, so nobody would finish the job later", hint="leave out --no-wait"
            )
        await app.jobs.load()
    done = app.jobs.run_now(request.name, call.caller.name, _by(call), sure=request.sure)
    try:
        # Without a daemon the run would end with us: there its own time limit is enough.
        async with asyncio.timeout(request.wait_seconds if app.serving else None):
            run = await asyncio.shield(done)
    except TimeoutError:
        return wire.JobRun(
            name=request.name,
            state="asked",
            started_at_ms=None,
            took_ms=None,
            items=0,
            notes=[],
            code="",
            error="",
            attention="",
        )
    return wire.JobRun(
        name=run.name,
        state=run.outcome.value,
        started_at_ms=run.started_at_ms,
        took_ms=run.took_ms,
        items=run.items,
        notes=list(run.notes),
        code=run.code,
        error=run.error,
        attention=run.attention,
    )


async def _pause(call: Call, request: wire.PauseJob) -> wire.Job:
    return _job(await call.app.jobs.pause(request.name, call.caller.name, _by(call)))


async def _resume(call: Call, request: wire.ResumeJob) -> wire.Job:
    return _job(await call.app.jobs.resume(request.name, call.caller.name, _by(call)))


async def _history(call: Call, request: wire.ListJobRuns) -> wire.JobRuns:
    if not 1 <= request.limit <= limits.PAGE_ITEMS:
        raise InvalidArgument(f"limit {request.limit} is outside 1..{limits.PAGE_ITEMS}", hint="ask for smaller pages")
    if request.before_seq is not None and not -(1 << 62) <= request.before_seq < 1 << 62:
        raise InvalidArgument(
            f"before_seq {request.before_seq} is outside -2**62..2**62", hint="leave it out to begin with the newest"
        )
    if request.name is not None:
        call.app.jobs.find(request.name)
    found = await call.app.store.db.read(
        lambda tx: list_runs(tx, request.name, request.before_seq, request.limit),
    )
    return wire.JobRuns(
        runs=[_recorded(run) for run in found],
        next_before_seq=found[-1].seq if len(found) == request.limit else None,
    )


def _by(call: Call) -> Origin:
    return Origin(call.caller.principal, Actor.OPERATOR)


def _job(view: JobView) -> wire.Job:
    return wire.Job(
        name=view.name,
        rhythm=view.rhythm,
        every_ms=view.every_ms,
        next_due_ms=view.next_due_ms,
        is_running=view.is_running,
        is_stuck=view.is_stuck,
        paused_by=view.paused_by,
        runs=view.runs,
        failed_runs=view.failed_runs,
        failures=view.failures,
        last_started_ms=view.last_started_ms,
        last_ms=view.last_ms,
        last_items=view.last_items,
        last_success_ms=view.last_success_ms,
        last_error=view.last_error,
        attention=view.attention,
        is_alarm=view.alarm,
    )


def _recorded(run: JobRunRecord) -> wire.RecordedRun:
    return wire.RecordedRun(
        name=run.name,
        state=run.outcome.value,
        started_at_ms=run.started_at_ms,
        took_ms=run.took_ms,
        items=run.items,
        notes=list(run.notes),
        code=run.code,
        error=run.error,
        attention=run.attention,
        seq=run.seq,
        event_id=run.event_id,
        attempt=run.attempt,
        by=run.by,
    )


HANDLERS = (
    bind(api.list_, _list),
    bind(api.run, _run),
    bind(api.pause, _pause),
    bind(api.resume, _resume),
    bind(api.history, _history),
)
