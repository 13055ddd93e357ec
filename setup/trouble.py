"""What can go wrong on a bare machine, in one line each: what happened, and what to do."""

import signal
import sys
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from types import FrameType


class Trouble(Exception):
    """Why there is no environment: what happened and what to do, for a person who has never seen this."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


SIGNS = (
    (("No space left on device", "Disk quota exceeded"), "the disk of {place} is full", "make room, then repeat"),
    (
        ("Read-only file system", "Permission denied"),
        "{place} cannot be written to",
        "use a place that you may write to, then repeat",
    ),
    (("ensurepip", "No module named venv"), "this Python cannot make environments", "install python3-venv and repeat"),
    (
        ("DO NOT MATCH THE HASHES",),
        "a package that arrived is not the one that requirements.lock names",
        "repeat; if it stays so, the package index serves something else",
    ),
    (
        (
            "NewConnectionError",
            "name resolution",
            "Could not fetch URL",
            "ConnectTimeout",
            "ReadTimeout",
            "ProxyError",
            "Connection to ",
            "Max retries exceeded",
        ),
        "the package index cannot be reached",
        "check the network (and PIP_INDEX_URL or the proxy, if you use one), then repeat",
    ),
    (
        ("No matching distribution found",),
        "the package index has not all that requirements.lock names for this machine",
        "check pip config list, or use another Python: make run PYTHON=python3.12",
    ),
)


def in_words(told: str, place: Path, otherwise: str = "a package could not be installed") -> Trouble:
    for signs, message, hint in SIGNS:
        if any(sign in told for sign in signs):
            return Trouble(message.format(place=place), hint)
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    said = next((line for line in reversed(lines) if line.lower().startswith("error")), lines[-1] if lines else "")
    return Trouble(f"{otherwise}: {said}", "mend that, then repeat")


def ending_in_one_line(work: Callable[[], None]) -> int:
    """The exit code. What was asked for from outside ends like Ctrl-C, so that nothing half made stays."""
    signal.signal(signal.SIGTERM, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a home with an umlaut, where no UTF-8 is
    try:
        work()
    except Trouble as trouble:
        sys.stderr.write(f"error: {trouble.message}   hint: {trouble.hint}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped; nothing half made is left, and the next time begins anew\n")
        return 130
    return 0


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
