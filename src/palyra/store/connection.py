"""How a SQLite connection is opened, in one place: version, pragmas, file modes, and errors in our own words."""

import errno
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

import apsw

from palyra.core.errors import Deadline, FailedPrecondition, Integrity, Internal, PalyraError, Unavailable

MINIMUM_SQLITE = 3_054_000
"""older ones carry a WAL corruption bug or lack what the schema uses"""

_SHARED_BYTES = 32_768
"""the size of its -shm file, to begin with"""

APPLICATION_ID = 0x50414C59
"""'PALY' in the file header: tells our database from any other SQLite file"""


BUSY_MS = 10_000
DISK_FULL = "disk_full"


class Rows(Protocol):
    def fetchone(self) -> tuple[object, ...] | None: ...
    def fetchall(self) -> list[tuple[object, ...]]: ...
    def __iter__(self) -> Iterator[tuple[object, ...]]: ...


class ReadTx(Protocol):
    """One snapshot. Only modules of `store` call `execute`; everybody else passes it on."""

    def execute(self, statements: str, bindings: Sequence[object] = ...) -> Rows: ...


class WriteTx(ReadTx, Protocol):
    """The writer's transaction; projectors get it, use-cases never do."""

    def executemany(self, statement: str, rows: Iterable[Sequence[object]]) -> object: ...


def assert_sqlite_version() -> None:
    if apsw.SQLITE_VERSION_NUMBER < MINIMUM_SQLITE:
        raise FailedPrecondition(
            f"SQLite {apsw.sqlite_lib_version()} is too old; Palyra needs 3.54 or newer",
            hint="pip install 'apsw>=3.54'",
        )


def open_writer(path: Path, vfs: str | None = None) -> apsw.Connection:
    assert_sqlite_version()
    create_private(path)
    connection = _connect(str(path), apsw.SQLITE_OPEN_READWRITE, vfs)
    try:
        assert_ours(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA wal_autocheckpoint = 0")  # wal.py owns checkpoints
        connection.execute("PRAGMA cache_size = -65536")
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(path: Path, vfs: str | None = None) -> apsw.Connection:
    """Beside whoever writes. Where nobody can, because the disk is read-only, without the files that takes."""
    assert_sqlite_version()
    try:
        return _open_reader(path, vfs)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        if os.access(path.parent, os.W_OK):
            raise
    wal = path.with_name(path.name + "-wal")
    if wal.exists() and wal.stat().st_size:
        raise Unavailable(
            f"{path.parent} is read-only, and whoever wrote it last was cut off: the newest is not in {path.name} yet",
            hint="copy the directory to where it can be written to, and read it there",
        )
    return _open_reader(path, vfs, immutable=True)


def _open_reader(path: Path, vfs: str | None, *, immutable: bool = False) -> apsw.Connection:
    place, flags = (_immutable(path), apsw.SQLITE_OPEN_URI) if immutable else (str(path), 0)
    connection = _connect(place, apsw.SQLITE_OPEN_READONLY | flags, vfs)
    try:
        connection.execute("PRAGMA query_only = ON")
        assert_ours(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def open_immutable(path: Path) -> apsw.Connection:
    """A file nobody writes, such as a backup: no lock, no -wal or -shm left beside it."""
    assert_sqlite_version()
    return apsw.Connection(_immutable(path), flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def fold_wal(connection: apsw.Connection) -> bool:
    """Moves everything into the database file and empties the WAL; False, at once, if somebody is in the way."""
    connection.set_busy_timeout(0)
    try:
        [(busy, _, _)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.set_busy_timeout(BUSY_MS)
    return not busy


def create_private(path: Path) -> None:
    """Pre-creates the file 0600; SQLite gives its -wal and -shm the same mode.

    Only if it is not there: closing any descriptor of a file drops this process's POSIX locks on it, SQLite's
    among them, and another program could then remove the WAL from under us.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))


def assert_ours(connection: apsw.Connection, path: Path) -> None:
    """Refuses another program's database. A new, empty file is ours to take."""
    application_id = connection.pragma("application_id")
    if application_id == APPLICATION_ID:
        return
    if connection.pragma("schema_version") != 0:
        raise FailedPrecondition(
            f"{path} is a SQLite database of another program (application id {application_id})",
            hint="give Palyra a directory of its own with --data-dir",
        )


@contextmanager
def errors_in_our_words(path: Path | str) -> Iterator[None]:
    """apsw and OS errors leave the store as rows of the error table."""
    try:
        yield
    except PalyraError:
        raise
    except (apsw.Error, OSError) as error:
        raise to_error(error, path) from error


def to_error(error: BaseException, path: Path | str = "the database") -> PalyraError:
    match error:
        case PalyraError():
            return error
        case apsw.FullError() | OSError(errno=errno.ENOSPC | errno.EDQUOT):
            why = f"the disk holding {path} is full"
            return Unavailable(why, hint="free some space and repeat the request", reason=DISK_FULL)
        case apsw.CorruptError() | apsw.NotADBError():
            return Integrity(f"{path} is damaged: {error}", hint="palyra journal verify, then palyra backup restore")
        case apsw.InterruptError():
            return Deadline("the read took too long and was stopped", hint="narrow the query or read it page by page")
        case apsw.ReadOnlyError() | PermissionError() | OSError(errno=errno.EROFS):
            return Unavailable(
                f"cannot write to {path}: {getattr(error, 'strerror', None) or error}",
                hint="check that the disk and directory are writable, or name another place: --data-dir DIR",
            )
        case apsw.IOError() if _is_full(path):  # SQLite has no other word for a file in memory that cannot grow
            return to_error(apsw.FullError(), path)
        case apsw.CantOpenError() | apsw.IOError() | OSError():
            return Unavailable(f"cannot read or write {path}: {error}", hint="check the disk, then run palyra doctor")
        case apsw.BusyError() | apsw.LockedError():
            return Unavailable(f"{path} is held by another program", hint="close it and repeat the request")
        case _:
            return Internal(f"{type(error).__name__}: {error}", hint="this is a defect: please report it")


def _is_full(path: Path | str) -> bool:
    """Not even the 32 KB that SQLite shares between processes fit."""
    try:
        return shutil.disk_usage(Path(path).parent).free < _SHARED_BYTES
    except OSError:
        return False


def _connect(place: str, flags: int, vfs: str | None) -> apsw.Connection:
    connection = apsw.Connection(place, flags=flags, vfs=vfs, statementcachesize=256)
    connection.set_busy_timeout(BUSY_MS)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _immutable(path: Path) -> str:
    escaped = str(path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{escaped}?immutable=1"


def sqlite_version() -> str:
    return apsw.sqlite_lib_version()
