"""Jobs through the operations: listing, running, pausing, history; with a daemon and without one."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from palyra.api import dispatch
from palyra.api import system as system_api
from palyra.api.call import Call, Caller, owner
from palyra.api.operating import jobs as api
from palyra.api.operation import Operation
from palyra.app import App, build_app
from palyra.core.clock import ManualClock
from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound, PermissionDenied
from palyra.domain.access import Access, Capability
from palyra.domain.journal import EventFilter
from palyra.jobs.spec import JobBudget, JobParts, JobReport, JobSpec, every
from palyra.jobs.table import JOBS
from palyra.settings import load
from palyra.wire.base import Request
from palyra.wire.jobs import ListJobRuns, ListJobs, PauseJob, ResumeJob, RunJob
from palyra.wire.system import Examine
from support import run


def an_installation(root: Path, access: Access = Access.OWN, *, serving: bool = True) -> App:
    settings = load({"daemon.data_dir": str(root), "memory.embeddings.provider": "hash"}, {}).settings
    return build_app(settings, ManualClock(), access, serving=serving)


def as_owner(app: App) -> Call:
    return Call(app, owner("user:ana"))


def test_a_daemon_lists_its_jobs_with_their_rhythm_and_when_they_are_due(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_installation(tmp_path) as app:
            found = await dispatch.run(as_owner(app), api.list_, ListJobs())
            assert found.serving
            assert [job.name for job in found.jobs] == sorted(job.name for job in JOBS if job.name != "external")
            by_name = {job.name: job for job in found.jobs}
            now_ms = app.clock.now_ms()
            assert (by_name["retention"].rhythm, by_name["retention"].every_ms) == ("every 5 min", 300_000)
            assert (by_name["retention"].next_due_ms or 0) - now_ms in range(50_000, 60_001)
            assert (by_name["vacuum"].every_ms, by_name["vacuum"].next_due_ms) == (None, 1_700_352_000_000)
            assert by_name["vacuum"].rhythm == "At 00:00 on Sunday (UTC)"
            assert all(job.last_error is None and not job.is_stuck and not job.attention for job in found.jobs)

    run(work())


def test_running_a_job_answers_what_came_of_it_and_is_in_the_history(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_installation(tmp_path) as app:
            call = as_owner(app)
            done = await dispatch.run(call, api.run, RunJob(name="verify"))
            assert (done.state, done.items, done.code, done.error) == ("done", 0, "", "")
            [seen] = (await dispatch.run(call, api.history, ListJobRuns())).runs
            assert (seen.name, seen.by, seen.state, seen.attempt) == ("verify", "the owner", "done", 1)
            await dispatch.run(call, api.run, RunJob(name="checkpoint"))
            page = await dispatch.run(call, api.history, ListJobRuns(limit=1))
            assert [(one.name, page.next_before_seq) for one in page.runs] == [("checkpoint", page.runs[0].seq)]
            rest = await dispatch.run(call, api.history, ListJobRuns(before_seq=page.next_before_seq))
            assert [one.name for one in rest.runs] == ["verify"]
            assert (await dispatch.run(call, api.history, ListJobRuns(name="vacuum"))).runs == []

    run(work())


def test_without_waiting_or_after_waiting_in_vain_it_was_asked_for(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_installation(tmp_path) as app:

            async def slow(_parts: JobParts, _budget: JobBudget) -> JobReport:
                await asyncio.Event().wait()
                return JobReport()

            app.jobs.add(JobSpec("slow", every(300), 1, 30, 60, 1, slow))
            app.jobs.start("slow")
            for wait_seconds in (0, 1):
                done = await dispatch.run(as_owner(app), api.run, RunJob(name="slow", wait_seconds=wait_seconds))
                assert (done.state, done.started_at_ms) == ("asked", None)
            assert app.jobs.find("slow").is_running

    run(work())


def test_without_a_daemon_a_job_is_run_here_and_somebody_has_to_wait_for_it(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_installation(tmp_path, serving=False) as app:
            with pytest.raises(FailedPrecondition, match="no daemon"):
                await dispatch.run(as_owner(app), api.run, RunJob(name="retention", wait_seconds=0))
            done = await dispatch.run(as_owner(app), api.run, RunJob(name="retention"))
            assert done.notes == ["0 expired, 0 evicted"]
        async with an_installation(tmp_path, Access.READ, serving=False) as app:
            found = await dispatch.run(as_owner(app), api.list_, ListJobs())
            retention = next(job for job in found.jobs if job.name == "retention")
            assert (found.serving, retention.last_started_ms, retention.runs) == (False, app.clock.now_ms(), 0)

    run(work())


def test_a_pause_made_without_a_daemon_holds_for_the_next_one(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_installation(tmp_path, serving=False) as app:
            paused = await dispatch.run(as_owner(app), api.pause, PauseJob(name="vacuum"))
            assert (paused.paused_by, paused.next_due_ms) == ("the owner", None)
        async with an_installation(tmp_path) as app:
            assert app.jobs.find("vacuum").paused_by == "the owner"
            await dispatch.run(as_owner(app), api.resume, ResumeJob(name="vacuum"))
        async with an_installation(tmp_path) as app:
            assert app.jobs.find("vacuum").paused_by is None

    run(work())


def test_the_doctor_names_jobs_that_fail_are_paused_or_found_something(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_installation(tmp_path) as app:
            call = as_owner(app)
            before = await dispatch.run(call, system_api.examine, Examine())
            [line] = [check for check in before.checks if check.name == "jobs"]
            assert (line.level, line.message) == ("ok", "none failed, none is paused")

            async def fail(_parts: JobParts, _budget: JobBudget) -> JobReport:
                raise FailedPrecondition("no key")

            async def alarm(_parts: JobParts, _budget: JobBudget) -> JobReport:
                return JobReport(1, attention="the journal is damaged", alarm=True)

            app.jobs.add(JobSpec("broken", every(300), 1, 30, 60, 1, fail))
            app.jobs.add(JobSpec("loud", every(300), 1, 30, 60, 1, alarm))
            for name in ("broken", "broken", "loud"):
                await dispatch.run(call, api.run, RunJob(name=name))
            await dispatch.run(call, api.pause, PauseJob(name="vacuum"))
            found = await dispatch.run(call, system_api.examine, Examine())
            lines = [(check.level, check.message, check.hint) for check in found.checks if check.name == "jobs"]
            assert lines == [
                ("warning", "broken failed 2 times in a row (failed_precondition)", "palyra jobs history broken"),
                ("warning", "vacuum is paused", "palyra jobs resume vacuum"),
                ("error", "loud: the journal is damaged", ""),
            ]
            assert not found.ok

    run(work())


def test_wrong_names_and_numbers_are_one_clear_error_and_change_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_installation(tmp_path) as app:
            call = as_owner(app)
            with pytest.raises(NotFound, match="'sweep'"):
                await dispatch.run(call, api.run, RunJob(name="sweep"))
            with pytest.raises(NotFound):
                await dispatch.run(call, api.history, ListJobRuns(name="sweep"))
            for seconds in (-1, 3_601, 1 << 62):
                with pytest.raises(InvalidArgument, match="wait_seconds"):
                    await dispatch.run(call, api.run, RunJob(name="verify", wait_seconds=seconds))
            for limit in (0, -1, 501):
                with pytest.raises(InvalidArgument, match="limit"):
                    await dispatch.run(call, api.history, ListJobRuns(limit=limit))
            assert (await dispatch.run(call, api.history, ListJobRuns(before_seq=-(1 << 62)))).runs == []
            assert (await app.journal.head())[0] == 0

    run(work())


def test_jobs_are_for_whoever_runs_the_installation(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_installation(tmp_path) as app:
            agent = Call(app, Caller("user:ana", frozenset(Capability) - {Capability.OPERATE, Capability.OWN}))
            attempts: list[tuple[Operation[Any, Any], Request]] = [
                (api.list_, ListJobs()),
                (api.run, RunJob(name="verify")),
                (api.pause, PauseJob(name="verify")),
                (api.resume, ResumeJob(name="verify")),
                (api.history, ListJobRuns()),
            ]
            for operation, request in attempts:
                with pytest.raises(PermissionDenied, match="operate"):
                    await dispatch.run(agent, operation, request)
            assert app.jobs.find("verify").paused_by is None
            assert not await app.journal.list(EventFilter(kind="job.ran"))

    run(work())
