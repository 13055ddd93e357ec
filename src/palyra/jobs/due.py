"""When a job of this process is due: its rhythm, what was left on record, and how the last run went.

`at` is monotonic time in seconds, `now_ms` the clock on the wall.
"""

import random
from dataclasses import replace

from palyra.domain.jobs.rhythm import (
    DAY_MS,
    Every,
    OnSchedule,
    next_slot_ms,
    retry_wait_ms,
    take_up_wait_ms,
    wait_at_start_ms,
)
from palyra.jobs.state import LiveJob

_NEVER = float("inf")
_SOON_SECONDS = 0.25
_LOOK_SECONDS = 60.0
"""how often the clock on the wall is looked at: it may be set at any moment"""


def set_first_due(job: LiveJob, now_ms: int, at: float) -> None:
    row = job.row
    job.due_at = _NEVER
    if isinstance(job.rhythm, Every):
        job.due_at = at + wait_at_start_ms(job.rhythm, now_ms, row.due_at_ms) / 1_000
    if isinstance(job.rhythm, OnSchedule):
        job.next_slot_ms = next_slot_ms(job.rhythm, now_ms, row.slot_ms)
    if row.begun_at_ms is not None:
        job.due_at = min(job.due_at, at + take_up_wait_ms(row.failures) / 1_000)


def seconds_left(job: LiveJob, now_ms: int, at: float) -> float:
    """0 or less: it is due. Never longer than until somebody has to look again."""
    if job.is_stuck:
        return _LOOK_SECONDS
    left = job.due_at - at
    if not isinstance(job.rhythm, OnSchedule):
        return left
    if job.next_slot_ms is None:
        return min(left, _LOOK_SECONDS)
    if now_ms >= job.next_slot_ms:
        return 0.0
    # A slot that a wrong clock put far ahead gives way to the one that comes first by the right one.
    coming_ms = next_slot_ms(job.rhythm, now_ms, job.row.slot_ms)
    job.next_slot_ms = job.next_slot_ms if coming_ms is None else min(coming_ms, job.next_slot_ms)
    return min(left, (job.next_slot_ms - now_ms) / 1_000, _LOOK_SECONDS)


def set_next_due(job: LiveJob, now_ms: int, at: float, *, failed: bool, more: bool) -> None:
    """After a run that `job.row` tells of already."""
    slot_ms = job.row.slot_ms
    if isinstance(job.rhythm, OnSchedule):
        if job.next_slot_ms is not None and now_ms >= job.next_slot_ms:
            # Far behind its time: the machine was off, or the clock leaps; then all slots until now are over.
            slot_ms = job.next_slot_ms if now_ms - job.next_slot_ms <= DAY_MS else now_ms
        job.next_slot_ms = next_slot_ms(job.rhythm, now_ms, slot_ms)
    if failed and job.row.failures < job.spec.max_attempts:
        wait = retry_wait_ms(job.row.failures, random.random()) / 1_000  # noqa: S311 - spreads, hides nothing
    elif more:
        wait = _SOON_SECONDS
    else:
        wait = job.rhythm.every_ms / 1_000 if isinstance(job.rhythm, Every) else _NEVER
    job.due_at = at + wait
    job.row = replace(job.row, slot_ms=slot_ms, due_at_ms=next_due_ms(job, now_ms, at))


def next_due_ms(job: LiveJob, now_ms: int, at: float) -> int | None:
    """By the clock on the wall as it stands now; None: not by itself."""
    due_ms = [] if job.due_at == _NEVER else [now_ms + max(0, round((job.due_at - at) * 1_000))]
    if job.next_slot_ms is not None:
        due_ms.append(job.next_slot_ms)
    return min(due_ms, default=None)
