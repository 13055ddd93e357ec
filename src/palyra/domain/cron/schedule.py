"""When a job is due: a cron expression in a time zone, every so often, or once.

A schedule is a fixed grid of instants ("slots"); `following` gives the first one after an instant, so nothing drifts.
Days and months are matched by cronsim, always on local time without a zone. What a zone does to them is decided here,
as Debian's cron does: a fixed time that a clock change skips comes at the first minute after the gap, and one that
comes twice counts once; with a star in minutes or hours every real minute whose local time matches counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypeAlias
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError
from cronsim.explain import explain

from palyra.core.errors import InvalidArgument
from palyra.domain.cron.durations import duration_ms, local_time, words_of_duration
from palyra.domain.cron.expression import checked_expression
from palyra.domain.cron.zones import checked_zone

LAST_MS = 250_246_627_200_000
"""the year 9900: far enough from the end of the calendar to look fifty years ahead"""
_GAP_MINUTES = 1_500
"""no zone ever skipped more than a day"""
_YEARS = 50
"""what does not come for so long does not come"""


@dataclass(frozen=True, slots=True)
class CronSchedule:
    """`expression` has five fields (macros are written out), `zone` is an IANA name; both were checked."""

    expression: str
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class EverySchedule:
    """A grid through the anchor, in both directions: an anchor that a wrong clock set ahead must not silence a job."""

    every_ms: int
    anchor_ms: int


@dataclass(frozen=True, slots=True)
class At:
    at_ms: int


Schedule: TypeAlias = CronSchedule | EverySchedule | At


def parse_cron(text: str, zone: str = "UTC") -> CronSchedule:
    """The schedule `text` means in `zone`; one that never comes (30 February) is refused like a misspelt one."""
    cron = CronSchedule(checked_expression(text), checked_zone(zone))
    try:
        comes = following(cron, 0) is not None
    except CronSimError:
        comes = False
    if not comes:
        raise InvalidArgument(
            f"cron expression {text!r} never comes: no such day exists in these months",
            hint="use L for the last day of a month",
            expression=cron.expression,
        )
    return cron


def parse_every(text: str, anchor_ms: int) -> EverySchedule:
    """ "90s", "15m", "2h" or "1d", counted from `anchor_ms`."""
    return EverySchedule(duration_ms(text, "interval"), anchor_ms)


def parse_at(text: str, now_ms: int, zone: str = "UTC") -> At:
    """A time such as 2026-12-01T09:00 (in `zone`, unless it names its offset) or +20m; one that is past is refused."""
    place = checked_zone(zone)
    if text.strip().startswith("+"):
        return At(now_ms + duration_ms(text.strip()[1:], "delay"))
    time = local_time(text)
    try:
        at_ms = instant_ms(time, place) if time.tzinfo is None else _utc_ms(time.astimezone(UTC))
    except OverflowError:
        at_ms = -1
    if not now_ms < at_ms <= LAST_MS:
        raise InvalidArgument(f"time {text!r} ({place}) is past or too far away", hint="give a time to come")
    return At(at_ms)


def following(schedule: Schedule, after_ms: int) -> int | None:
    """The first slot strictly after `after_ms`, or None if there is no more."""
    match schedule:
        case At(at_ms):
            return at_ms if at_ms > after_ms else None
        case EverySchedule(every_ms, anchor_ms):
            slot = anchor_ms + ((after_ms - anchor_ms) // every_ms + 1) * every_ms
            return slot if slot <= LAST_MS else None
        case CronSchedule():
            if after_ms >= LAST_MS:
                return None
            return _following_cron(schedule, max(after_ms, 0))


def following_slots(schedule: Schedule, after_ms: int, count: int) -> list[int]:
    """The next `count` slots, fewer if there are no more."""
    slots: list[int] = []
    while len(slots) < count and (slot := following(schedule, slots[-1] if slots else after_ms)) is not None:
        slots.append(slot)
    return slots


def describe(schedule: Schedule) -> str:
    """The schedule in words: "At 09:00 on Monday through Friday (Europe/Lisbon)"."""
    match schedule:
        case CronSchedule(expression, zone):
            return f"{explain(expression)} ({zone})"
        case EverySchedule(every_ms, _):
            return f"Every {words_of_duration(every_ms)}"
        case At(at_ms):
            return f"Once at {datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} (UTC)"


def instant_ms(local: datetime, zone: str) -> int:
    """The instant of a local time: the first one if it comes twice, the end of the gap if it never comes."""
    place = _place(zone)
    for minutes in range(_GAP_MINUTES):
        shifted = local if minutes == 0 else local.replace(second=0, microsecond=0) + timedelta(minutes=minutes)
        if (found := _real_ms(shifted, place, 0)) is not None:
            return found
    raise InvalidArgument(f"{local} does not exist in {zone}")


def _following_cron(cron: CronSchedule, after_ms: int) -> int | None:
    local = datetime.fromtimestamp(after_ms / 1000, _place(cron.zone))
    minute, hour, *_ = cron.expression.split()
    if cron.zone == "UTC":
        return next((_utc_ms(time) for time in _matches(cron, local)), None)
    if minute.startswith("*") or hour.startswith("*"):
        return _following_real_time(cron, local, after_ms)
    return next((ms for time in _matches(cron, local) if (ms := instant_ms(time, cron.zone)) > after_ms), None)


def _following_real_time(cron: CronSchedule, local: datetime, after_ms: int) -> int | None:
    found = [*_first_match(cron, local, after_ms), *_second_pass(cron, local, after_ms)]
    return min(found, default=None)


def _first_match(cron: CronSchedule, local: datetime, after_ms: int) -> list[int]:
    place = _place(cron.zone)
    for time in _matches(cron, local):
        if time.year > local.year + _YEARS:  # all that match are skipped when clocks change, year after year
            break
        found = [ms for fold in (0, 1) if (ms := _real_ms(time, place, fold)) is not None and ms > after_ms]
        if found:
            return found
    return []


def _second_pass(cron: CronSchedule, local: datetime, after_ms: int) -> Iterator[int]:
    """Matches at local times that have been and will be again, because the clock is set back soon after `local`."""
    again_ms = 0 if local.fold else _repeats_after_ms(local)
    if again_ms <= 0:
        return
    for time in _matches(cron, local - timedelta(milliseconds=again_ms + 1)):
        if time > local.replace(tzinfo=None):
            return
        if _repeats_after_ms(time.replace(tzinfo=local.tzinfo)) > 0:
            ms = _real_ms(time, _place(cron.zone), 1)
            if ms is not None and ms > after_ms:
                yield ms


def _repeats_after_ms(local: datetime) -> int:
    """How much later the same local time comes again; 0 for most. In a gap it is below 0."""
    first, second = local.replace(fold=0).utcoffset(), local.replace(fold=1).utcoffset()
    return int((first - second) / timedelta(milliseconds=1)) if first is not None and second is not None else 0


def _matches(cron: CronSchedule, after: datetime) -> Iterator[datetime]:
    """Local times that match, in order, strictly after `after`. Ends when there was none for fifty years."""
    return CronSim(cron.expression, after.replace(tzinfo=None, fold=0))


def _real_ms(local: datetime, place: ZoneInfo, fold: int) -> int | None:
    """The instant of a local time, None where clocks skip it."""
    aware = local.replace(tzinfo=place, fold=fold)
    there = aware.astimezone(UTC)
    return None if there.astimezone(place).replace(tzinfo=None) != local else _utc_ms(there)


def _utc_ms(time: datetime) -> int:
    return round(time.replace(tzinfo=UTC).timestamp() * 1000)


@lru_cache(maxsize=64)
def _place(zone: str) -> ZoneInfo:
    return ZoneInfo(zone)
