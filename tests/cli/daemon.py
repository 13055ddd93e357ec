"""A real daemon, for tests: `palyra serve` on free ports, stopped as an operator stops it."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from shell import PALYRA, Shell


@contextmanager
def a_daemon(shell: Shell) -> Iterator[subprocess.Popen[bytes]]:
    """Serves the shell's data directory."""
    process = start(shell)
    try:
        yield process
    finally:
        stop(process)


def start(shell: Shell, *, is_awaited: bool = True) -> subprocess.Popen[bytes]:
    command = [*PALYRA, "serve", "--port", "0", "--grpc-port", "-1", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=shell.environment)
    if is_awaited:
        wait_until_it_serves(process)
    return process


def wait_until_it_serves(process: subprocess.Popen[bytes]) -> None:
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["http"].startswith("http://127.0.0.1:")


def stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
