"""A person at a terminal: types, reads what is there, presses Ctrl-C. A real pty and a real process.

Every command is forked from one process that has imported everything, which is what makes it quick:
`python -m cli.terminal` reads a JSON line with arguments, environment and files, answers with the process id, and to
that id with the exit code.
"""

import codecs
import fcntl
import importlib
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shell import Shell

PATIENCE_SECONDS = 60
CTRL_C, CTRL_D = "\x03", "\x04"


class Stage:
    """Starts commands."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def start(self, arguments: tuple[str, ...], environment: dict[str, str], *files: str) -> int:
        return self._ask({"arguments": arguments, "environment": environment, "files": files})

    def wait(self, pid: int) -> int:
        return self._ask(pid)

    def _ask(self, asked: Any) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked).encode() + b"\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


@contextmanager
def a_stage() -> Iterator[Stage]:
    path = {"PYTHONPATH": str(Path(__file__).parents[1])}
    process = subprocess.Popen(
        [sys.executable, "-m", "cli.terminal"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **path},
    )
    try:
        yield Stage(process)
    finally:
        process.communicate(timeout=30)


class StagedShell(Shell):
    """A `Shell` whose commands start quickly, and may sit at a terminal."""

    def __init__(self, home: Path, stage: Stage) -> None:
        super().__init__(home)
        self.stage = stage

    def __call__(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        files = [self.home.parent / name for name in ("stdin", "stdout", "stderr")]
        files[0].write_bytes(stdin)
        exit_code = self.stage.wait(self.stage.start(arguments, self.environment, *map(str, files)))
        return subprocess.CompletedProcess(arguments, exit_code, files[1].read_bytes(), files[2].read_bytes())


class Terminal:
    def __init__(self, ours: int, stage: Stage, pid: int) -> None:
        self._ours = ours
        self._stage = stage
        self._pid = pid
        self.seen = ""
        """everything that was ever on the screen"""
        self._read_to = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._exit_code: int | None = None

    def types(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def says(self, line: str) -> None:
        """A line at the prompt."""
        self.expect("> ")
        self.types(line + "\r")

    def expect(self, text: str) -> str:
        """Waits until the screen shows it; what came before it since the last time."""
        end = time.monotonic() + PATIENCE_SECONDS
        while (at := self.seen.find(text, self._read_to)) < 0:
            assert time.monotonic() < end, f"no {text!r} after:\n{self.seen}"
            assert self._receive(), f"it ended without {text!r}:\n{self.seen}"
        before, self._read_to = self.seen[self._read_to : at], at + len(text)
        return before

    def interrupts(self) -> None:
        """Ctrl-C at the prompt, as fast as a person: an interrupt just before Python waits for a key is lost."""
        self.expect("> ")
        time.sleep(0.3)
        self.types(CTRL_C)

    def wait_until_open(self) -> None:
        """Until somebody has the other side open."""
        self.expect("\n")
        self._read_to = 0

    def ends(self) -> int:
        """Its exit code, once it has left."""
        end = time.monotonic() + PATIENCE_SECONDS
        while self._receive():
            assert time.monotonic() < end, f"it does not end:\n{self.seen}"
        self._exit_code = self._stage.wait(self._pid)
        return self._exit_code

    def kill(self) -> None:
        if self._exit_code is None:
            os.kill(self._pid, signal.SIGKILL)
            self._exit_code = self._stage.wait(self._pid)

    def _receive(self) -> bool:
        ready, _, _ = select.select([self._ours], [], [], 1)
        if not ready:
            return True
        try:
            data = os.read(self._ours, 65_536)
        except OSError:  # nobody has the other side open any more
            return False
        self.seen += self._decoder.decode(data)
        return bool(data)


@contextmanager
def at_a_terminal(shell: StagedShell, *arguments: str, columns: int = 80) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    kept = {name: value for name, value in shell.environment.items() if name != "COLUMNS"}
    pid = shell.stage.start(arguments, {**kept, "TERM": "xterm", "NO_COLOR": "1"}, *3 * [os.ttyname(theirs)])
    terminal = Terminal(ours, shell.stage, pid)
    try:
        terminal.wait_until_open()
        os.close(theirs)
        yield terminal
    finally:
        terminal.kill()
        os.close(ours)


def main() -> None:
    for name in ("palyra.client.chat", "palyra.client.remote", "palyra.chat_wiring", "palyra.api.dispatch", "readline"):
        importlib.import_module(name)
    importlib.import_module("palyra.core.redact").redact_text("warm")
    command = importlib.import_module("palyra.cli.main").main
    for line in sys.stdin:
        asked = json.loads(line)
        if isinstance(asked, int):
            _, status = os.waitpid(asked, 0)
            print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201 - the answer
            continue
        pid = os.fork()
        if pid == 0:
            _be(command, **asked)
        print(pid, flush=True)  # noqa: T201 - the answer


def _be(command: Any, arguments: list[str], environment: dict[str, str], files: list[str]) -> None:
    try:
        os.setsid()  # so that a terminal that is opened now is its own, and Ctrl-C is a signal
        os.environ.clear()
        os.environ.update(environment)
        flags = (os.O_RDONLY, *2 * [os.O_WRONLY | os.O_CREAT | os.O_TRUNC])
        for number, (name, flag) in enumerate(zip(files, flags, strict=True)):
            os.dup2(os.open(name, flag, 0o600), number)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - the old one has read ahead
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        command(arguments)
    except SystemExit as end:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(end.code if isinstance(end.code, int) else 0)
    finally:
        os._exit(99)


if __name__ == "__main__":
    main()
