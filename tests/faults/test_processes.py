"""Many processes, one directory: they take turns by the owner lock, also when one of them is killed."""

import asyncio
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from faults import children
from faults.ledger import Ack, append, kind_of, payload_of, read_acks, settings_for, settle
from palyra.app import build_app
from palyra.core.clock import SystemClock
from palyra.core.errors import Unavailable
from palyra.core.ids import UlidFactory
from palyra.domain.access import Access
from palyra.store.connection import open_reader

PALYRA = str(Path(sys.executable).with_name("palyra"))
APPENDERS = 3
N_PER_LIFE = 100_000
"""numbers set aside for one life of an appender, so that none is used twice"""


class Appender:
    """Keeps one process going: when it is killed, another takes its place."""

    def __init__(self, directory: Path, who: int) -> None:
        self._directory = directory
        self._who = who
        self._lives = 0
        self.acks: list[Ack] = []
        self._process = self._start()

    def kill(self) -> None:
        self._process.kill()
        self._collect()
        self._process = self._start()

    def stop(self) -> int:
        return self._collect()

    def discard(self) -> None:
        children.stop(self._process)

    def _start(self) -> "subprocess.Popen[str]":
        self._lives += 1
        return children.start("appender", self._directory, self._who, self._lives * N_PER_LIFE)

    def _collect(self) -> int:
        """Ends its input, which ends it, and reads what was acknowledged."""
        said, _ = self._process.communicate(timeout=60)
        self.acks += read_acks(said)
        return self._process.returncode


class CommandLine(threading.Thread):
    """Runs the real `palyra journal append`, kills it now and then, and repeats it under the same event id."""

    def __init__(self, directory: Path, who: int) -> None:
        super().__init__()
        self._directory = directory
        self._who = who
        self._chance = random.Random(who)
        self._ids = UlidFactory(SystemClock())
        self.acks: list[Ack] = []
        self.kills = 0
        self.stopping = threading.Event()
        self.failure: str | None = None

    def run(self) -> None:
        n = 0
        while not self.stopping.is_set() and self.failure is None:
            n += 1
            event_id = self._ids.next()
            while self.failure is None and not self._append(n, event_id):
                continue

    def _append(self, n: int, event_id: str) -> bool:
        command = [PALYRA, "journal", "append", "--data-dir", str(self._directory), "--json", "--kind", kind_of(n)]
        command += ["--id", event_id, "--principal", f"user:writer{self._who}", json.dumps(payload_of(self._who, n))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                out, err = process.communicate(timeout=60 if self._chance.random() < 0.6 else self._chance.random())
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                self.kills += 1
        if out.endswith("\n"):
            done = json.loads(out)
            self.acks.append(Ack(event_id, kind_of(n), self._who, n, done["seq"], done["hash"]))
            return True
        if process.returncode != -9:
            self.failure = err
        return False


@pytest.mark.timeout(300)
def test_processes_that_open_in_turn_and_are_killed_lose_and_double_nothing(
    tmp_path: Path, cycles: int, tally: Callable[[str], None]
) -> None:
    kills, chance = max(5, cycles // 3), random.Random(7)
    command_line = CommandLine(tmp_path / "data", 9)
    appenders = [Appender(tmp_path / "data", who) for who in range(1, APPENDERS + 1)]
    command_line.start()
    try:
        for _ in range(kills):
            time.sleep(chance.uniform(0.1, 0.4))
            chance.choice(appenders).kill()
        exit_codes = [appender.stop() for appender in appenders]
    finally:
        command_line.stopping.set()
        for appender in appenders:
            appender.discard()
        command_line.join()
    assert command_line.failure is None
    assert exit_codes == [0] * APPENDERS
    acks = [*command_line.acks, *(ack for appender in appenders for ack in appender.acks)]
    account = asyncio.run(settle(tmp_path / "data", acks))
    tally(f"processes in turn: {kills + command_line.kills} kills, {account.balance}")
    account.check()
    assert all(appender.acks for appender in appenders)
    assert command_line.acks


async def test_second_owner_that_will_not_wait_is_told_which_process_owns_the_directory(tmp_path: Path) -> None:
    async with build_app(settings_for(tmp_path), access=Access.OWN) as first:
        await append(first, 1, 1)
        with pytest.raises(Unavailable, match=f"in use by process {os.getpid()}"):
            await build_app(settings_for(tmp_path), access=Access.OWN, wait_seconds=0).__aenter__()
        await append(first, 1, 2)


async def test_reader_that_takes_its_time_does_not_stall_those_who_write(tmp_path: Path) -> None:
    """Such as `journal verify` of a big journal: each append of another process must not wait for its end."""
    async with build_app(settings_for(tmp_path), access=Access.OWN) as app:
        await append(app, 1, 1)
    reader = open_reader(tmp_path / "palyra.db")
    try:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM journal_events").fetchall()
        started = time.monotonic()
        for n in (2, 3):
            async with build_app(settings_for(tmp_path), access=Access.OWN) as app:
                await append(app, 1, n)
        assert time.monotonic() - started < 8
    finally:
        reader.close()
