"""A clock on the wall that goes back, leaps or stands still neither stops a job nor floods it."""

from pathlib import Path

import pytest

from jobs.pacing import ManualPace, a_job, nothing, running, view
from palyra.core.clock import ManualClock
from palyra.domain.cron.schedule import parse_cron
from palyra.domain.jobs.rhythm import OnSchedule, next_slot_ms
from palyra.jobs.spec import JobBudget, JobParts, JobReport, JobSpec, on_schedule
from support import run

HOUR_MS, DAY_MS = 3_600_000, 86_400_000
TEN_YEARS_MS = 3_650 * DAY_MS
SUNDAY_MS = 1_700_352_000_000
"""2023-11-19 00:00 UTC"""
DAY, WEEK = 86_400, 7 * 86_400


@pytest.mark.parametrize("leap_ms", [-HOUR_MS, -TEN_YEARS_MS // 2, TEN_YEARS_MS, 0])
def test_an_interval_is_kept_whatever_the_wall_says(tmp_path: Path, leap_ms: int) -> None:
    async def work() -> None:
        clock, pace = ManualClock(), ManualPace()  # the wall stands still but for the leap
        async with running(tmp_path, a_job("five", nothing, 300), clock=clock, pace=pace) as (runner, _):
            await pace.settle(1)
            await pace.advance(900)
            clock.advance(leap_ms)
            await pace.advance(900)
            assert view(runner, "five").runs == 6
            assert view(runner, "five").next_due_ms == clock.ms + 300_000
            clock.advance(-leap_ms)
            await pace.advance(900)
            assert view(runner, "five").runs == 9

    run(work())


def daily(work: list[int], clock: ManualClock) -> JobSpec:
    async def note(_parts: JobParts, _budget: JobBudget) -> JobReport:
        work.append(clock.ms)
        return JobReport()

    return JobSpec("daily", on_schedule(lambda _settings: "0 0 * * *"), 1, 30, 60, 1, note)


def test_a_schedule_runs_once_at_each_of_its_times(tmp_path: Path) -> None:
    async def work() -> None:
        clock, ran = ManualClock(), list[int]()
        pace = ManualPace(clock)
        async with running(tmp_path, daily(ran, clock), clock=clock, pace=pace) as (runner, _):
            await pace.settle(1)
            assert view(runner, "daily").next_due_ms == SUNDAY_MS - 4 * DAY_MS
            await pace.advance(3 * DAY)
        assert [ms - SUNDAY_MS for ms in ran] == [day * DAY_MS for day in range(-4, -1)]

    run(work())


def test_a_slot_does_not_come_twice_when_the_clock_goes_back_an_hour_nor_after_a_restart(tmp_path: Path) -> None:
    async def work() -> None:
        clock, ran = ManualClock(SUNDAY_MS - 60_000), list[int]()
        for _ in range(2):
            pace = ManualPace(clock)
            async with running(tmp_path, daily(ran, clock), clock=clock, pace=pace) as (_, _app):
                await pace.settle(1)
                await pace.advance(120)
                assert len(ran) == 1
                clock.advance(-HOUR_MS)
                await pace.advance(2 * 3_600)
                assert len(ran) == 1
            clock.advance(-2 * HOUR_MS)

    run(work())


def test_a_schedule_goes_on_at_its_next_time_after_a_leap_of_ten_years_and_back(tmp_path: Path) -> None:
    async def work() -> None:
        clock, ran = ManualClock(SUNDAY_MS + HOUR_MS), list[int]()
        pace = ManualPace(clock)
        async with running(tmp_path, daily(ran, clock), clock=clock, pace=pace) as (runner, _):
            await pace.settle(1)
            clock.advance(TEN_YEARS_MS)
            await pace.advance(300)
            assert len(ran) == 1
            clock.advance(-TEN_YEARS_MS)
            await pace.advance(300)
            assert (len(ran), view(runner, "daily").next_due_ms) == (1, SUNDAY_MS + DAY_MS)
            await pace.advance(DAY)
            assert len(ran) == 2

    run(work())


def test_a_schedule_whose_clock_stands_still_runs_not_at_all_and_stops_nobody(tmp_path: Path) -> None:
    async def work() -> None:
        clock, ran = ManualClock(SUNDAY_MS - 1_000), list[int]()
        pace = ManualPace()
        jobs = (daily(ran, clock), a_job("five", nothing, 300))
        async with running(tmp_path, *jobs, clock=clock, pace=pace) as (runner, _):
            await pace.settle(2)
            await pace.advance(3_000)
            assert (ran, view(runner, "five").runs) == ([], 10)
            clock.advance(1_000)
            await pace.advance(60)
            assert len(ran) == 1

    run(work())


def test_the_next_slot_is_the_first_that_has_not_been() -> None:
    weekly = OnSchedule(parse_cron("0 0 * * 0"))
    assert next_slot_ms(weekly, SUNDAY_MS - 1, None) == SUNDAY_MS
    assert next_slot_ms(weekly, SUNDAY_MS - 1, SUNDAY_MS) == SUNDAY_MS + WEEK * 1_000
    assert next_slot_ms(weekly, SUNDAY_MS - 1, SUNDAY_MS + TEN_YEARS_MS) == SUNDAY_MS


def test_a_setting_that_is_no_schedule_stops_that_job_alone_and_is_told(tmp_path: Path) -> None:
    async def work() -> None:
        spec = JobSpec("weekly", on_schedule(lambda _settings: "61 * * * *"), 1, 30, 60, 1, nothing)
        pace = ManualPace()
        async with running(tmp_path, spec, a_job("five", nothing, 300), pace=pace) as (runner, _):
            await pace.settle(1)
            await pace.advance(300)
            assert view(runner, "five").runs == 1
            broken = view(runner, "weekly")
            assert "61" in (broken.last_error or "")
            assert (broken.next_due_ms, broken.runs) == (None, 0)

    run(work())
