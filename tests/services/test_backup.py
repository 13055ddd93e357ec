from pathlib import Path

import pytest

from palyra.core.errors import AlreadyExists, FailedPrecondition, Integrity, NotFound
from palyra.domain.access import Access
from palyra.services import backup
from palyra.services.backup import RestoreReport
from palyra.services.erase import erase
from palyra.store.datadir import DataDir
from palyra.store.upkeep.restore import finish_staged_restore
from support import ANA, a_note, a_store, an_app, append_all, files_holding, run, verify_directory

WORD = "xylophonequark"


def back_up(root: Path, target: Path) -> None:
    async def work() -> None:
        async with an_app(root) as app:
            await backup.create(app.store, target, lambda _done, _total: None)

    run(work())


def restore(target: Path, root: Path, *, replace: bool = False) -> RestoreReport:
    async def work() -> RestoreReport:
        async with an_app(root, access=Access.NONE) as app:
            return await backup.restore(target, app.directory, app.clock, app.options, replace=replace)

    return run(work())


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    root = tmp_path / "data"
    with a_store(root) as store:
        append_all(store, a_note(WORD), a_note("two"), a_note("three"))
    return root


def test_a_backup_restores_into_an_empty_directory_and_verifies(tmp_path: Path, journal: Path) -> None:
    back_up(journal, tmp_path / "b")
    report = restore(tmp_path / "b", tmp_path / "new")
    assert (report.size, report.abandoned_events, report.kept_as) == (3, 0, None)
    assert verify_directory(tmp_path / "new").ok
    with a_store(tmp_path / "new") as store:
        append_all(store, a_note("goes on"))
        assert store.chain.size == 4


def test_a_journal_that_is_there_is_not_replaced_unless_asked(tmp_path: Path, journal: Path) -> None:
    back_up(journal, tmp_path / "b")
    with a_store(journal) as store:
        append_all(store, a_note("later"))
    with pytest.raises(FailedPrecondition, match="4 events"):
        restore(tmp_path / "b", journal)
    assert verify_directory(journal).size == 4
    report = restore(tmp_path / "b", journal, replace=True)
    assert report.abandoned_events == 1
    assert report.kept_as is not None
    assert backup.verify(report.kept_as).size == 4
    after = verify_directory(journal)
    assert after.ok, after.findings


def test_what_was_erased_after_the_backup_is_erased_again(tmp_path: Path, journal: Path) -> None:
    back_up(journal, tmp_path / "b")
    assert files_holding(tmp_path / "b", WORD)

    async def forget() -> None:
        async with an_app(journal) as app:
            first = await app.journal.get("1")
            await erase(app.store, app.journal, [first.event_id], "asked for", ANA)

    run(forget())
    report = restore(tmp_path / "b", journal, replace=True)
    assert report.erased_again == 1
    assert files_holding(journal, WORD) == []
    after = verify_directory(journal)
    assert after.ok, after.findings


def test_a_crash_before_the_last_step_of_a_restore_is_finished_by_the_next_opening(
    tmp_path: Path, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(journal, tmp_path / "b")
    with a_store(journal) as store:
        append_all(store, a_note("later"))
    calls = []

    def crash_second_time(directory: DataDir) -> None:
        calls.append(directory)
        if len(calls) > 1 and directory.root == journal:
            raise KeyboardInterrupt
        finish_staged_restore(directory)

    with monkeypatch.context() as patch:
        patch.setattr(backup, "finish_staged_restore", crash_second_time)
        with pytest.raises(KeyboardInterrupt):
            restore(tmp_path / "b", journal, replace=True)
    assert (journal / "restore.ready").exists()
    report = verify_directory(journal)
    assert report.ok, report.findings
    assert report.size == 4  # three of the backup, and the event that says what was left behind
    assert not (journal / "restore.ready").exists()


@pytest.mark.parametrize("name", ["palyra.db", "checkpoints.log", "keys/checkpoint.key", "manifest.json"])
def test_a_changed_byte_in_a_backup_is_found_and_nothing_is_restored(tmp_path: Path, journal: Path, name: str) -> None:
    with a_store(journal) as store:
        run(store.checkpoint())
    back_up(journal, tmp_path / "b")
    path = tmp_path / "b" / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(Integrity):
        restore(tmp_path / "b", tmp_path / "new")
    assert not (tmp_path / "new" / "palyra.db").exists()


def test_something_that_is_no_backup_is_refused(tmp_path: Path, journal: Path) -> None:
    with pytest.raises(NotFound, match="no manifest"):
        restore(tmp_path, journal, replace=True)
    assert verify_directory(journal).size == 3


def test_a_backup_does_not_overwrite_what_is_there(tmp_path: Path, journal: Path) -> None:
    back_up(journal, tmp_path / "b")
    with pytest.raises(AlreadyExists):
        back_up(journal, tmp_path / "b")


@pytest.mark.parametrize("damage", [b"no database", b""], ids=["garbage", "holes"])
def test_a_journal_too_damaged_to_open_can_be_replaced(tmp_path: Path, journal: Path, damage: bytes) -> None:
    back_up(journal, tmp_path / "b")
    path = journal / "palyra.db"
    data = path.read_bytes()
    path.write_bytes(damage * 2_000 if damage else data[:8_192] + bytes(len(data) - 8_192))
    with pytest.raises(FailedPrecondition, match="already holds"):
        restore(tmp_path / "b", journal)
    report = restore(tmp_path / "b", journal, replace=True)
    assert report.kept_as is not None
    assert (report.kept_as / "palyra.db").exists()
    after = verify_directory(journal)
    assert after.ok, after.findings


def test_a_backup_made_without_the_key_restores(tmp_path: Path, journal: Path) -> None:
    (journal / "keys" / "checkpoint.key").unlink()
    back_up(journal, tmp_path / "b")
    assert restore(tmp_path / "b", tmp_path / "new").size == 3
    assert verify_directory(tmp_path / "new").ok
