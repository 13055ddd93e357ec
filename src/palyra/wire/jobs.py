"""Jobs on the wire: what the daemon does by itself."""

from palyra.wire.base import Request, Response


class ListJobs(Request):
    pass


class Job(Response):
    name: str
    rhythm: str
    """such as "every 5 min", or a schedule in words"""
    every_ms: int | None
    """null: at times on the wall"""
    next_due_ms: int | None
    """null: not by itself, because it is paused or its setting means nothing"""
    is_running: bool
    is_stuck: bool
    """a run was given up and has not ended; it is not begun again beside it"""
    paused_by: str | None
    runs: int
    """of the process that answers, as the next one"""
    failed_runs: int
    failures: int
    """in a row"""
    last_started_ms: int | None
    last_ms: int | None
    """how long the last finished run took"""
    last_items: int
    last_success_ms: int | None
    last_error: str | None
    """of the last finished run; null: it went well"""
    attention: str
    """what a person should look at, with the command; empty: nothing"""
    is_alarm: bool
    """something is broken"""


class Jobs(Response):
    serving: bool
    """a daemon answers; else this is what is on record, and nothing is due by itself"""
    jobs: list[Job]


class RunJob(Request):
    name: str
    sure: bool = False
    """do what would otherwise wait for a person, such as expiring a mass of memories after a leap of the clock"""
    wait_seconds: int = 300
    """for its end; 0: not at all"""


class JobRun(Response):
    name: str
    state: str
    """done, failed, cut_off, abandoned; or asked: it has not ended yet"""
    started_at_ms: int | None
    took_ms: int | None
    items: int
    notes: list[str]
    code: str
    """of the error table; empty: it went well"""
    error: str
    attention: str


class PauseJob(Request):
    name: str


class ResumeJob(Request):
    name: str


class ListJobRuns(Request):
    name: str | None = None
    before_seq: int | None = None
    limit: int = 50


class RecordedRun(JobRun):
    seq: int
    event_id: str
    attempt: int
    """1: the first one; more: so many in a row have failed, this one included"""
    by: str
    """who asked for it; empty: it was due"""


class JobRuns(Response):
    runs: list[RecordedRun]
    """newest first"""
    next_before_seq: int | None
