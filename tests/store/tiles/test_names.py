"""What is written down about a tile is what its events hold; every query finds what a look at each event finds."""

from pathlib import Path
from typing import cast

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palyra.core.clock import ManualClock
from palyra.core.errors import PalyraError
from palyra.domain.journal import Actor, EventDraft, EventFilter, EventRecord, Fault, Origin
from palyra.domain.memory import Change, Draft, Stored
from palyra.domain.scope import Visibility
from palyra.services.memory import lifecycle
from palyra.services.memory.ingest import ingest
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.journal import list_events, walk_events
from palyra.store.memory.items import HistoryEntry, history_of
from palyra.store.tiles.names import NAMED_EVENTS, kind_name, principal_name, session_name
from palyra.store.tiles.tree import TILE_WIDTH
from palyra.store.upkeep.rebuild import rebuild
from support import a_memory, a_store, append_all, run, tamper, verify_directory

ANA = Visibility("user:ana")
BEGIN_MS = 1_700_000_000_000
PRINCIPALS = ("user:ana", "user:bob", "user:%")
SESSIONS = (None, "s1", "s2")
KINDS = ("test.happened", "build.finished", "build")


def draft(number: int) -> EventDraft:
    """Many names in some stretches, few in others, and some that are in one tile alone."""
    common = number // 300 % 2 == 0
    origin = Origin(
        PRINCIPALS[0] if common else PRINCIPALS[number % 3],
        Actor.AGENT if number % 5 == 0 else Actor.USER,
        "c1" if number % 4 == 0 else None,
        SESSIONS[number % 3] if not common else None,
        "r1" if 600 <= number < 610 else None,
    )
    return EventDraft(KINDS[0] if common else KINDS[number % 7 % 3], {"n": number}, origin)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five tiles and a rest, written in sittings that end in the middle of tiles, by a clock that steps back."""
    root = tmp_path_factory.mktemp("names")
    clock = ManualClock(BEGIN_MS)
    number = 0
    for sitting in (100, 156, 300, 1, 255, 88, 512):
        with a_store(root, clock) as store:
            for done in range(0, sitting, 50):
                size = min(50, sitting - done)
                append_all(store, *(draft(number + offset) for offset in range(size)))
                number += size
                clock.advance(-700 if number % 3 == 0 else 1_000)
    return root


def is_wanted(record: EventRecord, want: EventFilter) -> bool:
    origin = record.origin
    asked = (
        (want.kind, record.kind),
        (want.actor, origin.actor),
        (want.principal, origin.principal),
        (want.channel, origin.channel),
        (want.session_id, origin.session_id),
        (want.run_id, origin.run_id),
    )
    return (
        all(wish is None or wish == held for wish, held in asked)
        and (want.since_ms is None or record.recorded_at_ms >= want.since_ms)
        and (want.until_ms is None or record.recorded_at_ms < want.until_ms)
    )


times = st.none() | st.integers(BEGIN_MS - 2_000, BEGIN_MS + 20_000)
filters = st.builds(
    EventFilter,
    st.sampled_from((None, *KINDS, "never.was")),
    st.sampled_from((None, Actor.AGENT)),
    st.sampled_from((None, *PRINCIPALS, "user:ANA")),
    st.sampled_from((None, "c1")),
    st.sampled_from((*SESSIONS, "s3")),
    st.sampled_from((None, "r1")),
    times,
    times,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(filters, st.integers(0, 1_500), st.integers(1, 400), st.booleans())
def test_any_query_finds_what_a_look_at_every_event_finds(
    journal: Path, want: EventFilter, after: int, limit: int, newest_first: bool
) -> None:
    def compare(tx: ReadTx) -> None:
        every = [record.seq for record in walk_events(tx) if is_wanted(record, want)]
        if newest_first:
            expected = [seq for seq in reversed(every) if not after or seq < after]
        else:
            expected = [seq for seq in every if seq > after]
        found = list_events(tx, want, after, limit, newest_first=newest_first)
        assert [record.seq for record in found] == expected[:limit]

    with a_store(journal) as store:
        store.db.read_now(compare)


@pytest.mark.parametrize(
    ("name", "column", "value"),
    [
        (kind_name("build"), "kind", "build"),
        (principal_name("user:%"), "principal", "user:%"),
        (session_name("s2"), "session_id", "s2"),
    ],
)
def test_whoever_asks_for_all_events_of_a_name_gets_them(journal: Path, name: str, column: str, value: str) -> None:
    def compare(tx: ReadTx) -> None:
        every = tx.execute(f"SELECT seq FROM journal_events WHERE {column} = ? ORDER BY seq", (value,)).fetchall()
        named = f"SELECT e.seq{NAMED_EVENTS}WHERE e.{column} = ? ORDER BY e.seq"
        assert tx.execute(named, (name, value)).fetchall() == every
        assert len(every) > 50

    with a_store(journal) as store:
        store.db.read_now(compare)


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_query_looks_at_tiles_that_hold_the_name_and_at_no_others(tmp_path: Path, newest_first: bool) -> None:
    """Counted in steps of SQLite's machine, which are the same at every hour."""
    with a_store(tmp_path) as store:
        common, rare = (store.prepare(EventDraft(kind, {"n": 1}, Origin("user:ana"))) for kind in ("often", "rare"))
        for _ in range(3):
            store.db.write_now(lambda tx: store.chain.append(tx, [common] * 9_999))
            store.db.write_now(lambda tx: store.chain.append(tx, [rare] * 10))
            store.db.write_now(lambda tx: store.chain.append(tx, [common] * 300))
        assert _steps(tmp_path, EventFilter(kind="rare"), newest_first) < 60 * TILE_WIDTH


