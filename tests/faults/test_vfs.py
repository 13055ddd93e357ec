"""Every single I/O call of SQLite fails once: callers get an answer from the error table, the journal stays whole."""

import asyncio
import shutil
import threading
import traceback
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import apsw
import pytest

import palyra
from faults.ledger import (
    Account,
    Ack,
    append,
    draft_of,
    files_holding,
    origin_of,
    settings_for,
    settle,
    words_of,
    writing_again,
)
from faults.vfs import NAME, Fault, FaultyVFS, Hit, Kind
from palyra.app import App, build_app
from palyra.core.clock import SystemClock
from palyra.core.errors import FailedPrecondition, Integrity, PalyraError, Unavailable
from palyra.domain.access import Access
from palyra.domain.journal import Decision, EventFilter
from palyra.services.backup import create
from palyra.services.erase import erase
from palyra.store.connection import ReadTx
from palyra.store.journal_store import StoreOptions
from palyra.store.upkeep import outage, wal

OWN_REFUSAL = "this decision refuses by itself"


@dataclass(slots=True)
class Story:
    """What the callers of one run were told."""

    acks: list[Ack]
    erased: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fault]:
    """Armed by the test; the WAL is short, so that folding it is part of the story."""
    monkeypatch.setattr(wal, "FOLD_PAGES", 10)
    fault = Fault()
    vfs = FaultyVFS(fault)
    yield fault
    vfs.unregister()


