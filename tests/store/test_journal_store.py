"""Appending, repeating, requesting, opening: the journal's promises one by one."""

import asyncio
import stat
from pathlib import Path

import apsw
import pytest

from palyra.core.clock import ManualClock, SystemClock
from palyra.core.errors import Conflict, FailedPrecondition, Integrity, InvalidArgument, TooLarge, Unavailable
from palyra.core.hashing import GENESIS
from palyra.core.ids import UlidFactory
from palyra.domain.journal import Decision, EventDraft, EventRecord, Origin, RequestKey
from palyra.store.journal import event_at, walk_events
from palyra.store.journal_store import JournalStore, Once, StoreOptions
from palyra.store.upkeep.integrity import GUARDS
from support import ANA, a_note, a_store, an_event, append_all, run, tamper

ID = "01KA0000000000000000000001"


def records(store: JournalStore) -> list[EventRecord]:
    return store.db.read_now(lambda tx: list(walk_events(tx)))


def test_events_are_numbered_from_one_and_linked(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        append_all(store, a_note("a"), an_event(1), a_note("b"))
        stored = records(store)
        assert [record.seq for record in stored] == [1, 2, 3]
        assert [record.prev_hash for record in stored] == [GENESIS, stored[0].hash, stored[1].hash]


def test_the_same_id_again_returns_the_first_receipt_and_writes_nothing(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        [first] = append_all(store, a_note("hi", event_id=ID))
        [second] = append_all(store, a_note("hi", event_id=ID))
        assert second == first._replace(repeated=True)
        assert store.chain.size == 1


@pytest.mark.parametrize("kind", ["note", "test.happened"])
def test_the_same_id_twice_in_one_commit_is_one_event(tmp_path: Path, kind: str) -> None:
    draft = a_note("hi", event_id=ID)._replace(kind=kind)
    with a_store(tmp_path) as store:
        receipts = append_all(store, *[draft] * 20)
        assert {receipt.seq for receipt in receipts} == {1}
        assert store.chain.size == 1


@pytest.mark.parametrize(
    "other",
    [
        a_note("different", event_id=ID),
        a_note("hi", event_id=ID, origin=Origin("user:bo")),
        a_note("hi", event_id=ID)._replace(kind="test.other"),
        a_note("hi", event_id=ID)._replace(occurred_at_ms=5),
    ],
)
def test_a_different_event_under_a_used_id_is_a_conflict(tmp_path: Path, other: EventDraft) -> None:
    with a_store(tmp_path) as store:
        append_all(store, a_note("hi", event_id=ID))
        with pytest.raises(Conflict, match=ID):
            append_all(store, other)
        assert store.chain.size == 1


def test_a_repeated_request_gets_its_first_answer_even_after_a_restart(tmp_path: Path) -> None:
    key = RequestKey("req-1", b"d" * 32)

    async def ask(store: JournalStore, key: RequestKey) -> int:
        return (await store.append(store.prepare(a_note("hi")), key)).seq

    with a_store(tmp_path) as store:
        assert run(ask(store, key)) == 1
        assert run(ask(store, key)) == 1
    with a_store(tmp_path) as store:
        assert run(ask(store, key)) == 1
        with pytest.raises(Conflict, match="req-1"):
            run(ask(store, RequestKey("req-1", b"e" * 32)))
        assert store.chain.size == 1


def test_a_repeated_decision_is_answered_from_its_events_and_not_decided_again(tmp_path: Path) -> None:
    decided = []

    def decide(_tx: object) -> Decision[str]:
        decided.append(1)
        return Decision((a_note("one"), a_note("two")), "written now")

    once = Once(ANA.principal, RequestKey("req-2", b"d" * 32), lambda events: f"{len(events)} events before")
    with a_store(tmp_path) as store:

        async def ask() -> list[str]:
            return [(await store.commit(decide, once)).outcome for _ in range(2)]

        assert run(ask()) == ["written now", "2 events before"]
        assert len(decided) == 1


def test_request_ids_of_two_principals_do_not_meet(tmp_path: Path) -> None:
    async def ask(store: JournalStore, principal: str) -> int:
        draft = a_note("hi", origin=Origin(principal))
        return (await store.append(store.prepare(draft), RequestKey("same", b"d" * 32))).seq

    with a_store(tmp_path) as store:
        assert [run(ask(store, "user:ana")), run(ask(store, "user:bo"))] == [1, 2]


def test_update_and_delete_are_refused_by_the_database_itself(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        append_all(store, a_note("hi"))
    connection = apsw.Connection(str(tmp_path / "palyra.db"))
    for table in ("journal_events", "journal_payloads", "journal_identity"):
        for statement in (f"DELETE FROM {table}", f"UPDATE {table} SET rowid = rowid"):
            with pytest.raises(apsw.ConstraintError):
                connection.execute(statement)
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")}
    connection.close()
    assert names == GUARDS


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"x": float("nan")}, InvalidArgument),
        ({"x": "\ud800"}, InvalidArgument),
        ({"x": "y" * 300_000}, TooLarge),
        ({"x": {1, 2}}, InvalidArgument),
    ],
)
def test_a_payload_that_cannot_be_kept_is_refused_before_anything_is_written(
    tmp_path: Path, body: dict[str, object], error: type[Exception]
) -> None:
    with a_store(tmp_path) as store:
        with pytest.raises(error):
            store.prepare(EventDraft("note", body, ANA))  # type: ignore[arg-type]
        assert store.chain.size == 0


