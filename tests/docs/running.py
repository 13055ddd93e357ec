"""A page as its reader would live through it: a fresh home, one shell, every console block in order."""

import fcntl
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from docs.fixtures import FOR_A_BLOCK, FOR_A_PAGE, Place
from docs.pages import ROOT, Step, blocks_of
from docs.placeholders import Names

_PATIENCE_SECONDS = 60
_QUIET_SECONDS = 0.4
_COLUMNS = 120
_PROMPT = re.compile(r"(^|\n)> $|[\]?:]:? $")
_STEERING = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\r|\x07")
_STAYS = re.compile(r"palyra serve|palyrad")
_LEAVES = {"^D": "\x04", "^C": "\x03"}


def printed_by(text: str) -> list[tuple[Step, str]]:
    """What each step of a page prints, with names in place of what differs from run to run."""
    found = []
    with ExitStack() as stack:
        place = stack.enter_context(_a_place())
        shell = stack.enter_context(_a_shell(place))
        begun: set[str] = set()
        for block in blocks_of(text):
            names = Names()
            with ExitStack() as around:
                for name in block.fixtures:
                    if name in FOR_A_BLOCK:
                        around.enter_context(FOR_A_BLOCK[name](place))
                    elif name not in begun:
                        stack.enter_context(FOR_A_PAGE[name](place))
                        begun.add(name)
                found += [(step, names.shown(place.shown(shell.run(step)))) for step in block.steps]
    return found


@contextmanager
def _a_place() -> Iterator[Place]:
    """A home with nothing in it but a folder of this project, and ports of its own for those that are usual."""
    with tempfile.TemporaryDirectory(prefix="palyra-page-") as name:
        home = Path(name).resolve()
        checkout = home / "palyra"
        checkout.mkdir()
        (checkout / "verifier").symlink_to(ROOT / "verifier")
        ports = {usual: _free_port() for usual in ("7142", "7443")}
        yield Place(home, checkout, _environment(home, ports), ports)


def _environment(home: Path, ports: dict[str, str]) -> dict[str, str]:
    return {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "TERM": "xterm",
        "NO_COLOR": "1",
        "COLUMNS": str(_COLUMNS),
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache"),
        "PALYRA_DAEMON_HTTP_PORT": ports["7142"],
        "PALYRA_DAEMON_GRPC_PORT": ports["7443"],
    }


class Shell:
    """One bash from the first command of a page to the last, so that `TOKEN=$(…)` is known further down."""

    def __init__(self, place: Place, bash: subprocess.Popen[bytes]) -> None:
        self._place = place
        self._bash = bash
        assert bash.stdin is not None
        bash.stdin.write(b"exec 3>&1\n")
        self._out = place.home.with_name(place.home.name + ".printed")
        self.elsewhere = ExitStack()
        """what stays: at most one, until the page ends or the next one begins"""

    def run(self, step: Step) -> str:
        command = self._place.real(step.command)
        if _STAYS.match(command):
            self.elsewhere.close()
            exported = dict(line.split("=", 1) for line in self._printed("env -0").split("\0") if line)
            return self.elsewhere.enter_context(_in_the_background(command, self._place, exported))
        if step.typed:
            return self._at_a_terminal(command, step.typed)
        return self._printed(command)

    def _printed(self, command: str) -> str:
        self._begin(command, "/dev/null", str(self._out))
        self._until_done(command)
        return self._out.read_text("utf-8")

    def _begin(self, command: str, stdin: str, stdout: str) -> None:
        assert self._bash.stdin is not None
        self._bash.stdin.write(f"{{ {command}\n}} <{stdin} >{stdout} 2>&1; echo >&3\n".encode())
        self._bash.stdin.flush()

    def _until_done(self, command: str, seconds: float = _PATIENCE_SECONDS) -> bool:
        assert self._bash.stdout is not None
        ready, _, _ = select.select([self._bash.stdout], [], [], seconds)
        if ready:
            os.read(self._bash.stdout.fileno(), 1)
        assert ready or seconds < _PATIENCE_SECONDS, f"it does not end: {command}"
        return bool(ready)

    def _at_a_terminal(self, command: str, typed: list[str]) -> str:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, _COLUMNS, 0, 0))
        try:
            self._begin(command, os.ttyname(theirs), os.ttyname(theirs))
            screen, answered, left, until = "", 0, list(typed), time.monotonic() + _PATIENCE_SECONDS
            while not self._until_done(command, 0):
                assert time.monotonic() < until, f"it does not end: {command}\n{screen}"
                screen += _what_comes(ours)
                if left and _PROMPT.search(screen, answered):
                    key, answered = left.pop(0), len(screen)
                    os.write(ours, _LEAVES.get(key, key + "\r").encode())
                    screen += key if key in _LEAVES else ""
            return screen + _what_comes(ours)
        finally:
            os.close(ours)
            os.close(theirs)


@contextmanager
def _a_shell(place: Place) -> Iterator[Shell]:
    bash = subprocess.Popen(
        # A session of its own, which bash does not lead: else the terminals it opens would be its own, and end it.
        ["sh", "-c", "bash --norc --noprofile -s; exit"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=place.checkout,
        env=place.environment,
        start_new_session=True,
    )
    try:
        shell = Shell(place, bash)
        with shell.elsewhere:
            yield shell
    except BaseException:
        os.killpg(bash.pid, signal.SIGKILL)  # what it runs would not end
        raise
    finally:
        bash.communicate(timeout=30)
        place.home.with_name(place.home.name + ".printed").unlink(missing_ok=True)


@contextmanager
def _in_the_background(command: str, place: Place, environment: dict[str, str]) -> Iterator[str]:
    """As if in another terminal: what it says once it is ready."""
    log = (place.home / "serve.log").open("wb")
    process = subprocess.Popen(command.split(), stdout=subprocess.PIPE, stderr=log, env=environment, cwd=place.checkout)
    try:
        assert process.stdout is not None
        yield _what_comes(process.stdout.fileno(), first=_PATIENCE_SECONDS)
    finally:
        process.terminate()
        process.communicate(timeout=30)
        log.close()


def _what_comes(file: int, first: float = _QUIET_SECONDS) -> str:
    """Until nothing comes for a moment."""
    got, patience = b"", first
    while select.select([file], [], [], patience)[0]:
        patience = _QUIET_SECONDS
        try:
            data = os.read(file, 65_536)
        except OSError:  # nobody has the other side open any more
            break
        if not data:
            break
        got += data
    return _STEERING.sub("", got.decode("utf-8", "replace"))


def _free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])
