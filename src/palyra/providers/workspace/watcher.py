"""Tells when something changes in the folder of documents, as far as the system can tell.

Hidden names are ours or an editor's and no documents, but for the folder that holds those of other principals. A
folder that is on another machine is not watched: the system tells only of what this machine does there. Links are
not followed.
"""

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path

from watchfiles import Change, awatch

from palyra.core.errors import NotFound, PalyraError, Unavailable

OTHERS = ".principals"
_STEP_MS = 50
_STORM_MS = 1_000
"""many files saved at once are told of once, when nothing came for a step, or after so long"""
_TICK_MS = 1_000
_MOST_FOLDERS = 4_096
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")
_ELSEWHERE = frozenset(
    {"9p", "afs", "ceph", "cifs", "davfs", "drvfs", "lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs"}
)
_ELSEWHERE_BY_USER = ("fuse.sshfs", "fuse.rclone", "fuse.gvfsd", "fuse.s3fs", "fuse.davfs", "fuse.glusterfs")


async def folder_changes(root: Path) -> AsyncGenerator[bool, None]:
    """True when something has changed; False now and then, which says that it still listens.

    NotFound as long as there is no folder; Unavailable if it cannot listen, or no longer to this one."""
    try:
        place = await asyncio.to_thread(_checked, root)
        identity = _identity(place)
        while _identity(place) == identity:
            folders = await asyncio.to_thread(_folders, place)
            async with aclosing(_listen(place, folders)) as told:
                async for changes in told:
                    yield changes
                    if _identity(place) != identity:
                        break
                    if changes and await asyncio.to_thread(_folders, place) != folders:
                        break
            yield True  # what was saved in a new folder before it was watched
    except PalyraError:
        raise
    except FileNotFoundError:
        raise _cannot(root, "it is gone") from None
    except Exception as error:  # whatever the system says, the scan goes on
        raise _cannot(root, f"{type(error).__name__}: {error}") from error
    raise _cannot(root, "it was replaced")


async def _listen(place: Path, folders: list[Path]) -> AsyncGenerator[bool, None]:
    """Folder by folder: watching a tree as one would follow links, out of it and anywhere."""
    listening = awatch(
        *folders,
        watch_filter=_wanted(place),
        debounce=_STORM_MS,
        step=_STEP_MS,
        rust_timeout=_TICK_MS,
        yield_on_timeout=True,
        force_polling=False,
        recursive=False,
        ignore_permission_denied=True,
    )
    is_first = True
    async with aclosing(listening) as told:
        async for changes in told:
            yield bool(changes) or is_first
            is_first = False


def _folders(place: Path) -> list[Path]:
    found: list[Path] = []
    for folder, names, _ in os.walk(place, followlinks=False):
        here = Path(folder)
        found.append(here)
        if len(found) > _MOST_FOLDERS:
            raise _cannot(place, f"it has more than {_MOST_FOLDERS} folders")
        hidden = [name for name in names if name.startswith(".") and not (here == place and name == OTHERS)]
        names[:] = sorted(set(names).difference(hidden))
        names[:] = [name for name in names if not (here / name).is_symlink()]
    return found


def _checked(root: Path) -> Path:
    if not root.exists():
        raise NotFound(f"the folder {root} is not there yet", hint="it is made with the first document")
    place = root.resolve(strict=True)
    kind = _file_system(place)
    if kind in _ELSEWHERE or kind.startswith(_ELSEWHERE_BY_USER):
        raise _cannot(root, f"it is on another machine ({kind})")
    return place


def _cannot(root: Path, why: str) -> Unavailable:
    return Unavailable(f"the folder {root} cannot be watched: {why}", hint="it is looked at every two seconds instead")


def _identity(place: Path) -> tuple[int, int]:
    status = place.stat()
    return status.st_dev, status.st_ino


def _wanted(place: Path) -> Callable[[Change, str], bool]:
    def is_wanted(_change: Change, path: str) -> bool:
        names = Path(path).relative_to(place).parts
        own = names[1:] if names[:1] == (OTHERS,) else names
        return not any(name.startswith(".") for name in own)

    return is_wanted


def _file_system(place: Path) -> str:
    """Its name, where Linux tells; else empty."""
    try:
        lines = _MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ""
    best, kind = 0, ""
    for line in lines:
        before, _, after = line.partition(" - ")
        point = Path(_OCTAL.sub(lambda match: chr(int(match[1], 8)), before.split(" ")[4]))
        # The later of two on one place hides the earlier.
        if place.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), after.split(" ")[0]
    return kind
