"""What can happen to scheduled prompts. `domain/journal.draft_of_event` makes a draft of one.

What a person wrote stands in `cron.worded`, right behind the `cron.defined` it belongs to: it can be erased alone, and
what is left still says when the job was due and what became of each slot.
"""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from palyra.core.hashing import Json
from palyra.core.ids import RunId, SessionId
from palyra.domain.cron.job import CronJobId, CronRunId


@dataclass(frozen=True, slots=True)
class CronJobDefined:
    """The whole definition, when it is made and each time it is changed; but for the words."""

    KIND: ClassVar = "cron.defined"
    V: ClassVar = 1
    TELLS: ClassVar = "scheduled prompt {job_id} is set, in the zone {zone}"
    WORDS: ClassVar[tuple[str, ...]] = ()
    job_id: CronJobId
    schedule: dict[str, Json]
    zone: str
    jitter_ms: int
    misfire: str
    concurrency: str
    retries: int
    backoff_ms: int
    session: str
    can: tuple[str, ...]
    made_by: str
    enabled: bool
    cursor_ms: int
    next_ms: int | None
    worded: bool
    """the next event has its words; else they stay as they are"""


@dataclass(frozen=True, slots=True)
class CronJobWorded:
    KIND: ClassVar = "cron.worded"
    V: ClassVar = 1
    TELLS: ClassVar = "scheduled prompt {name} says: {prompt}"
    WORDS: ClassVar[tuple[str, ...]] = ("name", "prompt")
    job_id: CronJobId
    name: str
    prompt: str


@dataclass(frozen=True, slots=True)
class CronJobEnabled:
    KIND: ClassVar = "cron.enabled"
    V: ClassVar = 1
    TELLS: ClassVar = "switched scheduled prompt {job_id} {enabled}"
    MEANS: ClassVar = {"True": "on", "False": "off"}
    WORDS: ClassVar[tuple[str, ...]] = ()
    job_id: CronJobId
    enabled: bool
    cursor_ms: int
    next_ms: int | None


@dataclass(frozen=True, slots=True)
class CronJobDeleted:
    """It comes no more; its runs stay."""

    KIND: ClassVar = "cron.deleted"
    V: ClassVar = 1
    TELLS: ClassVar = "deleted scheduled prompt {job_id}"
    WORDS: ClassVar[tuple[str, ...]] = ()
    job_id: CronJobId


@dataclass(frozen=True, slots=True)
class CronSlotClaimed:
    """A slot is taken: it waits to be run, or is skipped. Nobody takes it again.

    Of what a job has due at once, the last event says how far the job has come."""

    KIND: ClassVar = "cron.claimed"
    V: ClassVar = 1
    TELLS: ClassVar = "a scheduled prompt was due at {slot_ms}: {state}[, {error_code}]"
    WORDS: ClassVar[tuple[str, ...]] = ()
    run_id: CronRunId
    job_id: CronJobId
    slot_ms: int
    state: str
    session_id: SessionId | None = None
    manual: bool = False
    """a person asked for it; it is no slot of the schedule"""
    error_code: str = ""
    """why it is skipped"""
    shares_session: bool = False
    """the session is that of all its runs"""
    cursor_ms: int | None = None
    next_ms: int | None = None


@dataclass(frozen=True, slots=True)
class CronSlotsMissed:
    KIND: ClassVar = "cron.missed"
    V: ClassVar = 1
    TELLS: ClassVar = "a scheduled prompt was missed {count#time|times}, from {slot_ms} on"
    WORDS: ClassVar[tuple[str, ...]] = ()
    run_id: CronRunId
    job_id: CronJobId
    slot_ms: int
    until_ms: int
    count: int
    more: bool = False
    cursor_ms: int | None = None
    next_ms: int | None = None


@dataclass(frozen=True, slots=True)
class CronJobMoved:
    """The cursor alone: it had been set by a clock that was wrong, or its slots were claimed before."""

    KIND: ClassVar = "cron.moved"
    V: ClassVar = 1
    TELLS: ClassVar = "scheduled prompt {job_id} goes on from {cursor_ms}"
    WORDS: ClassVar[tuple[str, ...]] = ()
    job_id: CronJobId
    cursor_ms: int
    next_ms: int | None
    rewound: bool = False


@dataclass(frozen=True, slots=True)
class CronRunBegun:
    KIND: ClassVar = "cron.begun"
    V: ClassVar = 1
    TELLS: ClassVar = "a scheduled prompt began a turn"
    WORDS: ClassVar[tuple[str, ...]] = ()
    run_id: CronRunId
    session_run_id: RunId


@dataclass(frozen=True, slots=True)
class CronRunEnded:
    """With `again_at_ms` it is to be tried again."""

    KIND: ClassVar = "cron.ended"
    V: ClassVar = 1
    TELLS: ClassVar = "a scheduled prompt is {state}[: {error_code}][, tried again at {again_at_ms}]"
    WORDS: ClassVar[tuple[str, ...]] = ()
    run_id: CronRunId
    state: str
    error_code: str = ""
    again_at_ms: int | None = None


CronEvent: TypeAlias = (
    CronJobDefined
    | CronJobWorded
    | CronJobEnabled
    | CronJobDeleted
    | CronSlotClaimed
    | CronSlotsMissed
    | CronJobMoved
    | CronRunBegun
    | CronRunEnded
)
CRON_EVENTS: tuple[type[CronEvent], ...] = (
    CronJobDefined,
    CronJobWorded,
    CronJobEnabled,
    CronJobDeleted,
    CronSlotClaimed,
    CronSlotsMissed,
    CronJobMoved,
    CronRunBegun,
    CronRunEnded,
)