def _steps(root: Path, want: EventFilter, newest_first: bool) -> int:
    hundreds = 0

    def count() -> bool:
        nonlocal hundreds
        hundreds += 1
        return False

    connection = apsw.Connection(str(root / "palyra.db"), flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_progress_handler(count, 100)
    assert len(list_events(cast("ReadTx", connection), want, 0, 10, newest_first=newest_first)) == 10
    connection.close()
    return hundreds * 100


def test_what_is_written_down_while_appending_is_what_verify_and_rebuild_work_out(journal: Path) -> None:
    assert verify_directory(journal).ok
    with a_store(journal) as store:
        before = store.db.read_now(names)
        assert len(before[1]) == 5
        store.db.write_now(rebuild)
        assert store.db.read_now(names) == before


def names(tx: ReadTx) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    tiles = tx.execute("SELECT * FROM journal_tiles ORDER BY tile").fetchall()
    return tx.execute("SELECT * FROM journal_names ORDER BY name, tile").fetchall(), tiles


def test_a_decision_that_fails_after_filling_a_tile_leaves_nothing_of_it_behind(tmp_path: Path) -> None:
    clock = ManualClock(BEGIN_MS)
    with a_store(tmp_path, clock) as store:
        append_all(store, *(draft(number) for number in range(TILE_WIDTH - 3)))
        clock.advance(-5_000)

        def fails(tx: WriteTx) -> None:
            stranger = Origin("user:gone", Actor.USER, None, "s9")
            store.chain.append(tx, [store.prepare(EventDraft("never.was", {"n": 1}, stranger))] * 300)
            raise ValueError

        with pytest.raises(PalyraError):
            store.db.write_now(fails)
        clock.advance(9_000)
        append_all(store, *(draft(number) for number in range(10)))
        written, [tile] = store.db.read_now(names)
        assert tile == (0, BEGIN_MS, BEGIN_MS + 4_000)
        assert ("principal:user:gone", 0) not in written
    assert verify_directory(tmp_path).ok


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM journal_names WHERE tile = 2 AND name = 'kind:build'",
        "UPDATE journal_names SET name = 'kind:forged' WHERE tile = 2 AND name = 'kind:build'",
        "INSERT INTO journal_names VALUES ('kind:forged', 2)",
        "UPDATE journal_tiles SET to_ms = to_ms - 1 WHERE tile = 2",
        "DELETE FROM journal_tiles WHERE tile = 2",
    ],
)
def test_verify_says_which_stretch_was_tampered_with_and_rebuild_mends_it(tmp_path: Path, statement: str) -> None:
    with a_store(tmp_path) as store:
        append_all(store, *(draft(number) for number in range(4 * TILE_WIDTH)))
    tamper(tmp_path, statement)
    [finding] = verify_directory(tmp_path).findings
    assert (finding.fault, finding.seq) == (Fault.NAMES, 2 * TILE_WIDTH + 1)
    with a_store(tmp_path) as store:
        store.db.write_now(rebuild)
    assert verify_directory(tmp_path).ok


