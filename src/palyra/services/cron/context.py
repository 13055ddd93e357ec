"""What scheduled prompts work with, made once by the composition root; and one clear error for what is not there."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from palyra.core.clock import Clock
from palyra.core.errors import InvalidArgument, NotFound, PermissionDenied
from palyra.domain.cron.due import Plan
from palyra.domain.cron.job import CronJob, CronRun, CronRunId
from palyra.domain.journal import Actor, Origin
from palyra.domain.scope import Visibility
from palyra.services.journal import JournalService
from palyra.services.sessions.context import Sessions
from palyra.store.connection import ReadTx
from palyra.store.cron.records import fetch_job, job_exists
from palyra.store.journal_store import JournalStore

if TYPE_CHECKING:
    from palyra.services.chat.engine import ChatEngine
    from palyra.services.chat.parts import Turn
    from palyra.services.sessions.runs import Begun


@dataclass(frozen=True, slots=True)
class Waiting:
    """On the tape, and not yet driven."""

    run: CronRun
    turn: "Turn"
    begun: "Begun"


@dataclass(slots=True)
class CronWork:
    """What this process has in hand. Nothing here must survive it: the journal says what is left to do."""

    firing: asyncio.Lock = field(default_factory=asyncio.Lock)
    starting: dict[CronRunId, asyncio.Task[None]] = field(default_factory=dict)
    waiting: deque[Waiting] = field(default_factory=deque)
    driving: asyncio.Task[None] | None = None
    driven: dict[CronRunId, float] = field(default_factory=dict)
    """since when, by the monotonic clock: no wall clock decides that a turn takes too long"""
    overdue: set[CronRunId] = field(default_factory=set)
    """aborted because they took too long"""
    aborting: dict[CronRunId, asyncio.Task[None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cron:
    sessions: Sessions
    chat: "Callable[[], ChatEngine]"
    """made when the first prompt is due"""
    desk: CronWork = field(default_factory=CronWork)

    @property
    def store(self) -> JournalStore:
        return self.sessions.store

    @property
    def journal(self) -> JournalService:
        return self.sessions.journal

    @property
    def clock(self) -> Clock:
        return self.sessions.clock


def find_job(tx: ReadTx, name: str, caller: Visibility, *, deleted: bool = False) -> CronJob:
    """By id or name; with `deleted` also one that is no more."""
    if not name:
        raise InvalidArgument("the name of the job is empty", hint="palyra cron list")
    found = fetch_job(tx, name, caller, deleted=deleted)
    if found is not None:
        return found
    if job_exists(tx, name) and fetch_job(tx, name, caller, deleted=True) is None:
        raise PermissionDenied(
            f"job {name} is not visible to principal {caller.principal!r} here",
            hint="pass --principal and --channel of its owner",
        )
    raise NotFound(f"no scheduled prompt {name[:64]!r}", hint="palyra cron list")


def plan_of(job: CronJob) -> Plan:
    return Plan(job.job_id, job.schedule, job.policy)


def origin_of(job: CronJob | CronRun, actor: Actor = Actor.SYSTEM) -> Origin:
    return Origin(job.principal, actor, job.channel)


def place_of(job: CronJob | CronRun) -> Visibility:
    return Visibility(job.principal, job.channel)
