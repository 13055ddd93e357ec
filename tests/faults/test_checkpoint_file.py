"""The file of signed checkpoints lies on a disk of its own (journal.checkpoint_file), and that disk is full."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from faults.disk import fill, tiny_disk
from faults.ledger import append, settings_for
from palyra.app import App, build_app
from palyra.core.errors import PalyraError, Unavailable
from palyra.domain.access import Access
from palyra.domain.signed_note import split_notes
from palyra.services.verify import verify


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with tiny_disk(tmp_path / "disk") as mount:
        yield mount


def _open(tmp_path: Path, disk: Path, every_events: int = 1_000) -> App:
    settings = settings_for(
        tmp_path / "data", checkpoint_every_events=every_events, checkpoint_file=str(disk / "checkpoints.log")
    )
    return build_app(settings, access=Access.OWN, wait_seconds=1)


async def test_checkpoint_that_does_not_fit_is_told_in_our_own_words(tmp_path: Path, disk: Path) -> None:
    async with _open(tmp_path, disk) as app:
        await append(app, 1, 1)
        with fill(disk), pytest.raises(Unavailable):
            await app.journal.checkpoint()
        await append(app, 1, 2)


async def test_checkpoint_repeated_once_there_is_space_is_in_the_file(tmp_path: Path, disk: Path) -> None:
    async with _open(tmp_path, disk) as app:
        await append(app, 1, 1)
        with fill(disk), suppress(Unavailable):
            await app.journal.checkpoint()
        _, note = await app.journal.checkpoint()
        assert note in (disk / "checkpoints.log").read_text()


async def test_checkpoints_made_at_the_same_time_are_in_the_file_when_acknowledged_and_only_once(
    tmp_path: Path,
) -> None:
    async with build_app(settings_for(tmp_path), access=Access.OWN) as app:
        file = app.directory.checkpoints
        missing: list[str] = []

        async def sign_again_and_again(who: int) -> None:
            for n in range(1, 26):
                await append(app, who, n)
                _, note = await app.journal.checkpoint()
                if note not in await asyncio.to_thread(file.read_text):
                    missing.append(note)

        await asyncio.gather(*(sign_again_and_again(who) for who in range(1, 9)))
        text = await asyncio.to_thread(file.read_text)
    assert missing == []
    notes, rest = split_notes(text)
    assert (len(notes), rest) == (len(set(notes)), "")


async def test_journal_can_be_closed_when_the_checkpoint_due_at_its_end_does_not_fit(
    tmp_path: Path, disk: Path
) -> None:
    with fill(disk):
        async with _open(tmp_path, disk) as app:
            await append(app, 1, 1)
    async with _open(tmp_path, disk) as app:  # the lock is free again
        await append(app, 1, 2)


async def test_checkpoints_in_the_background_that_do_not_fit_stop_no_facts(tmp_path: Path, disk: Path) -> None:
    with _unhandled() as unhandled:
        async with _open(tmp_path, disk, every_events=2) as app:
            with fill(disk):
                for n in range(1, 20):
                    await append(app, 1, n)
                    await asyncio.sleep(0.01)
    assert unhandled == []


async def test_checkpoint_file_is_sound_after_a_note_that_fitted_only_in_part(tmp_path: Path, disk: Path) -> None:
    """The torn note must not stay in the middle of the file, where it looks like tampering for ever."""
    async with _open(tmp_path, disk) as app:
        for n in range(1, 300):
            await append(app, 1, n)
            await app.journal.checkpoint()
            if (disk / "checkpoints.log").stat().st_size % 4096 > 4096 - 150:
                break  # the next note crosses the end of a page, and so of the disk
        with fill(disk), suppress(PalyraError, OSError):
            await append(app, 1, 1_000)
            await app.journal.checkpoint()
        await append(app, 1, 1_001)
        await app.journal.checkpoint()
    async with _open(tmp_path, disk) as app:
        assert (await verify(app.store)).findings == ()


@contextmanager
def _unhandled() -> Iterator[list[str]]:
    """What asyncio would log of tasks whose failure nobody looked at."""
    seen: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: seen.append(repr(context.get("exception"))))
    yield seen
