"""The data directory: what lies where, private modes, one owner at a time.

palyra.db (-wal, -shm)   the journal and its projections
checkpoints.log          signed checkpoints, outside the database
erasures.log             ids of erased events, outside the database, for restores
keys/checkpoint.key      Ed25519 seed
keys/console.json        hash of the web console's password, if it has one
chat_history             lines typed into palyra chat
last_ids.json            ids a person saw last, which @last means
palyrad.json             where the running daemon listens
workspace/               documents as files, for a person to edit
reserve                  room for erasing when the disk is full
backups/                 what `palyra backup create` and upgrades leave
lock                     held by the process that may write
"""

import fcntl
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from palyra.core.errors import NotFound, Unavailable
from palyra.store.connection import to_error

_POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class DataDir:
    root: Path

    @property
    def database(self) -> Path:
        return self.root / "palyra.db"

    @property
    def checkpoints(self) -> Path:
        return self.root / "checkpoints.log"

    @property
    def erasures(self) -> Path:
        return self.root / "erasures.log"

    @property
    def key(self) -> Path:
        return self.root / "keys" / "checkpoint.key"

    @property
    def console_password(self) -> Path:
        return self.root / "keys" / "console.json"

    @property
    def backups(self) -> Path:
        return self.root / "backups"

    @property
    def lock(self) -> Path:
        return self.root / "lock"

    @property
    def reserve(self) -> Path:
        return self.root / "reserve"

    @property
    def unfinished_erasure(self) -> Path:
        return self.root / "erasing"

    @property
    def staged_restore(self) -> Path:
        return self.root / "restore.ready"

    @property
    def has_store(self) -> bool:
        """A restore that was decided is one, too: it only has to be moved into place."""
        return self.database.exists() or self.staged_restore.exists()

    @property
    def is_read_only(self) -> bool:
        return self.root.exists() and not os.access(self.root, os.W_OK)

    def create(self) -> None:
        try:
            for directory in (self.root, self.key.parent, self.backups):
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise to_error(error, self.root) from error


def no_store(root: Path, default: Path | None) -> NotFound:
    """For whoever reads where nothing was ever written: most often it is another place that is meant."""
    if default is not None and default != root and DataDir(default).has_store:
        hint = f"there is one at {default}: leave out --data-dir, or unset PALYRA_HOME"
    else:
        hint = 'the first thing you write makes one: palyra memory retain "…"'
    return NotFound(f"there is no store at {root}", hint=hint)


def remove_leftovers(directory: DataDir) -> None:
    """Half-made copies of a process that died: nobody waits for them, and they may hold text that was erased since."""
    shutil.rmtree(directory.root / "restore.staging", ignore_errors=True)
    for partial in directory.backups.glob("*.partial"):
        shutil.rmtree(partial, ignore_errors=True)


class OwnerLock:
    """Held while a process may write. The kernel drops it when the process dies, however it dies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def acquire(self, wait_seconds: float, on_wait: Callable[[str], None] = lambda _owner: None) -> None:
        try:
            file = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise to_error(error, self._path) from error
        started, told = time.monotonic(), False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waited = time.monotonic() - started
                if waited >= wait_seconds:
                    owner = self.owner(file)
                    os.close(file)
                    raise Unavailable(
                        f"{self._path.parent} is in use by {owner}",
                        hint="stop that process, or use another --data-dir",
                        in_use_by=owner,
                    ) from None
                if waited > 1 and not told:
                    on_wait(self.owner(file))
                    told = True
                time.sleep(_POLL_SECONDS)
        self._file = file
        with suppress(OSError):  # who it is, for whoever waits: not worth failing for on a full disk
            os.ftruncate(file, 0)
            os.pwrite(file, b"process %d" % os.getpid(), 0)

    def release(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = None

    @staticmethod
    def owner(file: int) -> str:
        return os.pread(file, 64, 0).decode("utf-8", "replace") or "another process"


def append_durably(path: Path, text: str) -> None:
    """Adds text to a file that is never rewritten, and waits until it is on the disk. All of it or nothing."""
    is_new = not path.exists()
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o600)
    before = os.fstat(file).st_size
    try:
        _write_and_sync(os.dup(file), text.encode())
    except OSError:
        os.ftruncate(file, before)  # the disk took only a part: half a note would look like tampering
        raise
    finally:
        os.close(file)
    if is_new:
        sync_directory(path.parent)


def write_durably(path: Path, data: bytes) -> None:
    """Replaces a file in one step: temp, fsync, rename, fsync of the directory."""
    temporary = path.with_name(path.name + ".tmp")
    _write_and_sync(os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC, 0o600), data)
    temporary.replace(path)
    sync_directory(path.parent)


def sync_file(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def sync_directory(path: Path) -> None:
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _write_and_sync(descriptor: int, data: bytes) -> None:
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
