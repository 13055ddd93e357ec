"""Starts the child that reads one file, feeds it, and ends it when it takes too long or says too much."""

import json
import subprocess
import sys
from contextlib import suppress
from threading import Timer

from palyra.core import limits
from palyra.core.errors import Unavailable
from palyra.domain.chat.attachments import FORMATS, Extracted, FileKind
from palyra.providers.extract.outcome import TEXT_CHARS, Unreadable

WALL_SECONDS = 20.0
_ANSWER_BYTES = 12 * TEXT_CHARS + limits.IMAGE_BYTES + 65_536
"""a character may take two escapes of six bytes"""


class Sandbox:
    """Thread-safe: any number of children at once, each by a thread that waits for it."""

    def __init__(self, wall_seconds: float = WALL_SECONDS) -> None:
        self._wall_seconds = wall_seconds
        self._children: set[subprocess.Popen[bytes]] = set()

    def read(self, kind: FileKind, data: bytes) -> Extracted:
        """What `EXTRACTORS[kind]` finds, cleaned; Unreadable if the child does not live to tell."""
        child = _start(kind)
        self._children.add(child)
        watchdog = Timer(self._wall_seconds, child.kill)
        watchdog.daemon = True
        watchdog.start()
        try:
            answer = _exchange(child, data)
        finally:
            child.kill()
            status = child.wait()
            watchdog.cancel()
            self._children.discard(child)
        return _parsed(kind, data, answer, status)

    def close(self) -> None:
        """Ends whatever is still being read."""
        for child in tuple(self._children):
            child.kill()


def _start(kind: FileKind) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-I", "-B", "-m", "palyra.providers.extract.child", kind.value]
    try:
        return subprocess.Popen(  # noqa: S603 - our own interpreter and module; the file goes in by stdin
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/", env={}
        )
    except OSError as error:
        raise Unavailable(f"no process could be started to read the file: {error}", hint="try again later") from error


def _exchange(child: "subprocess.Popen[bytes]", data: bytes) -> bytes:
    assert child.stdin is not None  # noqa: S101 - both are pipes, see above
    assert child.stdout is not None  # noqa: S101 - it was started with a pipe
    with child.stdout as stdout:
        with suppress(BrokenPipeError), child.stdin as stdin:  # it may end before it has read everything
            stdin.write(data)
        answer = stdout.read(_ANSWER_BYTES + 1)
        if len(answer) <= _ANSWER_BYTES:
            child.wait()  # it has closed its end, or is being killed
        return answer


def _parsed(kind: FileKind, data: bytes, answer: bytes, status: int) -> Extracted:
    line, newline, body = answer.partition(b"\n")
    if status or not newline:
        if status > 0:
            raise Unavailable("the program that reads attachments did not run", hint="palyra doctor; then report it")
        raise Unreadable(f"the {FORMATS[kind].noun} takes too much work to read", "attach the part that matters")
    header = json.loads(line)
    if "why" in header:
        raise Unreadable(header["why"], header["hint"])
    kept = data if header["bytes"] is None else body
    return Extracted(
        header["media_type"], kept, header["text"], header["width"], header["height"], tuple(header["warnings"])
    )
