"""A real daemon process, as a service manager runs it: started, spoken to over HTTP, stopped by a signal."""

import json
import signal
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from shell import PALYRA, Shell

WAIT_SECONDS = 60


@dataclass
class Daemon:
    process: subprocess.Popen[bytes]
    http: str
    """for the owner's commands"""
    public: str
    """for everybody else; not the same where there is a certificate"""
    secret: str
    announced: Path

    def client(self, verify: ssl.SSLContext | bool = False) -> httpx2.Client:
        headers = {"authorization": f"Bearer {self.secret}"}
        return httpx2.Client(base_url=self.http, headers=headers, verify=verify, timeout=WAIT_SECONDS, trust_env=False)

    @property
    def port(self) -> int:
        return int(self.http.rpartition(":")[2])

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        return self.process.wait(WAIT_SECONDS)


@contextmanager
def palyrad(shell: Shell, *options: str, **environment: str) -> Iterator[Daemon]:
    """Ready. What it logs is beside its data."""
    command = [*PALYRA, "serve", "--port", "0", "--grpc-port", "-1", "--json", *options]
    with (shell.home.parent / "palyrad.log").open("ab") as log:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, env={**shell.environment, **environment}
        )
    try:
        assert process.stdout is not None
        started: dict[str, Any] = json.loads(process.stdout.readline())
        announced = Path(started["data_dir"]) / "palyrad.json"
        running = json.loads(announced.read_text())
        assert running["pid"] == process.pid
        yield Daemon(process, running["http"], started["http"], running["secret"], announced)
    finally:
        process.kill()
        process.communicate()
