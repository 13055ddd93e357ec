"""Runs an operation under strace and lets it be killed at its n-th system call of a kind."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from faults import children

CALLS = ("pwrite64", "write", "fdatasync", "fsync", "rename", "ftruncate", "unlink", "unlinkat", "rmdir", "mkdir")
"""everything by which a file or directory is changed; `renameat` is what rename may be on other machines"""


@dataclass(frozen=True, slots=True)
class Kill:
    call: str
    n: int
    all_threads: bool
    """strace counts per thread: the first to reach `n` meets it. Without, only the main thread counts."""

    def __str__(self) -> str:
        return f"kill at {self.call} number {self.n} of {'any' if self.all_threads else 'the main'} thread"


@dataclass(frozen=True, slots=True)
class Ending:
    was_killed: bool
    said: str


class Stage:
    """The process that forks operations, seen from outside."""

    def __init__(self, process: "subprocess.Popen[str]", output: Path) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin: IO[str] = process.stdin
        self._stdout: IO[str] = process.stdout
        self._output = output

    def run(self, directory: Path, operation: str, kill: Kill) -> Ending:
        self._stdin.write(f"{directory} {operation} {self._output}\n")
        self._stdin.flush()
        pid = int(self._stdout.readline())
        try:
            with _attached(pid, kill):
                os.kill(pid, signal.SIGUSR1)
                exit_code = int(self._stdout.readline())
        except BaseException:
            os.kill(pid, signal.SIGKILL)
            raise
        assert exit_code in (0, -signal.SIGKILL), f"{operation} ended with {exit_code} ({kill})"
        return Ending(exit_code != 0, self._output.read_text())


@contextmanager
def stage(output: Path) -> Iterator[Stage]:
    with children.running("operations") as process:
        yield Stage(process, output)


def why_not() -> str | None:
    """Why strace cannot be used here, if it cannot."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else f"strace does not work here: {tried.stderr.strip()}"


@contextmanager
def _attached(pid: int, kill: Kill) -> Iterator[None]:
    command = ["strace", "-o", "/dev/null", "-e", f"trace={kill.call}", "-p", str(pid)]
    command += ["-e", f"inject={kill.call}:signal=KILL:when={kill.n}", *(["-f"] if kill.all_threads else [])]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert tracer.stderr is not None
        told = tracer.stderr.readline()
        assert re.search("attached", told), told
        yield
    finally:
        with tracer:
            tracer.terminate()


@contextmanager
def failing(pid: int, what: str) -> Iterator[None]:
    """All threads of a process meet `what`, each by its own count: such as `fdatasync:error=EIO:when=1`."""
    call = what.partition(":")[0]
    command = ["strace", "--follow-forks", "--quiet=all", f"--trace={call}", f"--inject={what}", f"--attach={pid}"]
    tracer = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
