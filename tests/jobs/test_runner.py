"""The runner: each job by itself, in its rhythm, within its budget; what came of it is told and no more than that."""

import asyncio
import json
import logging
import secrets
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest

from jobs.pacing import (
    OPERATOR,
    ManualPace,
    a_job,
    events,
    for_ever,
    nothing,
    ran,
    running,
    something,
    until,
    until_told,
    view,
)
from palyra.core.clock import ManualClock
from palyra.core.errors import Conflict, Internal, NotFound, Unavailable
from palyra.domain.jobs.events import Outcome
from palyra.jobs.spec import JobBudget, JobParts, JobReport
from palyra.services.erase import erase
from palyra.store.jobs.records import list_runs
from palyra.store.jobs.states import holders
from support import run


def test_a_job_runs_in_its_rhythm_and_says_when_it_is_due(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        pace = ManualPace(clock)
        async with running(tmp_path, a_job("five", something, 300, first=60), clock=clock, pace=pace) as (runner, app):
            await pace.settle(1)
            assert view(runner, "five").next_due_ms == clock.ms + 60_000
            await pace.advance(59)
            assert view(runner, "five").runs == 0
            await pace.advance(1)
            one = view(runner, "five")
            assert (one.runs, one.last_items, one.last_error, one.last_success_ms) == (1, 3, None, clock.ms)
            assert one.next_due_ms == clock.ms + 300_000
            await pace.advance(900)
            assert view(runner, "five").runs == 4
            assert len(await ran(app)) == 4

    run(work())


def test_a_job_that_has_nothing_to_do_leaves_no_event_and_one_that_ticks_touches_no_disk(tmp_path: Path) -> None:
    async def work() -> None:
        pace = ManualPace()
        jobs = (a_job("tick", nothing, 1), a_job("quiet", something, 2, journaled=False), a_job("five", nothing, 300))
        async with running(tmp_path, *jobs, pace=pace) as (runner, app):
            await pace.settle(3)
            await pace.advance(10)
            commits = app.store.db.metrics.commits
            await pace.advance(200)
            assert view(runner, "tick").runs == 210
            assert app.store.db.metrics.commits == commits
            await pace.advance(100)
            assert view(runner, "five").runs == 1
            assert app.store.db.metrics.commits == commits + 2  # its lease, and how it stands
            assert await app.journal.head() == (0, (await app.journal.head())[1])

    run(work())


def test_a_tick_renews_its_lease_when_half_of_it_is_over(tmp_path: Path) -> None:
    async def work() -> None:
        pace = ManualPace()
        async with running(tmp_path, a_job("tick", nothing, 60), pace=pace) as (_, app):
            await pace.settle(1)
            commits = app.store.db.metrics.commits
            await pace.advance(4 * 3_600)
            assert app.store.db.metrics.commits - commits in (7, 8, 9)
            assert list(await app.store.db.read(holders)) == ["tick"]

    run(work())


def test_a_job_that_raises_is_tried_again_later_and_later_and_then_goes_on_in_its_rhythm(tmp_path: Path) -> None:
    async def work() -> None:
        pace, starts = ManualPace(), list[float]()

        async def moody(_parts: JobParts, _budget: JobBudget) -> JobReport:
            starts.append(pace.monotonic())
            raise Unavailable("no model", hint="palyra status")

        job = a_job("moody", moody, 300, max_attempts=4)
        async with running(tmp_path, job, a_job("well", something, 300), pace=pace) as (runner, app):
            await pace.settle(2)
            await pace.advance(700)
            waits = [round(after - before, 3) for before, after in pairwise(starts)]
            assert [low <= wait <= 2 * low for wait, low in zip(waits, (1, 2, 4), strict=False)] == [True] * 3
            assert waits[3] == 300
            one = view(runner, "moody")
            assert (one.failures, one.last_error) == (5, "no model   hint: palyra status")
            assert one.failed_runs == 5
            assert view(runner, "well").runs == 2
            told = [json.loads(event.payload or b"") for event in await ran(app)]
            assert [(one["name"], one["outcome"]) for one in told] == [
                ("moody", "failed"), ("well", "done"), ("well", "done"),
            ]  # fmt: skip
            assert told[0]["code"] == "unavailable"

    run(work())


def test_a_job_that_recovers_is_well_again(tmp_path: Path) -> None:
    async def work() -> None:
        pace, outcomes = ManualPace(), [KeyError("whose words are these"), None]

        async def moody(_parts: JobParts, _budget: JobBudget) -> JobReport:
            if (error := outcomes.pop(0) if outcomes else None) is not None:
                raise error
            return JobReport()

        async with running(tmp_path, a_job("moody", moody, 300), pace=pace) as (runner, _):
            await pace.settle(1)
            logging.getLogger("palyra.jobs").disabled = True
            await pace.advance(300)
            logging.getLogger("palyra.jobs").disabled = False
            assert view(runner, "moody").last_error == "unexpected KeyError"
            await pace.advance(5)
            assert (view(runner, "moody").last_error, view(runner, "moody").failures) == (None, 0)

    run(work())


def test_a_failure_that_goes_on_is_journaled_once_an_hour(tmp_path: Path) -> None:
    async def work() -> None:
        pace = ManualPace()

        async def broken(_parts: JobParts, _budget: JobBudget) -> JobReport:
            raise Unavailable("no disk")

        async with running(tmp_path, a_job("broken", broken, 60, max_attempts=1), pace=pace) as (runner, app):
            await pace.settle(1)
            await pace.advance(2 * 3_600)
            assert view(runner, "broken").runs == 120
            assert len(await ran(app)) == 2

    run(work())


def test_what_a_job_complains_of_is_redacted(tmp_path: Path) -> None:
    async def work() -> None:
        secret, pace = "sk-" + secrets.token_hex(24), ManualPace()

        async def leaky(_parts: JobParts, _budget: JobBudget) -> JobReport:
            raise Unavailable(f"refused with api_key={secret}")

        async with running(tmp_path, a_job("leaky", leaky), pace=pace) as (runner, app):
            await pace.settle(1)
            await pace.advance(300)
            assert secret not in (view(runner, "leaky").last_error or secret)
            assert secret.encode() not in ((await ran(app))[0].payload or b"")

    run(work())


def test_a_job_that_never_returns_is_cut_off_and_stops_no_other(tmp_path: Path) -> None:
    async def work() -> None:
        stuck = a_job("stuck", for_ever, 0.01, budget_seconds=0.05, max_attempts=1)
        async with running(tmp_path, stuck, a_job("well", nothing, 0.01)) as (runner, app):
            await until(lambda: view(runner, "stuck").runs >= 2 and view(runner, "well").runs >= 10)
            assert "cut off" in (view(runner, "stuck").last_error or "")
            assert not view(runner, "stuck").is_stuck
            [told] = await until_told(app, 1)
            assert json.loads(told.payload or b"")["outcome"] == Outcome.CUT_OFF

    run(work())


def test_a_job_that_ignores_being_cut_off_is_given_up_and_not_begun_again_beside_itself(tmp_path: Path) -> None:
    async def work() -> None:
        release, begun = asyncio.Event(), 0

        async def deaf(_parts: JobParts, _budget: JobBudget) -> JobReport:
            nonlocal begun
            begun += 1
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue
            return JobReport()

        job = a_job("deaf", deaf, 0.01, budget_seconds=0.05, max_attempts=1)
        async with running(tmp_path, job, a_job("well", nothing, 0.01)) as (runner, app):
            await until(lambda: view(runner, "deaf").is_stuck)
            await until(lambda: view(runner, "well").runs >= 20)
            with pytest.raises(Conflict, match="stuck"):
                await runner.run_now("deaf", "the owner", OPERATOR)
            assert begun == 1
            [told] = await until_told(app, 1)
            assert json.loads(told.payload or b"")["outcome"] == Outcome.ABANDONED
            release.set()
            await until(lambda: not view(runner, "deaf").is_stuck)
            done = await runner.run_now("deaf", "the owner", OPERATOR)
            assert (done.outcome, begun) == (Outcome.DONE, 2)

    run(work())


def test_a_job_that_leaves_something_runs_again_soon_and_all_of_it_is_one_event(tmp_path: Path) -> None:
    async def work() -> None:
        pace, left, continued = ManualPace(), [4, 4, 4, 1], list[bool]()

        async def batches(_parts: JobParts, budget: JobBudget) -> JobReport:
            continued.append(budget.continued)
            done = left.pop(0) if left else 0
            return JobReport(done, more=bool(left))

        async with running(tmp_path, a_job("batches", batches, 300), pace=pace) as (runner, app):
            await pace.settle(1)
            await pace.advance(305)
            assert (view(runner, "batches").runs, continued) == (4, [False, True, True, True])
            [told] = await ran(app)
            assert json.loads(told.payload or b"")["items"] == 13

    run(work())


def test_a_job_that_always_wants_more_and_does_nothing_floods_nobody(tmp_path: Path) -> None:
    async def work() -> None:
        pace = ManualPace()

        async def greedy(_parts: JobParts, _budget: JobBudget) -> JobReport:
            return JobReport(0, more=True)

        async with running(tmp_path, a_job("greedy", greedy, 300), pace=pace) as (runner, _):
            await pace.settle(1)
            await pace.advance(3_000)
            assert view(runner, "greedy").runs == 10

    run(work())


def test_fifty_jobs_at_once_each_run_and_one_that_hangs_delays_none(tmp_path: Path) -> None:
    async def work() -> None:
        jobs = [a_job(f"job-{n}", something if n % 2 else nothing, 300, first=0.001) for n in range(50)]
        stuck = a_job("stuck", for_ever, 300, first=0.001)
        async with running(tmp_path, stuck, *jobs) as (runner, app):
            await until(lambda: sum(view(runner, f"job-{n}").runs for n in range(50)) == 50)
            assert view(runner, "stuck").is_running
            assert len(await until_told(app, 25)) == 25

    run(work())


def test_closing_ends_every_job_also_in_the_middle_of_a_run(tmp_path: Path) -> None:
    async def work() -> None:
        begun, ended = [], []

        async def long(_parts: JobParts, _budget: JobBudget) -> JobReport:
            begun.append("long")
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                ended.append("long")
            return JobReport()

        async with running(tmp_path, a_job("long", long, 300, first=0.001), a_job("later", nothing)) as (runner, _):
            asked = runner.run_now("later", "the owner", OPERATOR)
            await until(lambda: bool(begun) and asked.done())
            again = runner.run_now("long", "the owner", OPERATOR)
            await runner.close()
            assert ended == ["long"]
            assert not {"job long", "job later"} & {task.get_name() for task in asyncio.all_tasks()}
            with pytest.raises(Unavailable, match="stopping"):
                await again
            await runner.close()

    run(work())


def test_work_whose_lease_cannot_be_written_does_not_run_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with running(tmp_path, a_job("five", something), start=False) as (runner, _):

            async def full(*_given: object, **_more: object) -> None:
                raise Unavailable("the disk is full")

            monkeypatch.setattr(runner._ledger, "lease", full)
            done = await runner.run_now("five", "the owner", OPERATOR)
            assert (done.outcome, done.error, done.items) == (Outcome.FAILED, "the disk is full", 0)

    run(work())


def test_what_a_journal_that_takes_no_writes_cannot_hold_is_still_told_to_whoever_asks(tmp_path: Path) -> None:
    async def work() -> None:
        async with running(tmp_path, a_job("five", something), start=False) as (runner, app):
            app.store.db.refuse_writes(Unavailable("the disk is gone"))
            done = await runner.run_now("five", "the owner", OPERATOR)
            assert (done.outcome, done.items) == (Outcome.DONE, 3)

    run(work())


def test_a_defect_in_the_runner_itself_is_told_and_the_job_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        pace, answers = ManualPace(), list[object]([None, JobReport(2)])

        async def wrong(_parts: JobParts, _budget: JobBudget) -> JobReport:
            return cast("JobReport", answers.pop(0))

        async with running(tmp_path, a_job("wrong", wrong), a_job("well", nothing), pace=pace) as (runner, _):
            await pace.settle(2)
            await pace.advance(300)
            assert view(runner, "wrong").last_error == "unexpected AttributeError"
            await pace.advance(60)
            assert (view(runner, "wrong").last_error, view(runner, "wrong").last_items) == (None, 2)
            assert view(runner, "well").runs == 1
        answers.append(None)
        async with running(tmp_path, a_job("wrong", wrong), start=False) as (runner, _):
            with pytest.raises(Internal, match="AttributeError"):
                await runner.run_now("wrong", "the owner", OPERATOR)

    run(work())
    assert "job.runner_broke" in caplog.text


def test_an_endless_complaint_is_cut_short(tmp_path: Path) -> None:
    async def work() -> None:
        async def loud(_parts: JobParts, _budget: JobBudget) -> JobReport:
            raise Unavailable("no " * 500_000)

        async with running(tmp_path, a_job("loud", loud), start=False) as (runner, app):
            done = await runner.run_now("loud", "the owner", OPERATOR)
            assert len(done.error) == 2_000
            assert len(await ran(app)) == 1

    run(work())


def test_a_run_can_be_erased_from_the_history_and_the_state_is_what_the_journal_says(tmp_path: Path) -> None:
    async def work() -> None:
        async with running(tmp_path, a_job("five", something), start=False) as (runner, app):
            for _ in range(2):
                await runner.run_now("five", "the owner", OPERATOR)
            first, second = await ran(app)
            await erase(app.store, app.journal, [first.event_id], "asked", OPERATOR)
            left = await app.store.db.read(lambda tx: list_runs(tx, None, None, 10))
            assert [one.event_id for one in left] == [second.event_id]
            before, after = await app.journal.rebuild(lambda _seq: None)
            assert before == after

    run(work())


# -- what a person asks for


def test_two_who_ask_at_once_share_one_run_and_it_is_journaled_with_their_names(tmp_path: Path) -> None:
    async def work() -> None:
        begun = list[JobBudget]()

        async def seen(_parts: JobParts, budget: JobBudget) -> JobReport:
            begun.append(budget)
            return JobReport()

        pace = ManualPace()
        async with running(tmp_path, a_job("seen", seen), pace=pace) as (runner, app):
            first = runner.run_now("seen", "the owner", OPERATOR)
            second = runner.run_now("seen", "token laptop", OPERATOR, sure=True)
            assert await first == await second
            assert [(budget.asked, budget.sure) for budget in begun] == [(True, True)]
            [told] = await ran(app)
            assert json.loads(told.payload or b"")["by"] == "the owner, token laptop"
            assert told.origin == OPERATOR

    run(work())


def test_who_asks_while_it_runs_gets_a_run_of_their_own_afterwards(tmp_path: Path) -> None:
    async def work() -> None:
        gate, at_once, most = asyncio.Event(), 0, 0

        async def gated(_parts: JobParts, _budget: JobBudget) -> JobReport:
            nonlocal at_once, most
            at_once += 1
            most = max(most, at_once)
            await gate.wait()
            at_once -= 1
            return JobReport()

        for start in (True, False):
            gate.clear()
            async with running(tmp_path, a_job("gated", gated), start=start) as (runner, _):
                first = runner.run_now("gated", "the owner", OPERATOR)
                await until(lambda runner=runner: view(runner, "gated").is_running and at_once == 1)  # type: ignore[misc]
                second = runner.run_now("gated", "the owner", OPERATOR)
                third = runner.run_now("gated", "the owner", OPERATOR)
                gate.set()
                await asyncio.gather(first, second, third)
                assert (view(runner, "gated").runs, most) == (2, 1)

    run(work())


def test_nobody_need_wait_for_what_they_asked_for(tmp_path: Path) -> None:
    async def work() -> None:
        async with running(tmp_path, a_job("five", something)) as (runner, app):
            runner.run_now("five", "the owner", OPERATOR).cancel()
            assert len(await until_told(app, 1)) == 1

    run(work())


def test_a_paused_job_waits_but_a_person_may_run_it(tmp_path: Path) -> None:
    async def work() -> None:
        pace = ManualPace()
        async with running(tmp_path, a_job("five", something), pace=pace) as (runner, app):
            await pace.settle(1)
            for _ in range(2):
                assert (await runner.pause("five", "the owner", OPERATOR)).paused_by == "the owner"
            await pace.settle(1)
            await pace.advance(3_000)
            assert (view(runner, "five").runs, view(runner, "five").next_due_ms) == (0, None)
            assert (await runner.run_now("five", "the owner", OPERATOR)).items == 3
            for _ in range(2):
                assert (await runner.resume("five", "the owner", OPERATOR)).paused_by is None
            await pace.settle(1)
            await pace.advance(300)
            assert view(runner, "five").runs == 2
            assert [len(await events(app, kind)) for kind in ("job.paused", "job.resumed")] == [1, 1]

    run(work())


def test_a_pause_lasts_beyond_the_process(tmp_path: Path) -> None:
    async def work() -> None:
        async with running(tmp_path, a_job("five", something)) as (runner, _):
            await runner.pause("five", "the owner", OPERATOR)
        pace = ManualPace()
        async with running(tmp_path, a_job("five", something), pace=pace) as (runner, app):
            await pace.settle(1)
            await pace.advance(3_000)
            assert (view(runner, "five").paused_by, view(runner, "five").runs) == ("the owner", 0)
            before, after = await app.journal.rebuild(lambda _seq: None)
            assert before == after

    run(work())


@pytest.mark.parametrize("name", ["", "nope", "Retention", "../retention", "x" * 500, "job\n"])
def test_a_name_that_is_no_job_is_one_clear_error(tmp_path: Path, name: str) -> None:
    async def work() -> None:
        async with running(tmp_path, a_job("five", nothing)) as (runner, app):
            with pytest.raises(NotFound, match="no job is named") as error:
                runner.run_now(name, "the owner", OPERATOR)
            assert error.value.hint == "there are five"
            for turn in (runner.pause, runner.resume):
                with pytest.raises(NotFound):
                    await turn(name, "the owner", OPERATOR)
            assert (await app.journal.head())[0] == 0

    run(work())
