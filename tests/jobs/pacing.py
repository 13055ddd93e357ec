"""Time that stands still until a test lets it pass, and jobs that are easy to write."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from palyra.app import App
from palyra.core.clock import ManualClock
from palyra.domain.journal import Actor, EventFilter, EventRecord, Origin
from palyra.jobs.pace import Pace
from palyra.jobs.runner import JobRunner
from palyra.jobs.spec import JobBudget, JobParts, JobReport, JobSpec, Work, every
from palyra.jobs.state import JobView
from support import an_app

OPERATOR = Origin("user:ana", Actor.OPERATOR)
WAIT_SECONDS = 10.0
"""for what must happen at all"""


class ManualPace:
    """Monotonic time by hand. The clock on the wall is another one, and goes along only if it is given."""

    def __init__(self, clock: ManualClock | None = None) -> None:
        self._now = 1_000.0
        self._clock = clock
        self._timers: dict[asyncio.Future[None], tuple[float, asyncio.Event]] = {}

    def monotonic(self) -> float:
        return self._now

    async def wait(self, woken: asyncio.Event, seconds: float | None) -> None:
        timer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._timers[timer] = self._now + (float("inf") if seconds is None else seconds), woken
        setter = asyncio.ensure_future(woken.wait())
        either: set[asyncio.Future[None] | asyncio.Task[Literal[True]]] = {timer, setter}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._timers.pop(timer, None)
            setter.cancel()

    async def settle(self, followers: int) -> None:
        """Until so many jobs wait for their time."""
        await until(lambda: len(self._waiting()) >= followers)

    def _waiting(self) -> dict[asyncio.Future[None], float]:
        """When each is due; without those that were woken and have not noticed yet."""
        return {timer: at for timer, (at, woken) in self._timers.items() if not woken.is_set()}

    async def advance(self, seconds: float) -> None:
        """Step by step: whoever is due meanwhile runs at its time."""
        target, followers = self._now + seconds, len(self._waiting())
        while (due := min(self._waiting().values(), default=float("inf"))) <= target:
            self._pass(max(self._now, due))
            for timer in [timer for timer, at in self._waiting().items() if at <= due]:
                del self._timers[timer]
                timer.set_result(None)
            await self.settle(followers)
        self._pass(target)

    def _pass(self, at: float) -> None:
        if self._clock is not None:
            self._clock.advance(round((at - self._now) * 1_000))
        self._now = at


async def until(is_so: Callable[[], bool]) -> None:
    for _ in range(20):  # what needs no thread is there at once
        if is_so():
            return
        await asyncio.sleep(0)
    async with asyncio.timeout(WAIT_SECONDS):
        while not is_so():  # noqa: ASYNC110 - state of other tasks and threads
            await asyncio.sleep(0.001)


def a_job(
    name: str,
    work: Work,
    seconds: float = 300,
    *,
    first: float | None = None,
    budget_seconds: float = 30,
    budget_items: int = 100,
    max_attempts: int = 3,
    journaled: bool = True,
) -> JobSpec:
    return JobSpec(
        name,
        every(seconds, first),
        budget_items=budget_items,
        budget_seconds=budget_seconds,
        lease_seconds=budget_seconds + 3_600,
        max_attempts=max_attempts,
        work=work,
        journaled=journaled,
    )


async def nothing(_parts: JobParts, _budget: JobBudget) -> JobReport:
    return JobReport()


async def something(_parts: JobParts, _budget: JobBudget) -> JobReport:
    return JobReport(3, ("three things",))


async def for_ever(_parts: JobParts, _budget: JobBudget) -> JobReport:
    await asyncio.Event().wait()
    return JobReport()


@asynccontextmanager
async def running(
    root: Path, *specs: JobSpec, clock: ManualClock | None = None, pace: Pace | None = None, start: bool = True
) -> AsyncIterator[tuple[JobRunner, App]]:
    """The jobs of a process that has the data directory to itself."""
    async with an_app(root, clock or ManualClock()) as app:
        runner = JobRunner(specs, app, pace=pace, grace_seconds=0.05)
        await runner.load()
        if start:
            runner.start()
        try:
            yield runner, app
        finally:
            await runner.close()


def view(runner: JobRunner, name: str) -> JobView:
    return runner.find(name)


async def events(app: App, kind: str) -> list[EventRecord]:
    return await app.journal.list(EventFilter(kind=kind), limit=1_000)


async def ran(app: App) -> list[EventRecord]:
    return await events(app, "job.ran")


async def until_told(app: App, count: int) -> list[EventRecord]:
    """What came of a run is on record a moment after it has ended."""
    written = app.store.listen()
    async with asyncio.timeout(WAIT_SECONDS):
        while len(told := await ran(app)) < count:
            await written.wait()
            written.clear()
    return told
