"""Backups: a directory with a copy of the database, its key, its logs, and a manifest of hashes.

Erased text must not live on in old copies: `scrub` destroys the same payloads there, and the copy's own
`erasures.log` says which, so that verifying and restoring know them to be erased and not lost.
"""

import hashlib
import json
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar, cast

import apsw

from palyra.core.errors import AlreadyExists, Integrity, NotFound, PalyraError
from palyra.core.hashing import GENESIS
from palyra.store.connection import ReadTx, WriteTx, create_private, errors_in_our_words, open_immutable, open_reader
from palyra.store.datadir import DataDir, sync_directory, sync_file, write_durably
from palyra.store.projections import FOLLOWERS, INDEXES, TABLES
from palyra.store.sessions.attachments import drop_unnamed_blobs
from palyra.store.tiles.tree import root_at
from palyra.store.upkeep.erasure_log import append_erasures, read_erasure_log
from palyra.store.upkeep.integrity import journal_size

T = TypeVar("T")

FORMAT = "palyra-backup-v1"
_PAGES_PER_STEP = 2_048
_FIXED = ("palyra.db", "checkpoints.log", "keys/checkpoint.key")
"""never change after the backup but by scrubbing; erasures.log grows, so it is not in the manifest"""
_COPIED = ("checkpoints.log", "keys/checkpoint.key")
_NEXT_MANIFEST = "manifest.next.json"
_GUARD = "journal_payloads_delete_needs_erasure"


@dataclass(frozen=True, slots=True)
class BackupManifest:
    format: str
    verifier_key: str
    schema: int
    size: int
    head: str
    root: str
    created_at_ms: int
    files: dict[str, str]
    """name -> sha256"""


def create_backup(
    source: apsw.Connection,
    directory: DataDir,
    target: Path,
    now_ms: int,
    checkpoint_file: Path | None = None,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    erasing: AbstractContextManager[object] = nullcontext(),  # noqa: B008 - it holds nothing
) -> None:
    """Copies a consistent snapshot while others go on writing. The target appears whole or not at all.

    `erasing` is held while what was erased meanwhile is erased here, too, and until an erasure can find the target.
    """
    if target.exists():
        raise AlreadyExists(f"{target} exists already", hint="name a new directory for the backup")
    staging = target.with_name(target.name + ".partial")
    with errors_in_our_words(target):
        shutil.rmtree(staging, ignore_errors=True)
        (staging / "keys").mkdir(mode=0o700, parents=True)
        staging.chmod(0o700)
        try:
            # The log before the database: it must not claim more than the copy has erased.
            log = directory.erasures.read_bytes() if directory.erasures.exists() else b""
            copy_database(source, staging / "palyra.db", progress)
            write_durably(staging / "erasures.log", log)
            for name in _COPIED:
                origin = checkpoint_file if name == "checkpoints.log" and checkpoint_file else directory.root / name
                if origin.exists():
                    write_durably(staging / name, origin.read_bytes())
            _write_manifest(staging, describe(staging, now_ms))
            with erasing:
                scrub_backup(staging, directory)
                staging.rename(target)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
        sync_directory(target.parent)


def copy_database(
    source: apsw.Connection, target: Path, progress: Callable[[int, int], None] = lambda _done, _total: None
) -> None:
    create_private(target)
    copy = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        with copy.backup("main", source, "main") as backup:
            while not backup.done:
                backup.step(_PAGES_PER_STEP)
                progress(backup.page_count - backup.remaining, backup.page_count)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, whole by itself
    finally:
        copy.close()
    sync_file(target)


def describe(root: Path, now_ms: int) -> BackupManifest:
    connection = open_immutable(root / "palyra.db")
    try:
        tx = cast("ReadTx", connection)
        row = connection.execute("SELECT seq, hash FROM journal_events ORDER BY seq DESC LIMIT 1").fetchone()
        size, head = cast("tuple[int, bytes]", row or (0, GENESIS))
        key = connection.execute("SELECT verifier_key FROM journal_identity").fetchone()
        return BackupManifest(
            FORMAT,
            cast("str", key[0]) if key else "",
            int(connection.pragma("user_version")),
            size,
            head.hex(),
            root_at(tx, size).hex(),
            now_ms,
            {name: _file_sha256(root / name) for name in _FIXED if (root / name).exists()},
        )
    finally:
        connection.close()


def open_backup(root: Path, query: Callable[[ReadTx], T]) -> T:
    connection = open_immutable(root / "palyra.db")
    try:
        return query(cast("ReadTx", connection))
    finally:
        connection.close()


def describe_live(path: Path) -> tuple[int, str]:
    """(size, root in hex) of a database that may be damaged: then the size is -1, or the root empty."""
    try:
        connection = open_reader(path)
    except (apsw.Error, PalyraError):
        return -1, ""
    try:
        size = journal_size(cast("ReadTx", connection))
        return size, root_at(cast("ReadTx", connection), size).hex()
    except (apsw.Error, PalyraError):
        return -1, ""
    finally:
        connection.close()


