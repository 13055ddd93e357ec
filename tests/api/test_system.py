"""How an installation stands, through the operation."""

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
from palyra.domain.journal import Origin
from palyra.jobs.spec import JobBudget, JobParts, JobReport, JobSpec, every
from palyra.jobs.table import JOBS
from palyra.settings import load
from palyra.wire.memory import Retain
from palyra.wire.system import GetSystemStatus
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
            assert (found.jobs, found.failing_jobs, found.paused_jobs, found.attention) == (len(JOBS) - 1, [], [], [])
            assert {due.name: due.next_due_ms - clock.now_ms() for due in found.due_jobs}["retention"] in range(
                50_000, 60_001
            )
            assert [due.next_due_ms for due in found.due_jobs] == sorted(due.next_due_ms for due in found.due_jobs)

    run(work())


def test_the_status_says_why_writes_are_refused(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_daemon(tmp_path, ManualClock()) as app:
            app.store.db.refuse_writes(Unavailable("the disk is gone"))
            found = await dispatch.run(as_owner(app), api.status, GetSystemStatus())
            assert found.refuses_writes == "the disk is gone"

    run(work())


def test_a_command_beside_a_daemon_reads_the_status_and_nothing_is_due_there(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with a_daemon(tmp_path, clock) as app:
            await remember(app, "I prefer tea")
            async with a_daemon(tmp_path, clock, Access.READ, serving=False) as reader:
                found = await dispatch.run(as_owner(reader), api.status, GetSystemStatus())
                assert (found.serving, found.memories, found.due_jobs) == (False, 1, [])
                assert found.refuses_writes is None

    run(work())


def test_what_jobs_found_and_which_fail_or_are_paused_shows_in_the_status(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_daemon(tmp_path, ManualClock()) as app:

            async def fail(_parts: JobParts, _budget: JobBudget) -> JobReport:
                raise Unavailable("no key")

            async def look(_parts: JobParts, _budget: JobBudget) -> JobReport:
                return JobReport(attention="look here")

            app.jobs.add(JobSpec("broken", every(300), 1, 30, 60, 1, fail))
            app.jobs.add(JobSpec("loud", every(300), 1, 30, 60, 1, look))
            by = Origin("user:ana")
            await app.jobs.run_now("broken", "the owner", by)
            await app.jobs.run_now("loud", "the owner", by)
            await app.jobs.pause("vacuum", "the owner", by)
            found = await dispatch.run(as_owner(app), api.status, GetSystemStatus())
            assert (found.failing_jobs, found.paused_jobs) == (["broken"], ["vacuum"])
            assert found.attention == ["loud: look here"]

    run(work())


def test_the_status_is_for_whoever_runs_the_installation(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_daemon(tmp_path, ManualClock()) as app:
            ana = Call(app, Caller("user:ana", frozenset({Capability.READ, Capability.METRICS})))
            with pytest.raises(PermissionDenied, match="operate"):
                await dispatch.run(ana, api.status, GetSystemStatus())

    run(work())
