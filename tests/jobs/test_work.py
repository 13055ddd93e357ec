"""What the jobs of the table do, through the runner of a real app."""

import json
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from jobs.pacing import OPERATOR, ran
from palyra.app import App, build_app
from palyra.core.clock import ManualClock
from palyra.core.errors import Unavailable
from palyra.domain.access import Access
from palyra.domain.jobs.events import Outcome
from palyra.domain.memory import DAY_MS, Draft, ItemFilter, MemorySource
from palyra.domain.scope import Visibility
from palyra.jobs.spec import JobBudget
from palyra.jobs.state import EndedRun
from palyra.jobs.table import JOBS
from palyra.services.memory import lifecycle
from palyra.services.memory.ingest import ingest_many
from palyra.settings import Settings, load
from palyra.store.jobs.space import file_space
from support import a_store, an_app, notes_and_events, run, tamper

USUAL = [job for job in JOBS if job.wanted(Settings())]
"""without an engine elsewhere"""
ANA = Visibility("user:ana")
GIVEN = {"memory.embeddings.provider": "hash"}


@asynccontextmanager
async def an_idle_daemon(
    root: Path, clock: ManualClock | None = None, settings: Mapping[str, str] = GIVEN
) -> AsyncIterator[App]:
    """Nothing is due by itself: it has just begun, and the test is over before anything is."""
    given = load({"daemon.data_dir": str(root), **GIVEN, **settings}, {}).settings
    async with build_app(given, clock or ManualClock(), serving=True) as app:
        yield app


async def now(app: App, name: str, *, sure: bool = False) -> EndedRun:
    return await app.jobs.run_now(name, "the owner", OPERATOR, sure=sure)


async def left(app: App) -> int:
    return len(await lifecycle.list_(app.memory, ANA, ItemFilter(include_past=True), limit=500))


async def messages(app: App, count: int, end_ms: int | None = None) -> None:
    drafts = [
        Draft(f"turn {n}", MemorySource.USER_MESSAGE, said_at_ms=n, expires_at_ms=end_ms) for n in range(1, count + 1)
    ]
    await ingest_many(app.memory, drafts, ANA)


@pytest.mark.parametrize(
    ("access", "serving", "followed"),
    [(Access.OWN, True, {job.name for job in USUAL}), (Access.OWN, False, {"checkpoint"}), (Access.READ, False, set())],
)
def test_only_a_daemon_does_things_by_itself(tmp_path: Path, access: Access, serving: bool, followed: set[str]) -> None:
    with a_store(tmp_path):
        pass

    async def work() -> None:
        settings = load({"daemon.data_dir": str(tmp_path), **GIVEN}, {}).settings
        async with build_app(settings, access=access, serving=serving) as app:
            assert [job.name for job in app.jobs.jobs()] == sorted(job.name for job in USUAL)
            assert {job.spec.name for job in app.jobs._jobs.values() if job.follower is not None} == followed

    run(work())


def test_what_the_settings_do_not_want_is_no_job(tmp_path: Path) -> None:
    async def work() -> None:
        off = {"workspace.sync_files": "false", "compaction.auto": "false", "learning.enabled": "false"}
        async with an_idle_daemon(tmp_path, settings=off) as app:
            names = {job.name for job in app.jobs.jobs()}
            assert not names & {"workspace", "compaction", "reflection"}
            assert {"retention", "verify", "vacuum", "embedding", "checkpoint"} <= names

    run(work())