@pytest.fixture
def thread_deaths(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    deaths: list[str] = []

    def note_death(death: threading.ExceptHookArgs) -> None:
        if not _is_of_closing(death.exc_value):
            deaths.append(f"thread {death.thread and death.thread.name} died of {death.exc_value!r}")

    monkeypatch.setattr(threading, "excepthook", note_death)
    return deaths


@pytest.mark.timeout(300)
@pytest.mark.parametrize("for_good", [False, True], ids=["once", "for_good"])
@pytest.mark.parametrize("kind", list(Kind), ids=lambda kind: kind.value)
def test_io_fault_at_any_call_loses_nothing_and_is_told_in_our_own_words(
    scratch: Path,
    fault: Fault,
    thread_deaths: list[str],
    kind: Kind,
    for_good: bool,
    cycles: int,
    tally: Callable[[str], None],
) -> None:
    template = scratch / "template"
    old = asyncio.run(_make_template(template))
    total, points, hits_commit = Account(), 0, 0
    stride = 1 if cycles >= 200 else 5
    for n in count(1, stride):
        fault.arm(kind, n, for_good=for_good)
        account, hit = asyncio.run(_run_once(template, scratch / "data", fault, old))
        account.problems += thread_deaths
        account.problems = [f"{problem}\n    after {kind.value} at call {n}: {hit}" for problem in account.problems]
        thread_deaths.clear()
        total.add(account)
        if hit is None:
            break
        points += 1
        hits_commit += hit.is_commit
    often = "for good" if for_good else "once"
    tally(f"VFS {kind.value} {often}: {points} points, {hits_commit} of them in a commit, {total.balance}")
    total.check()
    assert hits_commit > 0


async def test_nothing_is_written_after_a_failed_commit_not_even_by_what_waits_behind_it(
    scratch: Path, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer takes several jobs at once; the ones behind the failed commit must hear of it, too."""
    monkeypatch.setattr(outage, "FIRST_PAUSE_SECONDS", 60.0)
    async with App(settings_for(scratch), SystemClock(), StoreOptions(vfs=NAME), Access.OWN) as app:
        await append(app, 1, 1)
        gate = threading.Event()

        def hold_up(_tx: ReadTx) -> Decision[None]:
            gate.wait(10)
            return Decision((), None)

        held = asyncio.create_task(app.journal.commit(hold_up))
        await asyncio.sleep(0.05)
        doomed = asyncio.create_task(append(app, 1, 2))
        await asyncio.sleep(0.05)
        behind = asyncio.create_task(asyncio.to_thread(app.store.db.compact))
        await asyncio.sleep(0.05)
        fault.arm_at(Kind.IOERR, "xSync", "wal")
        gate.set()
        await held
        with pytest.raises(Unavailable):
            await doomed
        assert fault.hit is not None
        assert fault.hit.is_commit
        with pytest.raises(Unavailable, match="writing has stopped"):
            await behind
        assert fault.writes_since == 0


async def _make_template(directory: Path) -> list[Ack]:
    async with build_app(settings_for(directory), access=Access.OWN) as app:
        acks = [await append(app, 0, n) for n in range(1, 11)]
        await create(app.store, directory / "backups" / "old", lambda _done, _total: None)
        return acks


async def _run_once(template: Path, directory: Path, fault: Fault, old: list[Ack]) -> tuple[Account, Hit | None]:
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(template, directory)
    story = Story(list(old))
    victim = old[3]
    async with asyncio.timeout(60):
        await _told(story, _write_and_erase(story, directory, fault, victim))
    hit = fault.hit
    fault.disarm()
    erased = set(story.erased)
    account = await settle(directory, story.acks, erased=erased, maybe_erased=[victim.event_id], notes=story.notes)
    account.problems += story.problems
    if erased:
        account.problems += files_holding(directory, [words_of(victim.who, victim.n)])
    return account, hit


async def _write_and_erase(story: Story, directory: Path, fault: Fault, victim: Ack) -> None:
    options = StoreOptions(vfs=NAME, wait_seconds=1)
    async with App(settings_for(directory), SystemClock(), options, Access.OWN) as app:
        await asyncio.gather(
            *(_told(story, _append(story, app, n)) for n in range(1, 6)),
            _told(story, app.journal.commit(_refuse), own=OWN_REFUSAL),
            _told(story, _decide_two(story, app)),
            *(_told(story, _append(story, app, n)) for n in range(6, 9)),
        )
        await _told(story, _erase(story, app, victim))
        await _told(story, _sign(story, app))
        await asyncio.gather(*(_told(story, _append(story, app, n)) for n in range(9, 13)))
        if fault.hit is not None and fault.hit.is_commit:
            await _expect_recovery(story, app, fault)


async def _told(story: Story, attempt: Awaitable[object], own: str = "") -> None:
    """Whatever a caller is told, it is in the error table."""
    try:
        await attempt
    except (Unavailable, Integrity):
        return
    except FailedPrecondition as error:
        if error.message != own:
            story.problems.append(f"a caller was told {error!r}")
    except Exception as error:  # noqa: BLE001 - this is what the test is about
        if not _is_of_closing(error):
            path = " > ".join(f"{frame.filename}:{frame.lineno}" for frame in _frames_of_ours(error))
            story.problems.append(f"a caller met {error!r} by way of {path}")


def _is_of_closing(error: BaseException | None) -> bool:
    """SQLite passes over faults while it closes; only apsw reports what a VFS in Python raised meanwhile."""
    return isinstance(error, apsw.Error) and str(_frames_of_ours(error)[-1].line).endswith(".close()")


def _frames_of_ours(error: BaseException) -> list[traceback.FrameSummary]:
    ours = str(Path(palyra.__file__).parent)
    return [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(ours)]


async def _append(story: Story, app: App, n: int) -> None:
    story.acks.append(await append(app, 1, n))


async def _decide_two(story: Story, app: App) -> None:
    drafts = (draft_of(2, 1), draft_of(2, 2))
    committed = await app.journal.commit(lambda _tx: Decision(drafts, None))
    for n, (draft, receipt) in enumerate(zip(drafts, committed.receipts, strict=True), 1):
        story.acks.append(Ack(receipt.event_id, draft.kind, 2, n, receipt.seq, receipt.hash.hex()))


def _refuse(_tx: ReadTx) -> Decision[None]:
    raise FailedPrecondition(OWN_REFUSAL)


async def _erase(story: Story, app: App, victim: Ack) -> None:
    await erase(app.store, app.journal, [victim.event_id], "asked for", origin_of(0))
    story.erased.append(victim.event_id)


async def _sign(story: Story, app: App) -> None:
    _, note = await app.journal.checkpoint()
    story.notes.append(note)


async def _expect_recovery(story: Story, app: App, fault: Fault) -> None:
    """After a failed commit nobody knows what the disk holds: reading goes on, and writing once it is open again."""
    fault.disarm()
    await app.journal.list(EventFilter(), 0, 100)
    try:
        await writing_again(app)
        story.acks.append(await append(app, 3, 1))
    except (PalyraError, TimeoutError) as error:
        story.problems.append(f"after a failed commit and with the fault gone a caller was told {error!r}")
