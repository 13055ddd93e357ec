"""Backups, doctor and configuration on the wire."""

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
