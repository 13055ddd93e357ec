"""What runs, is skipped or is missed, after a stop and under clocks that are wrong."""

import pytest

from palyra.domain.cron.due import (
    CATCH_UP_SLOTS,
    GRACE_MS,
    QUEUED_SLOTS,
    Due,
    Missed,
    Plan,
    SlotStanding,
    decide_due,
    due_ms,
    may_begin,
    retry_at_ms,
)
from palyra.domain.cron.job import Concurrency, CronPolicy, Misfire
from palyra.domain.cron.schedule import At, EverySchedule, Schedule, parse_cron

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
START = 1_700_000_000_000 // DAY * DAY
"""a midnight"""
TEN_YEARS = 3_653 * DAY


def a_plan(schedule: Schedule, **policy: object) -> Plan:
    return Plan("job", schedule, CronPolicy(**policy))  # type: ignore[arg-type]


HOURLY = parse_cron("@hourly")


def test_nothing_is_due_before_the_slot() -> None:
    due = decide_due(a_plan(HOURLY), SlotStanding(START), START + HOUR - 1)
    assert due == Due((), (), None, False, START, START + HOUR)


def test_a_slot_runs_once_and_the_next_is_known() -> None:
    due = decide_due(a_plan(HOURLY), SlotStanding(START), START + HOUR)
    assert due == Due((START + HOUR,), (), None, False, START + HOUR, START + 2 * HOUR)
    assert decide_due(a_plan(HOURLY), SlotStanding(due.cursor_ms), START + HOUR).run == ()


def test_a_slot_a_minute_late_is_on_time_and_one_later_is_missed() -> None:
    plan = a_plan(HOURLY)
    assert decide_due(plan, SlotStanding(START), START + HOUR + GRACE_MS).run == (START + HOUR,)
    due = decide_due(plan, SlotStanding(START), START + HOUR + GRACE_MS + 1)
    assert due.run == ()
    assert due.missed == Missed(START + HOUR, START + HOUR, 1)


def test_after_three_days_skip_counts_what_was_missed() -> None:
    due = decide_due(a_plan(HOURLY), SlotStanding(START), START + 3 * DAY + 5 * MINUTE)
    assert due.run == due.skipped == ()
    assert due.missed == Missed(START + HOUR, START + 3 * DAY, 72)
    assert due.next_ms == START + 3 * DAY + HOUR


def test_after_three_days_catch_up_runs_the_oldest_first_and_counts_the_rest() -> None:
    due = decide_due(a_plan(HOURLY, misfire=Misfire.CATCH_UP), SlotStanding(START), START + 3 * DAY + 5 * MINUTE)
    assert due.run == tuple(START + n * HOUR for n in range(1, CATCH_UP_SLOTS + 1))
    assert due.missed == Missed(START + 25 * HOUR, START + 3 * DAY, 48)


def test_a_daily_job_catches_up_with_three_days() -> None:
    daily = parse_cron("0 9 * * *")
    due = decide_due(a_plan(daily, misfire=Misfire.CATCH_UP), SlotStanding(START), START + 3 * DAY)
    assert due.run == tuple(START + n * DAY + 9 * HOUR for n in range(3))
    assert due.missed is None


@pytest.mark.parametrize("misfire", Misfire)
def test_a_time_that_passed_while_nothing_ran(misfire: Misfire) -> None:
    due = decide_due(a_plan(At(START + HOUR), misfire=misfire), SlotStanding(START), START + 3 * DAY)
    assert due.run == ((START + HOUR,) if misfire is Misfire.CATCH_UP else ())
    assert due.missed == (None if misfire is Misfire.CATCH_UP else Missed(START + HOUR, START + HOUR, 1))
    assert due.next_ms is None


# -- while an earlier run is not over


@pytest.mark.parametrize(
    ("concurrency", "run", "skipped", "replaces"),
    [
        (Concurrency.FORBID, (), (START + HOUR,), False),
        (Concurrency.QUEUE, (START + HOUR,), (), False),
        (Concurrency.REPLACE, (START + HOUR,), (), True),
    ],
)
def test_a_slot_that_comes_while_a_run_is_going_on(
    concurrency: Concurrency, run: tuple[int, ...], skipped: tuple[int, ...], replaces: bool
) -> None:
    due = decide_due(a_plan(HOURLY, concurrency=concurrency), SlotStanding(START, running=1), START + HOUR)
    assert (due.run, due.skipped, due.replaces) == (run, skipped, replaces)


def test_of_several_slots_at_once_forbid_runs_the_first_and_replace_the_last() -> None:
    every = EverySchedule(1_000, START)
    slots = tuple(START + n * 1_000 for n in range(1, 11))
    due = decide_due(a_plan(every), SlotStanding(START), START + 10_000)
    assert (due.run, due.skipped) == (slots[:1], slots[1:])
    due = decide_due(a_plan(every, concurrency=Concurrency.REPLACE), SlotStanding(START), START + 10_000)
    assert (due.run, due.skipped, due.replaces) == (slots[-1:], slots[:-1], False)


