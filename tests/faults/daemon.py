"""A real daemon in a process of its own."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2

from faults import children


class Daemon:
    """`palyra serve` on a directory: ready when `wait_until_ready` returns, killed by `kill`."""

    def __init__(self, directory: Path, log: Path) -> None:
        options = ("--data-dir", str(directory), "--port", "0", "--grpc-port", "0", "--json")
        self._started = time.monotonic()
        with log.open("ab") as stderr:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "palyra", "serve", *options],
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                env=children.ENVIRONMENT,
            )
        self._directory = directory

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_until_ready(self) -> float:
        """Seconds from its start."""
        assert self._process.stdout is not None
        assert self._process.stdout.readline(), "the daemon did not start"
        return time.monotonic() - self._started

    def post(self, path: str, body: dict[str, Any]) -> httpx2.Response:
        """As the owner."""
        running = self._running()
        headers = {"authorization": f"Bearer {running['secret']}", "accept": "application/json, text/event-stream"}
        return httpx2.post(running["http"] + path, json=body, headers=headers, timeout=30)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def get(self, path: str) -> httpx2.Response:
        """As nobody."""
        return httpx2.get(self._running()["http"] + path, timeout=30)

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """A command of its owner's."""
        arguments = (sys.executable, "-m", "palyra", *command, "--data-dir", str(self._directory))
        return subprocess.run(arguments, capture_output=True, text=True, check=False, env=children.ENVIRONMENT)

    def wait(self, seconds: float) -> int:
        """For it to end by itself; its exit code."""
        return self._process.wait(seconds)

    def stop(self) -> int:
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(60)

    def _running(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self._directory / "palyrad.json").read_text())
        return found
