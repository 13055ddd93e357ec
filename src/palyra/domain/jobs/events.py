"""What is remembered of jobs for good: runs that did something, failed or were asked for, and who paused what."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, TypeAlias


class Outcome(StrEnum):
    """How a run ended."""

    DONE = "done"
    FAILED = "failed"
    CUT_OFF = "cut_off"
    """its time was up, and it stopped when told to"""
    ABANDONED = "abandoned"
    """its time was up, and it did not stop: nobody waits for it any more"""


@dataclass(frozen=True, slots=True)
class JobRan:
    """One run, or several on end where each left something for the next."""

    KIND: ClassVar = "job.ran"
    V: ClassVar = 1
    TELLS: ClassVar = "job {name}: {outcome}[: {error}][; {attention}]"
    WORDS: ClassVar[tuple[str, ...]] = ("notes", "error", "attention")
    name: str
    outcome: Outcome
    started_at_ms: int
    took_ms: int
    items: int
    attempt: int = 1
    """1: the first one; else so many in a row have failed before"""
    notes: tuple[str, ...] = ()
    code: str = ""
    """of the error table"""
    error: str = ""
    attention: str = ""
    """what a person should look at"""
    by: str = ""
    """who asked for it; empty: it was due"""


@dataclass(frozen=True, slots=True)
class JobPaused:
    KIND: ClassVar = "job.paused"
    V: ClassVar = 1
    TELLS: ClassVar = "{by} paused job {name}"
    WORDS: ClassVar[tuple[str, ...]] = ()
    name: str
    by: str


@dataclass(frozen=True, slots=True)
class JobResumed:
    KIND: ClassVar = "job.resumed"
    V: ClassVar = 1
    TELLS: ClassVar = "{by} let job {name} go on"
    WORDS: ClassVar[tuple[str, ...]] = ()
    name: str
    by: str


JobEvent: TypeAlias = JobRan | JobPaused | JobResumed
JOB_EVENTS: tuple[type[JobEvent], ...] = (JobRan, JobPaused, JobResumed)