def read_manifest(root: Path) -> BackupManifest:
    if (root / _NEXT_MANIFEST).exists():  # a scrub was cut off: its manifest counts if its database is in place
        following = _parse_manifest(root, _NEXT_MANIFEST)
        if following.files.get("palyra.db") == _file_sha256(root / "palyra.db"):
            return following
    return _parse_manifest(root, "manifest.json")


def _parse_manifest(root: Path, name: str) -> BackupManifest:
    try:
        manifest = BackupManifest(**json.loads((root / name).read_text("utf-8")))
    except FileNotFoundError:
        raise NotFound(
            f"{root} is not a Palyra backup: it has no {name}",
            hint="give the directory that palyra backup create made",
        ) from None
    except (ValueError, TypeError) as error:
        raise Integrity(f"{root / name} cannot be read: {error}", hint="use another backup") from None
    if manifest.format != FORMAT:
        raise Integrity(
            f"{root} has backup format {manifest.format!r}; this Palyra reads {FORMAT!r}", hint="upgrade Palyra"
        )
    return manifest


def check_files(root: Path, manifest: BackupManifest) -> None:
    """Every file of the manifest is there, unchanged."""
    for name, expected in manifest.files.items():
        path = root / name
        if name not in _FIXED:
            raise Integrity(f"the manifest of {root} names a foreign file {name!r}", hint="use another backup")
        if not path.is_file():
            raise Integrity(f"the backup lacks {path}", hint="use another backup")
        if _file_sha256(path) != expected:
            raise Integrity(f"{path} was changed or damaged since the backup was made", hint="use another backup")


def unscrubbed(directory: DataDir) -> list[Path]:
    """Backups beneath the data directory that do not know of every erasure."""
    roots = [
        path for path in directory.backups.glob("*") if path.suffix != ".partial" and (path / "palyra.db").exists()
    ]
    return [root for root in sorted(roots) if _unscrubbed_ids(root, directory)]


def scrub_backup(root: Path, directory: DataDir) -> None:
    """Erases in one backup, wherever it is, what was erased here since it was begun."""
    todo = _unscrubbed_ids(root, directory)
    if todo:
        with errors_in_our_words(root):
            _scrub(root, todo)


def scrub_backups(directory: DataDir) -> list[Path]:
    """Erases in every backup beneath the data directory what was erased here; returns those it could not."""
    untouched: list[Path] = []
    for root in unscrubbed(directory):
        try:
            scrub_backup(root, directory)
        except PalyraError:
            untouched.append(root)
    return untouched


def _unscrubbed_ids(root: Path, directory: DataDir) -> list[str]:
    known = set(read_erasure_log(root / "erasures.log"))
    return [event_id for event_id in read_erasure_log(directory.erasures) if event_id not in known]


def _scrub(root: Path, event_ids: list[str]) -> None:
    """Works on a copy that then takes the place of the old file: a crash leaves either, with a manifest for it."""
    manifest = read_manifest(root)
    check_files(root, manifest)  # never bless a damaged copy with a new manifest
    copy = root / "palyra.db.scrubbed"
    shutil.copyfile(root / "palyra.db", copy)
    copy.chmod(0o600)
    connection = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.execute("PRAGMA journal_mode = MEMORY")  # no second file with the old text in it
        connection.execute("PRAGMA secure_delete = ON")
        with connection:
            _destroy(connection, event_ids)
        connection.execute("VACUUM")
    finally:
        connection.close()
    sync_file(copy)
    files = {**manifest.files, "palyra.db": _file_sha256(copy)}
    _write_manifest(root, replace(manifest, files=files), _NEXT_MANIFEST)
    copy.replace(root / "palyra.db")
    (root / _NEXT_MANIFEST).replace(root / "manifest.json")
    sync_directory(root)
    append_erasures(root / "erasures.log", event_ids)  # last: it says that the rest is done


def _destroy(connection: apsw.Connection, event_ids: list[str]) -> None:
    trigger = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (_GUARD,)).fetchone()
    connection.execute(f"DROP TRIGGER IF EXISTS {_GUARD}")
    connection.executemany(
        "DELETE FROM journal_payloads WHERE seq = (SELECT seq FROM journal_events WHERE event_id = ?)",
        [(event_id,) for event_id in event_ids],
    )
    if trigger is not None:
        connection.execute(cast("str", trigger[0]))
    drop_unnamed_blobs(cast("WriteTx", connection))
    # A restore replays the journal anyway, and an older schema may not know today's projectors.
    for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        if table in TABLES or table in FOLLOWERS:
            connection.execute(f"DELETE FROM {table}")
        if table in INDEXES:
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")


def _write_manifest(root: Path, manifest: BackupManifest, name: str = "manifest.json") -> None:
    write_durably(root / name, json.dumps(asdict(manifest), indent=2, sort_keys=True).encode() + b"\n")


def _file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
