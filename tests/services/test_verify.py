"""Whatever somebody changes with a SQLite tool, verify names the first bad seq and says what is wrong."""

import asyncio
from pathlib import Path

import pytest

from palyra.domain.journal import Fault
from palyra.services import verify as verify_module
from palyra.services.erase import erase
from palyra.services.verify import VerifyReport, verify, verify_now
from support import ANA, a_note, a_store, an_app, an_event, append_all, notes_and_events, run, tamper, verify_directory


def first(root: Path) -> tuple[Fault, int | None]:
    report = verify_directory(root)
    assert not report.ok
    return report.findings[0].fault, report.findings[0].seq


def test_an_untouched_journal_is_ok_with_size_and_root(tmp_path: Path) -> None:
    notes_and_events(tmp_path, 600)
    report = verify_directory(tmp_path)
    assert report.ok, report.findings
    assert report.size == 600
    with a_store(tmp_path) as store:
        assert report.root == store.chain.root()


def test_an_empty_journal_is_ok(tmp_path: Path) -> None:
    notes_and_events(tmp_path, 0)
    assert verify_directory(tmp_path).ok


COLUMNS = {
    "event_id": "'01KA0000000000000000000009'",
    "kind": "'test.changed'",
    "v": "2",
    "actor": "'agent'",
    "principal": "'user:anb'",
    "channel": "''",
    "session_id": "'s'",
    "run_id": "'r'",
    "request_id": "'q'",
    "request_digest": "zeroblob(32)",
    "occurred_at_ms": "occurred_at_ms + 1",
    "recorded_at_ms": "recorded_at_ms + 1",
    "commitment": "zeroblob(32)",
    "prev_hash": "zeroblob(32)",
    "hash": "zeroblob(32)",
}


@pytest.mark.parametrize("column", COLUMNS)
def test_a_change_in_any_header_column_is_found_at_its_seq(tmp_path: Path, column: str) -> None:
    notes_and_events(tmp_path, 20)
    tamper(tmp_path, f"UPDATE journal_events SET {column} = {COLUMNS[column]} WHERE seq = 13")
    fault, seq = first(tmp_path)
    assert fault in (Fault.HEADER, Fault.LINK)
    assert seq == 13


@pytest.mark.parametrize("column", ["payload", "salt"])
def test_one_changed_byte_of_a_payload_is_found_at_its_seq(tmp_path: Path, column: str) -> None:
    notes_and_events(tmp_path, 20)
    change = f"UPDATE journal_payloads SET {column} = CAST(CAST({column} AS TEXT) || 'x' AS BLOB) WHERE seq = 8"
    tamper(tmp_path, change)
    assert first(tmp_path) == (Fault.PAYLOAD, 8)


def test_text_that_is_not_even_utf8_is_a_finding_and_no_crash(tmp_path: Path) -> None:
    notes_and_events(tmp_path, 20)
    tamper(tmp_path, "UPDATE journal_events SET principal = CAST(x'ff41' AS TEXT) WHERE seq = 5")
    assert first(tmp_path) == (Fault.HEADER, 5)


def test_a_swapped_pair_is_found_as_a_matter_of_order(tmp_path: Path) -> None:
    notes_and_events(tmp_path, 20)
    swap = [f"UPDATE {t} SET seq = {to} WHERE seq = {of}" for of, to in ((6, 99), (7, 6), (99, 7)) for t in TABLES]
    tamper(tmp_path, "PRAGMA foreign_keys = OFF", *swap)
    assert first(tmp_path) == (Fault.ORDER, 6)


TABLES = ("journal_events", "journal_payloads")


def test_swapped_payloads_are_found_at_the_first_of_them(tmp_path: Path) -> None:
    notes_and_events(tmp_path, 20)
    swap = [f"UPDATE journal_payloads SET seq = {to} WHERE seq = {of}" for of, to in ((6, 99), (7, 6), (99, 7))]
    tamper(tmp_path, "PRAGMA foreign_keys = OFF", *swap)
    assert first(tmp_path) == (Fault.PAYLOAD, 6)


def test_a_deleted_event_is_a_gap(tmp_path: Path) -> None:
    notes_and_events(tmp_path, 20)
    tamper(tmp_path, *(f"DELETE FROM {table} WHERE seq = 11" for table in reversed(TABLES)))
    assert first(tmp_path) == (Fault.GAP, 11)


def test_a_deleted_payload_without_an_erasure_is_found(tmp_path: Path) -> None:
    notes_and_events(tmp_path, 20)
    tamper(tmp_path, "DELETE FROM journal_payloads WHERE seq = 11")
    assert first(tmp_path) == (Fault.PAYLOAD, 11)


def test_a_deleted_tail_is_found_from_the_checkpoint_outside_the_database(tmp_path: Path) -> None:
    notes_and_events(tmp_path, 20)
    with a_store(tmp_path) as store:
        run(store.checkpoint())
    cut = [f"DELETE FROM {table} WHERE seq > 17" for table in (*reversed(TABLES), "notes")]
    tamper(tmp_path, *cut, "DELETE FROM journal_checkpoints")
    assert first(tmp_path) == (Fault.TRUNCATED, 18)


