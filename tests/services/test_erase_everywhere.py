"""Where erased text could hide, and what happens when a copy cannot be reached."""

import random
from pathlib import Path

import pytest

from palyra.api import dispatch
from palyra.api import journal as api
from palyra.api.call import Call, owner
from palyra.core.clock import SystemClock
from palyra.core.errors import Unavailable
from palyra.core.ids import ALPHABET
from palyra.domain.access import Access
from palyra.services import backup
from palyra.services.erase import EraseReport, erase
from palyra.store.datadir import DataDir
from palyra.store.journal_store import JournalStore
from palyra.store.upkeep.erasure_log import mark_unfinished, read_erasure_log
from palyra.wire.journal import AppendEvent
from support import ANA, a_note, a_store, an_app, append_all, files_holding, run, verify_directory


async def erase_in(root: Path, *event_ids: str) -> EraseReport:
    async with an_app(root) as app:
        return await erase(app.store, app.journal, event_ids, "asked for", ANA)


def test_no_copy_is_left_in_the_gaps_of_pages_that_were_split(tmp_path: Path) -> None:
    """Rows with random keys make SQLite move others about, and moved rows leave their old bytes behind."""
    rng = random.Random(7)
    ids = ["0" + "".join(rng.choices(ALPHABET, k=25)) for _ in range(400)]
    words = [f"marker{n}{rng.getrandbits(60):x}" for n in range(400)]
    drafts = [a_note(f"{w} " * rng.randint(1, 40), event_id=i) for w, i in zip(words, ids, strict=True)]
    with a_store(tmp_path) as store:
        for draft in drafts:
            append_all(store, draft)
    run(erase_in(tmp_path, *ids[::2]))
    data = (tmp_path / "palyra.db").read_bytes()
    assert not [word for word in words[::2] if word.encode() in data]
    assert all(word.encode() in data for word in words[1::2])
    report = verify_directory(tmp_path)
    assert report.ok, report.findings


def test_an_erasure_that_crashed_after_its_commit_is_finished_by_the_next_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def back_up(word: str) -> str:
        async with an_app(tmp_path) as app:
            receipt = await app.journal.append(a_note(word))
            await backup.create(app.store, tmp_path / "backups" / "b", lambda _done, _total: None)
            return receipt.event_id

    event_id = run(back_up("xylophonequark"))

    def crash(_store: JournalStore) -> list[Path]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(JournalStore, "finish_erasures", crash)
        with pytest.raises(KeyboardInterrupt):
            run(erase_in(tmp_path, event_id))
    with a_store(tmp_path):
        pass
    assert files_holding(tmp_path, "xylophonequark") == []
    assert read_erasure_log(tmp_path / "erasures.log") == [event_id]
    assert not (tmp_path / "erasing").exists()


def test_a_backup_that_cannot_be_read_is_named_and_stops_nothing(tmp_path: Path) -> None:
    async def work() -> EraseReport:
        async with an_app(tmp_path) as app:
            receipt = await app.journal.append(a_note("secretish"))
            await backup.create(app.store, tmp_path / "backups" / "bad", lambda _done, _total: None)
            (tmp_path / "backups" / "bad" / "palyra.db").write_bytes(b"damaged" * 2_000)
            return await erase(app.store, app.journal, [receipt.event_id], "asked for", ANA)

    report = run(work())
    assert report.untouched_copies == (tmp_path / "backups" / "bad",)
    with a_store(tmp_path) as store:
        append_all(store, a_note("goes on"))
    assert verify_directory(tmp_path).ok


def test_half_made_copies_of_a_dead_process_are_removed(tmp_path: Path) -> None:
    with a_store(tmp_path):
        pass
    for name in ("backups/b.partial", "restore.staging"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "palyra.db").write_text("old text")
    with a_store(tmp_path):
        pass
    assert files_holding(tmp_path, "old text") == []


def test_a_chain_of_restores_does_not_bring_erased_text_back(tmp_path: Path) -> None:
    root = tmp_path / "data"

    async def append(text: str) -> str:
        async with an_app(root) as app:
            return (await app.journal.append(a_note(text))).event_id

    async def copy(name: str) -> None:
        async with an_app(root) as app:
            await backup.create(app.store, tmp_path / name, lambda _done, _total: None)

    async def restore(name: str) -> None:
        async with an_app(root, access=Access.NONE) as app:
            await backup.restore(tmp_path / name, app.directory, app.clock, app.options, replace=True)

    run(erase_in(root, run(append("first"))))
    run(copy("one"))
    doomed = run(append("xylophonequark"))
    run(copy("two"))
    run(erase_in(root, doomed))
    run(restore("one"))
    run(restore("two"))
    assert files_holding(root, "xylophonequark") == []
    report = verify_directory(root)
    assert report.ok, report.findings


def test_a_mark_without_work_to_do_does_no_harm(tmp_path: Path) -> None:
    with a_store(tmp_path) as store:
        append_all(store, a_note("hi"))
    mark_unfinished(DataDir(tmp_path))
    with a_store(tmp_path) as store:
        assert store.chain.size == 1
    assert verify_directory(tmp_path).ok


def test_a_reader_in_the_way_is_named_and_the_erasure_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palyra.store.db._FOLD_ATTEMPTS", 2)
    with a_store(tmp_path) as store:
        [receipt] = append_all(store, a_note("xylophonequark"))
    reader = JournalStore.open_reader(tmp_path, SystemClock())
    held = reader.db._readers._open()
    held.execute("BEGIN")
    held.execute("SELECT count(*) FROM journal_events").fetchall()
    with pytest.raises(Unavailable, match="reader"):
        run(erase_in(tmp_path, receipt.event_id))
    held.close()
    reader.close()
    with a_store(tmp_path):
        pass
    assert files_holding(tmp_path, "xylophonequark") == []


def test_a_request_digest_does_not_let_a_masked_secret_be_guessed(tmp_path: Path) -> None:
    """The digest is of what was written: two requests that differ only in what was masked are the same request."""

    async def work() -> list[int]:
        async with an_app(tmp_path) as app:
            call = Call(app, owner("user:ana"))
            texts = [f"my password is {pin}, keep it" for pin in ("hunter22x", "tango99z")]
            return [
                (
                    await dispatch.run(call, api.append, AppendEvent(kind="note", payload={"text": t}, request_id="r"))
                ).seq
                for t in texts
            ]

    assert run(work()) == [1, 1]
