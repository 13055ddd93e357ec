"""How a job stands in this process, and how that is told."""

import asyncio
from dataclasses import dataclass, field, replace

from palyra.domain.jobs.events import Outcome
from palyra.domain.jobs.rhythm import Rhythm
from palyra.domain.journal import Origin
from palyra.jobs.spec import JobReport, JobSpec
from palyra.store.jobs.records import Pause
from palyra.store.jobs.states import JobStateRow


@dataclass(frozen=True, slots=True)
class EndedRun:
    """What came of a run."""

    name: str
    outcome: Outcome
    started_at_ms: int
    took_ms: int
    items: int = 0
    notes: tuple[str, ...] = ()
    code: str = ""
    error: str = ""
    """what went wrong, for a person"""
    attention: str = ""

    @property
    def failed(self) -> bool:
        return self.outcome is not Outcome.DONE


@dataclass(frozen=True, slots=True)
class JobView:
    """How one of them stands, for people and programs."""

    name: str
    rhythm: str
    every_ms: int | None
    """None: at times on the wall"""
    next_due_ms: int | None
    """while it is running: when it was due; None: not by itself"""
    is_running: bool
    is_stuck: bool
    """a run of it was given up and has not ended; it is not started again beside it"""
    paused_by: str | None
    runs: int
    """of this process, here and in the next two"""
    failed_runs: int
    seconds: float
    failures: int
    """in a row"""
    last_started_ms: int | None
    last_ms: int | None
    """how long the last finished run took"""
    last_items: int
    last_success_ms: int | None
    last_error: str | None
    """of the last finished run; None: it went well"""
    attention: str
    alarm: bool


@dataclass(slots=True)
class RunWish:
    """A person wants it run."""

    by: str
    origin: Origin
    sure: bool
    done: "asyncio.Future[EndedRun]"


@dataclass(slots=True, eq=False)
class LiveJob:
    spec: JobSpec
    rhythm: Rhythm | None
    """None: its setting means nothing, and `error` says so"""
    row: JobStateRow
    due_at: float = 0.0
    """by monotonic time"""
    next_slot_ms: int | None = None
    pause: Pause | None = None
    leased_until: float = 0.0
    """by monotonic time; a tick keeps its lease from run to run"""
    is_running: bool = False
    error: str = ""
    error_told_at: float = 0.0
    abandoned: "asyncio.Task[JobReport] | None" = None
    wishes: list[RunWish] = field(default_factory=list)
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    follower: "asyncio.Task[None] | None" = None
    runs: int = 0
    failed_runs: int = 0
    seconds: float = 0.0
    is_continued: bool = False
    chain_items: int = 0
    """of runs on end that are not journaled yet"""
    chain_started_ms: int | None = None
    chain_took_ms: int = 0

    @property
    def is_tick(self) -> bool:
        return self.rhythm is not None and self.rhythm.is_tick

    @property
    def is_stuck(self) -> bool:
        return self.abandoned is not None and not self.abandoned.done()

    def count(self, run: EndedRun, *, more: bool) -> None:
        self.runs += 1
        self.failed_runs += run.failed
        self.seconds += run.took_ms / 1_000
        self.is_continued = more
        self.chain_items += run.items
        self.chain_took_ms += run.took_ms
        if self.chain_started_ms is None:
            self.chain_started_ms = run.started_at_ms

    def chain(self, run: EndedRun) -> EndedRun:
        """`run` with all that was done before it on end."""
        started_at_ms = run.started_at_ms if self.chain_started_ms is None else self.chain_started_ms
        return replace(run, started_at_ms=started_at_ms, took_ms=self.chain_took_ms, items=self.chain_items)

    def end_chain(self) -> None:
        self.chain_items, self.chain_started_ms, self.chain_took_ms = 0, None, 0