@pytest.mark.parametrize("depth", [65, 5_000, 200_000])
def test_deep_nesting_is_refused_and_64_levels_are_not(tmp_path: Path, depth: int) -> None:
    def nested(levels: int) -> dict[str, object]:
        value: object = "leaf"
        for _ in range(levels):
            value = [value]
        return {"x": value}

    with a_store(tmp_path) as store:
        store.prepare(EventDraft("note", nested(63), ANA))  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match="deeper than 64"):
            store.prepare(EventDraft("note", nested(depth), ANA))  # type: ignore[arg-type]


def test_secrets_are_masked_before_they_reach_the_disk(tmp_path: Path) -> None:
    secret = "gh" + "p_" + "".join(UlidFactory(SystemClock()).next()[-12:] for _ in range(3))
    with a_store(tmp_path) as store:
        append_all(store, a_note(f"my token is {secret} for the wiki"))
        [record] = records(store)
    assert record.payload is not None
    assert secret.encode() not in record.payload
    assert b"for the wiki" in record.payload
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def test_everything_in_the_directory_is_private(tmp_path: Path) -> None:
    root = tmp_path / "data"
    with a_store(root) as store:
        append_all(store, a_note("hi"))
        run(store.checkpoint())
        modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in [root, *root.rglob("*")]}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}


def test_a_second_owner_is_told_who_holds_the_directory(tmp_path: Path) -> None:
    with a_store(tmp_path), pytest.raises(Unavailable, match=r"in use by process \d+"):
        JournalStore.open_owner(tmp_path, SystemClock(), StoreOptions(wait_seconds=0))


def test_a_journal_whose_tail_is_damaged_opens_for_reading_only(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        append_all(store, *(an_event(n) for n in range(10)))
    tamper(tmp_path, "UPDATE journal_events SET kind = 'test.changed' WHERE seq = 9")
    with a_store(tmp_path) as store:
        assert isinstance(store.db.broken, Integrity)
        with pytest.raises(Integrity, match="event 9"):
            append_all(store, a_note("more"))
        assert store.db.read_now(lambda tx: event_at(tx, 3)) is not None


def test_a_file_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "palyra.db"))
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = (tmp_path / "palyra.db").read_bytes()
    with pytest.raises(FailedPrecondition, match="another program"):
        JournalStore.open_owner(tmp_path, SystemClock())
    assert (tmp_path / "palyra.db").read_bytes() == before


def test_garbage_instead_of_a_database_is_an_integrity_error(tmp_path: Path) -> None:
    (tmp_path / "palyra.db").write_bytes(b"this is no database at all, not even close" * 100)
    with pytest.raises(Integrity, match="damaged"):
        JournalStore.open_owner(tmp_path, SystemClock())


def test_without_its_key_a_journal_appends_and_says_what_to_do_about_signing(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        append_all(store, a_note("hi"))
        (tmp_path / "keys" / "checkpoint.key").unlink()
        append_all(store, a_note("still works"))
        with pytest.raises(FailedPrecondition, match="missing"):
            run(store.checkpoint())


def test_time_that_steps_back_is_recorded_as_it_was_and_changes_no_order(tmp_path: Path) -> None:
    clock = ManualClock()
    with a_store(tmp_path, clock) as store:
        append_all(store, an_event(1))
        clock.advance(-60_000)
        append_all(store, an_event(2))
        first, second = records(store)
        assert second.recorded_at_ms == first.recorded_at_ms - 60_000
        assert second.event_id > first.event_id


def test_a_checkpoint_is_in_the_database_and_in_the_file_and_is_made_once_per_size(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        append_all(store, a_note("hi"))

        async def work() -> list[str]:
            return [(await store.checkpoint())[1] for _ in range(3)]

        notes = run(work())
        assert len(set(notes)) == 1
    assert (tmp_path / "checkpoints.log").read_text() == notes[0] + "\n"


def test_a_note_that_reached_only_the_database_reaches_the_file_at_the_next_opening(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        append_all(store, a_note("hi"))
        run(store.checkpoint())
    whole = (tmp_path / "checkpoints.log").read_text()
    (tmp_path / "checkpoints.log").write_text(whole[:30])
    with a_store(tmp_path):
        pass
    assert (tmp_path / "checkpoints.log").read_text() == whole


def test_concurrent_tasks_get_dense_numbers(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:

        async def writer(n: int) -> list[int]:
            return [(await store.append(store.prepare(an_event(n)))).seq for _ in range(25)]

        async def work() -> list[list[int]]:
            return list(await asyncio.gather(*(writer(n) for n in range(20))))

        seqs = [seq for part in run(work()) for seq in part]
        assert sorted(seqs) == list(range(1, 501))
