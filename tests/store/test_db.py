"""The writer: group commit, isolation, bounded queue, drain, and what a failure does."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from palyra.core import limits
from palyra.core.clock import SystemClock
from palyra.core.errors import Deadline, Exhausted, Internal, InvalidArgument, Unavailable
from palyra.domain.journal import Decision
from palyra.store import readers
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.journal_store import JournalStore
from palyra.store.upkeep.integrity import journal_size
from support import a_note, a_store, an_event, append_all, run, verify_directory


def test_many_writers_share_one_commit(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        gate = threading.Event()

        async def work() -> None:
            first = store.db.submit(lambda _tx: gate.wait(5))
            rest = [store.append(store.prepare(an_event(n))) for n in range(100)]
            gate.set()
            await asyncio.gather(first, *rest)

        run(work())
    assert store.db.metrics.commits <= 2
    assert store.db.metrics.decisions == 101


def test_one_failing_decision_spoils_nobody(tmp_path: Path) -> None:
    def refuse(_tx: ReadTx) -> Decision[None]:
        raise InvalidArgument("no", hint="never")

    def trip(_tx: ReadTx) -> Decision[None]:
        raise ZeroDivisionError

    with a_store(tmp_path) as store:

        async def work() -> list[object]:
            jobs: list[asyncio.Future[Any]] = [
                store.append(store.prepare(a_note("before"))),
                store.commit(refuse),
                store.commit(trip),
                store.append(store.prepare(an_event(1))),
                store.commit(lambda _tx: Decision((a_note("a"), a_note("b")), "done")),
            ]
            return list(await asyncio.gather(*jobs, return_exceptions=True))

        results = run(work())
        assert isinstance(results[1], InvalidArgument)
        assert isinstance(results[2], Internal)
        assert store.db.read_now(journal_size) == 4
        assert store.chain.size == 4


def test_events_of_a_decision_that_fails_half_way_are_all_rolled_back(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        too_big = a_note("x" * 300_000)

        async def work() -> None:
            await store.commit(lambda _tx: Decision((a_note("first"), too_big), None))

        with pytest.raises(Exception, match="limit"):
            run(work())
        append_all(store, a_note("after"))
        texts = store.db.read_now(lambda tx: tx.execute("SELECT text FROM notes").fetchall())
        assert texts == [("after",)]


def test_a_decision_that_fails_alone_leaves_nothing_and_the_chain_goes_on(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:

        def write_and_trip(tx: WriteTx) -> None:
            store.chain.append(tx, [store.prepare(a_note("half"))], None)
            tx.execute("INSERT INTO notes VALUES ('x', 1, 'p', NULL, NULL, 0, 'half', NULL)")
            raise InvalidArgument("no", hint="never")

        async def alone() -> None:
            with pytest.raises(InvalidArgument):
                await store.db.submit(write_and_trip)
            await store.append(store.prepare(a_note("after")))

        run(alone())
        assert store.db.read_now(journal_size) == 1
        assert store.db.read_now(lambda tx: tx.execute("SELECT text FROM notes").fetchall()) == [("after",)]
    assert verify_directory(tmp_path).ok


@pytest.mark.parametrize("patience_seconds", [0.05, 60.0])
def test_a_search_gives_way_to_the_writer_but_not_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience_seconds: float
) -> None:
    monkeypatch.setattr(readers, "_PATIENCE_SECONDS", patience_seconds)
    with a_store(tmp_path) as store:
        deciding, finish = threading.Event(), threading.Event()

        def take_long(_tx: WriteTx) -> bool:
            deciding.set()
            return finish.wait(20)

        async def work() -> None:
            writing = store.db.submit(take_long)
            await asyncio.to_thread(deciding.wait, 20)
            searching = asyncio.ensure_future(store.db.read_alone(journal_size))
            done, _ = await asyncio.wait({searching}, timeout=20 if patience_seconds < 1 else 0.3)
            assert bool(done) == (patience_seconds < 1)
            assert not writing.done()
            finish.set()
            await asyncio.gather(writing, searching)

        run(work())


@pytest.mark.parametrize("somebody_writes", [True, False])
def test_a_search_lets_a_short_query_go_first_while_somebody_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, somebody_writes: bool
) -> None:
    monkeypatch.setattr(readers, "_TURN_SECONDS", 60.0)
    monkeypatch.setattr(readers, "_WRITING_SECONDS", 60.0 if somebody_writes else 0.0)
    with a_store(tmp_path) as store:
        append_all(store, a_note("one"))
        reading, finish = threading.Event(), threading.Event()

        def take_long(_tx: ReadTx) -> bool:
            reading.set()
            return finish.wait(20)

        async def work() -> None:
            short = asyncio.ensure_future(store.db.read(take_long))
            await asyncio.to_thread(reading.wait, 20)
            searching = asyncio.ensure_future(store.db.read_alone(journal_size))
            done, _ = await asyncio.wait({searching}, timeout=0.3 if somebody_writes else 20)
            assert bool(done) != somebody_writes
            finish.set()
            await asyncio.gather(short, searching)

        run(work())


def test_a_decision_sees_the_decisions_before_it_in_the_same_commit(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        gate = threading.Event()

        async def work() -> int:
            first = store.db.submit(lambda _tx: gate.wait(5))
            rows = [store.append(store.prepare(an_event(n))) for n in range(5)]
            seen = store.commit(lambda tx: Decision((), journal_size(tx)))
            gate.set()
            await asyncio.gather(first, *rows)
            return (await seen).outcome

        assert run(work()) == 5


def test_a_full_queue_is_an_answer_and_not_memory_growth(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        store.db._queue_limit = 3
        gate = threading.Event()

        async def work() -> None:
            started = threading.Event()

            def block(_tx: WriteTx) -> None:
                started.set()
                gate.wait(5)

            blocked = store.db.submit(block)
            await asyncio.to_thread(started.wait, 5)
            waiting = [store.append(store.prepare(an_event(n))) for n in range(3)]
            with pytest.raises(Exhausted, match="3 writes are already waiting"):
                store.append(store.prepare(an_event(4)))
            gate.set()
            await asyncio.gather(blocked, *waiting)

        run(work())
        assert store.chain.size == 3


def test_closing_finishes_what_was_accepted_and_refuses_the_rest(tmp_path: Path) -> None:
    store = JournalStore.open_owner(tmp_path, SystemClock())

    async def work() -> None:
        accepted = [store.append(store.prepare(an_event(n))) for n in range(50)]
        await asyncio.to_thread(store.close)
        receipts = await asyncio.gather(*accepted)
        assert [receipt.seq for receipt in receipts] == list(range(1, 51))
        with pytest.raises(Unavailable, match="closing"):
            store.append(store.prepare(an_event(51)))

    run(work())


def test_searches_give_way_from_when_a_write_is_handed_in_until_it_is_on_its_way_to_the_disk(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        quiet = store.db._readers.writer_is_quiet

        async def work() -> None:
            assert quiet.is_set()
            written = store.append(store.prepare(an_event(1)))
            assert not quiet.is_set()
            await written
            assert quiet.is_set()
            refused = [store.append(store.prepare(an_event(n))) for n in (2, 3)]
            store.db.refuse_writes(Unavailable("the disk is gone"))  # in the same turn
            assert {type(one) for one in await asyncio.gather(*refused, return_exceptions=True)} == {Unavailable}
            assert quiet.is_set()

        run(work())
        assert store.chain.size == 1


def test_several_event_loops_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        seqs: list[int] = []

        async def work() -> None:
            for n in range(100):
                pending = [store.append(store.prepare(an_event(n))) for _ in range(3)]
                seqs.extend(receipt.seq for receipt in await asyncio.gather(*pending))

        threads = [threading.Thread(target=asyncio.run, args=(work(),)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(seqs) == list(range(1, 1_201))


def test_a_turn_of_the_loop_counts_against_the_limit(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        store.db._queue_limit = 5

        async def work() -> None:
            accepted = [store.append(store.prepare(an_event(n))) for n in range(5)]
            with pytest.raises(Exhausted, match="5 writes are already waiting"):
                store.append(store.prepare(an_event(5)))
            await asyncio.gather(*accepted)

        run(work())
        assert store.chain.size == 5


def test_a_turn_larger_than_a_commit_is_cut_and_counted_until_its_last_part_is_taken_up(tmp_path: Path) -> None:
    seen: list[int] = []
    with a_store(tmp_path) as store:

        async def work() -> None:
            count = 2 * limits.DECISIONS_PER_COMMIT + 1
            await asyncio.gather(*(store.db.submit(lambda _tx: seen.append(store.db.queued)) for _ in range(count)))

        run(work())
        assert store.db.metrics.commits == 3
        assert seen == [257] * 256 + [1] * 256 + [0]
        assert store.db.queued == 0


def test_a_cancelled_caller_does_not_disturb_the_writer(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:

        async def work() -> None:
            store.append(store.prepare(an_event(1))).cancel()
            await store.append(store.prepare(an_event(2)))

        run(work())
        assert store.chain.size == 2


def test_a_read_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with a_store(tmp_path) as store, pytest.raises(Deadline):
        store.db.read_now(lambda tx: tx.execute(endless).fetchall(), limit_seconds=0.05)


def test_readers_cannot_write(tmp_path: Path) -> None:
    with a_store(tmp_path) as store, pytest.raises(Unavailable):
        store.db.read_now(lambda tx: tx.execute("DELETE FROM notes").fetchall())


def test_writes_over_the_budget_are_counted(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        store.db.metrics.budget_ms = 0.000_001
        append_all(store, a_note("slow"))
    assert store.db.metrics.over_budget == 1
    assert (store.db.metrics.percentile_ms(0.99) or 0) > 0


def test_durability_is_full_and_the_wal_has_one_owner(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        pragmas = (
            "journal_mode",
            "synchronous",
            "foreign_keys",
            "secure_delete",
            "wal_autocheckpoint",
            "trusted_schema",
        )
        values = store.db.write_now(lambda tx: [tx.execute(f"PRAGMA {name}").fetchone() for name in pragmas])
        assert values == [("wal",), (2,), (1,), (1,), (0,), (0,)]


def test_the_wal_is_folded_and_started_afresh_under_load(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        body = {"text": "x" * 2_000}
        for _ in range(40):
            append_all(store, *(an_event(1)._replace(body=dict(body)) for _ in range(200)))
        wal = (tmp_path / "palyra.db-wal").stat().st_size
        assert wal < 16_000_000
        assert (tmp_path / "palyra.db").stat().st_size > 8_000_000
        assert store.chain.size == 8_000
