"""What the operations on scheduled prompts do."""

from datetime import datetime
from zoneinfo import ZoneInfo

from palyra.api.call import Call, actor_of, seer
from palyra.api.handlers.binding import bind
from palyra.api.operating import cron as api
from palyra.api.repeats import request_key
from palyra.core.redact import redact_memory_text_for_output as redact
from palyra.domain.access import Capability
from palyra.domain.cron.durations import short_duration
from palyra.domain.cron.job import CronJob, CronRun, CronRunState
from palyra.domain.cron.schedule import At, CronSchedule, EverySchedule, Schedule, describe
from palyra.services.cron import firing, jobs
from palyra.services.cron.jobs import CronWish, JobWithLast, Maker
from palyra.wire import cron as wire

_MAY = (Capability.READ, Capability.WRITE)
"""what a run may be allowed: nobody is there to be asked about the rest"""


async def _create(call: Call, request: wire.CreateCronJob) -> wire.CronJobInfo:
    standing, maker = seer(call, request), _maker(call)
    key = request_key(api.create, request, standing, maker.actor)
    return _to_job(await jobs.create(call.app.cron, _wish(request, enabled=request.enabled), standing, maker, key))


async def _list(call: Call, request: wire.ListCronJobs) -> wire.CronJobPage:
    found = await jobs.list_(call.app.cron, seer(call, request), request.before_seq, request.limit)
    more = len(found) == request.limit
    return wire.CronJobPage(
        jobs=[_to_job(one) for one in found], next_before_seq=found[-1].job.seq if more and found else None
    )


async def _get(call: Call, request: wire.NameCronJob) -> wire.CronJobInfo:
    return _to_job(await jobs.show(call.app.cron, request.job, seer(call, request)))


async def _update(call: Call, request: wire.UpdateCronJob) -> wire.CronJobInfo:
    return _to_job(await jobs.update(call.app.cron, request.job, _wish(request), seer(call, request), _maker(call)))


async def _enable(call: Call, request: wire.NameCronJob) -> wire.CronJobInfo:
    actor = actor_of(call, None)
    return _to_job(await jobs.enable(call.app.cron, request.job, seer(call, request), actor, enabled=True))


async def _disable(call: Call, request: wire.NameCronJob) -> wire.CronJobInfo:
    actor = actor_of(call, None)
    return _to_job(await jobs.enable(call.app.cron, request.job, seer(call, request), actor, enabled=False))


async def _delete(call: Call, request: wire.NameCronJob) -> wire.CronJobInfo:
    return _to_job(await jobs.delete(call.app.cron, request.job, seer(call, request), actor_of(call, None)))


async def _run(call: Call, request: wire.RunCronJob) -> wire.CronRunInfo:
    standing, actor = seer(call, request), actor_of(call, None)
    key = request_key(api.run, request, standing, actor)
    run = await firing.run_now(call.app.cron, request.job, standing, actor, key)
    job = (await jobs.show(call.app.cron, run.job_id, standing, deleted=True)).job
    return _to_run(run, job.name)


async def _next(call: Call, request: wire.NextCronTimes) -> wire.CronTimes:
    job, times = await jobs.upcoming(call.app.cron, request.job, seer(call, request), request.count)
    shown = [wire.CronTime(at_ms=at_ms, local=_local(at_ms, job.zone)) for at_ms in times]
    return wire.CronTimes(job_id=job.job_id, zone=job.zone, times=shown)


async def _history(call: Call, request: wire.CronHistory) -> wire.CronRunPage:
    found = await jobs.history(call.app.cron, request.job, seer(call, request), request.before_seq, request.limit)
    more = len(found) == request.limit
    return wire.CronRunPage(
        runs=[_to_run(run, name) for run, name in found], next_before_seq=found[-1][0].seq if more and found else None
    )


def _maker(call: Call) -> Maker:
    can = tuple(capability.value for capability in _MAY if call.caller.may(capability))
    return Maker(actor_of(call, None), call.caller.name, can)


def _wish(request: wire.DescribeCronJob, *, enabled: bool | None = None) -> CronWish:
    return CronWish(
        request.name,
        request.prompt,
        request.cron,
        request.every,
        request.at,
        request.zone,
        request.jitter,
        request.misfire,
        request.concurrency,
        request.retries,
        request.backoff,
        request.session,
        enabled,
    )


def _to_job(kept: JobWithLast) -> wire.CronJobInfo:
    job, policy = kept.job, kept.job.policy
    kind, schedule = _schedule(job.schedule, job.zone)
    next_ms = job.next_ms if job.enabled and job.deleted_at_ms is None and job.prompt else None
    return wire.CronJobInfo(
        job_id=job.job_id,
        seq=job.seq,
        name=redact(job.name),
        prompt=redact(job.prompt),
        principal=job.principal,
        channel=job.channel,
        kind=kind,
        schedule=schedule,
        description=_described(job),
        zone=job.zone,
        jitter_ms=policy.jitter_ms,
        misfire=policy.misfire.value,
        concurrency=policy.concurrency.value,
        retries=policy.retries,
        backoff_ms=policy.backoff_ms,
        session=policy.session.value,
        session_id=job.session_id,
        enabled=job.enabled,
        deleted=job.deleted_at_ms is not None,
        made_by=job.made_by,
        created_at_ms=job.created_at_ms,
        changed_at_ms=job.changed_at_ms,
        next_at_ms=next_ms,
        next_local=None if next_ms is None else _local(next_ms, job.zone),
        last_run=None if kept.last is None else _to_run(kept.last, job.name),
    )


def _schedule(schedule: Schedule, zone: str) -> tuple[str, str]:
    match schedule:
        case CronSchedule(expression, _):
            return "cron", expression.lower()
        case EverySchedule(every_ms, _):
            return "every", short_duration(every_ms)
        case At(at_ms):
            return "at", _local(at_ms, zone)


def _described(job: CronJob) -> str:
    if isinstance(job.schedule, At):
        return f"Once at {_local(job.schedule.at_ms, job.zone)} ({job.zone})"
    return describe(job.schedule)


def _to_run(run: CronRun, name: str) -> wire.CronRunInfo:
    return wire.CronRunInfo(
        run_id=run.run_id,
        seq=run.seq,
        job_id=run.job_id,
        job_name=redact(name),
        slot_ms=run.slot_ms,
        until_ms=run.until_ms,
        count=run.count,
        more=run.more,
        state=run.state.value,
        manual=run.manual,
        attempt=run.attempt,
        session_id=run.session_id,
        session_run_id=run.session_run_id,
        error_code=run.error_code,
        claimed_at_ms=run.claimed_at_ms,
        begun_at_ms=run.begun_at_ms,
        ended_at_ms=run.ended_at_ms,
        not_before_ms=run.due_ms if run.state is CronRunState.QUEUED else 0,
    )


def _local(at_ms: int, zone: str) -> str:
    return datetime.fromtimestamp(at_ms / 1000, ZoneInfo(zone)).isoformat(timespec="seconds")


HANDLERS = (
    bind(api.create, _create),
    bind(api.list_, _list),
    bind(api.get, _get),
    bind(api.update, _update),
    bind(api.enable, _enable),
    bind(api.disable, _disable),
    bind(api.delete, _delete),
    bind(api.run, _run),
    bind(api.upcoming, _next),
    bind(api.history, _history),
)
