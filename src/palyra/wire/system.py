"""Backups, doctor and status on the wire."""

from palyra.wire.base import Request, Response
from palyra.wire.external import ExternalStanding


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


class FindIds(Request):
    beginning: str
    kinds: tuple[str, ...]
    """event, memory, candidate, learned, session, run, checkpoint, job or token"""
    principal: str | None = None


class FoundIds(Response):
    ids: list[str]
    """at most nine of each kind"""


class GetSystemStatus(Request):
    pass


class DueJob(Response):
    name: str
    next_due_ms: int
    is_running: bool


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
    learned_waiting: int
    """learned from conversations, and to be decided"""
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
    paused_jobs: list[str]
    attention: list[str]
    """what jobs have found that a person should look at, with the command"""
    due_jobs: list[DueJob]
    """soonest first; none without a daemon"""
    external: ExternalStanding | None
    """the mirror in an engine elsewhere, if one is configured"""