def test_a_queue_has_an_end() -> None:
    plan = a_plan(EverySchedule(1_000, START), concurrency=Concurrency.QUEUE)
    due = decide_due(plan, SlotStanding(START, queued=QUEUED_SLOTS - 3, running=1), START + 10_000)
    assert len(due.run) == 3
    assert len(due.skipped) == 7


# -- jitter


def test_jitter_is_the_same_for_the_same_slot_and_does_not_move_the_grid() -> None:
    plan = a_plan(HOURLY, jitter_ms=10 * MINUTE)
    offsets = [due_ms(plan, START + n * HOUR) - START - n * HOUR for n in range(200)]
    assert all(0 <= offset < 10 * MINUTE for offset in offsets)
    assert len(set(offsets)) > 100
    offset = offsets[1]
    assert decide_due(plan, SlotStanding(START), START + HOUR + offset - 1).run == ()
    assert decide_due(plan, SlotStanding(START), START + HOUR + offset).run == (START + HOUR,)


def test_jobs_of_the_same_schedule_are_spread() -> None:
    policy = CronPolicy(jitter_ms=10 * MINUTE)
    assert len({due_ms(Plan(f"job {n}", HOURLY, policy), START) for n in range(100)}) > 90


# -- clocks


def test_a_clock_that_goes_back_an_hour_runs_nothing_twice() -> None:
    plan = a_plan(EverySchedule(5_000, START))
    cursor = START
    ran: list[int] = []
    now = [*range(START, START + HOUR, 5_000), *range(START, START + 2 * HOUR, 5_000)]
    for now_ms in now:
        due = decide_due(plan, SlotStanding(cursor), now_ms)
        ran += due.run
        cursor = due.cursor_ms
    assert len(ran) == len(set(ran)) == 2 * HOUR // 5_000 - 1


def test_a_clock_that_stands_still_runs_nothing_twice() -> None:
    plan, cursor = a_plan(EverySchedule(5_000, START)), START
    ran: list[int] = []
    for _ in range(100):
        due = decide_due(plan, SlotStanding(cursor), START + 5_000)
        ran += due.run
        cursor = due.cursor_ms
    assert ran == [START + 5_000]


@pytest.mark.parametrize("schedule", [EverySchedule(1_000, START), parse_cron("* * * * *", "Europe/Berlin"), HOURLY])
@pytest.mark.parametrize("misfire", Misfire)
def test_ten_years_forward_and_back_run_a_handful_and_then_the_next_slot(schedule: Schedule, misfire: Misfire) -> None:
    plan = a_plan(schedule, misfire=misfire, concurrency=Concurrency.QUEUE)
    leapt = decide_due(plan, SlotStanding(START), START + TEN_YEARS)
    assert len(leapt.run) + len(leapt.skipped) <= CATCH_UP_SLOTS + GRACE_MS // 1_000 + 1
    assert leapt.missed is not None
    assert leapt.cursor_ms <= START + TEN_YEARS

    back = START + 90_000
    right = decide_due(plan, SlotStanding(leapt.cursor_ms, known=frozenset(leapt.run)), back)
    assert right.rewound
    assert right.run == ()
    assert right.next_ms is not None
    assert back < right.next_ms <= back + HOUR
    on = decide_due(plan, SlotStanding(right.cursor_ms, known=frozenset(leapt.run)), right.next_ms)
    assert not on.rewound
    assert on.run == (() if on.next_ms in leapt.run or right.next_ms in leapt.run else (right.next_ms,))


def test_a_wrong_clock_for_less_than_a_day_waits_instead_of_running_twice() -> None:
    plan = a_plan(HOURLY)
    due = decide_due(plan, SlotStanding(START + 20 * HOUR), START)
    assert due == Due((), (), None, False, START + 20 * HOUR, START + 21 * HOUR)


def test_slots_that_ran_before_the_clock_was_wrong_do_not_run_again_after() -> None:
    plan = a_plan(HOURLY)
    ran = frozenset(START + n * HOUR for n in range(1, 6))
    rewound = decide_due(plan, SlotStanding(START + TEN_YEARS, known=ran), START + 2 * HOUR + 1)
    assert rewound.rewound
    again = decide_due(plan, SlotStanding(rewound.cursor_ms, known=ran), START + 5 * HOUR)
    assert again.run == again.skipped == ()
    assert decide_due(plan, SlotStanding(again.cursor_ms), START + 6 * HOUR).run == (START + 6 * HOUR,)


# -- trying again


def test_a_run_that_failed_is_tried_again_later_and_later_and_then_no_more() -> None:
    policy = CronPolicy(retries=3, backoff_ms=30_000)
    assert [retry_at_ms(policy, attempt, 0) for attempt in (1, 2, 3, 4)] == [30_000, 60_000, 120_000, None]
    assert retry_at_ms(CronPolicy(), 1, 0) is None
    assert retry_at_ms(CronPolicy(retries=10, backoff_ms=HOUR), 10, 0) == HOUR


def test_a_retry_that_a_wrong_clock_put_far_ahead_begins_now() -> None:
    assert not may_begin(START + HOUR, START)
    assert may_begin(START, START)
    assert may_begin(START + TEN_YEARS, START)
