"""Schedules that are no cron expression: every so often, and once at a time; and durations as people write them."""

import re
from datetime import datetime

from palyra.core.errors import InvalidArgument

_UNITS_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_NAMES = {"d": "day", "h": "hour", "m": "minute", "s": "second"}
_DURATION = re.compile(r"(\d{1,9})([smhd])", re.ASCII)
MOST_MS = 366 * 86_400_000


def duration_ms(text: str, what: str = "duration", least_ms: int = 1_000, most_ms: int = MOST_MS) -> int:
    """Milliseconds of "90s", "15m", "2h" or "1d"."""
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None:
        raise InvalidArgument(f"{what} {text[:64]!r} is no duration", hint="write a number and s, m, h or d: 90s, 15m")
    ms = int(match[1]) * _UNITS_MS[match[2]]
    if not least_ms <= ms <= most_ms:
        raise InvalidArgument(
            f"{what} {text!r} is out of range",
            hint=f"from {short_duration(least_ms)} to {short_duration(most_ms)}",
        )
    return ms


def short_duration(ms: int) -> str:
    """The way `duration_ms` reads it back: the largest unit that holds it whole."""
    unit = next((unit for unit in "dhm" if ms and ms % _UNITS_MS[unit] == 0), "s")
    return f"{ms // _UNITS_MS[unit]}{unit}"


def words_of_duration(ms: int) -> str:
    """ "15 minutes"; "minute" for one."""
    short = short_duration(ms)
    count, name = int(short[:-1]), _NAMES[short[-1]]
    return name if count == 1 else f"{count} {name}s"


def local_time(text: str) -> datetime:
    """An ISO date with a time of day, with or without an offset."""
    stripped = text.strip()
    try:
        time = datetime.fromisoformat(stripped)
    except ValueError:
        time = None
    if time is None or ":" not in stripped or not stripped.isascii():
        raise InvalidArgument(
            f"time {text[:64]!r} is no date with a time of day", hint="write 2026-12-01T09:00, or +20m from now"
        )
    return time
