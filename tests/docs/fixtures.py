"""What a page needs besides the command: a model that answers, a daemon, a database. Real servers on loopback."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from docs.model import a_model
from postgres import Postgres, a_postgres
from support import tamper


@dataclass(slots=True)
class Place:
    """Where a page is lived through, and what things there are called on the page."""

    home: Path
    checkout: Path
    environment: dict[str, str]
    ports: dict[str, str] = field(default_factory=dict)
    """the usual one, as the page says it, and the one that was free"""
    daemon: subprocess.Popen[bytes] | None = None
    postgres: Postgres | None = None

    def real(self, command: str) -> str:
        for usual, ours in self.ports.items():
            command = command.replace(f"127.0.0.1:{usual}", f"127.0.0.1:{ours}")
        return command

    def shown(self, printed: str) -> str:
        for usual, ours in self.ports.items():
            printed = printed.replace(f"127.0.0.1:{ours}", f"127.0.0.1:{usual}")
        bin_directory = str(Path(sys.executable).parent)
        return printed.replace(bin_directory, "~/.local/bin").replace(str(self.home), "~")


@contextmanager
def _daemon(place: Place) -> Iterator[None]:
    _start(place)
    try:
        yield
    finally:
        _stop(place)


@contextmanager
def _daemon_anew(place: Place) -> Iterator[None]:
    """As after a change in the settings: what was there goes, and another one comes and stays."""
    _stop(place)
    _start(place)
    yield


def _start(place: Place) -> None:
    place.daemon = subprocess.Popen(
        ["palyra", "serve", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=place.environment,
        cwd=place.checkout,
    )
    assert place.daemon.stdout is not None
    assert place.daemon.stdout.readline(), "the daemon did not start"


def _stop(place: Place) -> None:
    assert place.daemon is not None
    place.daemon.terminate()
    place.daemon.communicate(timeout=30)


@contextmanager
def _apart(place: Place) -> Iterator[None]:
    """As if nothing had been said before on this page, until the block ends."""
    data = place.home / ".local" / "share" / "palyra"
    data.rename(data.with_name("before"))
    try:
        yield
    finally:
        data.rename(data.with_name("apart"))
        data.with_name("before").rename(data)


@contextmanager
def _repository(place: Place) -> Iterator[None]:
    """The folder is a git repository with one commit."""
    (place.checkout / "port.txt").write_text("staging 6543\n", "utf-8")
    author = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
    for arguments in (("init",), ("add", "port.txt"), (*author, "commit", "-m", "Move staging to port 6543")):
        subprocess.run(["git", *arguments], cwd=place.checkout, env=place.environment, check=True, capture_output=True)
    yield


@contextmanager
def _model(place: Place) -> Iterator[None]:
    """Somebody else's model at the address where Ollama is by default: it speaks OpenAI's and Anthropic's protocols."""
    with a_model() as port:
        place.ports["11434"] = port
        yield


@contextmanager
def _postgres(place: Place) -> Iterator[None]:
    """PostgreSQL with pgvector at the usual port, with an account `palyra` that needs no password."""
    with a_postgres() as server:
        server.sql("CREATE DATABASE palyra")
        place.ports["5432"] = str(server.port)
        place.postgres = server
        yield


@contextmanager
def _postgres_down(place: Place) -> Iterator[None]:
    """As long as the block lasts nobody answers there."""
    assert place.postgres is not None
    place.postgres.kill()
    try:
        yield
    finally:
        place.postgres.start()


@contextmanager
def _damage(place: Place) -> Iterator[None]:
    """Somebody has changed a stored text by a SQLite tool."""
    tamper(place.home / ".local" / "share" / "palyra", "UPDATE journal_payloads SET payload = X'7B7D' WHERE seq = 3")
    yield


FOR_A_PAGE: dict[str, Callable[[Place], AbstractContextManager[None]]] = {
    "daemon": _daemon,
    "model": _model,
    "postgres": _postgres,
    "repository": _repository,
}
"""what is begun by the first block that names it, and there until the page ends"""

FOR_A_BLOCK: dict[str, Callable[[Place], AbstractContextManager[None]]] = {
    "apart": _apart,
    "daemon-anew": _daemon_anew,
    "damage": _damage,
    "postgres-down": _postgres_down,
}
"""what holds from the first command of a block to its last"""
