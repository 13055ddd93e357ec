"""The folder of one principal's documents. Nothing outside it is ever touched, and no link is ever followed.

Every name is opened relative to the folder before it. A file is replaced only if it is what the caller says it is:
the new text is written beside it, the two names are exchanged, and what came out is looked at before it is removed.
If it is something else, it goes back and the caller hears `Conflict`. A crash leaves at most a file named
`.palyra-….tmp`, which `scan` tells of: it may hold the only copy of what a person saved.
"""

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from palyra.core.errors import Conflict, FailedPrecondition, PalyraError, Unavailable
from palyra.providers.workspace.swap import exchange, is_open_for_writing, put_new

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MARK = ".palyra-workspace"
_TEMPORARY = (".palyra-", ".tmp")
_UNFINISHED = ".part"
"""what a temporary name ends in until everything is in the file: nobody else has ever seen it"""
_DEEPEST, _MOST_FILES = 32, 10_000
_PIECE = 65_536


class DocumentFolder:
    """`mark` says whose folder this is; `limit_bytes`: more of a file is not read."""

    def __init__(
        self, root: Path, mark: str, limit_bytes: int, on_step: Callable[[str], None] = lambda _step: None
    ) -> None:
        self.root = root
        self._mark = mark.encode()
        self._limit = limit_bytes
        self._step = on_step
        """for tests, which stop here"""

    def is_ours(self) -> bool:
        """Whether we have been here before: only then does a missing file mean that somebody deleted it."""
        try:
            with self._opened(()) as root, _closing(os.open(_MARK, _FILE, dir_fd=root)) as fd:
                return os.read(fd, _PIECE) == self._mark
        except FileNotFoundError:
            return False
        except OSError as error:
            raise _told(error, str(self.root)) from error

    def claim(self) -> None:
        """Makes the folder if need be, for its owner alone, and leaves our mark."""
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._opened(()) as root:
                name = _unfinished(_temporary_name())
                _write_new(root, name, self._mark, 0o600)
                os.rename(name, _MARK, src_dir_fd=root, dst_dir_fd=root)
                os.fsync(root)
        except OSError as error:
            raise _told(error, str(self.root)) from error

    def scan(self) -> tuple[dict[str, tuple[int, ...]], dict[str, str], list[str]]:
        """Markdown files with a stamp that changes when they do; what cannot be one and why; what a crash left.

        Hidden names and other files are none of our business."""
        found: dict[str, tuple[int, ...]] = {}
        problems: dict[str, str] = {}
        leftovers: list[str] = []
        try:
            with self._opened(()) as root:
                self._scan_folder(root, (), found, problems, leftovers)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise _told(error, str(self.root)) from error
        return found, problems, leftovers

    def _scan_folder(
        self,
        folder: int,
        names: tuple[str, ...],
        found: dict[str, tuple[int, ...]],
        problems: dict[str, str],
        leftovers: list[str],
    ) -> None:
        for name in sorted(os.listdir(folder)):
            path = "/".join((*names, name))
            if name.startswith(_TEMPORARY[0]) and name.endswith((_TEMPORARY[1], _UNFINISHED)):
                leftovers.append(path)
            if name.startswith("."):
                continue
            try:
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode):
                    if len(names) >= _DEEPEST:
                        problems[_shown(path)] = f"lies deeper than {_DEEPEST} folders"
                        continue
                    with _closing(os.open(name, _FOLDER, dir_fd=folder)) as deeper:
                        self._scan_folder(deeper, (*names, name), found, problems, leftovers)
                if not name.endswith(".md"):
                    continue
                if _shown(path) != path:
                    problems[_shown(path)] = "has a name that is not UTF-8"
                    continue
                if not stat.S_ISREG(status.st_mode):
                    problems[_shown(path)] = f"is {_kind(status)}, not a file"
                elif len(found) >= _MOST_FILES:
                    problems[_shown(path)] = f"is one too many: at most {_MOST_FILES} documents"
                else:
                    found[path] = _stamp(status)
            except FileNotFoundError:
                continue  # gone since we listed it
            except OSError as error:
                problems[_shown(path)] = f"cannot be read: {error.strerror}"

    def read(self, path: str) -> bytes | None:
        """What the file holds, up to one byte more than the limit. None: there is none."""
        *folders, name = path.split("/")
        try:
            with self._opened(tuple(folders)) as folder:
                return self._content(folder, name, path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _told(error, path) from error

    def replace(self, path: str, data: bytes | None, expected: str | None) -> None:
        """The file becomes `data`, or goes, if its bytes have the hash `expected` (None: if there is none).

        Conflict if it is something else by now: then it is as it was."""
        *folders, name = path.split("/")
        try:
            with self._opened(tuple(folders), make=data is not None) as folder:
                if data is None:
                    self._remove(folder, name, path, expected)
                elif expected is None:
                    self._create(folder, name, path, data)
                else:
                    self._exchange(folder, name, path, data, expected)
        except FileNotFoundError as error:
            if data is None:
                return  # that is what was wanted
            raise _changed(path) from error
        except OSError as error:
            raise _told(error, path) from error

    def settle(self, leftover: str, *, keep: bool) -> str | None:
        """What a crash left goes, or gets a name that a person sees, which is returned.

        What is only half written goes in any case."""
        *folders, name = leftover.split("/")
        try:
            with self._opened(tuple(folders)) as folder:
                if not keep or name.endswith(_UNFINISHED):
                    os.unlink(name, dir_fd=folder)
                    return None
                kept = f"kept-{name[len(_TEMPORARY[0]) : -len(_TEMPORARY[1])]}.md"
                put_new(folder, name, kept)
                os.fsync(folder)
                return "/".join((*folders, kept))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _told(error, leftover) from error

    # -- the ways to change a file

    def _create(self, folder: int, name: str, path: str, data: bytes) -> None:
        with self._beside(folder, data, 0o600) as temporary:
            try:
                put_new(folder, temporary, name)
            except FileExistsError:
                raise _changed(path) from None
            self._step("created")
            os.fsync(folder)

    def _exchange(self, folder: int, name: str, path: str, data: bytes, expected: str) -> None:
        status = self._regular(folder, name, path)
        with self._beside(folder, data, stat.S_IMODE(status.st_mode), expected) as temporary:
            if not exchange(folder, name, temporary):
                self._rename_over(folder, name, temporary, path, expected)
                return
            self._step("exchanged")
            os.fsync(folder)
            if not self._is(folder, temporary, expected):
                self._put_back(folder, name, temporary, data)
                raise _changed(path)

    def _put_back(self, folder: int, name: str, temporary: str, ours: bytes) -> None:
        """A person saved while we were at it. If they have saved once more since, both of their texts are kept."""
        try:
            exchange(folder, name, temporary)
        except FileNotFoundError:
            put_new(folder, temporary, name)
        else:
            self._step("put back")
            if not self._is(folder, temporary, _sha256(ours)):
                exchange(folder, name, temporary)
                put_new(folder, temporary, f"kept-{secrets.token_hex(6)}.md")
        os.fsync(folder)

    def _rename_over(self, folder: int, name: str, temporary: str, path: str, expected: str) -> None:
        if not self._is(folder, name, expected):
            raise _changed(path)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)

    def _remove(self, folder: int, name: str, path: str, expected: str | None) -> None:
        self._regular(folder, name, path)
        temporary = _temporary_name()
        os.rename(name, temporary, src_dir_fd=folder, dst_dir_fd=folder)
        self._step("set aside")
        if expected is not None and self._is(folder, temporary, expected):
            os.unlink(temporary, dir_fd=folder)
            os.fsync(folder)
            return
        try:
            put_new(folder, temporary, name)
        except FileExistsError:
            put_new(folder, temporary, f"kept-{secrets.token_hex(6)}.md")
        os.fsync(folder)
        raise _changed(path)

    @contextmanager
    def _beside(self, folder: int, data: bytes, mode: int, expected: str = "") -> Iterator[str]:
        """The name of a new file with `data`, durable.

        In the end it goes, unless it has become something that is neither `data` nor what was expected."""
        temporary = _temporary_name()
        unfinished = _unfinished(temporary)
        try:
            _write_new(folder, unfinished, data, mode)
        except OSError:
            with suppress(OSError):
                os.unlink(unfinished, dir_fd=folder)
            raise
        os.rename(unfinished, temporary, src_dir_fd=folder, dst_dir_fd=folder)
        try:
            self._step("written beside")
            yield temporary
        except (OSError, PalyraError):
            self._discard(folder, temporary, _sha256(data), expected)
            raise  # and any other exception is a crash as far as we know
        self._discard(folder, temporary, _sha256(data), expected)

    def _discard(self, folder: int, temporary: str, *harmless: str) -> None:
        with suppress(FileNotFoundError):
            if any(self._is(folder, temporary, one) for one in harmless):
                os.unlink(temporary, dir_fd=folder)

    # -- looking

    @contextmanager
    def _opened(self, names: tuple[str, ...], *, make: bool = False) -> Iterator[int]:
        # The root itself may be a link: whoever set it meant where it leads.
        fd = os.open(self.root, _FOLDER & ~os.O_NOFOLLOW)
        try:
            for name in names:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(name, 0o700, dir_fd=fd)
                        os.fsync(fd)
                deeper = os.open(name, _FOLDER, dir_fd=fd)
                os.close(fd)
                fd = deeper
            yield fd
        finally:
            os.close(fd)

    def _content(self, folder: int, name: str, path: str) -> bytes:
        self._regular(folder, name, path)  # before it is opened, since opening a device can already do something
        with _closing(os.open(name, _FILE, dir_fd=folder)) as fd:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise _in_the_way(path, os.fstat(fd))
            return _read(fd, self._limit + 1)

    def _regular(self, folder: int, name: str, path: str) -> os.stat_result:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode):
            raise _in_the_way(path, status)
        return status

    def _is(self, folder: int, name: str, expected: str) -> bool:
        """A file with these bytes that nobody has open to change it."""
        try:
            with _closing(os.open(name, _FILE, dir_fd=folder)) as fd:
                if not stat.S_ISREG(os.fstat(fd).st_mode) or is_open_for_writing(fd):
                    return False
                return _sha256(_read(fd, self._limit + 1)) == expected
        except OSError:
            return False


