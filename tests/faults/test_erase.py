"""An erasure is many steps: the commit, the log outside, the WAL, the backups. Each of them can be the last one."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest

from faults.ledger import Ack, append, files_holding, origin_of, settings_for, words_of
from palyra.app import App, build_app
from palyra.core.clock import SystemClock
from palyra.core.errors import Unavailable
from palyra.domain.access import Access
from palyra.domain.events import PayloadErased, body_of
from palyra.domain.journal import Decision, EventDraft, EventFilter
from palyra.services.backup import create, restore
from palyra.services.backup import verify as verify_backup
from palyra.services.erase import erase
from palyra.store.connection import open_reader
from palyra.store.datadir import DataDir
from palyra.store.journal_store import StoreOptions
from palyra.store.upkeep import wal
from palyra.store.upkeep.erasure_log import read_erasure_log


def _open(directory: Path) -> App:
    return build_app(settings_for(directory), access=Access.OWN, wait_seconds=1)


async def test_erasing_succeeds_while_others_write_and_the_wal_is_folded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No reader holds anything here: another fold at the same moment is no reason to give up."""
    monkeypatch.setattr(wal, "FOLD_PAGES", 20)

    async with _open(tmp_path) as app:
        targets = [await append(app, 0, n) for n in range(1, 31)]
        async with _busy(_append_for_ever(app, who) for who in range(1, 9)):
            for target in targets:
                await erase(app.store, app.journal, [target.event_id], "asked for", origin_of(0))


async def test_erasing_succeeds_while_others_read_all_the_time(tmp_path: Path) -> None:
    """Each reader is quick, but there is always one."""
    async with _open(tmp_path) as app:
        targets = [await append(app, 0, n) for n in range(1, 301)][:10]

        async def read() -> None:
            while True:
                await app.journal.list(EventFilter(), 0, 1_000)

        async with _busy(read() for _ in range(8)):
            for target in targets:
                await append(app, 1, target.n)
                await _erase(app, target)


async def test_repeated_erasure_reaches_the_backups_after_the_log_could_not_be_written(tmp_path: Path) -> None:
    async with _open(tmp_path) as app:
        target = await append(app, 1, 1)
        await create(app.store, tmp_path / "backups" / "old", lambda _done, _total: None)
        with _in_the_way_of(app.directory.erasures), pytest.raises(Unavailable):
            await _erase(app, target)
        await _erase(app, target)
        found = files_holding(tmp_path / "backups", [words_of(1, 1)])
    assert found == []


async def test_erasure_cut_off_after_its_commit_reaches_the_log_of_a_restored_journal(tmp_path: Path) -> None:
    """The log then names events that the restored journal never had, so it cannot be judged by its length."""
    directory = tmp_path / "data"
    async with _open(directory) as app:
        target = await append(app, 1, 1)
        await create(app.store, directory / "backups" / "old", lambda _done, _total: None)
        later = await append(app, 1, 2)
        await _erase(app, later)
    await _restore(directory / "backups" / "old", directory)
    async with _open(directory) as app:
        await _erase_and_die_after_the_commit(app, target)
    async with _open(directory):
        assert target.event_id in read_erasure_log(directory / "erasures.log")
    assert files_holding(directory, [words_of(1, 1)]) == []


async def test_restoring_one_backup_after_another_does_not_bring_back_what_was_erased(tmp_path: Path) -> None:
    directory, early, late = tmp_path / "data", tmp_path / "early", tmp_path / "late"
    async with _open(directory) as app:
        kept = await append(app, 1, 1)
        await _erase(app, kept)
        await create(app.store, early, lambda _done, _total: None)
        target = await append(app, 1, 2)
        await create(app.store, late, lambda _done, _total: None)
        await _erase(app, target)
    await _restore(early, directory)
    await _restore(late, directory)
    assert files_holding(directory, [words_of(1, 2)]) == []


async def test_erasures_at_the_same_time_all_reach_the_backups(tmp_path: Path) -> None:
    async with _open(tmp_path) as app:
        targets = [await append(app, 1, n) for n in range(1, 9)]
        for name in ("old", "older"):
            await create(app.store, tmp_path / "backups" / name, lambda _done, _total: None)
        await asyncio.gather(*(_erase(app, target) for target in targets))
    assert files_holding(tmp_path, [words_of(1, n) for n in range(1, 9)]) == []
    verify_backup(tmp_path / "backups" / "old")


async def test_erasure_beside_a_slow_reader_gives_up_soon_and_stalls_nobody(tmp_path: Path) -> None:
    """A reader such as `journal verify` may take minutes; the writers of that time must not notice an erasure."""
    async with _open(tmp_path) as app:
        target = await append(app, 1, 1)
        with _slow_reader(app.directory.database):
            erasing = asyncio.create_task(_erase(app, target))
            await asyncio.sleep(0.5)
            async with asyncio.timeout(5):
                await append(app, 1, 2)
            async with asyncio.timeout(30):
                with suppress(Unavailable):
                    await erasing
    async with _open(tmp_path):
        pass  # what had to wait for the reader is done now
    assert files_holding(tmp_path, [words_of(1, 1)]) == []


async def test_backup_made_while_a_text_is_erased_does_not_keep_it(tmp_path: Path) -> None:
    loop = asyncio.get_running_loop()
    async with _open(tmp_path) as app:
        target = await append(app, 1, 1)

        def erase_when_copied(done: int, total: int) -> None:
            """Called by the thread that copies."""
            if done == total:
                asyncio.run_coroutine_threadsafe(_erase(app, target), loop).result()

        await create(app.store, tmp_path / "backups" / "new", erase_when_copied)
    async with _open(tmp_path):
        pass  # what a crash could have left undone is done by now
    assert files_holding(tmp_path, [words_of(1, 1)]) == []


async def _erase(app: App, target: Ack) -> None:
    await erase(app.store, app.journal, [target.event_id], "asked for", origin_of(0))


async def _erase_and_die_after_the_commit(app: App, target: Ack) -> None:
    """What `erase` does up to the point where its caller could have been killed."""
    record = await app.journal.get(target.event_id)
    body = body_of(PayloadErased(record.event_id, record.seq, record.kind, "asked for"))
    draft = EventDraft(PayloadErased.KIND, body, origin_of(0), PayloadErased.V)
    await app.journal.commit(lambda _tx: Decision((draft,), None))


async def _restore(backup: Path, directory: Path) -> None:
    await restore(backup, DataDir(directory), SystemClock(), StoreOptions(), replace=True)


@contextmanager
def _in_the_way_of(path: Path) -> Iterator[None]:
    """The file can be neither read nor written: a directory stands in its place."""
    assert not path.exists()
    path.mkdir()
    try:
        yield
    finally:
        path.rmdir()


@contextmanager
def _slow_reader(database: Path) -> Iterator[None]:
    reader = open_reader(database)
    try:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM journal_events").fetchall()
        yield
    finally:
        reader.close()


async def _append_for_ever(app: App, who: int) -> None:
    for n in count(1):
        await append(app, who, n)


@asynccontextmanager
async def _busy(work: Iterable[Coroutine[None, None, None]]) -> AsyncIterator[None]:
    """Others do `work` meanwhile, without end."""
    tasks = [asyncio.create_task(one) for one in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
