"""The disk of the journal is really full, or really read-only."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from faults.disk import fill, remount, tiny_disk
from faults.ledger import Ack, append, files_holding, origin_of, settings_for, settle, words_of, writing_again
from palyra.app import App, build_app
from palyra.core.errors import PalyraError, Unavailable
from palyra.domain.access import Access
from palyra.domain.journal import EventDraft, EventFilter
from palyra.services.backup import create
from palyra.services.erase import erase, finish_begun
from palyra.services.verify import verify


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with tiny_disk(tmp_path / "disk") as mount:
        yield mount


def test_full_disk_refuses_and_loses_nothing_and_goes_on_once_there_is_space(
    disk: Path, tally: Callable[[str], None]
) -> None:
    ballast = disk / "ballast"
    ballast.write_bytes(b"x" * 256 * 1024)
    acks = asyncio.run(_append_until_full(disk / "data"))
    ballast.unlink()
    acks += asyncio.run(_append_some(disk / "data", 2))
    account = asyncio.run(settle(disk / "data", acks))
    tally(f"full disk: {account.balance}")
    account.check()


async def test_full_disk_is_told_in_our_own_words_to_whoever_signs_or_erases(disk: Path) -> None:
    async with _open(disk / "data") as app:
        acks = [await append(app, 1, n) for n in range(1, 30)]
        await create(app.store, disk / "data" / "backups" / "old", lambda _done, _total: None)
        with fill(disk):
            for n in range(4):
                with suppress(PalyraError):
                    await app.journal.checkpoint()
                with suppress(PalyraError):
                    await erase(app.store, app.journal, [acks[n].event_id], "asked for", origin_of(0))
                with suppress(PalyraError):
                    acks.append(await append(app, 1, 100 + n))
    (await settle(disk / "data", acks, maybe_erased={ack.event_id for ack in acks[:4]})).check()


async def test_on_a_full_disk_erasing_works_and_leaves_nothing_and_other_writes_are_still_refused(
    tmp_path: Path,
) -> None:
    with tiny_disk(tmp_path / "disk", 24) as disk:
        data = disk / "data"
        async with _open(data) as app:
            acks = [await append(app, 1, n) for n in range(1, 30)]
            with fill(disk):
                with pytest.raises(Unavailable, match="full"):
                    await _append_for_ever(app, acks)
                report = await erase(app.store, app.journal, [acks[0].event_id], "asked for", origin_of(0))
                assert report.untouched_copies == ()
                assert report.checkpoint_note
                with pytest.raises(Unavailable, match="full"):
                    await append(app, 2, 1)
                assert app.directory.reserve.exists(), "there is no room for the next erasure"
            await writing_again(app)
            acks.append(await append(app, 2, 2))
        assert files_holding(data, [words_of(1, 1)]) == []
        (await settle(data, acks, erased={acks[0].event_id})).check()


def test_a_store_that_is_opened_on_a_full_disk_can_be_read_and_erased_from(tmp_path: Path) -> None:
    with tiny_disk(tmp_path / "disk", 24) as disk:
        data = disk / "data"
        acks = asyncio.run(_append_some(data, 1))

        async def erase_one() -> None:
            async with _open(data) as app:
                report = await erase(app.store, app.journal, [acks[0].event_id], "asked for", origin_of(0))
                assert report.untouched_copies == ()

        with fill(disk):
            assert asyncio.run(_read_everything(data)) == len(acks)
            asyncio.run(erase_one())
            assert asyncio.run(_read_everything(data)) == len(acks) + 1
        assert files_holding(data, [words_of(1, 1)]) == []
        asyncio.run(settle(data, acks, erased={acks[0].event_id})).check()


async def test_an_erasure_without_room_to_rewrite_the_database_says_so_and_is_finished_later(tmp_path: Path) -> None:
    with tiny_disk(tmp_path / "disk", 24) as disk:
        data = disk / "data"
        async with _open(data) as app:
            acks = [await append(app, 1, n) for n in range(1, 30)]
            for _ in range(12):  # more than the room that is kept
                await app.journal.append(EventDraft("bulk", {"text": "x" * 250_000}, origin_of(9)))
            with fill(disk):
                with pytest.raises(Unavailable, match="full"):
                    await _append_for_ever(app, acks)
                report = await erase(app.store, app.journal, [acks[0].event_id], "asked for", origin_of(0))
                assert report.untouched_copies == (app.directory.database,)
                assert app.directory.unfinished_erasure.exists()
            await writing_again(app)
            await finish_begun(app.store, app.journal)
            assert not app.directory.unfinished_erasure.exists()
        (await settle(data, acks, erased={acks[0].event_id})).check()
        assert files_holding(data, [words_of(1, 1)]) == []


def test_backup_that_does_not_fit_leaves_nothing_behind(disk: Path) -> None:
    async def story() -> list[Ack]:
        async with _open(disk / "data") as app:
            acks = [await append(app, 1, n) for n in range(1, 30)]
            with fill(disk), pytest.raises(Unavailable):
                await create(app.store, disk / "data" / "backups" / "too-big", lambda _done, _total: None)
        return acks

    acks = asyncio.run(story())
    assert list((disk / "data" / "backups").iterdir()) == []
    asyncio.run(settle(disk / "data", acks)).check()


def test_opening_on_a_full_disk_works_or_says_so_in_our_own_words(disk: Path) -> None:
    acks = asyncio.run(_append_some(disk / "data", 1))
    with fill(disk):
        with _works_or_says_that_it_is_full():
            asyncio.run(_append_some(disk / "data", 3))
        with _works_or_says_that_it_is_full():
            asyncio.run(_read_everything(disk / "data"))
    asyncio.run(settle(disk / "data", acks)).check()


def test_read_only_disk_is_read_and_refuses_to_append_with_one_clear_error(disk: Path) -> None:
    acks = asyncio.run(_append_some(disk / "data", 1))
    remount(disk, "ro")
    with pytest.raises(Unavailable, match=r"[Rr]ead-only|readonly"):
        asyncio.run(_append_some(disk / "data", 2))
    assert asyncio.run(_read_everything(disk / "data")) == len(acks)
    remount(disk, "rw")
    asyncio.run(settle(disk / "data", acks)).check()


@contextmanager
def _works_or_says_that_it_is_full() -> Iterator[None]:
    try:
        yield
    except Unavailable as error:
        assert "is full" in error.message  # noqa: PT017 - it need not be raised


async def _append_until_full(directory: Path) -> list[Ack]:
    acks: list[Ack] = []
    async with _open(directory) as app:
        with pytest.raises(Unavailable, match="full"):
            await _append_for_ever(app, acks)
        with pytest.raises(Unavailable, match="full"):
            await append(app, 1, len(acks) + 5)
        listed = await app.journal.list(EventFilter(), 0, 1_000)
        assert [event.event_id for event in listed] == [ack.event_id for ack in acks]
    return acks


async def _append_for_ever(app: App, acks: list[Ack]) -> None:
    while True:
        acks += await asyncio.gather(*(append(app, 1, len(acks) + n) for n in range(1, 5)))


async def _append_some(directory: Path, who: int) -> list[Ack]:
    async with _open(directory) as app:
        return [await append(app, who, n) for n in range(1, 11)]


async def _read_everything(directory: Path) -> int:
    async with build_app(settings_for(directory), access=Access.READ) as app:
        report = await verify(app.store)
        assert report.findings == ()
        return len(await app.journal.list(EventFilter(), 0, 1_000))


def _open(directory: Path) -> App:
    return build_app(settings_for(directory), access=Access.OWN)