def _write_new(folder: int, name: str, data: bytes, mode: int) -> None:
    with _closing(os.open(name, _NEW, 0o600, dir_fd=folder)) as fd:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]
        os.fchmod(fd, mode)
        os.fsync(fd)


def _read(fd: int, most: int) -> bytes:
    pieces: list[bytes] = []
    while most > 0 and (piece := os.read(fd, min(_PIECE, most))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


@contextmanager
def _closing(fd: int) -> Iterator[int]:
    try:
        yield fd
    finally:
        os.close(fd)


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _unfinished(temporary: str) -> str:
    return temporary.removesuffix(_TEMPORARY[1]) + _UNFINISHED


def _temporary_name() -> str:
    return secrets.token_hex(6).join(_TEMPORARY)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _shown(path: str) -> str:
    """A name may be any bytes; what is shown is text."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _kind(status: os.stat_result) -> str:
    if stat.S_ISDIR(status.st_mode):
        return "a folder"
    return "a link" if stat.S_ISLNK(status.st_mode) else "a device or a pipe"


def _in_the_way(path: str, status: os.stat_result) -> FailedPrecondition:
    return FailedPrecondition(
        f"{path} is {_kind(status)}, not a file; it was left alone", hint="move it away, then palyra workspace status"
    )


def _changed(path: str) -> Conflict:
    return Conflict(f"somebody is changing {path} just now; their text stays", hint="try again")


def _told(error: OSError, path: str) -> PalyraError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Unavailable(f"the disk is full: {path} could not be written and is as it was", hint="make room")
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return FailedPrecondition(
            f"on the way to {path} there is a link or a file where a folder should be; it was left alone",
            hint="move it away, then palyra workspace status",
        )
    return FailedPrecondition(
        f"{path} cannot be read or written: {error.strerror}", hint="check the owner and the mode of the folder"
    )
