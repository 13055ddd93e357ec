"""A port that is taken: by whom, as far as this system tells, and what to do about it."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

from palyra.core.errors import Unavailable

_PROC = Path("/proc")
_LISTENS = "0A"
_SOCKET = re.compile(r"socket:\[(\d+)\]")


def port_taken(host: str, port: int, option: str, setting: str) -> Unavailable:
    holder = _holder(port)
    by = f"{holder[0]} (process {holder[1]})" if holder else "another program"
    stop = f"stop it (kill {holder[1]}), or " if holder else ""
    return Unavailable(
        f"port {port} on {host} is taken by {by}",
        hint=f"{stop}choose another: palyra serve {option} {port + 1}, or 0 for any free one (setting {setting})",
    )


def _holder(port: int) -> tuple[str, int] | None:
    """Name and number of the process that listens there. Of others' processes a system says nothing; and some systems
    say nothing at all."""
    sockets = set(_listening(port))
    if not sockets:
        return None
    for process in _PROC.glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is not ours to look at
            for file in (process / "fd").iterdir():
                found = _SOCKET.fullmatch(str(file.readlink()))
                if found is not None and found[1] in sockets:
                    return _name(process), int(process.name)
    return None


def _listening(port: int) -> Iterator[str]:
    """The sockets, by number."""
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (_PROC / "net" / table).read_text("ascii").splitlines()[1:]:
                _, address, _, state, *rest = line.split()
                if state == _LISTENS and int(address.rpartition(":")[2], 16) == port:
                    yield rest[5]


def _name(process: Path) -> str:
    """What was started: of an interpreter, its script, if it has one."""
    words = [os.fsdecode(word) for word in (process / "cmdline").read_bytes().split(b"\0") if word]
    names = [Path(word).name for word in words if not word.startswith("-")]
    options = takewhile(lambda word: word.startswith("-"), words[1:])
    script = len(names) > 1 and "-c" not in options and re.fullmatch(r"python[\d.]*", names[0]) is not None
    return names[script] if names else (process / "comm").read_text("utf-8", "replace").strip()
