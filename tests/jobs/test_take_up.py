"""From one process to the next: what was begun is taken up, what was due stays due, whoever holds a lease is let be."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jobs.pacing import OPERATOR, ManualPace, a_job, nothing, running, something, view
from palyra.core.clock import ManualClock
from palyra.domain.jobs.events import Outcome
from palyra.domain.jobs.rhythm import Every, retry_wait_ms, take_up_wait_ms, wait_at_start_ms
from palyra.jobs.spec import JobBudget, JobParts, JobReport
from palyra.store.jobs.states import Lease, holders, states, take_lease
from support import run

DAY = 86_400
TESTS = Path(__file__).parents[1]


def kill_in_the_middle(root: Path) -> None:
    command = [sys.executable, str(TESTS / "jobs" / "leaseholder.py"), str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(TESTS)}) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.kill()


def test_a_job_whose_process_was_killed_is_taken_up_by_the_next(tmp_path: Path) -> None:
    kill_in_the_middle(tmp_path)

    async def work() -> None:
        pace = ManualPace()
        async with running(tmp_path, a_job("long", something, DAY), pace=pace) as (runner, app):
            assert len(await app.store.db.read(holders)) == 1
            await pace.settle(1)
            await pace.advance(5)
            assert (view(runner, "long").runs, view(runner, "long").last_error) == (1, None)
            await pace.advance(DAY - 1)
            assert view(runner, "long").runs == 1
            assert await app.store.db.read(holders) == {}

    run(work())


def test_a_job_that_kills_its_process_every_time_is_taken_up_later_and_later(tmp_path: Path) -> None:
    for _ in range(3):
        kill_in_the_middle(tmp_path)

    async def work() -> None:
        pace = ManualPace()
        async with running(tmp_path, a_job("long", something, DAY), pace=pace) as (runner, _):
            await pace.settle(1)
            await pace.advance(7.9)
            assert view(runner, "long").runs == 0
            await pace.advance(0.1)
            assert view(runner, "long").runs == 1

    run(work())
    assert [take_up_wait_ms(times) for times in (1, 2, 3, 4, 30)] == [5_000, 5_000, 8_000, 16_000, 600_000]


def test_a_run_that_ended_with_its_process_is_taken_up_and_told_as_no_failure(tmp_path: Path) -> None:
    async def work() -> None:
        begun = asyncio.Event()

        async def long(_parts: JobParts, _budget: JobBudget) -> JobReport:
            begun.set()
            await asyncio.Event().wait()
            return JobReport()

        async with running(tmp_path, a_job("long", long, DAY, first=0.001)):
            await begun.wait()
        pace = ManualPace()
        async with running(tmp_path, a_job("long", something, DAY), pace=pace) as (runner, _):
            assert view(runner, "long").last_error is None
            await pace.settle(1)
            await pace.advance(5)
            assert view(runner, "long").runs == 1

    run(work())


def test_another_process_that_holds_a_lease_is_let_be_until_its_time_is_up(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with running(tmp_path, a_job("five", something), clock=clock, start=False) as (runner, app):
            assert (await runner.run_now("five", "the owner", OPERATOR)).outcome is Outcome.DONE
            theirs = Lease("five", "another", clock.ms, clock.ms + 60_000, begins=True)
            assert await app.store.db.submit(lambda tx: take_lease(tx, theirs))
            refused = await runner.run_now("five", "the owner", OPERATOR)
            assert (refused.outcome, refused.code) == (Outcome.FAILED, "conflict")
            clock.advance(60_000)
            assert (await runner.run_now("five", "the owner", OPERATOR)).outcome is Outcome.DONE

    run(work())


def test_a_daily_job_is_neither_put_off_nor_repeated_by_restarts(tmp_path: Path) -> None:
    async def work() -> None:
        clock, runs = ManualClock(), 0

        async def count(_parts: JobParts, _budget: JobBudget) -> JobReport:
            nonlocal runs
            runs += 1
            return JobReport()

        for _ in range(12 * 3):
            pace = ManualPace(clock)
            async with running(tmp_path, a_job("daily", count, DAY, first=600), clock=clock, pace=pace) as (_, _app):
                await pace.settle(1)
                await pace.advance(7_200)
        assert runs == 3

    run(work())


def test_what_the_last_process_failed_with_is_told_by_the_next(tmp_path: Path) -> None:
    async def work() -> None:
        async def broken(_parts: JobParts, _budget: JobBudget) -> JobReport:
            raise ValueError

        async with running(tmp_path, a_job("broken", broken), start=False) as (runner, _):
            await runner.run_now("broken", "the owner", OPERATOR)
        async with running(tmp_path, a_job("broken", nothing), start=False) as (runner, app):
            one = view(runner, "broken")
            assert (one.last_error, one.failures) == ("unexpected ValueError", 1)
            assert (await app.store.db.read(states))["broken"].code == "internal"

    run(work())


@pytest.mark.parametrize(
    ("due_at_ms", "wait_ms"),
    [
        (None, 60_000),
        (1_000_000 + 200_000, 200_000),
        (1_000_000 + 300_001, 300_000),
        (1_000_000 + 10 * 365 * DAY * 1_000, 300_000),
        (1_000_000 + 1_000, 60_000),
        (0, 60_000),
        (-(1 << 50), 60_000),
    ],
)
def test_a_time_on_record_counts_for_no_more_than_one_interval(due_at_ms: int | None, wait_ms: int) -> None:
    assert wait_at_start_ms(Every(300_000, 60_000), 1_000_000, due_at_ms) == wait_ms


def test_retries_come_later_each_time_and_never_all_at_once() -> None:
    assert [retry_wait_ms(failures, 0.0) for failures in (1, 2, 3, 20, 10**9)] == [
        2_000,
        4_000,
        8_000,
        600_000,
        600_000,
    ]
    assert retry_wait_ms(1, 1.0) == 1_000
