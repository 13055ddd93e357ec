"""Scheduled prompts as a person keeps them: create, change, switch on and off, delete, look ahead and look back."""

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from palyra.core import limits
from palyra.core.errors import AlreadyExists, Exhausted, FailedPrecondition, InvalidArgument, TooLarge
from palyra.core.ids import is_ulid
from palyra.domain.cron.due import due_ms, next_due_ms
from palyra.domain.cron.durations import duration_ms
from palyra.domain.cron.events import CronJobDefined, CronJobDeleted, CronJobEnabled, CronJobWorded, CronRunEnded
from palyra.domain.cron.job import (
    Concurrency,
    CronJob,
    CronJobId,
    CronPolicy,
    CronRun,
    CronRunState,
    Misfire,
    SessionMode,
    schedule_to_json,
)
from palyra.domain.cron.schedule import (
    CronSchedule,
    EverySchedule,
    Schedule,
    describe,
    following,
    following_slots,
    parse_at,
    parse_cron,
    parse_every,
)
from palyra.domain.cron.zones import checked_zone
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
from palyra.domain.scope import Visibility
from palyra.services.chat.engine import check_message
from palyra.services.chat.parts import NewMessage
from palyra.services.cron.context import Cron, find_job, origin_of, plan_of
from palyra.store.connection import ReadTx
from palyra.store.cron.records import count_jobs, last_runs, list_jobs, list_runs, name_is_taken, open_cron_runs
from palyra.store.journal_store import Once

E = TypeVar("E", bound=StrEnum)

_PAGE = 500
_NAME_BYTES = 64
_JOBS = 10_000
"""of one principal"""
_RETRIES = 10
_JITTER_MOST_MS = 3_600_000
_BACKOFF_MOST_MS = 3_600_000
_AHEAD = 100


@dataclass(frozen=True, slots=True)
class CronWish:
    """What somebody asks a job to be; what is None stays as it is, or as usual. Exactly one of cron, every and at."""

    name: str | None = None
    prompt: str | None = None
    cron: str | None = None
    every: str | None = None
    at: str | None = None
    zone: str | None = None
    jitter: str | None = None
    misfire: str | None = None
    concurrency: str | None = None
    retries: int | None = None
    backoff: str | None = None
    session: str | None = None
    enabled: bool | None = None


@dataclass(frozen=True, slots=True)
class Maker:
    """Who schedules: a run never may more."""

    actor: Actor
    name: str
    can: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JobWithLast:
    job: CronJob
    last: CronRun | None


async def create(
    cron: Cron, wish: CronWish, caller: Visibility, maker: Maker, request: RequestKey | None = None
) -> JobWithLast:
    now_ms = cron.clock.now_ms()
    job_id = CronJobId(cron.store.ids.next(now_ms))
    zone = checked_zone(wish.zone or "UTC")
    schedule = _schedule(wish, zone, now_ms)
    if schedule is None:
        raise InvalidArgument("no schedule given", hint='give one of --cron "0 9 * * mon-fri", --every 15m, --at TIME')
    policy = _policy(wish, CronPolicy(), schedule)
    name = _check_name(wish.name) if wish.name is not None else f"job-{job_id[-6:].lower()}"
    prompt = _check_prompt(wish.prompt or "")
    _check_comes(schedule, now_ms)
    job = CronJob(
        job_id, 0, caller.principal, caller.channel, name, prompt, schedule, zone, policy, maker.can, maker.name,
        wish.enabled is not False, now_ms, now_ms, None, None, now_ms, None,
    )  # fmt: skip

    def decide(tx: ReadTx) -> Decision[CronJobId]:
        _check_free(tx, caller.principal, name)
        if count_jobs(tx, caller.principal) >= _JOBS:
            raise Exhausted(f"{caller.principal!r} has {_JOBS} scheduled prompts", hint="delete some: palyra cron list")
        return Decision(_definition(job, maker.actor, worded=True), job_id)

    once = None if request is None else Once(caller.principal, request, _first_job)
    return await show(cron, (await cron.journal.commit(decide, once)).outcome, caller)


def _first_job(written: list[EventRecord]) -> CronJobId:
    if written[0].kind != CronJobDefined.KIND or written[0].payload is None:
        raise InvalidArgument("this request id was used for something else", hint="use a new one for every request")
    return CronJobId(json.loads(written[0].payload)["job_id"])


