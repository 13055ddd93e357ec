"""Runs many commands quickly: each in a process of its own, forked from one that has imported everything.

`python -m cli.forking DIRECTORY` reads one JSON list of arguments per line, gives the command DIRECTORY/stdin, leaves
its output in DIRECTORY/stdout and stderr, and answers with its exit code.
"""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shell import Shell


class QuickShell(Shell):
    def __init__(self, home: Path, files: Path) -> None:
        super().__init__(home)
        self.environment["PYTHONPATH"] = str(Path(__file__).parents[1])
        self._files = files
        self._forker: subprocess.Popen[bytes] | None = None

    def __call__(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        assert self._forker is not None
        assert self._forker.stdin is not None
        assert self._forker.stdout is not None
        (self._files / "stdin").write_bytes(stdin)
        self._forker.stdin.write(json.dumps(arguments).encode() + b"\n")
        self._forker.stdin.flush()
        exit_code = int(self._forker.stdout.readline())
        stdout, stderr = ((self._files / name).read_bytes() for name in ("stdout", "stderr"))
        return subprocess.CompletedProcess(arguments, exit_code, stdout, stderr)

    @contextmanager
    def ready(self) -> Iterator["QuickShell"]:
        self._files.mkdir(parents=True)
        command = [sys.executable, "-m", "cli.forking", str(self._files)]
        self._forker = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.environment, cwd=self._files
        )
        try:
            yield self
        finally:
            self._forker.communicate(timeout=30)


def main(files: Path) -> None:
    for name in ("palyra.client.local", "palyra.client.remote", "palyra.memory_wiring", "palyra.core.redact"):
        importlib.import_module(name)
    command = importlib.import_module("palyra.cli.main").main
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            for number, name, flags in ((0, "stdin", os.O_RDONLY), (1, "stdout", _WRITE), (2, "stderr", _WRITE)):
                os.dup2(os.open(files / name, flags, 0o600), number)
            sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - the old one has read ahead
            try:
                command(json.loads(line))
            except SystemExit as end:
                sys.stdout.flush()
                os._exit(end.code if isinstance(end.code, int) else 0)
            finally:
                os._exit(99)
        _, status = os.waitpid(pid, 0)
        os.write(1, b"%d\n" % os.waitstatus_to_exitcode(status))


_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC

if __name__ == "__main__":
    main(Path(sys.argv[1]))
