"""When a job is due. Plain arithmetic, so that whatever the clock on the wall does can be tried out.

Intervals are counted by a clock that cannot be set. Times on the wall count for schedules, and for what is remembered
from one process to the next; both are clipped, so that a clock that was wrong neither stops a job nor floods it.
"""

from dataclasses import dataclass
from typing import TypeAlias

from palyra.domain.cron.schedule import CronSchedule, describe, following

DAY_MS = 86_400_000
_TAKE_UP_MS = 5_000
"""after the start, for a job whose last process died in the middle of it"""
_TICK_MS = 60_000
_RETRY_MS = 2_000
_LONGEST_RETRY_MS = 600_000


@dataclass(frozen=True, slots=True)
class Every:
    every_ms: int
    first_ms: int | None = None
    """after the start at the earliest, and if it never ran; None: one interval"""

    @property
    def is_tick(self) -> bool:
        """So often that looking whether there is anything to do must not touch the disk."""
        return self.every_ms <= _TICK_MS

    def __str__(self) -> str:
        seconds, ms = divmod(self.every_ms, 1_000)
        if ms:
            return f"every {self.every_ms} ms"
        for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
            if seconds and seconds % size == 0:
                return f"every {seconds // size} {unit}"
        return f"every {seconds} s"


@dataclass(frozen=True, slots=True)
class OnSchedule:
    """At times on the wall."""

    schedule: CronSchedule

    @property
    def is_tick(self) -> bool:
        return False

    def __str__(self) -> str:
        return describe(self.schedule)


Rhythm: TypeAlias = Every | OnSchedule


def wait_at_start_ms(rhythm: Every, now_ms: int, due_at_ms: int | None) -> int:
    """`due_at_ms` is what the last process wrote down. It may have had another clock, so it counts for no more than
    one interval from now."""
    first_ms = rhythm.every_ms if rhythm.first_ms is None else min(rhythm.first_ms, rhythm.every_ms)
    if due_at_ms is None:
        return first_ms
    return max(first_ms, min(due_at_ms - now_ms, rhythm.every_ms))


def take_up_wait_ms(times: int) -> int:
    """For a job that was left in the middle so many times on end: what kills its process must not do so at every
    start."""
    return max(_TAKE_UP_MS, retry_wait_ms(times, 0.0))


def next_slot_ms(rhythm: OnSchedule, now_ms: int, last_slot_ms: int | None) -> int | None:
    """The first slot from now on that has not been. A last slot more than a day ahead was made by a wrong clock."""
    went_back = last_slot_ms is not None and now_ms < last_slot_ms <= now_ms + DAY_MS
    return following(rhythm.schedule, last_slot_ms if went_back and last_slot_ms is not None else now_ms)


def retry_wait_ms(failures: int, chance: float) -> int:
    """Twice as long each time; `chance` (0 to 1) takes off up to a half, so that not all come back at once."""
    longest = min(_RETRY_MS << min(max(failures - 1, 0), 16), _LONGEST_RETRY_MS)
    return round(longest * (1 - chance / 2))
