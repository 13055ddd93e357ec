"""What is due runs once, whatever goes wrong in between: policies, failures, crashes, clocks."""

import asyncio
from pathlib import Path

import pytest

from palyra.core.clock import ManualClock
from palyra.core.errors import FailedPrecondition
from palyra.domain.access import Capability
from palyra.domain.chat.session import RunOrigin, RunState
from palyra.domain.cron.job import CronRunState
from palyra.domain.journal import Actor, RequestKey
from palyra.services.chat.parts import NewMessage, Speaker
from palyra.services.cron import claiming, firing, jobs
from palyra.services.cron.jobs import CronWish, Maker
from palyra.services.sessions.lifecycle import archive, get
from palyra.store.sessions.records import all_runs, own_run
from scheduling import ANA, DAY, HOUR, MAKER, MINUTE, START, a_schedule
from support import run, tamper, verify_directory


def test_each_slot_is_a_run_of_a_session(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            job = await house.create(name="news", every="1m")
            for _ in range(3):
                await house.tick(MINUTE)
            await house.tick()
            assert await house.states() == [(1, "done"), (2, "done"), (3, "done")]
            session = await get(house.app.sessions, "cron:news", ANA)
            assert (await jobs.show(house.cron, job, ANA)).job.session_id == session.session_id
            found = await house.app.store.db.read(lambda tx: all_runs(tx, session.session_id))
            assert [one.origin for one in found] == [RunOrigin.CRON] * 3
            assert [one.run_id for one in found] == [one.session_run_id for one in await house.runs()]
            assert house.model.asked == {"What is new?": 3}

    run(story())
    assert verify_directory(tmp_path / "data").ok


def test_a_fresh_session_for_each_run_if_asked_for(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            await house.create(name="news", every="1m", session="fresh")
            await house.tick(MINUTE)
            await house.tick(MINUTE)
            assert len({one.session_id for one in await house.runs()}) == 2

    run(story())


def test_an_idle_tick_writes_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            await house.create(every="1h")
            before = house.app.store.chain.size
            for _ in range(10):
                assert (await house.tick(1_000)).idle
            assert house.app.store.chain.size == before

    run(story())


def test_a_run_that_hangs_delays_no_other_job(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            await house.create(name="stuck", prompt="hang", every="1m")
            await house.create(name="news", every="1m")
            for _ in range(4):
                await house.tick(MINUTE)
            await house.tick()
            assert await house.states("news") == [(n, "done") for n in (1, 2, 3, 4)]
            assert await house.states("stuck") == [(1, "running"), (2, "skipped"), (3, "skipped"), (4, "skipped")]

    run(story())


def test_a_queue_runs_one_after_the_other(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            await house.create(name="stuck", prompt="hang", every="1m", concurrency="queue")
            for _ in range(3):
                await house.tick(MINUTE)
            assert await house.states() == [(1, "running"), (2, "queued"), (3, "queued")]
            house.model.go_on()
            for _ in range(4):
                await house.rest()
                await house.tick()
            assert await house.states() == [(1, "done"), (2, "done"), (3, "done")]

    run(story())


def test_a_newer_run_replaces_the_one_that_goes_on(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            await house.create(name="stuck", prompt="hang", every="1m", concurrency="replace", retries=3)
            await house.tick(MINUTE)
            await house.tick(MINUTE)
            await house.tick()
            assert await house.states() == [(1, "cancelled"), (2, "running")]

    run(story())


def test_replacing_goes_on_after_the_process_died_in_between(tmp_path: Path) -> None:
    clock = ManualClock(START)

    async def first() -> None:
        async with a_schedule(tmp_path, clock) as house:
            await house.create(name="stuck", prompt="hang", every="1m", concurrency="replace", retries=3)
            await house.tick(MINUTE)
            clock.advance(MINUTE)
            await claiming.claim_due(house.cron)

    async def second() -> None:
        async with a_schedule(tmp_path, clock) as house:
            house.model.go_on()
            await house.tick()
            await house.tick()
            assert await house.states() == [(1, "failed"), (2, "done")]

    run(first())
    run(second())


def test_a_run_that_fails_is_tried_again_as_its_policy_says(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            await house.create(name="bad", prompt="fail", every="1h", retries=2, backoff="30s")
            await house.tick(HOUR)
            await house.tick()
            [one] = await house.runs()
            assert (one.state, one.attempt, one.error_code) == (CronRunState.QUEUED, 2, "unavailable")
            await house.tick(29_999)
            assert house.model.asked["fail"] == 1
            await house.tick(1)
            await house.tick(MINUTE)
            await house.tick()
            await house.tick(HOUR - 5 * MINUTE)
            await house.tick()
            [one] = await house.runs()
            assert (one.state, one.attempt) == (CronRunState.FAILED, 3)
            assert house.model.asked["fail"] == 3

    run(story())


def test_a_run_that_fails_once_is_done_at_the_second_attempt(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            await house.create(prompt="fail", every="1h", retries=1, backoff="1s")
            await house.tick(HOUR)
            house.model.broken = False
            await house.tick()
            await house.tick(1_000)
            await house.tick()
            [one] = await house.runs()
            assert (one.state, one.attempt, one.error_code) == (CronRunState.DONE, 2, "")

    run(story())


def test_what_cannot_be_begun_fails_alone(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            await house.create(name="closed", every="1m")
            await house.create(name="news", every="1m")
            await house.tick(MINUTE)
            await archive(house.app.sessions, "cron:closed", ANA, Actor.USER, archived=True)
            await house.tick(MINUTE)
            await house.tick()
            assert await house.states("closed") == [(1, "done"), (2, "failed")]
            assert (await house.runs("closed"))[-1].error_code == "failed_precondition"
            assert await house.states("news") == [(1, "done"), (2, "done")]

    run(story())


def test_a_turn_that_takes_too_long_is_aborted_and_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            await house.create(prompt="hang", every="1h")
            await house.tick(HOUR)
            monkeypatch.setattr(firing, "RUN_SECONDS", 0.0)
            await house.tick(10 * 365 * DAY)  # the wall clock has no say in it
            await house.tick()
            assert (await house.runs())[0].error_code == "deadline"
            assert (await house.runs())[0].state is CronRunState.FAILED

    run(story())


# -- three days without a process


@pytest.mark.parametrize(
    ("misfire", "states"),
    [
        ("skip", {"missed": 1}),
        ("catch_up", {"done": 24, "missed": 1}),
    ],
)
def test_after_three_days_each_policy_does_what_it_says(tmp_path: Path, misfire: str, states: dict[str, int]) -> None:
    clock = ManualClock(START)

    async def before() -> None:
        async with a_schedule(tmp_path, clock) as house:
            await house.create(name="news", every="1h", misfire=misfire)

    async def after() -> None:
        async with a_schedule(tmp_path, clock) as house:
            for _ in range(26):
                await house.tick()
            runs = await house.runs()
            counts = {state: sum(one.state.value == state for one in runs) for state in {r.state.value for r in runs}}
            assert counts == states
            assert sum(one.count for one in runs) == 72
            begun = [one for one in runs if one.begun_at_ms is not None]
            assert [one.slot_ms for one in begun] == [START + n * HOUR for n in range(1, len(begun) + 1)]
            await house.tick(25 * MINUTE)
            await house.tick()
            assert (await house.states())[-1] == (73 * 60, "done")

    run(before())
    clock.advance(3 * DAY + 35 * MINUTE)
    run(after())


# -- crashes


def test_a_slot_that_was_claimed_and_not_begun_is_begun_by_the_next_process(tmp_path: Path) -> None:
    clock = ManualClock(START)

    async def first() -> None:
        async with a_schedule(tmp_path, clock) as house:
            await house.create(every="1m")
            clock.advance(MINUTE)
            assert (await claiming.claim_due(house.cron)).slots == 1

    async def second() -> None:
        async with a_schedule(tmp_path, clock) as house:
            await house.tick()
            await house.tick()
            assert await house.states() == [(1, "done")]
            assert house.model.asked == {"What is new?": 1}

    run(first())
    run(second())


def test_a_run_on_the_tape_that_was_not_noted_is_not_asked_twice(tmp_path: Path) -> None:
    clock = ManualClock(START)

    async def first() -> None:
        async with a_schedule(tmp_path, clock) as house:
            await house.create(every="1m")
            clock.advance(MINUTE)
            await claiming.claim_due(house.cron)
            [one] = await house.runs()
            assert one.session_id is not None
            session = await get(house.app.sessions, one.session_id, ANA)
            speaker = Speaker(Actor.SYSTEM, frozenset({Capability.READ}))
            await house.app.chat.put(session, NewMessage("What is new?"), speaker, firing._request(one), RunOrigin.CRON)

    async def second() -> None:
        async with a_schedule(tmp_path, clock) as house:
            for _ in range(4):
                await house.tick()
            [one] = await house.runs()
            assert (one.state, one.attempt) == (CronRunState.DONE, 2)
            assert house.model.asked == {"What is new?": 1}

    run(first())
    run(second())


@pytest.mark.parametrize(("retries", "state", "asked"), [(0, "failed", 0), (1, "done", 1)])
def test_a_turn_that_a_dead_process_left_is_failed_and_tried_again_as_its_policy_says(
    tmp_path: Path, retries: int, state: str, asked: int
) -> None:
    clock = ManualClock(START)

    async def first() -> None:
        async with a_schedule(tmp_path, clock) as house:
            await house.create(prompt="hang", every="1h", retries=retries, backoff="1s")
            await house.tick(HOUR)
            assert house.model.asked == {"hang": 1}

    async def second() -> None:
        async with a_schedule(tmp_path, clock) as house:
            house.model.go_on()
            await house.tick(1_000)
            await house.tick()
            assert await house.states() == [(60, state)]
            assert house.model.asked["hang"] == asked

    run(first())
    run(second())


def test_a_tick_that_is_cut_off_leaves_nothing_half_done(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            for _ in range(20):
                await house.create(every="1m")
            for turn in range(20):
                house.clock.advance(MINUTE)
                tick = asyncio.create_task(firing.fire_due(house.cron))
                await asyncio.sleep(turn / 500)
                tick.cancel()
                await asyncio.gather(tick, return_exceptions=True)
                await house.rest()
            for _ in range(3):
                await house.tick()
            runs = await house.runs()
            slots = [(one.job_id, one.slot_ms) for one in runs]
            assert len(slots) == len(set(slots))
            assert sum(one.count for one in runs) == 20 * 20
            assert {one.state.value for one in runs} <= {"done", "skipped", "missed"}
            done = [one for one in runs if one.state is CronRunState.DONE]
            assert house.model.asked["What is new?"] == len(done)

    run(story())


def test_a_journal_that_refuses_writes_loses_no_slot(tmp_path: Path) -> None:
    clock = ManualClock(START)

    async def first() -> None:
        async with a_schedule(tmp_path, clock) as house:
            await house.create(every="1m", misfire="catch_up")
            house.app.store.db.refuse_writes(FailedPrecondition("the disk is full"))
            clock.advance(MINUTE)
            with pytest.raises(FailedPrecondition):
                await firing.fire_due(house.cron)

    async def second() -> None:
        async with a_schedule(tmp_path, clock) as house:
            await house.tick(HOUR)
            await house.tick()
            assert (await house.states())[0] == (1, "done")

    run(first())
    run(second())


# -- clocks


def _distinct(slots: list[tuple[int, str]]) -> bool:
    return len({slot for slot, _ in slots}) == len(slots)


def test_a_clock_that_goes_back_an_hour_runs_no_slot_twice(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            await house.create(every="10m")
            for _ in range(9):
                await house.tick(10 * MINUTE)
            house.clock.advance(-HOUR)
            for _ in range(9):
                await house.tick(10 * MINUTE)
            await house.tick()
            assert await house.states() == [(10 * n, "done") for n in range(1, 13)]

    run(story())


def test_ten_years_forward_and_back_runs_little_and_then_goes_on(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            job = await house.create(every="1m", misfire="catch_up", concurrency="queue")
            await house.tick(MINUTE)
            await house.tick(3_653 * DAY)
            assert len(await house.runs()) < 30
            house.clock.advance(-3_653 * DAY)
            await house.tick()
            await jobs.enable(house.cron, job, ANA, Actor.USER, enabled=False)
            await jobs.enable(house.cron, job, ANA, Actor.USER, enabled=True)
            before = {one.run_id for one in await house.runs()}
            for _ in range(5):
                await house.tick(MINUTE)
            await house.tick()
            new = [one for one in await house.runs() if one.run_id not in before]
            grid = [START + n * MINUTE for n in range(2, 7)]
            ran = [one.slot_ms for one in await house.runs() if one.slot_ms in grid and one.state is CronRunState.DONE]
            assert len(ran) == len(set(ran))
            assert all(one.slot_ms in grid for one in new)
            assert _distinct([(one.slot_ms, "") for one in await house.runs() if one.count == 1])

    run(story())


def test_a_clock_that_stands_still_runs_nothing_twice(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            await house.create(every="1m")
            await house.tick(MINUTE)
            for _ in range(10):
                await house.tick()
            assert await house.states() == [(1, "done")]

    run(story())


# -- by hand


def test_run_now_is_besides_the_schedule_and_obeys_the_concurrency_of_its_job(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            job = await house.create(name="stuck", prompt="hang", every="1h")
            await jobs.enable(house.cron, job, ANA, Actor.USER, enabled=False)
            begun = await firing.run_now(house.cron, "stuck", ANA, Actor.USER)
            assert begun.manual
            assert begun.state is CronRunState.RUNNING
            with pytest.raises(FailedPrecondition, match="running already"):
                await firing.run_now(house.cron, "stuck", ANA, Actor.USER)
            house.model.go_on()
            await house.rest()
            await house.tick()
            assert await house.states() == [(0, "done")]

    run(story())


def test_run_now_with_the_same_request_id_runs_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            job = await house.create(every="1h", concurrency="queue")
            key = RequestKey("once", b"digest")
            first = await firing.run_now(house.cron, job, ANA, Actor.USER, key)
            again = await firing.run_now(house.cron, job, ANA, Actor.USER, key)
            assert first.run_id == again.run_id
            assert len(await house.runs()) == 1

    run(story())


def test_switching_off_stops_what_waits(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            job = await house.create(prompt="hang", every="1m", concurrency="queue")
            await house.tick(MINUTE)
            await house.tick(MINUTE)
            await jobs.enable(house.cron, job, ANA, Actor.USER, enabled=False)
            assert await house.states() == [(1, "running"), (2, "cancelled")]
            house.model.go_on()
            await house.rest()
            await house.tick()
            assert await house.states() == [(1, "done"), (2, "cancelled")]

    run(story())


def test_a_run_may_no_more_than_whoever_scheduled_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            blind = Maker(Actor.USER, "a token", ("write",))
            await jobs.create(house.cron, CronWish("blind", "What is new?", every="1m"), ANA, blind)
            await house.tick(MINUTE)
            [one] = await house.runs()
            found = await house.app.store.db.read(lambda tx: own_run(tx, one.session_run_id or ""))
            assert found is not None
            assert (found.actor, found.state) == (Actor.SYSTEM, RunState.DONE)

    run(story())


def test_a_hundred_jobs_due_at_once_all_begin(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            await asyncio.gather(*(house.create(name=f"job-{n}", every="1h") for n in range(100)))
            before = house.app.store.chain.size
            report = await house.tick(HOUR)
            assert (report.claimed, report.started) == (100, 100)
            await house.tick()
            assert [state for _, state in await house.states()] == ["done"] * 100
            assert house.app.store.chain.size - before < 100 * 16

    run(story())


def test_a_job_whose_zone_is_no_more_stops_no_other(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            await house.create(name="lost", cron="* * * * *", zone="Asia/Kathmandu")
            await house.create(name="news", every="1m")

    run(story())
    tamper(tmp_path / "data", "UPDATE cron_jobs SET schedule = replace(schedule, 'Kathmandu', 'Atlantis')")

    async def after() -> None:
        async with a_schedule(tmp_path) as house:
            await house.tick(MINUTE)
            await house.tick()
            assert await house.states("news") == [(1, "done")]
            assert await house.states("lost") == []

    run(after())


def test_another_schedule_on_a_clock_that_was_ahead_claims_no_slot_twice(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            job = await house.create(name="news", cron="* * * * *")
            for _ in range(10):
                await house.tick(MINUTE)
            house.clock.advance(-8 * MINUTE)
            await jobs.update(house.cron, job, CronWish(cron="*/2 * * * *"), ANA, MAKER)
            for _ in range(10):
                await house.tick(MINUTE)
            await house.tick()
            assert await house.states() == [(n, "done") for n in (*range(1, 11), 12)]

    run(story())


def test_a_run_by_hand_begins_no_other(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path) as house:
            await house.create(name="due", every="1m")
            await house.create(name="hand", prompt="By hand.", every="1h")
            house.clock.advance(MINUTE)
            await claiming.claim_due(house.cron)
            await firing.run_now(house.cron, "hand", ANA, Actor.USER)
            await house.rest()
            assert house.model.asked == {"By hand.": 1}

    run(story())


@pytest.mark.parametrize("schedule", [{"every": "10m"}, {"cron": "*/10 * * * *"}, {"at": "+10m"}])
def test_a_job_made_while_the_clock_was_ten_years_ahead_runs_when_it_is_right(
    tmp_path: Path, schedule: dict[str, str]
) -> None:
    async def story() -> None:
        async with a_schedule(tmp_path, ManualClock(START + 3_650 * DAY)) as house:
            await house.create(**schedule)
            house.clock.ms = START
            await house.tick()
            await house.tick(10 * MINUTE)
            await house.tick()
            # a time of its own is what was asked for, wrong as it is: it waits
            assert await house.states() == ([] if "at" in schedule else [(10, "done")])

    run(story())
