"""kill -9 while memory is written: what was acknowledged is there, and all tables and indexes agree."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from palyra.domain.scope import Visibility
from palyra.services.memory import lifecycle
from palyra.services.memory.search import SearchRequest, search
from palyra.store.memory.search import index_pending
from palyra.store.upkeep.rebuild import find_drift
from support import a_memory, a_store, run, verify_directory

CALLER = Visibility("user:ana")
TESTS = Path(__file__).parents[1]


def killed_run(root: Path, start: int, seconds: float) -> list[tuple[str, str]]:
    """What a process acknowledged before it was killed."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    process = subprocess.Popen(
        [sys.executable, str(TESTS / "faults" / "retainer.py"), str(root), str(start)],
        stdout=subprocess.PIPE,
        env=environment,
    )
    assert process.stdout is not None
    process.stdout.readline()  # it is open now
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read().decode()
    process.wait()
    process.stdout.close()
    return [(verb, memory_id) for line in rest.splitlines() for verb, _, memory_id in [line.partition(" ")]]


def test_acknowledged_memories_survive_kills_and_every_index_agrees(
    tmp_path: Path, cycles: int, tally: Callable[[str], None]
) -> None:
    chance = random.Random(3)
    kept: set[str] = set()
    deleted: set[str] = set()
    rounds = max(2, cycles // 10)
    for number in range(rounds):
        for verb, memory_id in killed_run(tmp_path, number * 1_000, chance.uniform(0.05, 0.6)):
            (deleted if verb == "deleted" else kept).add(memory_id)
    assert kept

    async def check() -> None:
        async with a_memory(tmp_path) as memory:
            for memory_id in kept:
                item = (await lifecycle.get(memory, memory_id, CALLER)).item  # raises if it is lost
                assert memory_id not in deleted or item.closed_why == "deleted"
            assert (await search(memory, SearchRequest("value of setting 7"), CALLER)).hits

    run(check())
    assert verify_directory(tmp_path).ok
    with a_store(tmp_path) as store:
        assert store.db.read_now(find_drift)[1] == []
        store.db.write_now(index_pending)  # what the last kill came before
        items, words, fingerprints = store.db.read_now(
            lambda tx: tuple(
                tx.execute(f"SELECT count(*) FROM {table}").fetchone()
                for table in ("memory_items", "memory_fts", "memory_fingerprints")
            )
        )
        assert items == words == fingerprints
    tally(f"memory: {rounds} kills, {len(kept)} acknowledged items, {len(deleted)} deleted, 0 lost")