def test_every_job_can_be_run_on_an_empty_installation_and_none_fails(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_idle_daemon(tmp_path) as app:
            for job in USUAL:
                done = await now(app, job.name)
                assert (done.outcome, done.error) == (Outcome.DONE, ""), job.name

    run(work())


def test_retention_expires_and_evicts(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with an_idle_daemon(tmp_path, clock, {"memory.retention.max_entries": "4"}) as app:
            await messages(app, 6, clock.ms + DAY_MS)
            done = await now(app, "retention")
            assert (done.items, done.notes) == (2, ("0 expired, 2 evicted",))
            clock.advance(DAY_MS)
            assert (await now(app, "retention")).notes == ("4 expired, 0 evicted",)

    run(work())


@pytest.mark.parametrize("count", [5, 40])
def test_after_a_leap_of_ten_years_nothing_expires_until_a_person_is_sure(tmp_path: Path, count: int) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with an_idle_daemon(tmp_path, clock) as app:
            await messages(app, count, clock.ms + 5 * DAY_MS)
            await now(app, "retention")
            clock.advance(3_650 * DAY_MS)
            for _ in range(30):
                clock.advance(DAY_MS)  # however long it takes
                waits = await now(app, "retention")
                assert (waits.outcome, waits.items) == (Outcome.DONE, 0)
                assert "palyra jobs run retention --sure" in waits.attention
            assert app.jobs.find("retention").attention == waits.attention
            assert await left(app) == count
        async with an_idle_daemon(tmp_path, clock) as app:  # and whoever restarts it
            assert "--sure" in app.jobs.find("retention").attention
            assert (await now(app, "retention")).items == 0
            done = await now(app, "retention", sure=True)
            assert (done.items, done.attention) == (count, "")
            assert app.jobs.find("retention").attention == ""

    run(work())


def test_a_leap_that_is_taken_back_costs_nothing_and_needs_nobody(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with an_idle_daemon(tmp_path, clock) as app:
            await messages(app, 40, clock.ms + 5 * DAY_MS)
            for leap_ms in (3_650 * DAY_MS, -3_600_000, 0, 30 * DAY_MS):
                await now(app, "retention")
                clock.advance(leap_ms)
                await now(app, "retention")
                clock.advance(-1_000)  # as a clock that is being corrected does
                await now(app, "retention")
                assert await left(app) == 40
                clock.advance(1_000 - leap_ms)
                assert (await now(app, "retention")).attention == ""
            clock.advance(DAY_MS)
            assert await left(app) == 40

    run(work())


def test_a_backfill_finds_what_has_no_vector_a_few_batches_at_a_time(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path, ManualClock(), PALYRA_MEMORY_EMBEDDINGS_PROVIDER="hash") as app:
            await messages(app, 600)
            assert app._following is not None
            app._following.cancel()  # it would be faster
            await app.memory.follower.backfill()
            await app.store.db.submit(lambda tx: tx.execute("DELETE FROM memory_vectors"))
            first = await now(app, "embedding")
            assert (first.items, first.notes) == (256, (f"256 of 600 with {app.memory.follower.identity}",))
            assert (await now(app, "embedding")).items == 256
            assert (await now(app, "embedding")).items == 88

    run(work())


def test_a_model_that_fails_makes_the_backfill_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        async with an_idle_daemon(tmp_path) as app:

            async def fail(*_given: object) -> int:
                raise Unavailable("no model")

            monkeypatch.setattr(app.memory.follower, "_embed_pending", fail)
            done = await now(app, "embedding")
            assert (done.outcome, done.error) == (Outcome.FAILED, "no model")

    run(work())


def test_a_vacuum_gives_empty_pages_back_and_is_left_out_if_there_are_few(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_idle_daemon(tmp_path) as app:
            spec = next(job for job in JOBS if job.name == "vacuum")
            idle = await spec.work(app, JobBudget(1, 60))
            assert idle.items == 0
            await app.store.db.submit(
                lambda tx: (
                    [tx.execute("CREATE TABLE big (x)")]
                    + [tx.execute("INSERT INTO big VALUES (zeroblob(100000))") for _ in range(30)]
                )
            )
            await app.store.db.submit(lambda tx: tx.execute("DROP TABLE big"))
            before = await app.store.db.read(file_space)
            assert (await spec.work(app, JobBudget(1, 60))).items == 1
            after = await app.store.db.read(file_space)
            assert (after.bytes < before.bytes - 2_000_000, after.empty_bytes) == (True, 0)

    run(work())


def test_a_vacuum_without_room_says_how_much_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        async with an_idle_daemon(tmp_path) as app:
            monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=10 << 20))
            done = await now(app, "vacuum")
            assert (done.outcome, done.code) == (Outcome.FAILED, "exhausted")
            assert "10 MiB are: 55 MiB are missing" in done.error

    run(work())


def test_verifying_a_sound_journal_is_on_record_and_a_damaged_one_is_an_alarm(tmp_path: Path) -> None:
    notes_and_events(tmp_path, 30)

    async def sound() -> None:
        async with an_idle_daemon(tmp_path) as app:
            done = await now(app, "verify")
            assert (done.items, done.attention) == (30, "")
            [told] = await ran(app)
            assert json.loads(told.payload or b"")["notes"][0].startswith("30 events")

    run(sound())
    tamper(tmp_path, "UPDATE journal_payloads SET payload = X'7B7D' WHERE seq = 4")

    async def damaged() -> None:
        async with an_idle_daemon(tmp_path) as app:
            done = await now(app, "verify")
            assert "the journal is damaged" in done.attention
            view = app.jobs.find("verify")
            assert (view.alarm, view.attention) == (True, done.attention)

    run(damaged())


def test_a_journal_that_takes_no_writes_is_still_verified(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_idle_daemon(tmp_path) as app:
            app.store.db.refuse_writes(Unavailable("the disk is gone"))
            done = await now(app, "verify")
            assert (done.outcome, done.attention) == (Outcome.DONE, "")
            assert (await now(app, "retention")).error == "the disk is gone"

    run(work())
