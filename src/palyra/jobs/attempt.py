"""One run of a job: in a task of its own, so that one that will not stop can be left behind."""

import asyncio
import logging
from dataclasses import dataclass

from palyra.core.errors import Deadline, PalyraError
from palyra.core.redact import redact_text
from palyra.domain.jobs.events import Outcome
from palyra.jobs.spec import JobBudget, JobParts, JobReport, JobSpec

log = logging.getLogger("palyra.jobs")

_ERROR_CHARS = 2_000
"""it is journaled"""


@dataclass(frozen=True, slots=True)
class Ended:
    outcome: Outcome
    report: JobReport = JobReport()  # noqa: RUF009 - frozen
    code: str = ""
    error: str = ""
    left_behind: "asyncio.Task[JobReport] | None" = None
    """it does not stop"""


async def attempt(spec: JobSpec, parts: JobParts, budget: JobBudget, grace_seconds: float) -> Ended:
    """Raises nothing but the cancellation of whoever waits, and then the work is told to stop, too."""
    task = asyncio.ensure_future(_work(spec, parts, budget))
    try:
        await asyncio.wait({task}, timeout=budget.seconds)
        if task.done():
            return _ended(spec, task)
        task.cancel()
        await asyncio.wait({task}, timeout=grace_seconds)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task}, timeout=grace_seconds)
        if task.done() and not task.cancelled():
            task.exception()  # looked at, or the loop would complain
        raise
    if not task.done():
        task.add_done_callback(_look_at)
        error = Deadline(
            f"it did not stop when its {budget.seconds:g} s were over; nobody waits for it any more",
            hint="restart the daemon",
        )
        return failed(error, Outcome.ABANDONED, task)
    if task.cancelled() or task.exception() is not None:
        return failed(Deadline(f"its {budget.seconds:g} s were over, and it was cut off"), Outcome.CUT_OFF)
    return _ended(spec, task)  # it made it after all


def failed(
    error: BaseException, outcome: Outcome = Outcome.FAILED, left_behind: "asyncio.Task[JobReport] | None" = None
) -> Ended:
    """What a person is told. Of an error that is not ours only the name: its text may hold anybody's words."""
    if isinstance(error, PalyraError):
        hint = f"   hint: {error.hint}" if error.hint else ""
        told = redact_text(f"{error.message}{hint}").text
        return Ended(outcome, JobReport(), error.code, told[:_ERROR_CHARS], left_behind)
    return Ended(outcome, JobReport(), "internal", f"unexpected {type(error).__name__}", left_behind)


async def _work(spec: JobSpec, parts: JobParts, budget: JobBudget) -> JobReport:
    """So that work that raises before it awaits fails in its own task."""
    return await spec.work(parts, budget)


def _ended(spec: JobSpec, task: "asyncio.Task[JobReport]") -> Ended:
    if task.cancelled():
        return failed(Deadline("it was cancelled by something it waited for"))
    error = task.exception()
    if error is None:
        return Ended(Outcome.DONE, task.result())
    if not isinstance(error, PalyraError):
        log.error("job.broke", extra={"job": spec.name}, exc_info=error)
    return failed(error)


def _look_at(task: "asyncio.Task[JobReport]") -> None:
    if not task.cancelled():
        task.exception()
