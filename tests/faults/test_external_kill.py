"""kill -9 of the daemon and of its engine at random, while others search, write and forget over HTTP.

Nothing foreign, deleted or out of date is ever in an answer, and after a comparison nothing differs. `make test` runs
a few cycles over some hundred items; the full run is --external-cycles 50 --external-items 100000, and takes less than
twenty minutes.
"""

import json
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from cli.daemon import start
from e2e.palyrad import Daemon, palyrad
from faults import children
from mirroring import rows, tables
from postgres import Postgres, a_postgres
from shell import Shell
from support import verify_directory

_FILL_SECONDS = 3_600
_ANSWERS = 16
"""searches that are answered between two kills, at most; the machine may be slow, so it is not seconds"""
_SECONDS = 60.0
"""that are waited for them, at most"""


@pytest.mark.timeout(7_200)
def test_kills_of_daemon_and_engine_leave_no_drift_and_show_nothing_wrong(
    tmp_path: Path, request: pytest.FixtureRequest, tally: Callable[[str], None]
) -> None:
    cycles: int = request.config.getoption("--external-cycles")
    items: int = request.config.getoption("--external-items")
    begun, chance, shell = time.monotonic(), random.Random(9), Shell(tmp_path / "data")
    with a_postgres() as server:
        tokens = _fill(shell, server, items)
        filled = time.monotonic()
        with ExitStack() as stack:
            clients = stack.enter_context(_clients(shell.home, tokens, tmp_path))
            for number in range(cycles):
                _one_life(shell, server, clients, chance, number)
            with palyrad(shell) as daemon:
                assert clients.wait_for(_ANSWERS, "searched\n"), "the engine does not take part any more"
                clients.stop()
                done = _post(daemon, "/v1/memory/external/reconcile", {})
                assert done["after"]["differences"] == 0
                held = _compared_until_equal(daemon, server)
        seen, gone = clients.seen(), clients.gone()
        assert not [line for line in seen if line.startswith("wrong")], seen
        assert held is not None, "the engine holds other rows than a comparison counts"
        assert not _still_there(server, gone)
    _check_that_it_was_tried(seen, gone, cycles)
    if cycles <= 10:
        assert verify_directory(shell.home).ok
    before, seconds = done["before"]["differences"], time.monotonic() - filled
    tally(
        f"external engine: {cycles} kills of the daemon, {(cycles + 1) // 2} of the engine, {held}"
        f" items; {_searched(seen)} searches, {seen['searched external']} of them without it, {seen['unanswered']} more"
        f" without a daemon; {seen['wrote stored']} written, {len(gone)} deleted, 0 wrong; drift {before}, then 0;"
        f" {seconds:.0f} s, and {filled - begun:.0f} s to fill"
    )


def _compared_until_equal(daemon: Daemon, server: Postgres) -> int | None:
    """How many rows both count. The last text that was written may get its vector after the first comparison."""
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until:
        compared = _post(daemon, "/v1/memory/external/reconcile", {})["after"]
        assert compared["differences"] == 0
        if rows(server) == compared["items"]:
            return int(compared["items"])
    return None


def _fill(shell: Shell, server: Postgres, items: int) -> dict[str, str]:
    """Tokens, by name."""
    shell.environment |= {
        "PALYRA_MEMORY_EXTERNAL_PROVIDER": "pgvector",
        "PALYRA_MEMORY_EXTERNAL_DSN": server.dsn,
        "PALYRA_MEMORY_EXTERNAL_SEARCH_TIMEOUT_MS": "2000",  # the machine may be busy with other tests
        "PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "local",
    }
    with children.running("mirrorer", shell.home, server.dsn, items) as filling:
        told, _ = filling.communicate(timeout=_FILL_SECONDS)
    assert rows(server) > items * 0.9
    tokens: dict[str, str] = json.loads(told)
    return tokens


class Clients:
    """Processes that search and write, and the files in which they say what came of it."""

    def __init__(self, processes: "list[subprocess.Popen[str]]", files: list[Path]) -> None:
        self._processes = processes
        self._files = files

    def wait_for(self, answers: int, line: str = "searched") -> bool:
        """Until so many more lines begin like that; False: not within the time."""
        until, wanted = time.monotonic() + _SECONDS, self._count(line) + answers
        while self._count(line) < wanted and time.monotonic() < until:
            assert all(process.poll() is None for process in self._processes), self.seen()
            time.sleep(0.05)
        return self._count(line) >= wanted

    def stop(self) -> None:
        for process in self._processes:
            process.send_signal(signal.SIGTERM)
        assert [process.wait(120) for process in self._processes] == [0] * len(self._processes)

    def seen(self) -> Counter[str]:
        return Counter(line for line in self._lines() if not line.startswith("gone"))

    def gone(self) -> list[str]:
        """Ids whose deletion was acknowledged."""
        return [word for line in self._lines() if line.startswith("gone") for word in line.split()[1:]]

    def _lines(self) -> list[str]:
        return [line for file in self._files if file.exists() for line in file.read_text().splitlines()]

    def _count(self, line: str) -> int:
        return sum(file.read_text().count(line) for file in self._files if file.exists())


def _one_life(shell: Shell, server: Postgres, clients: Clients, chance: random.Random, number: int) -> None:
    if number % 5 == 4:  # killed while it opens, or soon after
        process = start(shell, is_awaited=False)
        time.sleep(chance.uniform(0.0, 2.0))
        process.kill()
        process.communicate()
    with palyrad(shell) as daemon:
        clients.wait_for(chance.randint(0, _ANSWERS))
        if number % 2 == 0:
            server.kill()
            clients.wait_for(chance.randint(0, _ANSWERS))
            if chance.random() < 0.5:  # the daemon dies before its engine is back
                daemon.process.kill()
                server.start()
                return
            server.start()
            clients.wait_for(chance.randint(0, _ANSWERS))
        time.sleep(chance.uniform(0.0, 0.1))
        daemon.process.kill()


@contextmanager
def _clients(home: Path, tokens: dict[str, str], into: Path) -> Iterator[Clients]:
    files = {name: into / f"told-{name}" for name in tokens}
    with ExitStack() as stack:
        processes = [
            stack.enter_context(children.running("mirror_client", home, name, token, files[name]))
            for name, token in tokens.items()
        ]
        yield Clients(processes, list(files.values()))


def _post(daemon: Daemon, path: str, body: dict[str, Any]) -> Any:
    with daemon.client() as client:
        answer = client.post(path, json=body, timeout=600)
        assert answer.status_code == 200, answer.text
        return answer.json()


def _still_there(server: Postgres, gone: list[str]) -> set[str]:
    held = {one for table in tables(server) for one in server.sql(f"SELECT id FROM {table}").split()}
    return held & set(gone)


def _searched(seen: Counter[str]) -> int:
    return sum(count for line, count in seen.items() if line.startswith("searched"))


def _check_that_it_was_tried(seen: Counter[str], gone: list[str], cycles: int) -> None:
    """Otherwise the run proves nothing."""
    assert _searched(seen) >= 5 * cycles, seen
    assert seen["searched"] > 0, "no search with the engine"
    assert seen["unanswered"] > 0, "no search while the daemon was dead"
    assert seen["wrote stored"] > 0, seen
    assert gone
