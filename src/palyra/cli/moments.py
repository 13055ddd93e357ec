"""Times as people write them on a command line."""

import re
from datetime import UTC, datetime

from palyra.core.errors import InvalidArgument

_DURATION = re.compile(r"(\d{1,9})\s*(ms|s|m|h|d|w)")
_UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_MILLISECONDS = re.compile(r"\d{11,14}")


def parse_moment_ms(text: str) -> int:
    """2026-05-03, 2026-05-03T14:30, the same with a zone, or milliseconds since 1970. Without a zone it is UTC."""
    if _MILLISECONDS.fullmatch(text):
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidArgument(
            f"{text!r} is no moment in time", hint="write 2026-05-03, 2026-05-03T14:30, or milliseconds since 1970"
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


def parse_duration_ms(text: str) -> int:
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise InvalidArgument(f"{text!r} is no duration", hint="write 30d, 12h, 45m or 90s")
    return int(match[1]) * _UNIT_MS[match[2]]
