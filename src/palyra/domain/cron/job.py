"""Scheduled prompts and their runs, as they are kept: `CronJobRecord` and `CronRunRecord`."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NewType

from palyra.core.hashing import Json
from palyra.core.ids import RunId, SessionId
from palyra.domain.cron.schedule import At, CronSchedule, EverySchedule, Schedule

CronJobId = NewType("CronJobId", str)
CronRunId = NewType("CronRunId", str)


class Misfire(StrEnum):
    """What becomes of slots that passed while nobody was there to run them."""

    SKIP = "skip"
    """they are counted as missed"""
    CATCH_UP = "catch_up"
    """they are run, oldest first, a limited number of them; the rest is missed"""


class Concurrency(StrEnum):
    """What becomes of a slot that comes while an earlier run of its job is not over."""

    FORBID = "forbid"
    """it is skipped"""
    QUEUE = "queue"
    """it waits"""
    REPLACE = "replace"
    """the earlier run is cancelled"""


class SessionMode(StrEnum):
    SHARED = "shared"
    """every run of a job goes on in one session, and sees what was said before"""
    FRESH = "fresh"
    """each run begins a session of its own"""


class CronRunState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    """its prompt is on the tape of a session"""
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    MISSED = "missed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class CronPolicy:
    jitter_ms: int = 0
    misfire: Misfire = Misfire.SKIP
    concurrency: Concurrency = Concurrency.FORBID
    retries: int = 0
    backoff_ms: int = 30_000
    session: SessionMode = SessionMode.SHARED


@dataclass(frozen=True, slots=True)
class CronJob:
    """`CronJobRecord`."""

    job_id: CronJobId
    seq: int
    principal: str
    channel: str | None
    name: str
    """empty once erased"""
    prompt: str
    """empty once erased: then it does not run any more"""
    schedule: Schedule
    zone: str
    """in which its times are shown; a cron expression is meant in it"""
    policy: CronPolicy
    can: tuple[str, ...]
    """what a run may do: never more than whoever scheduled it"""
    made_by: str
    enabled: bool
    created_at_ms: int
    changed_at_ms: int
    deleted_at_ms: int | None
    session_id: SessionId | None
    cursor_ms: int
    """every slot up to here is accounted for"""
    next_ms: int | None
    """when its next slot is due, jitter included; None: it has no more"""


@dataclass(frozen=True, slots=True)
class CronRun:
    """`CronRunRecord`: one slot, or with `count` a stretch of missed ones."""

    run_id: CronRunId
    seq: int
    job_id: CronJobId
    principal: str
    channel: str | None
    slot_ms: int
    until_ms: int
    """the last slot, where it stands for several"""
    count: int
    more: bool
    """at least `count`: the stretch was too long to be counted"""
    state: CronRunState
    manual: bool
    attempt: int
    due_ms: int
    """not begun before"""
    session_id: SessionId | None
    session_run_id: RunId | None
    """of the last attempt"""
    error_code: str
    claimed_at_ms: int
    begun_at_ms: int | None
    ended_at_ms: int | None


def schedule_to_json(schedule: Schedule) -> dict[str, Json]:
    match schedule:
        case CronSchedule(expression, zone):
            return {"kind": "cron", "expression": expression, "zone": zone}
        case EverySchedule(every_ms, anchor_ms):
            return {"kind": "every", "every_ms": every_ms, "anchor_ms": anchor_ms}
        case At(at_ms):
            return {"kind": "at", "at_ms": at_ms}


def schedule_from_json(body: dict[str, Any]) -> Schedule:
    if body["kind"] == "cron":
        return CronSchedule(body["expression"], body["zone"])
    if body["kind"] == "every":
        return EverySchedule(body["every_ms"], body["anchor_ms"])
    return At(body["at_ms"])
