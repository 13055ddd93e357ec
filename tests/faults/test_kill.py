"""kill -9, again and again, while four clients write: nothing acknowledged is lost, nothing is written twice."""

import asyncio
import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO

import pytest

from faults import children
from faults.ledger import Ack, append, files_holding, read_acks, settings_for, settle, words_of
from faults.server import Plan
from palyra.app import build_app
from palyra.domain.access import Access
from palyra.services.backup import create

CLIENTS = 4


class Zygote:
    """The process that forks servers, seen from outside."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin: IO[str] = process.stdin
        self._stdout: IO[str] = process.stdout

    def start(self, plan: Plan) -> int:
        self._say(f"start {json.dumps(asdict(plan))}")
        return int(self._hear("started"))

    def wait_until_serving(self, pid: int) -> None:
        while int(self._hear("serving")) != pid:
            continue

    def kill(self, pid: int) -> None:
        os.kill(pid, signal.SIGKILL)
        self._say(f"reap {pid}")
        assert int(self._hear("reaped")) == pid

    def _say(self, line: str) -> None:
        self._stdin.write(line + "\n")
        self._stdin.flush()

    def _hear(self, verb: str) -> str:
        while True:
            line = self._stdout.readline()
            assert line, "the zygote is gone"
            heard, _, rest = line.strip().partition(" ")
            if heard == verb:
                return rest
            assert heard == "serving", line  # of a server that was killed as soon as it had opened


@pytest.mark.timeout(300)
def test_kill_9_loses_and_doubles_nothing(tmp_path: Path, cycles: int, tally: Callable[[str], None]) -> None:
    directory, erasures = tmp_path / "data", tmp_path / "erasures"
    erasures.touch()
    chance = random.Random(20_240_607)
    old = asyncio.run(_make_journal_with_backup(directory))
    with _zygote(tmp_path) as zygote, _clients(tmp_path) as clients:
        for cycle in range(cycles):
            plan = _plan(directory, erasures, chance, old, with_side_jobs=cycle % 8 == 7)
            _serve_and_kill(zygote, plan, chance)
        last = zygote.start(_plan(directory, erasures, chance, old, with_side_jobs=False))
        for client in clients:
            client.send_signal(signal.SIGTERM)
        for client in clients:
            assert client.wait(60) == 0
        zygote.kill(last)
    acks = [*old, *_read_ack_files(tmp_path)]
    begun, done = _erasures(erasures)
    account = asyncio.run(settle(directory, acks, erased=done, maybe_erased=begun))
    tally(f"kill -9: {cycles} cycles, {account.balance}, {len(begun)} erasures begun, {len(done)} acked")
    account.check()
    assert len({ack.event_id for ack in acks}) == len(acks) > cycles
    gone = [words_of(ack.who, ack.n) for ack in acks if ack.event_id in done]
    assert files_holding(directory, gone) == []


def _serve_and_kill(zygote: Zygote, plan: Plan, chance: random.Random) -> None:
    pid = zygote.start(plan)
    if chance.random() < 0.2:
        time.sleep(chance.uniform(0.0, 0.03))  # while it opens, or soon after
    else:
        zygote.wait_until_serving(pid)
        time.sleep(chance.uniform(0.005, 0.4 if plan.erases else 0.12))  # an erasure takes its time
    zygote.kill(pid)


def _plan(directory: Path, erasures: Path, chance: random.Random, old: list[Ack], *, with_side_jobs: bool) -> Plan:
    erases = with_side_jobs and chance.random() < 0.8
    signs = with_side_jobs and (not erases or chance.random() < 0.5)
    targets = tuple(ack.event_id for ack in old)
    seed, fold_pages = chance.randrange(1 << 30), chance.choice((20, 2_000))
    return Plan(str(directory), str(erasures), seed, fold_pages, erases, signs, targets)


async def _make_journal_with_backup(directory: Path) -> list[Ack]:
    async with build_app(settings_for(directory), access=Access.OWN) as app:
        acks = [await append(app, 0, n) for n in range(1, 21)]
        await create(app.store, directory / "backups" / "old", lambda _done, _total: None)
    return acks


@contextmanager
def _zygote(tmp_path: Path) -> Iterator[Zygote]:
    with children.running("zygote", tmp_path / "socket") as process:
        _wait_for(tmp_path / "socket")
        yield Zygote(process)


@contextmanager
def _clients(tmp_path: Path) -> "Iterator[list[subprocess.Popen[str]]]":
    files = {who: tmp_path / f"acks-{who}" for who in range(1, CLIENTS + 1)}
    with ExitStack() as stack:
        processes = [
            stack.enter_context(children.running("client", tmp_path / "socket", file, who))
            for who, file in files.items()
        ]
        for file in files.values():
            _wait_for(file)
        yield processes


def _wait_for(file: Path) -> None:
    while not file.exists():
        time.sleep(0.01)


def _read_ack_files(tmp_path: Path) -> list[Ack]:
    return [ack for file in sorted(tmp_path.glob("acks-*")) for ack in read_acks(file.read_text())]


def _erasures(file: Path) -> tuple[set[str], set[str]]:
    """Event ids whose erasure was begun, and those for which it was acknowledged."""
    lines = [line.split(" ") for line in file.read_text().split("\n")[:-1]]
    return {event_id for _, event_id in lines}, {event_id for word, event_id in lines if word == "done"}