_SCHEMA_9 = """
CREATE TABLE memory_history (
    memory_id TEXT NOT NULL, seq INTEGER NOT NULL, event_id TEXT NOT NULL, kind TEXT NOT NULL,
    PRIMARY KEY (memory_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO memory_history
    SELECT memory_id, seq, event_id, kind FROM journal_events
    JOIN (SELECT memory_id, seq FROM memory_items UNION SELECT memory_id, seq FROM memory_changes) USING (seq);
DROP TABLE memory_changes;
DROP TABLE journal_names;
DROP TABLE journal_tiles;
CREATE INDEX journal_events_by_kind ON journal_events (kind);
CREATE INDEX journal_events_by_principal ON journal_events (principal);
CREATE INDEX journal_events_by_session ON journal_events (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX journal_events_by_run ON journal_events (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX journal_events_by_time ON journal_events (recorded_at_ms);
DROP VIEW proposals;
DROP INDEX memory_candidates_by_batch;
DROP INDEX learning_candidates_by_batch;
ALTER TABLE memory_candidates DROP COLUMN batch;
ALTER TABLE learning_candidates DROP COLUMN batch;
DELETE FROM schema_migrations WHERE version > 9;
PRAGMA user_version = 9;
"""


def test_notes_about_events_that_are_still_to_come_are_told_of_and_stop_nothing(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        append_all(store, *(draft(number) for number in range(TILE_WIDTH + 10)))
    tamper(
        tmp_path,
        f"INSERT INTO journal_names VALUES ('kind:{KINDS[0]}', 1), ('kind:forged', 1)",
        "INSERT INTO journal_tiles VALUES (1, 0, 0)",
    )
    assert [finding.fault for finding in verify_directory(tmp_path).findings] == [Fault.NAMES]
    with a_store(tmp_path) as store:
        written = append_all(store, *(draft(number) for number in range(TILE_WIDTH)))
        found = store.db.read_now(
            lambda tx: list_events(tx, EventFilter(principal="user:ana"), 0, 9, newest_first=True)
        )
        assert found[0].seq == written[-1].seq
    [finding] = verify_directory(tmp_path).findings
    assert (finding.fault, finding.seq) == (Fault.NAMES, TILE_WIDTH + 1)
    with a_store(tmp_path) as store:
        store.db.write_now(rebuild)
    assert verify_directory(tmp_path).ok


def test_a_journal_with_an_index_entry_per_event_is_upgraded(tmp_path: Path) -> None:
    async def remember() -> list[HistoryEntry]:
        async with a_memory(tmp_path) as memory:
            stored = await ingest(memory, Draft("the staging port is 5432"), ANA)
            assert isinstance(stored.outcome, Stored)
            await lifecycle.update(memory, stored.outcome.memory_id, Change(text="the staging port is 6543"), ANA)
            memory_id = stored.outcome.memory_id
            return await memory.store.db.read(lambda tx: history_of(tx, memory_id))

    told = run(remember())
    assert [entry.kind for entry in told] == ["memory.stored", "memory.updated"]
    with a_store(tmp_path) as store:
        append_all(store, *(draft(number) for number in range(700)))
        before = store.db.read_now(names)
    assert len(before[1]) == 2
    connection = apsw.Connection(str(tmp_path / "palyra.db"))
    [(memory_id,)] = connection.execute("SELECT DISTINCT memory_id FROM memory_items")
    connection.execute(_SCHEMA_9)
    connection.close()
    with a_store(tmp_path) as store:
        assert store.db.read_now(names) == before
        assert store.db.read_now(lambda tx: history_of(tx, str(memory_id))) == told
    assert verify_directory(tmp_path).ok