def test_a_history_rewritten_from_scratch_fails_against_the_signed_checkpoint(tmp_path: Path) -> None:
    notes_and_events(tmp_path / "real", 20)
    with a_store(tmp_path / "real") as store:
        _, note = run(store.checkpoint())
        size = store.chain.size
    forged = tmp_path / "forged"
    with a_store(forged) as store:
        append_all(store, *(an_event(n) for n in range(size)))
    # The forger keeps the identity and the key, and rebuilds a flawless chain of other events.
    for name in ("keys/checkpoint.key", "checkpoints.log"):
        (forged / name).write_bytes((tmp_path / "real" / name).read_bytes())
    with a_store(tmp_path / "real") as store:
        identity = store.db.read_now(lambda tx: tx.execute("SELECT * FROM journal_identity").fetchone())
    assert identity is not None
    tamper(forged, f"UPDATE journal_identity SET journal_id = '{identity[1]}', verifier_key = '{identity[2]}'")
    assert first(forged) == (Fault.CHECKPOINT, 1)
    assert note in (forged / "checkpoints.log").read_text()


@pytest.mark.parametrize(
    "change",
    ["UPDATE notes SET text = 'changed' WHERE seq = 9", "DELETE FROM notes WHERE seq = 9"],
)
def test_a_projection_that_drifted_is_found_at_the_event_it_stems_from(tmp_path: Path, change: str) -> None:
    notes_and_events(tmp_path, 20)
    tamper(tmp_path, change)
    assert first(tmp_path) == (Fault.PROJECTION, 9)


def test_a_row_no_event_ever_wrote_is_found(tmp_path: Path) -> None:
    notes_and_events(tmp_path, 20)
    tamper(tmp_path, "INSERT INTO notes VALUES ('01AAAAAAAAAAAAAAAAAAAAAAAA', 5, 'x', NULL, NULL, 1, 'planted', NULL)")
    report = verify_directory(tmp_path)
    assert report.findings[0].fault is Fault.PROJECTION
    assert "stems from no event" in report.findings[0].message


def test_a_changed_tree_node_is_found(tmp_path: Path) -> None:
    notes_and_events(tmp_path, 600)
    tamper(tmp_path, "UPDATE journal_tree SET hash = zeroblob(32) WHERE idx = 1")
    assert first(tmp_path) == (Fault.TREE, 257)


def test_a_forged_checkpoint_is_found(tmp_path: Path) -> None:
    notes_and_events(tmp_path, 5)
    with a_store(tmp_path) as store:
        run(store.checkpoint())
    tamper(
        tmp_path,
        "UPDATE journal_checkpoints SET note = replace(note, char(10) || '5' || char(10), char(10) || '4' || char(10))",
    )
    assert first(tmp_path)[0] is Fault.CHECKPOINT


def test_a_damaged_file_is_a_finding(tmp_path: Path) -> None:
    notes_and_events(tmp_path, 600)
    path = tmp_path / "palyra.db"
    data = bytearray(path.read_bytes())
    data[20_000:60_000] = bytes(40_000)
    path.write_bytes(data)
    assert not verify_directory(tmp_path).ok


def test_parallel_walking_finds_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify_module, "_PARALLEL_FROM", 1)
    monkeypatch.setattr(verify_module, "RANGE_EVENTS", 256)
    notes_and_events(tmp_path, 1_500)
    assert verify_directory(tmp_path).ok
    tamper(tmp_path, "UPDATE journal_events SET v = 3 WHERE seq = 1025")
    assert first(tmp_path) == (Fault.HEADER, 1025)


def test_a_big_journal_that_sqlite_cannot_read_is_a_finding_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify_module, "_PARALLEL_FROM", 1)
    monkeypatch.setattr(verify_module, "RANGE_EVENTS", 256)
    notes_and_events(tmp_path, 1_500)
    path = tmp_path / "palyra.db"
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) * 9 // 10] = b"\xff" * (len(data) * 9 // 10 - len(data) // 2)
    path.write_bytes(data)
    report = verify_directory(tmp_path)
    assert not report.ok
    assert report.findings[0].fault is Fault.DATABASE


def test_a_gap_at_the_end_of_a_range_is_named_by_its_first_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify_module, "RANGE_EVENTS", 256)
    notes_and_events(tmp_path, 600)
    tamper(tmp_path, *(f"DELETE FROM {table} WHERE seq BETWEEN 250 AND 256" for table in reversed(TABLES)))
    assert first(tmp_path) == (Fault.GAP, 250)


def test_a_payload_seen_before_its_erasure_is_no_fault_when_another_went_missing_meanwhile() -> None:
    """Event 5 was read, then events 5 and 50 were erased by 101 and 102, then event 50 was read."""
    assert verify_module._unexplained({50}, {}, {5: 101, 50: 102}) == []
    [lost] = verify_module._unexplained({50}, {}, {5: 101})
    [kept] = verify_module._unexplained(set(), {5: 60}, {})
    assert (lost.seq, kept.seq) == (50, 5)


def test_signing_and_erasing_while_verify_walks_raises_no_alarm(tmp_path: Path) -> None:
    async def work() -> VerifyReport:
        async with an_app(tmp_path) as app:
            receipts = [await app.journal.append(a_note(f"n {n}")) for n in range(40)]
            stop = asyncio.Event()

            async def disturb() -> None:
                for receipt in receipts:
                    await erase(app.store, app.journal, [receipt.event_id], "asked for", ANA)
                    if stop.is_set():
                        return

            disturbing = asyncio.create_task(disturb())
            reports = [await verify(app.store) for _ in range(6)]
            stop.set()
            await disturbing
            return next((report for report in reports if not report.ok), reports[0])

    report = run(work())
    assert report.ok, report.findings


def test_verify_reports_progress_and_the_journal_can_grow_meanwhile(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    with a_store(tmp_path) as store:
        append_all(store, *(a_note(f"n {n}") for n in range(300)))

        def grow(what: str, done: int, total: int) -> None:
            seen.append((what, done, total))
            append_all(store, a_note("meanwhile"))

        assert verify_now(store, (), True, grow).ok
    assert seen[0] == ("events", 300, 300)
