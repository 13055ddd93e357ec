"""Scheduled prompts on the wire."""

from palyra.wire.base import Response
from palyra.wire.chat import InChat


class DescribeCronJob(InChat, kw_only=True):
    """What a job is to be; what is left out stays as it is, or as usual."""

    name: str | None = None
    """unique within its principal; a part of its session's key, so no place for secrets"""
    prompt: str | None = None
    cron: str | None = None
    """five fields or a macro: "0 9 * * mon-fri", "@daily"; of cron, every and at exactly one is given"""
    every: str | None = None
    """90s, 15m, 2h or 1d"""
    at: str | None = None
    """2026-12-01T09:00 in the zone, or +20m"""
    zone: str | None = None
    """an IANA name; UTC if none is given"""
    jitter: str | None = None
    """each run begins up to so much later, always the same for the same slot"""
    misfire: str | None = None
    """of slots that passed while nothing ran: skip or catch_up"""
    concurrency: str | None = None
    """while an earlier run is not over: forbid, queue or replace"""
    retries: int | None = None
    backoff: str | None = None
    """before the first retry; doubles with each"""
    session: str | None = None
    """shared: all runs in one session; fresh: each in its own"""


class CreateCronJob(DescribeCronJob, kw_only=True):
    enabled: bool = True
    request_id: str | None = None


class UpdateCronJob(DescribeCronJob, kw_only=True):
    job: str
    """its id or its name"""


class NameCronJob(InChat, kw_only=True):
    job: str
    """its id or its name"""


class RunCronJob(NameCronJob, kw_only=True):
    request_id: str | None = None


class ListCronJobs(InChat, kw_only=True):
    before_seq: int = 0
    limit: int = 50


class NextCronTimes(NameCronJob, kw_only=True):
    count: int = 5


class CronHistory(InChat, kw_only=True):
    job: str | None = None
    """its id or its name; none: of all in sight"""
    before_seq: int = 0
    limit: int = 50


class CronRunInfo(Response, kw_only=True):
    run_id: str
    seq: int
    """of the journal"""
    job_id: str
    job_name: str
    slot_ms: int
    """when it was to begin, by the schedule"""
    until_ms: int
    """the last slot of a stretch that was missed"""
    count: int
    more: bool
    """at least `count`: the stretch was too long to be counted"""
    state: str
    """queued, running, done, failed, skipped, missed or cancelled"""
    manual: bool
    attempt: int
    session_id: str | None
    session_run_id: str | None
    """of the last attempt; see runs of a chat"""
    error_code: str
    claimed_at_ms: int
    begun_at_ms: int | None
    ended_at_ms: int | None
    not_before_ms: int
    """of one that waits to be tried again; else 0"""


class CronJobInfo(Response, kw_only=True):
    job_id: str
    seq: int
    name: str
    prompt: str
    """empty: it was erased, and the job does not run any more"""
    principal: str
    channel: str | None
    kind: str
    """cron, every or at"""
    schedule: str
    """as it can be given again"""
    description: str
    zone: str
    jitter_ms: int
    misfire: str
    concurrency: str
    retries: int
    backoff_ms: int
    session: str
    session_id: str | None
    enabled: bool
    deleted: bool
    made_by: str
    created_at_ms: int
    changed_at_ms: int
    next_at_ms: int | None
    """none: switched off, or it has no more"""
    next_local: str | None
    """the same in its zone"""
    last_run: CronRunInfo | None


class CronJobPage(Response, kw_only=True):
    jobs: list[CronJobInfo]
    """newest first"""
    next_before_seq: int | None


class CronTime(Response, kw_only=True):
    at_ms: int
    local: str


class CronTimes(Response, kw_only=True):
    job_id: str
    zone: str
    times: list[CronTime]


class CronRunPage(Response, kw_only=True):
    runs: list[CronRunInfo]
    """newest first"""
    next_before_seq: int | None
