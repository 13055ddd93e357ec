"""A disk that fails and comes back: writing stops, reading goes on, and writing goes on by itself."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from faults.ledger import Ack, append, settings_for, settle, writing_again
from faults.vfs import NAME, Fault, FaultyVFS, Kind
from palyra.app import App
from palyra.core.clock import SystemClock
from palyra.core.errors import Unavailable
from palyra.domain.access import Access
from palyra.domain.journal import EventFilter
from palyra.domain.memory import Draft
from palyra.domain.scope import Visibility
from palyra.services.memory.ingest import ingest
from palyra.services.memory.recalling import recall
from palyra.services.memory.search import SearchRequest, search
from palyra.store.journal_store import StoreOptions
from palyra.store.upkeep import outage

FAILURES = [
    (Kind.IOERR, "xSync", "wal", "disk_error"),
    (Kind.IOERR, "xWrite", "wal", "disk_error"),
    (Kind.FULL, "xWrite", "wal", "disk_full"),
    (Kind.READONLY, "xWrite", "wal", "read_only"),
]


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fault]:
    monkeypatch.setattr(outage, "LONGEST_PAUSE_SECONDS", 0.2)
    fault = Fault()
    vfs = FaultyVFS(fault)
    yield fault
    vfs.unregister()


def open_app(directory: Path) -> App:
    return App(settings_for(directory), SystemClock(), StoreOptions(vfs=NAME), Access.OWN)


@pytest.mark.parametrize(("kind", "call", "file", "reason"), FAILURES, ids=str)
async def test_after_one_failure_writing_goes_on_by_itself_and_nothing_acknowledged_is_lost(
    scratch: Path, fault: Fault, kind: Kind, call: str, file: str, reason: str
) -> None:
    async with open_app(scratch / "data") as app:
        acks = [await append(app, 1, n) for n in range(1, 300)]  # the chain's head is beyond its first tile
        fault.arm_at(kind, call, file)
        with pytest.raises(Unavailable, match="writing has stopped") as told:
            await append(app, 1, 300)
        assert "by itself" in told.value.hint
        assert told.value.details["reason"] == reason
        assert len(await app.journal.list(EventFilter(), 0, 1_000)) == len(acks)
        await writing_again(app)
        acks += [await append(app, 1, n) for n in range(301, 600)]
    (await settle(scratch / "data", acks)).check()


@pytest.mark.parametrize("kind", [Kind.FULL, Kind.READONLY], ids=lambda kind: kind.value)
async def test_as_long_as_the_disk_refuses_writes_are_refused_and_nothing_is_given_up(
    scratch: Path, fault: Fault, monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    monkeypatch.setattr(outage, "FIRST_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(outage, "LONGEST_PAUSE_SECONDS", 0.002)
    async with open_app(scratch / "data") as app:
        acks = [await append(app, 1, n) for n in range(1, 5)]
        fault.arm(kind, 1, for_good=True)
        for n in range(5, 5 + 4 * outage.MOST_ATTEMPTS):
            with pytest.raises(Unavailable, match="writing has stopped"):
                await append(app, 1, n)
            await asyncio.sleep(0.02)
        assert not app.store.db.is_lost
        fault.disarm()
        await writing_again(app)
        acks.append(await append(app, 2, 1))
    (await settle(scratch / "data", acks)).check()


async def test_a_journal_that_cannot_be_opened_again_on_a_sound_disk_is_given_up(
    scratch: Path, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "FIRST_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(outage, "LONGEST_PAUSE_SECONDS", 0.002)
    async with open_app(scratch / "data") as app:
        acks = [await append(app, 1, n) for n in range(1, 5)]
        fault.arm(Kind.IOERR, 1, for_good=True)
        with pytest.raises(Unavailable):
            await append(app, 1, 5)
        await asyncio.to_thread(_wait_until_lost, app)
        fault.disarm()
        with pytest.raises(Unavailable, match="cannot be opened again"):
            await append(app, 1, 6)
    (await settle(scratch / "data", acks)).check()


async def test_damage_found_on_the_way_back_is_not_written_over(
    scratch: Path, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "FIRST_PAUSE_SECONDS", 1.0)
    async with open_app(scratch / "data") as app:
        acks = [await append(app, 1, n) for n in range(1, 5)]
        fault.arm_at(Kind.IOERR, "xSync", "wal")
        with pytest.raises(Unavailable):
            await append(app, 1, 5)
        await asyncio.to_thread(_forge, scratch / "data" / "palyra.db", acks[-1])
        await asyncio.to_thread(_wait_until_lost, app)
        with pytest.raises(Unavailable, match="cannot be opened again"):
            await append(app, 1, 6)


async def test_while_nothing_can_be_written_memory_is_searched_and_recalled_and_the_missing_receipt_is_counted(
    scratch: Path, fault: Fault
) -> None:
    async with open_app(scratch / "data") as app:
        memory, ana = app.memory, Visibility("user:ana")
        await ingest(memory, Draft("The staging port is 6543"), ana)
        fault.arm(Kind.FULL, 1, for_good=True)
        with pytest.raises(Unavailable):
            await append(app, 1, 1)
        question = SearchRequest("what is the staging port?")
        assert [hit.item.text for hit in (await search(memory, question, ana)).hits] == ["The staging port is 6543"]
        given = await recall(memory, question, ana)
        assert "6543" in given.recall.block
        assert (given.receipt, given.degraded) == (None, ("receipt",))
        assert app.store.db.metrics.receipts_missing == 1
        fault.disarm()
        await writing_again(app)
        again = await recall(memory, question, ana)
        assert again.receipt is not None
        assert again.degraded == ()


def _wait_until_lost(app: App) -> None:
    until = time.monotonic() + 30
    while not app.store.db.is_lost:
        assert time.monotonic() < until, "it is not given up"
        time.sleep(0.01)


def _forge(database: Path, victim: Ack) -> None:
    """Another program changes a header while nobody writes."""
    connection = apsw.Connection(str(database))
    connection.set_busy_timeout(10_000)
    for (guard,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {guard}")
    connection.execute("UPDATE journal_events SET kind = 'forged' WHERE seq = ?", (victim.seq,))
    connection.close()
