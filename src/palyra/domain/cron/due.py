"""Which slots of a job run now, which are skipped or missed: pure, and safe under any clock.

The cursor is a high-water mark: what is not after it was decided before, so a clock that goes back or stands still runs
nothing twice. A cursor more than a day ahead was left by a clock that was wrong; then the job goes on from now, and
slots that were claimed already are left out. No stretch of time is walked slot by slot beyond a fixed number.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from palyra.domain.cron.job import Concurrency, CronPolicy, Misfire
from palyra.domain.cron.schedule import EverySchedule, Schedule, following

GRACE_MS = 60_000
"""a slot at most so late is on time"""
WRONG_CLOCK_MS = 86_400_000
CATCH_UP_SLOTS = 24
QUEUED_SLOTS = 24
"""of one job; further ones are skipped"""
WALKED_SLOTS = 500
BACKOFF_MOST_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Plan:
    """What a job wants."""

    job_id: str
    schedule: Schedule
    policy: CronPolicy


@dataclass(frozen=True, slots=True)
class SlotStanding:
    """How it stands."""

    cursor_ms: int
    queued: int = 0
    running: int = 0
    known: frozenset[int] = frozenset()
    """slots after the cursor that were claimed before: a clock was wrong in between"""


@dataclass(frozen=True, slots=True)
class Missed:
    first_ms: int
    last_ms: int
    count: int
    more: bool = False
    """at least so many"""


@dataclass(frozen=True, slots=True)
class Due:
    run: tuple[int, ...]
    """slots to run, oldest first"""
    skipped: tuple[int, ...]
    missed: Missed | None
    replaces: bool
    """earlier runs of the job are cancelled"""
    cursor_ms: int
    next_ms: int | None
    rewound: bool = False
    """the cursor was in the future"""


def decide_due(plan: Plan, standing: SlotStanding, now_ms: int) -> Due:
    """Everything that is due, decided once: each slot up to the new cursor is in exactly one of the lists."""
    rewound = standing.cursor_ms > now_ms + WRONG_CLOCK_MS
    cursor_ms = now_ms if rewound else standing.cursor_ms
    walk = _walk(plan, cursor_ms, now_ms)
    late = [slot for slot in walk.late if slot not in standing.known]
    on_time = [slot for slot in walk.on_time if slot not in standing.known]
    caught: list[int] = []
    if plan.policy.misfire is Misfire.CATCH_UP:
        caught, late = late[:CATCH_UP_SLOTS], late[CATCH_UP_SLOTS:]
    run, skipped, replaces = _admit(plan.policy.concurrency, standing, caught, on_time)
    next_ms = next_due_ms(plan, walk.cursor_ms)
    return Due(tuple(run), tuple(skipped), _missed(late, walk), replaces, walk.cursor_ms, next_ms, rewound)


def next_due_ms(plan: Plan, cursor_ms: int) -> int | None:
    slot = following(plan.schedule, cursor_ms)
    return None if slot is None else due_ms(plan, slot)


def due_ms(plan: Plan, slot_ms: int) -> int:
    """The slot and its share of the jitter: always the same for the same slot, so that nothing drifts."""
    if plan.policy.jitter_ms <= 0:
        return slot_ms
    digest = hashlib.sha256(f"{plan.job_id} {slot_ms}".encode()).digest()
    return slot_ms + int.from_bytes(digest[:8], "big") % plan.policy.jitter_ms


def retry_at_ms(policy: CronPolicy, attempt: int, now_ms: int) -> int | None:
    """When a run that failed at its `attempt`-th try is tried again; None: no more."""
    if attempt > policy.retries:
        return None
    return now_ms + min(policy.backoff_ms << min(attempt - 1, 20), BACKOFF_MOST_MS)


def may_begin(run_due_ms: int, now_ms: int) -> bool:
    """A time further ahead than any backoff was set by a clock that was wrong."""
    return run_due_ms <= now_ms or run_due_ms > now_ms + BACKOFF_MOST_MS


@dataclass(slots=True)
class _Walk:
    late: list[int]
    on_time: list[int]
    cursor_ms: int
    leapt: Missed | None = None
    """what was not walked"""


def _walk(plan: Plan, cursor_ms: int, now_ms: int) -> _Walk:
    """Slots that are due, in order; one that waits for its jitter holds back those behind it."""
    walk = _Walk([], [], cursor_ms)
    _step(plan, walk, now_ms, WALKED_SLOTS)
    surely_late_ms = now_ms - GRACE_MS - plan.policy.jitter_ms - 1
    left = following(plan.schedule, walk.cursor_ms)
    if left is not None and left <= surely_late_ms:
        walk.leapt = _leap(plan.schedule, left, surely_late_ms)
        walk.cursor_ms = surely_late_ms
        _step(plan, walk, now_ms, None)
    return walk


def _step(plan: Plan, walk: _Walk, now_ms: int, most: int | None) -> None:
    """`most` None: what is left is bounded by the grace and the jitter."""
    steps = 0
    while most is None or steps < most:
        slot = following(plan.schedule, walk.cursor_ms)
        if slot is None or (due := due_ms(plan, slot)) > now_ms:
            return
        (walk.on_time if due >= now_ms - GRACE_MS else walk.late).append(slot)
        walk.cursor_ms = slot
        steps += 1


def _leap(schedule: Schedule, first_ms: int, until_ms: int) -> Missed:
    if isinstance(schedule, EverySchedule):
        steps = (until_ms - first_ms) // schedule.every_ms
        return Missed(first_ms, first_ms + steps * schedule.every_ms, steps + 1)
    return Missed(first_ms, until_ms, 1, more=True)


def _missed(late: Sequence[int], walk: _Walk) -> Missed | None:
    leapt = walk.leapt
    if leapt is None:
        return Missed(late[0], late[-1], len(late)) if late else None
    if not late:
        return leapt
    return Missed(late[0], leapt.last_ms, len(late) + leapt.count, leapt.more)


def _admit(
    concurrency: Concurrency, standing: SlotStanding, caught: list[int], on_time: list[int]
) -> tuple[list[int], list[int], bool]:
    """Run, skipped, and whether earlier runs are cancelled. What is caught up with waits in line."""
    active = standing.queued + standing.running
    if concurrency is Concurrency.FORBID:
        room = 0 if active or caught else 1
        return caught + on_time[:room], on_time[room:], False
    if concurrency is Concurrency.QUEUE:
        room = max(0, QUEUED_SLOTS - standing.queued - len(caught))
        return caught + on_time[:room], on_time[room:], False
    slots = caught + on_time
    return slots[-1:], slots[:-1], bool(slots and active)
