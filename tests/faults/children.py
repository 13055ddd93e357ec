"""Processes that tests start: `python -m faults.…` with our own modules, always stopped, with all they forked."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{Path(__file__).parents[1]}:{os.environ.get('PYTHONPATH', '')}"}


def start(module: str, *arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", f"faults.{module}", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,
    )


def stop(process: "subprocess.Popen[str]") -> None:
    """Kills it and whatever it forked: they are one process group, begun by `start`."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@contextmanager
def running(module: str, *arguments: object) -> "Iterator[subprocess.Popen[str]]":
    process = start(module, *arguments)
    try:
        yield process
    finally:
        stop(process)
