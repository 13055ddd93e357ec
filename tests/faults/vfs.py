"""A SQLite VFS that fails on demand: it counts the calls that can fail and lets the n-th one fail.

Everything else goes to the ordinary VFS. Shared memory (the -shm file) does not pass through Python.
"""
# ruff: noqa: N802 - SQLite names the methods

import sys
import threading
from dataclasses import dataclass
from enum import Enum
from types import FrameType, TracebackType
from typing import TYPE_CHECKING

import apsw

if TYPE_CHECKING:
    from typing_extensions import Buffer

NAME = "palyra-faults"


class Kind(Enum):
    IOERR = "IOERR"
    FULL = "FULL"
    READONLY = "READONLY"


@dataclass(frozen=True, slots=True)
class Hit:
    """Where the first fault struck."""

    call: str
    file: str
    """wal, journal or db"""
    frames: tuple[str, ...]
    """Python functions that were running, innermost first"""

    @property
    def is_commit(self) -> bool:
        """It hit the log while a batch was being made durable."""
        return self.file == "wal" and self.call in ("xWrite", "xSync") and "_commit" in self.frames


_IOERR_CODES = {
    "xRead": apsw.SQLITE_IOERR_READ,
    "xWrite": apsw.SQLITE_IOERR_WRITE,
    "xSync": apsw.SQLITE_IOERR_FSYNC,
    "xTruncate": apsw.SQLITE_IOERR_TRUNCATE,
    "xFileSize": apsw.SQLITE_IOERR_FSTAT,
    "xLock": apsw.SQLITE_IOERR_LOCK,
    "xDelete": apsw.SQLITE_IOERR_DELETE,
    "xAccess": apsw.SQLITE_IOERR_ACCESS,
}
_NEED_SPACE = ("xWrite", "xTruncate", "xSync", "xOpen")
"""what a full disk can refuse; with delayed allocation also the sync"""
_CHANGE = ("xWrite", "xTruncate", "xDelete")
"""what a read-only disk refuses"""


class Fault:
    """The n-th call fails, and with `for_good` every one after it. Disarmed until `arm`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kind = Kind.IOERR
        self._left = 0
        self._for_good = False
        self._only: tuple[str, str] | None = None
        self.hit: Hit | None = None
        self.writes_since = 0
        """calls of xWrite after the first fault struck"""

    def arm(self, kind: Kind, n: int, *, for_good: bool) -> None:
        with self._lock:
            self._kind, self._left, self._for_good, self.hit = kind, n, for_good, None
            self.writes_since = 0

    def arm_at(self, kind: Kind, call: str, file: str) -> None:
        """The next such call fails, once."""
        with self._lock:
            self._kind, self._left, self._for_good, self.hit = kind, 0, False, None
            self.writes_since = 0
            self._only = (call, file)

    def disarm(self) -> None:
        with self._lock:
            self._left, self._for_good = 0, False

    def meet(self, call: str, file: str | None) -> None:
        """Raises when it is this call's turn to fail."""
        with self._lock:
            self.writes_since += self.hit is not None and call == "xWrite"
            if self._kind is Kind.FULL and call not in _NEED_SPACE:
                return
            if self._kind is Kind.READONLY and call not in _CHANGE:
                return
            is_struck = self.hit is not None and self._for_good
            if self._only == (call, _file_kind(file)):
                self._only, self.hit, is_struck = None, Hit(call, _file_kind(file), _frames()), True
            if self._left > 0:
                self._left -= 1
                if self._left == 0:
                    self.hit = Hit(call, _file_kind(file), _frames())
                    is_struck = True
            if not is_struck:
                return
        raise self._error(call)

    def _error(self, call: str) -> apsw.Error:
        if self._kind is Kind.FULL:
            return apsw.FullError(f"injected: disk full in {call}")
        if self._kind is Kind.READONLY:
            return apsw.ReadOnlyError(f"injected: the disk is read-only in {call}")
        if call == "xOpen":
            return apsw.CantOpenError("injected: cannot open")
        error = apsw.IOError(f"injected: input/output error in {call}")
        error.extendedresult = _IOERR_CODES[call]  # type: ignore[attr-defined]  # apsw reads it, its stubs do not say so
        return error


class FaultyFile(apsw.VFSFile):
    def __init__(self, fault: Fault, name: "str | apsw.URIFilename | None", flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._fault = fault
        self._name = name.filename() if isinstance(name, apsw.URIFilename) else name

    def excepthook(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        """SQLite goes on after some failures (closing, giving back locks); they are meant to be."""
        return isinstance(error, apsw.Error)

    def xRead(self, amount: int, offset: int) -> bytes:
        self._fault.meet("xRead", self._name)
        return super().xRead(amount, offset)

    def xWrite(self, data: "Buffer", offset: int) -> None:
        try:
            self._fault.meet("xWrite", self._name)
        except apsw.Error:
            half = bytes(data)
            super().xWrite(half[: len(half) // 2], offset)  # a write that fails may have been done in part
            raise
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        self._fault.meet("xSync", self._name)
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:
        self._fault.meet("xTruncate", self._name)
        super().xTruncate(newsize)

    def xFileSize(self) -> int:
        self._fault.meet("xFileSize", self._name)
        return super().xFileSize()

    def xLock(self, level: int) -> None:
        self._fault.meet("xLock", self._name)
        super().xLock(level)


class FaultyVFS(apsw.VFS):
    def __init__(self, fault: Fault) -> None:
        super().__init__(NAME, "")
        self._fault = fault

    def excepthook(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        return isinstance(error, apsw.Error)

    def xOpen(self, name: "str | apsw.URIFilename | None", flags: list[int]) -> apsw.VFSFile:
        self._fault.meet("xOpen", name.filename() if isinstance(name, apsw.URIFilename) else name)
        return FaultyFile(self._fault, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self._fault.meet("xDelete", filename)
        super().xDelete(filename, syncdir)

    def xAccess(self, pathname: str, flags: int) -> bool:
        self._fault.meet("xAccess", pathname)
        return super().xAccess(pathname, flags)


def _file_kind(name: str | None) -> str:
    return "temporary" if name is None else "wal" if name.endswith("-wal") else "db"


def _frames() -> tuple[str, ...]:
    frame: FrameType | None = sys._getframe(2)
    names: list[str] = []
    while frame is not None and len(names) < 12:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return tuple(names)
