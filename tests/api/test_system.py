"""How an installation stands, and what its daemon does by itself, through the operations."""

import os
from pathlib import Path

import pytest

from palyra.api import dispatch
from palyra.api import memory as memory_api
from palyra.api import system as api
from palyra.api.call import Call, Caller, owner
from palyra.app import App, build_app
from palyra.core.clock import ManualClock
from palyra.core.errors import PermissionDenied, Unavailable
from palyra.domain.access import Access, Capability
from palyra.settings import load
from palyra.wire.memory import Retain
from palyra.wire.system import GetSystemStatus, ListJobs
from support import run


def a_daemon(root: Path, clock: ManualClock, access: Access = Access.OWN, *, serving: bool = True) -> App:
    given = {"daemon.data_dir": str(root), "memory.retention.max_entries": "1", "memory.embeddings.provider": "hash"}
    return build_app(load(given, {}).settings, clock, access, serving=serving)


def as_owner(app: App) -> Call:
    return Call(app, owner("user:ana"))


async def remember(app: App, text: str, source: str = "manual") -> None:
    await dispatch.run(as_owner(app), memory_api.retain, Retain(text=text, source=source))


def test_the_status_says_who_serves_what_and_how_much_there_is(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with a_daemon(tmp_path, clock) as app:
            started_at_ms = clock.now_ms()
            clock.advance(5_000)
            empty = await dispatch.run(as_owner(app), api.status, GetSystemStatus())
            assert (empty.events, empty.memories, empty.embedding_model) == (0, 0, "hash")
            await remember(app, "I prefer tea")
            await remember(app, "the tool says so", "tape:tool_result")
            found = await dispatch.run(as_owner(app), api.status, GetSystemStatus())
            assert (found.pid, found.serving, found.data_dir) == (os.getpid(), True, str(tmp_path))
            assert (found.events, found.unsigned_events) == (2, 2)
            assert (found.memories, found.waiting_for_review) == (1, 1)
            assert (found.started_at_ms, found.refuses_writes) == (started_at_ms, None)
            assert found.embedding_model == app.memory.follower.identity
            assert (found.jobs, found.failing_jobs) == (4, [])

    run(work())


def test_the_status_says_why_writes_are_refused(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_daemon(tmp_path, ManualClock()) as app:
            app.store.db.refuse_writes(Unavailable("the disk is gone"))
            found = await dispatch.run(as_owner(app), api.status, GetSystemStatus())
            assert found.refuses_writes == "the disk is gone"

    run(work())


def test_a_command_beside_a_daemon_reads_the_status_and_has_no_jobs(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with a_daemon(tmp_path, clock) as app:
            await remember(app, "I prefer tea")
            async with a_daemon(tmp_path, clock, Access.READ, serving=False) as reader:
                found = await dispatch.run(as_owner(reader), api.status, GetSystemStatus())
                assert (found.serving, found.memories, found.jobs) == (False, 1, 0)
                assert found.refuses_writes is None
                listed = await dispatch.run(as_owner(reader), api.jobs, ListJobs())
                assert (listed.serving, listed.jobs) == (False, [])

    run(work())


def test_the_jobs_of_a_daemon_are_listed_with_when_they_are_due(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with a_daemon(tmp_path, clock) as app:
            listed = await dispatch.run(as_owner(app), api.jobs, ListJobs())
            assert listed.serving
            assert [(job.name, job.every_ms, job.next_due_ms - clock.now_ms()) for job in listed.jobs] == [
                ("checkpoint", 60_000, 60_000),
                ("compaction", 60_000, 60_000),
                ("maintenance", 300_000, 60_000),
                ("workspace", 2_000, 2_000),
            ]
            assert all((job.runs, job.last_error, job.is_running) == (0, None, False) for job in listed.jobs)

    run(work())


def test_maintenance_does_what_retention_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        monkeypatch.setattr("palyra.app._MINUTE_MS", 20)
        async with a_daemon(tmp_path, ManualClock()) as app:
            await remember(app, "I prefer tea")
            await remember(app, "I live in Lisbon")
            found = await dispatch.run(as_owner(app), api.status, GetSystemStatus())
            while found.memories > 1:
                found = await dispatch.run(as_owner(app), api.status, GetSystemStatus())
            assert found.failing_jobs == []

    run(work())


def test_a_failing_job_shows_in_the_status(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_daemon(tmp_path, ManualClock()) as app:

            async def fail() -> None:
                raise Unavailable("no key")

            app.timers.start("broken", 5, fail)
            while not (await dispatch.run(as_owner(app), api.status, GetSystemStatus())).failing_jobs:
                pass
            listed = await dispatch.run(as_owner(app), api.jobs, ListJobs())
            assert {job.name: job.last_error for job in listed.jobs}["broken"] == "no key"

    run(work())


def test_status_and_jobs_are_for_whoever_runs_the_installation(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_daemon(tmp_path, ManualClock()) as app:
            ana = Call(app, Caller("user:ana", frozenset({Capability.READ, Capability.METRICS})))
            with pytest.raises(PermissionDenied, match="operate"):
                await dispatch.run(ana, api.status, GetSystemStatus())
            with pytest.raises(PermissionDenied, match="operate"):
                await dispatch.run(ana, api.jobs, ListJobs())

    run(work())
