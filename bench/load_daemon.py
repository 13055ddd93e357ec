"""A daemon of its own for the load bench: a real process, watched from outside."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Daemon:
    """Starts at once, and is ready when this returns; `stop` it."""

    def __init__(self, directory: Path, log: Path, *, with_grpc: bool) -> None:
        self._log = log.open("ab")
        ports = ("--port", "0", "--grpc-port", "0" if with_grpc else "-1")
        started = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "palyra", "serve", "--json", "--data-dir", str(directory), *ports],
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, "PALYRA_DAEMON_REQUESTS_PER_SECOND": "0"},
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        self.ready_seconds = time.monotonic() - started
        if not line:
            self.stop()
            sys.exit(f"the daemon did not start:\n{log.read_text()[-2_000:]}")
        ready = json.loads(line)
        self.http = str(urlsplit(ready["http"]).netloc)
        self.grpc = str(ready["grpc"])
        self.pid = self._process.pid
        self.ready_cpu_seconds = self.cpu_seconds
        self._secret: str = json.loads((directory / "palyrad.json").read_text())["secret"]

    def stop(self) -> None:
        self._process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(60)
        self._process.kill()
        self._process.communicate()
        self._log.close()

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """As the owner."""
        connection = http.client.HTTPConnection(self.http, timeout=60)
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, path, sent, {"authorization": f"Bearer {self._secret}"})
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status == 200, text
            return json.loads(text)
        finally:
            connection.close()

    def token(self, principal: str) -> str:
        return str(self.call("POST", "/v1/tokens", {"principal": principal})["token"])

    @property
    def rss_mb(self) -> float:
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)

    @property
    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_PER_SECOND


class Watch(threading.Thread):
    """Looks at a daemon's memory every few seconds, from now until `end`."""

    def __init__(self, daemon: Daemon, every_seconds: float) -> None:
        super().__init__(daemon=True)
        self._daemon = daemon
        self._every_seconds = every_seconds
        self._ended = threading.Event()
        self.rss_mb = [daemon.rss_mb]
        self.start()

    def run(self) -> None:
        while not self._ended.wait(self._every_seconds):
            self.rss_mb.append(self._daemon.rss_mb)

    def end(self) -> list[float]:
        self._ended.set()
        self.join()
        return [*self.rss_mb, self._daemon.rss_mb]
