"""Runs work again and again, each piece in a task of its own: one that fails or hangs stops no other."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from palyra.core.clock import Clock
from palyra.core.errors import PalyraError
from palyra.core.redact import redact_text


@dataclass(slots=True)
class Job:
    """How one of them stands."""

    name: str
    every_ms: int
    next_due_ms: int
    """while it is running: when it was due"""
    runs: int = 0
    is_running: bool = False
    last_started_ms: int | None = None
    last_ms: int | None = None
    """how long the last finished run took"""
    last_error: str | None = None
    """of the last finished run; None: it went well"""


class Timers:
    """For one process that owns its data directory. A run that takes longer than its interval delays the next."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._jobs: dict[str, Job] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def start(
        self, name: str, every_ms: int, work: Callable[[], Awaitable[object]], *, first_ms: int | None = None
    ) -> None:
        """`work` every so often until `close`; the first time after `first_ms`, or one interval."""
        assert name not in self._jobs, f"two jobs named {name}"  # noqa: S101 - a mistake in our own wiring
        wait_ms = every_ms if first_ms is None else first_ms
        job = self._jobs[name] = Job(name, every_ms, self._clock.now_ms() + wait_ms)
        self._tasks.append(asyncio.create_task(self._repeat(job, wait_ms, work), name=name))

    def jobs(self) -> list[Job]:
        """As they stand now, by name."""
        return [replace(self._jobs[name]) for name in sorted(self._jobs)]

    async def close(self) -> None:
        """Ends them all, also in the middle of a run: whatever they do can be taken up again."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    async def _repeat(self, job: Job, wait_ms: int, work: Callable[[], Awaitable[object]]) -> None:
        while True:
            await asyncio.sleep(wait_ms / 1_000)
            await self._run(job, work)
            wait_ms = job.every_ms
            job.next_due_ms = self._clock.now_ms() + wait_ms

    async def _run(self, job: Job, work: Callable[[], Awaitable[object]]) -> None:
        job.is_running, job.last_started_ms = True, self._clock.now_ms()
        started = time.monotonic()
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - kept and shown; the next run may go better
            job.last_error = _in_our_words(error)
        else:
            job.last_error = None
        finally:
            job.is_running = False
        job.runs += 1
        job.last_ms = round((time.monotonic() - started) * 1_000)


def _in_our_words(error: Exception) -> str:
    """What a person is told. Of an error that is not ours only the name: its text may hold anybody's words."""
    if isinstance(error, PalyraError):
        return redact_text(error.message).text
    return f"unexpected {type(error).__name__}"