async def update(cron: Cron, name: str, wish: CronWish, caller: Visibility, maker: Maker) -> JobWithLast:
    """Whoever changes a job takes it over: from then on its runs may what that person may."""
    now_ms = cron.clock.now_ms()
    if wish == CronWish():
        raise InvalidArgument("nothing to change is given", hint="palyra cron update --help")
    new_name = None if wish.name is None else _check_name(wish.name)
    prompt = None if wish.prompt is None else _check_prompt(wish.prompt)

    def decide(tx: ReadTx) -> Decision[CronJobId]:
        job = find_job(tx, name, caller)
        if new_name is not None and new_name != job.name:
            _check_free(tx, job.principal, new_name)
        zone = checked_zone(wish.zone) if wish.zone is not None else job.zone
        schedule = _schedule(wish, zone, now_ms)
        if schedule is not None:
            _check_comes(schedule, now_ms)
        if schedule is None and isinstance(job.schedule, CronSchedule):
            schedule = parse_cron(job.schedule.expression, zone)
        schedule = schedule or job.schedule
        changed = replace(
            job,
            name=new_name or job.name,
            prompt=prompt or job.prompt,
            schedule=schedule,
            zone=zone,
            policy=_policy(wish, job.policy, schedule),
            can=maker.can,
            made_by=maker.name,
            cursor_ms=job.cursor_ms if schedule == job.schedule else now_ms,
        )
        worded = (changed.name, changed.prompt) != (job.name, job.prompt)
        return Decision(_definition(changed, maker.actor, worded=worded), job.job_id)

    return await show(cron, (await cron.journal.commit(decide)).outcome, caller)


async def enable(cron: Cron, name: str, caller: Visibility, actor: Actor, *, enabled: bool) -> JobWithLast:
    """Slots that passed while it was off are neither run nor missed. Off: what waits does not begin any more."""
    now_ms = cron.clock.now_ms()

    def decide(tx: ReadTx) -> Decision[CronJobId]:
        job = find_job(tx, name, caller)
        if enabled and not job.prompt:
            raise FailedPrecondition(f"the prompt of job {job.job_id} was erased", hint="palyra cron update --prompt")
        if job.enabled == enabled:
            return Decision((), job.job_id)
        cursor_ms = now_ms if enabled else job.cursor_ms
        event = CronJobEnabled(job.job_id, enabled, cursor_ms, next_due_ms(plan_of(job), cursor_ms))
        given_up = () if enabled else _give_up(tx, job)
        return Decision((draft_of_event(event, origin_of(job, actor)), *given_up), job.job_id)

    return await show(cron, (await cron.journal.commit(decide)).outcome, caller)


async def delete(cron: Cron, name: str, caller: Visibility, actor: Actor) -> JobWithLast:
    """It comes no more. A run that is going on comes to its end; the history stays."""

    def decide(tx: ReadTx) -> Decision[CronJobId]:
        job = find_job(tx, name, caller)
        event = draft_of_event(CronJobDeleted(job.job_id), origin_of(job, actor))
        return Decision((event, *_give_up(tx, job)), job.job_id)

    return await show(cron, (await cron.journal.commit(decide)).outcome, caller, deleted=True)


def _give_up(tx: ReadTx, job: CronJob) -> tuple[EventDraft, ...]:
    waiting = [run for run in open_cron_runs(tx, job.job_id) if run.state is CronRunState.QUEUED]
    state = CronRunState.CANCELLED.value
    return tuple(draft_of_event(CronRunEnded(run.run_id, state, "cancelled"), origin_of(job)) for run in waiting)


# -- looking


async def show(cron: Cron, name: str, caller: Visibility, *, deleted: bool = False) -> JobWithLast:
    def read(tx: ReadTx) -> JobWithLast:
        job = find_job(tx, name, caller, deleted=deleted)
        return JobWithLast(job, last_runs(tx, [job.job_id]).get(job.job_id))

    return await cron.store.db.read(read)


async def list_(cron: Cron, caller: Visibility, before_seq: int, limit: int) -> list[JobWithLast]:
    _check_page(before_seq, limit)

    def read(tx: ReadTx) -> list[JobWithLast]:
        jobs = list_jobs(tx, caller, before_seq or 1 << 62, limit)
        last = last_runs(tx, [job.job_id for job in jobs])
        return [JobWithLast(job, last.get(job.job_id)) for job in jobs]

    return await cron.store.db.read(read)


async def upcoming(cron: Cron, name: str, caller: Visibility, count: int) -> tuple[CronJob, list[int]]:
    """When it is due next, jitter included, whether it is switched on or not."""
    if not 1 <= count <= _AHEAD:
        raise InvalidArgument(f"count {count} is outside 1..{_AHEAD}", hint="ask for fewer")
    job = (await show(cron, name, caller)).job
    after_ms = cron.clock.now_ms()
    return job, [due_ms(plan_of(job), slot) for slot in following_slots(job.schedule, after_ms, count)]


async def history(
    cron: Cron, name: str | None, caller: Visibility, before_seq: int, limit: int
) -> list[tuple[CronRun, str]]:
    """Newest first, each with the name of its job; also of jobs that were deleted."""
    _check_page(before_seq, limit)

    def read(tx: ReadTx) -> list[tuple[CronRun, str]]:
        job_id = None if name is None else find_job(tx, name, caller, deleted=True).job_id
        runs = list_runs(tx, caller, job_id, before_seq or 1 << 62, limit)
        names = {run.job_id: find_job(tx, run.job_id, caller, deleted=True).name for run in runs}
        return [(run, names[run.job_id]) for run in runs]

    return await cron.store.db.read(read)


