"""`following` against a matcher that is too slow to be wrong: it looks at every minute and at nothing else."""

import calendar
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from palyra.domain.cron.schedule import following, parse_cron

MINUTE = timedelta(minutes=1)
CHANGES = [
    ("UTC", "2026-02-27T00:00"),
    ("Europe/Berlin", "2026-03-28T12:00"),
    ("Europe/Berlin", "2026-10-24T12:00"),
    ("America/New_York", "2026-03-07T20:00"),
    ("America/New_York", "2028-11-04T20:00"),
    ("Australia/Lord_Howe", "2026-04-04T00:00"),
    ("Australia/Lord_Howe", "2026-10-03T00:00"),
    ("Africa/Cairo", "2026-04-23T00:00"),
    ("Africa/Cairo", "2026-10-29T00:00"),
    ("America/Havana", "2026-03-07T12:00"),
    ("America/Havana", "2026-10-31T12:00"),
    ("Pacific/Apia", "2011-12-29T00:00"),
    ("Asia/Kathmandu", "2026-12-30T12:00"),
    ("America/St_Johns", "2010-03-13T12:00"),
    ("Antarctica/Troll", "2026-03-28T12:00"),
    ("Antarctica/Troll", "2026-10-24T12:00"),
]


def a_field(low: int, high: int) -> st.SearchStrategy[str]:
    value = st.integers(low, high)
    span = st.tuples(value, value).map(lambda pair: f"{min(pair)}-{max(pair)}")
    step = st.integers(1, high - low)
    term = (
        value.map(str)
        | span
        | st.just("*")
        | st.tuples(st.just("*") | span, step).map(lambda pair: f"{pair[0]}/{pair[1]}")
    )
    return st.just("*") | st.lists(term, min_size=1, max_size=3).map(",".join)


expressions = st.tuples(
    a_field(0, 59), a_field(0, 4) | a_field(0, 23), a_field(1, 31) | st.just("L"), st.just("*"), a_field(0, 7)
).map(" ".join)


@lru_cache(maxsize=1_000)
def allowed(field: str, low: int, high: int) -> frozenset[int]:
    found: set[int] = set()
    for term in field.split(","):
        span, _, step = term.partition("/")
        first, _, last = span.partition("-")
        start, end = (low, high) if first == "*" else (int(first), int(last or first))
        found |= set(range(start, end + 1, int(step or 1)))
    return frozenset(found)


def matches(expression: str, local: datetime) -> bool:
    minute, hour, day, month, weekday = expression.split()
    last = calendar.monthrange(local.year, local.month)[1]
    by_day = local.day == last if day == "L" else local.day in allowed(day, 1, 31)
    by_weekday = local.isoweekday() % 7 in {number % 7 for number in allowed(weekday, 0, 7)}
    both = day.startswith("*") or weekday.startswith("*")
    return (
        local.minute in allowed(minute, 0, 59)
        and local.hour in allowed(hour, 0, 23)
        and local.month in allowed(month, 1, 12)
        and ((by_day and by_weekday) if both else (by_day or by_weekday))
    )


def is_slot(expression: str, zone: ZoneInfo, instant: datetime) -> bool:
    local, before = instant.astimezone(zone), (instant - MINUTE).astimezone(zone)
    matching = matches(expression, local.replace(tzinfo=None))
    minute, hour, *_ = expression.split()
    if minute.startswith("*") or hour.startswith("*"):
        return matching
    skipped = before.replace(tzinfo=None) + MINUTE
    while skipped < local.replace(tzinfo=None):
        if matches(expression, skipped):
            return True
        skipped += MINUTE
    return matching and local.fold == 0


@settings(deadline=None, max_examples=40)
@given(expressions, st.sampled_from(CHANGES), st.integers(0, 1_440), st.integers(0, 59_999))
def test_slots_are_those_of_a_matcher_that_looks_at_every_minute(
    expression: str, change: tuple[str, str], minutes: int, within_ms: int
) -> None:
    name, around = change
    zone = ZoneInfo(name)
    start = datetime.fromisoformat(around).replace(tzinfo=UTC) + minutes * MINUTE
    end = start + timedelta(hours=40)
    instants = [start + n * MINUTE for n in range(1, 40 * 60 + 1)]
    expected = [int(t.timestamp() * 1000) for t in instants if is_slot(expression, zone, t)]

    schedule = parse_cron(expression, name)
    found: list[int] = []
    slot = following(schedule, int(start.timestamp() * 1000) + within_ms)
    while slot is not None and slot <= end.timestamp() * 1000:
        found.append(slot)
        slot = following(schedule, slot)
    assert found == expected
    assert all(earlier < later for earlier, later in pairwise(found))
