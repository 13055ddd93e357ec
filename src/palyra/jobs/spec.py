"""What a job is: a row that says when, how much at a time, and what to do."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from palyra.core.clock import Clock
from palyra.domain.jobs.rhythm import Every, OnSchedule, Rhythm
from palyra.settings import Settings

if TYPE_CHECKING:
    from palyra.services.continuity.planning import Compactor
    from palyra.services.cron.context import Cron
    from palyra.services.external.runtime import ExternalRuntime
    from palyra.services.journal import JournalService
    from palyra.services.learning.context import Learning
    from palyra.services.memory.context import Memory
    from palyra.services.workspace.context import Workspace
    from palyra.store.journal_store import JournalStore

_STOP_AT = 0.75


class JobParts(Protocol):
    """What jobs work with. The app gives it, and makes each part when it is first asked for."""

    @property
    def settings(self) -> Settings: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def store(self) -> "JournalStore": ...
    @property
    def journal(self) -> "JournalService": ...
    @property
    def memory(self) -> "Memory": ...
    @property
    def workspace(self) -> "Workspace": ...
    @property
    def compactor(self) -> "Compactor": ...
    @property
    def compacted_in_vain(self) -> dict[str, int]: ...
    @property
    def learning(self) -> "Learning": ...
    @property
    def cron(self) -> "Cron": ...
    @property
    def external(self) -> "ExternalRuntime | None": ...


@dataclass(frozen=True, slots=True)
class JobBudget:
    """What one run may use up. Whoever is cut off in the middle must be able to go on the next time."""

    items: int
    seconds: float
    """after which it is cut off"""
    sure: bool = False
    """a person has confirmed what would otherwise wait for one"""
    asked: bool = False
    """a person asked for this run; else it was due"""
    continued: bool = False
    """it goes on where the run before left off"""
    _started: float = field(default_factory=time.monotonic)

    def is_spent(self, items: int) -> bool:
        """Time to come to an end by oneself: `items` are done, or most of the time is."""
        return items >= self.items or time.monotonic() - self._started >= self.seconds * _STOP_AT


@dataclass(frozen=True, slots=True)
class JobReport:
    items: int = 0
    """how much was done; 0: there was nothing to do"""
    notes: tuple[str, ...] = ()
    more: bool = False
    """there is more to do: the next run comes soon"""
    attention: str = ""
    """what a person should look at, with the command; shown until a run has nothing to say"""
    alarm: bool = False
    """something is broken"""


Work = Callable[[JobParts, JobBudget], Awaitable[JobReport]]


@dataclass(frozen=True, slots=True)
class JobSpec:
    name: str
    trigger: Callable[[Settings], Rhythm]
    """raises InvalidArgument for a setting that means nothing"""
    budget_items: int
    budget_seconds: float
    lease_seconds: float
    """longer than a run can take"""
    max_attempts: int
    """in a row, before it goes on in its usual rhythm"""
    work: Work
    wanted: Callable[[Settings], bool] = lambda _settings: True
    journaled: bool = True
    """runs that did something are events; not for what leaves events of its own, or is worth none"""

    def __post_init__(self) -> None:
        assert self.lease_seconds > self.budget_seconds, f"{self.name} outlives its lease"  # noqa: S101 - our own table


def every(seconds: float, first_seconds: float | None = None) -> Callable[[Settings], Every]:
    first_ms = None if first_seconds is None else round(first_seconds * 1_000)
    return lambda _settings: Every(round(seconds * 1_000), first_ms)


def on_schedule(setting: Callable[[Settings], str]) -> Callable[[Settings], OnSchedule]:
    """A cron expression in UTC."""

    def trigger(settings: Settings) -> OnSchedule:
        from palyra.domain.cron.schedule import parse_cron  # noqa: PLC0415 - only where jobs run

        return OnSchedule(parse_cron(setting(settings)))

    return trigger
