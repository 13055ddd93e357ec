"""Timers: each job by itself, its state told, all of them ended by close."""

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path

import pytest

from palyra.app import build_app
from palyra.core.clock import ManualClock, SystemClock
from palyra.core.errors import Unavailable
from palyra.domain.access import Access
from palyra.jobs.timers import Job, Timers
from palyra.settings import load
from support import run


async def until(timers: Timers, name: str, runs: int) -> Job:
    return await watch(timers, name, lambda job: job.runs >= runs)


async def watch(timers: Timers, name: str, is_so: Callable[[Job], bool]) -> Job:
    async with asyncio.timeout(10):
        while not is_so(job := next(job for job in timers.jobs() if job.name == name)):  # noqa: ASYNC110 - state only
            await asyncio.sleep(0.002)
    return job


async def well() -> None:
    await asyncio.sleep(0)


def test_a_job_runs_again_and_again_and_says_when(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        timers = Timers(clock)
        timers.start("tick", 5, well)
        [fresh] = timers.jobs()
        assert fresh == Job("tick", 5, clock.now_ms() + 5)
        clock.advance(100)
        job = await until(timers, "tick", 3)
        assert (job.last_started_ms, job.last_error) == (clock.now_ms(), None)
        assert job.next_due_ms == clock.now_ms() + 5
        assert job.last_ms is not None
        await timers.close()

    run(work())


def test_the_first_run_can_come_sooner_than_the_interval() -> None:
    async def work() -> None:
        timers = Timers(SystemClock())
        timers.start("hourly", 3_600_000, well, first_ms=1)
        job = await until(timers, "hourly", 1)
        assert job.next_due_ms > SystemClock().now_ms() + 3_000_000
        await timers.close()

    run(work())


def test_a_job_that_fails_or_hangs_stops_no_other_and_not_itself() -> None:
    async def work() -> None:
        outcomes = [Unavailable("no model"), None, KeyError("whose words are these"), None]

        async def moody() -> None:
            if outcomes and (error := outcomes.pop(0)) is not None:
                raise error

        async def stuck() -> None:
            await asyncio.Event().wait()

        timers = Timers(SystemClock())
        timers.start("moody", 20, moody)
        timers.start("stuck", 1, stuck)
        timers.start("well", 1, well)
        assert (await until(timers, "moody", 1)).last_error == "no model"
        assert (await until(timers, "moody", 2)).last_error is None
        assert (await until(timers, "moody", 3)).last_error == "unexpected KeyError"
        await until(timers, "well", 5)
        hanging = next(job for job in timers.jobs() if job.name == "stuck")
        assert (hanging.is_running, hanging.runs) == (True, 0)
        await timers.close()

    run(work())


def test_what_a_job_complains_of_is_redacted() -> None:
    async def work() -> None:
        secret = "sk-" + secrets.token_hex(24)

        async def leaky() -> None:
            raise Unavailable(f"refused with api_key={secret}")

        timers = Timers(SystemClock())
        timers.start("leaky", 1, leaky)
        assert secret not in ((await until(timers, "leaky", 1)).last_error or secret)
        await timers.close()

    run(work())


def test_closing_ends_every_job_also_in_the_middle_of_a_run() -> None:
    async def work() -> None:
        ended = []

        async def long() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                ended.append("long")

        timers = Timers(SystemClock())
        timers.start("long", 1, long)
        timers.start("later", 3_600_000, well)
        await watch(timers, "long", lambda job: job.is_running)
        await timers.close()
        assert ended == ["long"]
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert not any(job.is_running for job in timers.jobs())
        await timers.close()

    run(work())


@pytest.mark.parametrize(
    ("access", "serving", "names"),
    [
        (Access.OWN, True, ["checkpoint", "compaction", "maintenance", "workspace"]),
        (Access.OWN, False, ["checkpoint"]),
        (Access.READ, False, []),
        (Access.NONE, False, []),
    ],
)
def test_only_a_daemon_keeps_memory_in_order_by_itself(
    tmp_path: Path, access: Access, serving: bool, names: list[str]
) -> None:
    async def work() -> None:
        settings = load({"daemon.data_dir": str(tmp_path)}, {}).settings
        async with build_app(settings, access=access, serving=serving) as app:
            assert [job.name for job in app.timers.jobs()] == names

    run(work())
