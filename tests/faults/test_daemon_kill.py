"""kill -9 of the daemon, again and again, while every surface writes: nothing acknowledged is lost, nothing doubled.

What was not answered is repeated by its client under the same request id, and is then there exactly once.
"""

import asyncio
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

from faults import children
from faults.daemon import Daemon
from faults.daemon_load import MEMORY, Written, read_written, text_of
from faults.ledger import Account, Ack, read_all, settings_for, settle
from palyra.app import build_app
from palyra.domain.access import Access
from palyra.domain.memory import ItemFilter, MemoryItem
from palyra.domain.scope import Visibility
from palyra.services.memory import lifecycle

FULL_CYCLES, SHORT_CYCLES = 50, 3
PAGE_ITEMS = 500


@pytest.mark.timeout(600)
def test_kill_9_of_the_daemon_under_load_from_every_surface_loses_and_doubles_nothing(
    tmp_path: Path, cycles: int, tally: Callable[[str], None]
) -> None:
    kills = FULL_CYCLES if cycles >= 200 else min(cycles, SHORT_CYCLES)
    directory, log, chance = tmp_path / "data", tmp_path / "log", random.Random(20_260_607)
    with ExitStack() as stack:
        daemon = _start(stack, directory, log)
        daemon.wait_until_ready()
        surfaces = _served(daemon)
        tokens = {surface: _token(daemon, who) for who, surface in enumerate(surfaces)}
        clients = stack.enter_context(_clients(tmp_path, directory, tokens))
        ready_seconds: list[float] = []
        for cycle in range(kills):
            time.sleep(chance.uniform(0.2, 1.2))
            daemon.kill()
            if cycle % 5 == 4:  # once more, while it opens, or soon after
                daemon = _start(stack, directory, log)
                time.sleep(chance.uniform(0.0, 1.0))
                daemon.kill()
            daemon = _start(stack, directory, log)
            ready_seconds.append(daemon.wait_until_ready())
        for client in clients:
            client.send_signal(signal.SIGTERM)
        for client in clients:
            assert client.wait(60) == 0
        assert daemon.stop() == 0
    written = [one for who in range(len(surfaces)) for one in read_written(tmp_path / f"acks-{who}")]
    account = asyncio.run(_account(directory, [one.ack for one in written], len(surfaces)))
    again = sum(one.attempts > 1 for one in written)
    tally(
        f"kill -9 of the daemon: {kills} kills under {', '.join(surfaces)}, {account.balance}; {again} repeated, of"
        f" them {sum(one.repeated for one in written)} already written; ready after"
        f" {sorted(ready_seconds)[kills // 2]:.2f} s, at most {max(ready_seconds):.2f} s"
    )
    account.check()
    _check_that_every_surface_was_hit(written, len(surfaces))
    said = log.read_text()
    assert "locked" not in said
    assert "request.broke" not in said


def _start(stack: ExitStack, directory: Path, log: Path) -> Daemon:
    daemon = Daemon(directory, log)
    stack.callback(daemon.kill)
    return daemon


def _served(daemon: Daemon) -> list[str]:
    is_mcp = daemon.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status_code == 200
    return ["http", "grpc", "mcp"] if is_mcp else ["http", "grpc"]


def _token(daemon: Daemon, who: int) -> str:
    capabilities = ["read", "write", "operate"]
    answer = daemon.post("/v1/tokens", {"principal": f"user:{who}", "actor": "user", "capabilities": capabilities})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["token"])


@contextmanager
def _clients(tmp_path: Path, directory: Path, tokens: dict[str, str]) -> "Iterator[list[subprocess.Popen[str]]]":
    with ExitStack() as stack:
        files = [tmp_path / f"acks-{who}" for who in range(len(tokens))]
        processes = [
            stack.enter_context(children.running("daemon_load", directory, files[who], surface, token, who))
            for who, (surface, token) in enumerate(tokens.items())
        ]
        while not all(file.exists() and file.stat().st_size for file in files):
            assert all(process.poll() is None for process in processes)
            time.sleep(0.02)
        yield processes


def _check_that_every_surface_was_hit(written: list[Written], surfaces: int) -> None:
    """Otherwise the run proves nothing."""
    assert {one.ack.who for one in written} == set(range(surfaces))
    assert {one.ack.who for one in written if one.attempts > 1} == set(range(surfaces))


async def _account(directory: Path, acks: list[Ack], surfaces: int) -> Account:
    account = await settle(directory, [ack for ack in acks if ack.kind != MEMORY])
    async with build_app(settings_for(directory), access=Access.READ) as app:
        hashes = {record.seq: record.hash.hex() for record in await read_all(app)}
        for who in range(surfaces):
            items = await _items(app.memory, who)
            _balance_memory(account, items, hashes, [ack for ack in acks if ack.kind == MEMORY and ack.who == who])
    return account


async def _items(memory: Any, who: int) -> list[MemoryItem]:
    items: list[MemoryItem] = []
    while True:
        after = items[-1].memory_id if items else ""
        page = await lifecycle.list_(
            memory, Visibility(f"user:{who}"), ItemFilter(include_past=True), after, PAGE_ITEMS
        )
        items += page
        if len(page) < PAGE_ITEMS:
            return items


def _balance_memory(account: Account, items: list[MemoryItem], hashes: dict[int, str], acks: list[Ack]) -> None:
    by_text = Counter(item.text for item in items)
    by_id = {str(item.memory_id): item for item in items}
    for ack in acks:
        item, text = by_id.get(ack.event_id), text_of(ack.who, ack.n)
        is_there = item is not None and (item.text, item.seq) == (text, ack.seq) and hashes.get(ack.seq) == ack.hash
        account.lost += not is_there
        account.doubled += max(0, by_text[text] - 1)
    account.acked += len(acks)
    if len(items) != len(acks):
        account.problems.append(f"{len(items)} memories, but {len(acks)} were acknowledged")
