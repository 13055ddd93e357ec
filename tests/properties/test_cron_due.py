"""Whatever the clock does between two ticks, no slot runs twice and each is accounted for exactly once."""

from hypothesis import given, settings
from hypothesis import strategies as st

from palyra.domain.cron.due import CATCH_UP_SLOTS, WALKED_SLOTS, WRONG_CLOCK_MS, Plan, SlotStanding, decide_due
from palyra.domain.cron.job import Concurrency, CronPolicy, Misfire
from palyra.domain.cron.schedule import EverySchedule, Schedule, following, parse_cron

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
START = 1_774_656_000_000
"""the day before clocks change in Berlin"""

schedules: st.SearchStrategy[Schedule] = st.one_of(
    st.integers(1, 300).map(lambda seconds: EverySchedule(seconds * 1_000, START)),
    st.sampled_from(["* * * * *", "*/7 * * * *", "30 2 * * *", "0 */3 * * *"]).map(
        lambda text: parse_cron(text, "Europe/Berlin")
    ),
)
policies = st.builds(
    CronPolicy,
    st.sampled_from([0, 30_000, HOUR]),
    st.sampled_from(Misfire),
    st.sampled_from(Concurrency),
)
steps = st.sampled_from([0, 1, 999, 5_000, MINUTE, 10 * MINUTE, 3 * HOUR])
leaps = steps | st.sampled_from([-HOUR, -3 * DAY, 3 * DAY, 3_653 * DAY, -3_653 * DAY, -1])


def slots_between(schedule: Schedule, after_ms: int, until_ms: int) -> set[int]:
    found: set[int] = set()
    slot = following(schedule, after_ms)
    while slot is not None and slot <= until_ms:
        found.add(slot)
        slot = following(schedule, slot)
    return found


@settings(deadline=None, max_examples=60)
@given(schedules, policies, st.lists(st.tuples(leaps, st.booleans()), max_size=20))
def test_no_slot_runs_twice_under_any_sequence_of_clock_moves(
    schedule: Schedule, policy: CronPolicy, moves: list[tuple[int, bool]]
) -> None:
    plan, now, cursor, running = Plan("job", schedule, policy), START, START, 0
    claimed: list[int] = []
    for move, ends in moves:
        now = max(0, now + move)
        running = 0 if ends else running
        known = frozenset(slot for slot in claimed if slot > min(cursor, now))
        due = decide_due(plan, SlotStanding(cursor, 0, running, known), now)
        claimed += [*due.run, *due.skipped]
        running += len(due.run)
        assert len(due.run) <= CATCH_UP_SLOTS + 61
        assert len(due.skipped) <= WALKED_SLOTS + 61
        assert due.cursor_ms >= cursor or (due.rewound and cursor > now + WRONG_CLOCK_MS)
        cursor = due.cursor_ms
    assert len(claimed) == len(set(claimed))


@settings(deadline=None, max_examples=60)
@given(schedules, policies, st.lists(st.tuples(steps | st.just(-HOUR), st.booleans()), max_size=25))
def test_every_slot_is_run_skipped_or_missed_exactly_once(
    schedule: Schedule, policy: CronPolicy, moves: list[tuple[int, bool]]
) -> None:
    plan, now, cursor, running = Plan("job", schedule, policy), START, START, 0
    claimed: set[int] = set()
    missed = 0
    for move, ends in moves:
        now += move
        running = 0 if ends else running
        due = decide_due(plan, SlotStanding(cursor, 0, running), now)
        claimed |= {*due.run, *due.skipped}
        running += len(due.run)
        if due.missed is not None:
            missed += due.missed.count
            assert cursor < due.missed.first_ms <= due.missed.last_ms <= due.cursor_ms
            assert not due.missed.more or not isinstance(schedule, EverySchedule)
        cursor = due.cursor_ms
    slots = slots_between(schedule, START, cursor)
    assert claimed <= slots
    assert len(claimed) + missed == len(slots)
