"""Opening what a path names without ever leaving the roots.

A path is resolved first, links and all, and what it resolves to must lie below a root and hold no refused name. Then
it is opened name by name from the root, each relative to the folder before it and following no link: whoever swaps a
part for a link between the two steps gets an error, not another file.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound
from palyra.providers.references.refused import check_names, path_names, refusal

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


@dataclass(frozen=True, slots=True)
class ConfinedPath:
    """Something that lies below a root: as it was resolved, not yet opened."""

    root: Path
    names: tuple[str, ...]
    target: str

    @property
    def path(self) -> str:
        return "/".join(self.names) or "."


class Roots:
    """`roots` are the folders that somebody configured; each may come and go while we run.

    `closed`: what is never read though it lies below one, such as the data directory with its keys."""

    def __init__(self, roots: Sequence[Path], closed: Sequence[Path] = ()) -> None:
        self._roots = tuple(root.expanduser().absolute() for root in roots)
        self._closed = tuple(path.expanduser().absolute() for path in closed)

    def first(self) -> Path:
        """The one that is meant where no path says which."""
        self._need_one()
        return Path(os.path.realpath(self._roots[0]))

    def closed(self) -> tuple[Path, ...]:
        return tuple(Path(os.path.realpath(path)) for path in self._closed)

    def find(self, target: str) -> ConfinedPath:
        """Where `target` leads: below the first root that has it, or below one it names in full.

        PermissionDenied whether or not there is something, if it may not be read; NotFound if nothing is there."""
        self._need_one()
        names = path_names(target)
        real_roots = [Path(os.path.realpath(root)) for root in self._roots]
        if target.startswith("/"):
            starts = [Path(target)] if self._names_a_root(names, real_roots) else []
        else:
            starts = [root.joinpath(*names) for root in real_roots]
        if not starts:
            raise refusal(target)
        for start in starts:
            place = _resolve(start, real_roots, self.closed(), target)
            if place is not None:
                return place
        raise missing(target)

    def _names_a_root(self, names: tuple[str, ...], real_roots: list[Path]) -> bool:
        path = Path("/", *names)
        return any(path.is_relative_to(root) for root in (*self._roots, *real_roots))

    def _need_one(self) -> None:
        if not self._roots:
            raise FailedPrecondition(
                "no folder is open to references",
                hint="set workspace.reference_roots in palyra.toml to the folders that may be read",
            )


def missing(target: str) -> NotFound:
    return NotFound(f"nothing is at {target[:200]!r} below workspace.reference_roots")


def _resolve(start: Path, real_roots: Sequence[Path], closed: Sequence[Path], target: str) -> ConfinedPath | None:
    try:
        real = Path(os.path.realpath(start))
    except (OSError, ValueError):
        return None
    if any(real.is_relative_to(path) for path in closed):
        raise refusal(target)
    for root in real_roots:
        if real.is_relative_to(root):
            names = real.relative_to(root).parts
            check_names(names, target)
            return ConfinedPath(root, names, target) if os.path.lexists(real) else None
    raise refusal(target)


@contextmanager
def opened_folder(place: ConfinedPath) -> Iterator[int]:
    """A descriptor of the folder, closed at the end."""
    fd = _walk(place, place.names)
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def opened_file(place: ConfinedPath) -> Iterator[int]:
    """A descriptor of the regular file, closed at the end. What is no regular file is not opened for long."""
    if not place.names:
        raise is_folder(place)
    parent = _walk(place, place.names[:-1])
    try:
        fd = open_regular(parent, place.names[-1], place)
    finally:
        os.close(parent)
    try:
        yield fd
    finally:
        os.close(fd)


def open_regular(parent: int, name: str, place: ConfinedPath) -> int:
    """A descriptor of the file `name` in the folder `parent`; neither a link, a device nor a pipe.

    A file with a second name is refused: the other one may lie outside the roots, and nobody can tell."""
    try:
        # Asked before it is opened, since opening a device can already do something; and again after it.
        _check_regular(os.stat(name, dir_fd=parent, follow_symlinks=False), place)
        fd = os.open(name, _FILE, dir_fd=parent)
    except FileNotFoundError:
        raise missing(place.target) from None
    except OSError:
        raise refusal(place.target) from None
    try:
        _check_regular(os.fstat(fd), place)
    except BaseException:
        os.close(fd)
        raise
    return fd


def open_below(parent: int, name: str) -> int:
    """A descriptor of the folder `name` in `parent`. OSError for anything else, a link too."""
    return os.open(name, _FOLDER, dir_fd=parent)


def is_folder(place: ConfinedPath) -> InvalidArgument:
    return InvalidArgument(f"{place.target[:200]!r} is a folder", hint=f"write @folder:{place.path}")


def _check_regular(status: os.stat_result, place: ConfinedPath) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise is_folder(place)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        raise refusal(place.target)


def _walk(place: ConfinedPath, names: Sequence[str]) -> int:
    """A descriptor of the folder that `names` lead to."""
    try:
        fd = os.open(place.root, _FOLDER)
    except OSError:
        raise missing(place.target) from None
    for name in names:
        try:
            deeper = open_below(fd, name)
        except FileNotFoundError:
            raise missing(place.target) from None
        except NotADirectoryError as error:
            raise _not_a_folder(fd, name, place) from error
        except OSError:
            raise refusal(place.target) from None
        finally:
            os.close(fd)
        fd = deeper
    return fd


def _not_a_folder(parent: int, name: str, place: ConfinedPath) -> Exception:
    """A plain file that was asked for as a folder is a slip; a link or a device is refused."""
    try:
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    except OSError:
        return missing(place.target)
    if stat.S_ISREG(mode):
        return InvalidArgument(f"{place.target[:200]!r} is a file", hint=f"write @file:{place.path}")
    return refusal(place.target)
