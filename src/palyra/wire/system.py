"""Backups, doctor, status and jobs on the wire."""

from palyra.wire.base import Request, Response


class CreateBackup(Request):
    path: str | None = None


class VerifyBackup(Request):
    path: str


class Backup(Response):
    path: str
    size: int
    head: str
    root: str
    schema: int
    created_at_ms: int


class RestoreBackup(Request):
    path: str
    replace: bool = False


class Restored(Response):
    data_dir: str
    size: int
    root: str
    erased_again: int
    abandoned_events: int
    replaced_journal: str | None


class Examine(Request):
    pass


class Check(Response):
    name: str
    level: str
    message: str
    hint: str


class Examination(Response):
    ok: bool
    data_dir: str
    checks: list[Check]


class GetSystemStatus(Request):
    pass


class SystemStatus(Response):
    version: str
    data_dir: str
    pid: int
    """of the process that answers"""
    serving: bool
    """it is the daemon; else a command that looks at the files"""
    started_at_ms: int
    events: int
    root: str
    unsigned_events: int
    database_bytes: int
    refuses_writes: str | None
    """why, if it does"""
    memories: int
    """of all principals"""
    waiting_for_review: int
    embedding_model: str
    sessions: int
    """of all principals"""
    active_runs: int
    chat_model: str
    chat_breaker: str
    """closed: the model is asked; open: it failed so often that it is not asked for a while"""
    chat_error: str | None
    """what the last call of the model failed with"""
    jobs: int
    failing_jobs: list[str]


class ListJobs(Request):
    pass


class Job(Response):
    name: str
    every_ms: int
    next_due_ms: int
    runs: int
    is_running: bool
    last_started_ms: int | None
    last_ms: int | None
    """how long the last finished run took"""
    last_error: str | None
    """of the last finished run; null: it went well"""


class Jobs(Response):
    serving: bool
    jobs: list[Job]
    """only a daemon has any that matter"""