def _check_page(before_seq: int, limit: int) -> None:
    if not 1 <= limit <= _PAGE:
        raise InvalidArgument(f"limit {limit} is outside 1..{_PAGE}", hint="ask for smaller pages")
    if not 0 <= before_seq < 1 << 62:
        raise InvalidArgument(f"before_seq {before_seq} is outside 0..2**62", hint="0 begins with the newest")


# -- what is asked for


def _definition(job: CronJob, actor: Actor, *, worded: bool) -> tuple[EventDraft, ...]:
    policy, origin = job.policy, Origin(job.principal, actor, job.channel)
    defined = CronJobDefined(
        job.job_id,
        schedule_to_json(job.schedule),
        job.zone,
        policy.jitter_ms,
        policy.misfire.value,
        policy.concurrency.value,
        policy.retries,
        policy.backoff_ms,
        policy.session.value,
        job.can,
        job.made_by,
        job.enabled,
        job.cursor_ms,
        next_due_ms(plan_of(job), job.cursor_ms),
        worded,
    )
    words = (draft_of_event(CronJobWorded(job.job_id, job.name, job.prompt), origin),) if worded else ()
    return (draft_of_event(defined, origin), *words)


def _schedule(wish: CronWish, zone: str, now_ms: int) -> Schedule | None:
    if [wish.cron, wish.every, wish.at].count(None) < 2:
        raise InvalidArgument("more than one schedule given", hint="give one of cron, every and at")
    if wish.cron is not None:
        return parse_cron(wish.cron, zone)
    if wish.every is not None:
        return parse_every(wish.every, now_ms)
    return None if wish.at is None else parse_at(wish.at, now_ms, zone)


def _check_comes(schedule: Schedule, now_ms: int) -> None:
    """Some days exist and yet never come here: an hour that a zone skips every year, or a clock that is far ahead."""
    if following(schedule, now_ms) is None:
        raise InvalidArgument(
            f"this schedule has no time to come: {describe(schedule)}", hint="look at the zone and at the clock"
        )


def _policy(wish: CronWish, old: CronPolicy, schedule: Schedule) -> CronPolicy:
    retries = old.retries if wish.retries is None else wish.retries
    if not 0 <= retries <= _RETRIES:
        raise InvalidArgument(f"retries {retries} is outside 0..{_RETRIES}", hint=f"at most {_RETRIES}")
    jitter_ms = old.jitter_ms if wish.jitter is None else duration_ms(wish.jitter, "jitter", 0, _JITTER_MOST_MS)
    if isinstance(schedule, EverySchedule) and jitter_ms > schedule.every_ms:
        raise InvalidArgument(
            f"a jitter of {jitter_ms // 1000}s is longer than the interval of {schedule.every_ms // 1000}s",
            hint="make it shorter",
        )
    backoff_ms = (
        old.backoff_ms if wish.backoff is None else duration_ms(wish.backoff, "backoff", 1_000, _BACKOFF_MOST_MS)
    )
    return CronPolicy(
        jitter_ms,
        old.misfire if wish.misfire is None else _one_of(Misfire, wish.misfire, "misfire"),
        old.concurrency if wish.concurrency is None else _one_of(Concurrency, wish.concurrency, "concurrency"),
        retries,
        backoff_ms,
        old.session if wish.session is None else _one_of(SessionMode, wish.session, "session"),
    )


def _one_of(kind: type[E], value: str, what: str) -> E:
    try:
        return kind(value)
    except ValueError:
        choices = ", ".join(kind)
        raise InvalidArgument(f"unknown {what} {value[:64]!r}", hint=f"use one of {choices}") from None


def _check_name(name: str) -> str:
    check_identifier(name, "job name")
    speaks = any(map(str.isalnum, name))  # "..", for one, means something else in an address
    if not speaks or len(name.encode()) > _NAME_BYTES or any(sign in name for sign in "/?#%\\") or is_ulid(name):
        raise InvalidArgument(
            f"job name {name[:64]!r} is longer than {_NAME_BYTES} bytes, looks like an id or holds one of / ? # % \\",
            hint="use letters, digits, dots, dashes and colons",
        )
    return name


def _check_prompt(prompt: str) -> str:
    if not prompt.strip():
        raise InvalidArgument("the prompt is empty", hint="say what is to be asked: --prompt TEXT")
    size = len(prompt.encode("utf-8", "surrogatepass"))
    if size > limits.MESSAGE_BYTES // 2:
        raise TooLarge(
            f"the prompt is {size} bytes; the limit is {limits.MESSAGE_BYTES // 2}", hint="refer to a document instead"
        )
    return check_message(NewMessage(prompt)).text


def _check_free(tx: ReadTx, principal: str, name: str) -> None:
    if name_is_taken(tx, principal, name):
        raise AlreadyExists(
            f"{principal!r} has a scheduled prompt {name!r} already", hint="change it, or choose another name"
        )
