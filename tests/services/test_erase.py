"""Forgetting for good."""

import asyncio
from pathlib import Path

import pytest

from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound
from palyra.core.merkle import leaf_hash, verify_inclusion
from palyra.domain.journal import Fault
from palyra.services import backup
from palyra.services.erase import EraseReport, erase
from palyra.store.upkeep.rebuild import rebuild
from support import ANA, a_note, a_store, an_app, an_event, append_all, files_holding, run, tamper, verify_directory

WORD = "xylophonequark"


async def erase_in(root: Path, *event_ids: str) -> EraseReport:
    async with an_app(root) as app:
        return await erase(app.store, app.journal, event_ids, "asked for", ANA)


def test_an_erased_word_is_in_no_file_and_the_journal_still_verifies(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        _, target, *_ = append_all(store, a_note("before"), a_note(f"the word is {WORD}"), *map(an_event, range(300)))
    assert files_holding(tmp_path, WORD)
    run(erase_in(tmp_path, target.event_id))
    assert files_holding(tmp_path, WORD) == []
    report = verify_directory(tmp_path)
    assert report.ok, report.findings
    assert report.erased == 1


def test_a_big_payload_on_overflow_pages_is_gone_too(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        [target] = append_all(store, a_note(f"{WORD} " * 12_000))
    run(erase_in(tmp_path, target.event_id))
    assert files_holding(tmp_path, WORD) == []


def test_backups_beside_the_journal_are_scrubbed_and_stay_valid(tmp_path: Path) -> None:
    async def work() -> str:
        async with an_app(tmp_path) as app:
            receipt = await app.journal.append(a_note(WORD))
            await app.journal.append(a_note("stays"))
            await backup.create(app.store, tmp_path / "backups" / "one", lambda _done, _total: None)
            return receipt.event_id

    event_id = run(work())
    report = run(erase_in(tmp_path, event_id))
    assert report.untouched_copies == ()
    assert files_holding(tmp_path, WORD) == []
    assert backup.verify(tmp_path / "backups" / "one").size == 2


def test_erasing_twice_is_one_erasure(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        [target] = append_all(store, a_note(WORD))
    first = run(erase_in(tmp_path, target.event_id)).erasures[0]
    second = run(erase_in(tmp_path, target.event_id, target.event_id)).erasures
    assert [(e.erased_by, e.repeated) for e in second] == [(first.erased_by, True)]
    assert verify_directory(tmp_path).size == 2


def test_the_certificate_proves_the_erasure_against_a_signed_root(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        [target] = append_all(store, a_note(WORD))
    report = run(erase_in(tmp_path, target.event_id))
    [proof] = report.proofs
    leaf = leaf_hash(proof.event.hash)
    assert verify_inclusion(proof.event.seq - 1, proof.size, leaf, proof.path, proof.root)
    assert f"\n{proof.size}\n" in report.checkpoint_note


def test_one_unknown_id_erases_nothing(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        [target] = append_all(store, a_note(WORD))
    with pytest.raises(NotFound, match="nothing was erased"):
        run(erase_in(tmp_path, target.event_id, "01KA0000000000000000000009"))
    assert files_holding(tmp_path, WORD)
    with pytest.raises(InvalidArgument):
        run(erase_in(tmp_path, "nonsense"))
    with pytest.raises(InvalidArgument):
        run(erase_in(tmp_path))


def test_an_erasure_cannot_be_erased(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        [target] = append_all(store, a_note(WORD))
    report = run(erase_in(tmp_path, target.event_id))
    with pytest.raises(FailedPrecondition):
        run(erase_in(tmp_path, report.proofs[0].event.event_id))


def test_repeating_an_erased_event_by_id_does_not_bring_it_back(tmp_path: Path) -> None:
    event_id = "01KA0000000000000000000001"
    with a_store(tmp_path) as store:
        append_all(store, a_note(WORD, event_id=event_id))
    run(erase_in(tmp_path, event_id))
    with a_store(tmp_path) as store:
        [receipt] = append_all(store, a_note(WORD, event_id=event_id))
    assert receipt.repeated
    assert files_holding(tmp_path, WORD) == []


def test_replay_after_erasures_gives_the_live_state(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        receipts = append_all(store, *(a_note(f"{WORD} {n}") for n in range(10)))
    run(erase_in(tmp_path, *(receipt.event_id for receipt in receipts[::2])))
    with a_store(tmp_path) as store:
        before, after = store.db.write_now(rebuild)
        texts = store.db.read_now(lambda tx: tx.execute("SELECT count(text) FROM notes").fetchone())
    assert before == after
    assert texts == (5,)


def test_a_payload_smuggled_back_after_its_erasure_is_found(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        [target] = append_all(store, a_note(WORD))
        row = store.db.read_now(lambda tx: tx.execute("SELECT salt, payload FROM journal_payloads").fetchone())
    assert row is not None
    salt, payload = row
    assert isinstance(salt, bytes)
    assert isinstance(payload, bytes)
    run(erase_in(tmp_path, target.event_id))
    tamper(tmp_path, f"INSERT INTO journal_payloads VALUES (1, x'{salt.hex()}', x'{payload.hex()}')")
    report = verify_directory(tmp_path)
    assert (report.findings[0].fault, report.findings[0].seq) == (Fault.PAYLOAD, 1)


def test_a_log_line_lost_in_a_crash_comes_back_at_the_next_opening(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        receipts = append_all(store, a_note("one"), a_note("two"))
    run(erase_in(tmp_path, *(receipt.event_id for receipt in receipts)))
    log = tmp_path / "erasures.log"
    whole = log.read_text()
    log.write_text(whole[:40])
    with a_store(tmp_path):
        pass
    assert set(log.read_text().split()) >= set(whole.split())


def test_erasing_while_others_append_loses_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path) as app:
            receipts = await asyncio.gather(*(app.journal.append(a_note(f"{WORD} {n}")) for n in range(20)))
            ids = [receipt.event_id for receipt in receipts]
            await asyncio.gather(
                erase(app.store, app.journal, ids, "asked for", ANA),
                *(app.journal.append(a_note(f"kept {n}")) for n in range(50)),
            )

    run(work())
    report = verify_directory(tmp_path)
    assert report.ok, report.findings
    assert (report.size, report.erased) == (90, 20)
    assert files_holding(tmp_path, WORD) == []


def test_a_wrong_id_leaves_no_mark_of_an_unfinished_erasure(tmp_path: Path) -> None:
    async def story() -> None:
        async with an_app(tmp_path) as app:
            with pytest.raises(NotFound):
                await erase(app.store, app.journal, ["01M7H7TECP8ZV7NY4KXPRN12CW"], "asked for", ANA)
            assert not app.directory.unfinished_erasure.exists()

    run(story())
