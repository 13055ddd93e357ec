"""Runs jobs again and again, each in a task of its own: one that fails, hangs or will not stop holds up no other.

A run has a lease in the database, so that a job whose process died is taken up by the next; a time limit, after which
it is cut off, or given up if it does not even stop then; and retries, each later than the one before. Intervals are
counted by a clock that cannot be set. What came of a run is written down only if there is anything to tell.
"""

import asyncio
import logging
import os
import secrets
from collections.abc import Iterable
from dataclasses import replace

from palyra.core.errors import Conflict, FailedPrecondition, Internal, NotFound, PalyraError, Unavailable
from palyra.domain.jobs.rhythm import Every
from palyra.domain.journal import Origin
from palyra.jobs.attempt import Ended, attempt, failed
from palyra.jobs.due import next_due_ms, seconds_left, set_first_due, set_next_due
from palyra.jobs.ledger import Ledger
from palyra.jobs.pace import Pace, RealPace
from palyra.jobs.spec import JobBudget, JobParts, JobSpec
from palyra.jobs.state import EndedRun, JobView, LiveJob, RunWish
from palyra.store.jobs.states import JobStateRow

log = logging.getLogger("palyra.jobs")

_AFTER_A_DEFECT_SECONDS = 60.0
GRACE_SECONDS = 5.0
"""for a run that was told to stop"""
_TELL_AGAIN_SECONDS = 3_600.0
"""a failure that goes on is journaled once in so long"""


class JobRunner:
    """For one process. Jobs that the settings do not want are left out."""

    def __init__(
        self,
        specs: Iterable[JobSpec],
        parts: JobParts,
        *,
        pace: Pace | None = None,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._parts = parts
        self._clock = parts.clock
        self._pace = pace or RealPace()
        self._grace_seconds = grace_seconds
        self._owner = f"{os.getpid()}.{secrets.token_hex(8)}"
        self._known: Ledger | None = None
        self._jobs: dict[str, LiveJob] = {}
        self._alone: set[asyncio.Task[None]] = set()
        for spec in specs:
            if spec.wanted(parts.settings):
                self.add(spec)

    # -- starting and stopping

    def add(self, spec: JobSpec) -> None:
        assert spec.name not in self._jobs, f"two jobs named {spec.name}"  # noqa: S101 - a mistake in our own wiring
        job = self._jobs[spec.name] = LiveJob(spec, None, JobStateRow(spec.name))
        try:
            job.rhythm = spec.trigger(self._parts.settings)
        except PalyraError as error:
            told = failed(error)
            job.error, job.row = told.error, replace(job.row, failures=1, code=told.code)
        set_first_due(job, self._clock.now_ms(), self._pace.monotonic())

    async def load(self) -> None:
        """What other processes have left on record."""
        rows, paused, errors = await self._ledger.read()
        for name, job in self._jobs.items():
            job.pause = paused.get(name)
            if name in rows and job.rhythm is not None and not job.is_running:
                job.row, job.error = rows[name], errors.get(name, "")
                set_first_due(job, self._clock.now_ms(), self._pace.monotonic())

    def start(self, *names: str) -> None:
        """Until `close`. Without names: all there are."""
        for name in names or tuple(self._jobs):
            job = self._jobs[name]
            if job.rhythm is not None and job.follower is None:
                job.follower = asyncio.get_running_loop().create_task(self._follow(job), name=f"job {name}")

    async def close(self) -> None:
        """Ends them all, also in the middle of a run: what had begun is taken up by the next process."""
        tasks = [job.follower for job in self._jobs.values() if job.follower is not None]
        tasks += self._alone
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        stopping = Unavailable("the process is stopping", hint="repeat the command after the restart")
        for job in self._jobs.values():
            job.follower = None
            _answer(job.wishes, stopping)
            job.wishes.clear()

    @property
    def _ledger(self) -> Ledger:
        """Made when it is needed: before, there may be no store."""
        if self._known is None:
            self._known = Ledger(self._parts.store, self._parts.journal, self._clock, self._owner)
        return self._known

    # -- what people ask

    def jobs(self) -> list[JobView]:
        """As they stand now, by name."""
        return [self._view(self._jobs[name]) for name in sorted(self._jobs)]

    def find(self, name: str) -> JobView:
        return self._view(self._find(name))

    def run_now(self, name: str, by: str, origin: Origin, *, sure: bool = False) -> "asyncio.Future[EndedRun]":
        """A run that begins after this call, paused or not. Whoever asks before it has begun shares it."""
        job = self._find(name)
        if job.rhythm is None:
            raise FailedPrecondition(f"job {name} cannot run: {job.error}", hint="correct the setting")
        wish = RunWish(by, origin, sure, asyncio.get_running_loop().create_future())
        job.wishes.append(wish)
        job.woken.set()
        if job.follower is None and not job.is_running and len(job.wishes) == 1:
            task = asyncio.get_running_loop().create_task(self._run_asked_for(job), name=f"job {name}")
            self._alone.add(task)
            task.add_done_callback(self._alone.discard)
        return wish.done

    async def pause(self, name: str, by: str, origin: Origin) -> JobView:
        """It is not begun any more until somebody resumes it. A run that is going on comes to its end."""
        job = self._find(name)
        job.pause = await self._ledger.pause(name, by, origin)
        job.woken.set()
        return self._view(job)

    async def resume(self, name: str, by: str, origin: Origin) -> JobView:
        job = self._find(name)
        await self._ledger.resume(name, by, origin)
        job.pause = None
        job.woken.set()
        return self._view(job)

    def _find(self, name: str) -> LiveJob:
        job = self._jobs.get(name)
        if job is None:
            raise NotFound(f"no job is named {name[:64]!r}", hint=f"there are {', '.join(sorted(self._jobs))}")
        return job

    # -- running

    async def _follow(self, job: LiveJob) -> None:
        while True:
            if not await self._run_safely(job, when_due=True):
                await self._pace.wait(job.woken, _AFTER_A_DEFECT_SECONDS)

    async def _run_asked_for(self, job: LiveJob) -> None:
        """In a process that has no rhythm."""
        while job.wishes:
            await self._run_safely(job, when_due=False)

    async def _run_safely(self, job: LiveJob, *, when_due: bool) -> bool:
        """False after a defect of ours, which must not end a job for good, and without a word."""
        try:
            if when_due:
                await self._until_due(job)
            await self._run(job)
        except Exception as error:
            log.exception("job.runner_broke", extra={"job": job.spec.name})
            told = failed(error)
            _answer(job.wishes, Internal(f"job {job.spec.name}: {told.error}"))
            job.wishes.clear()
            job.error, job.row = told.error, replace(job.row, failures=job.row.failures + 1, code=told.code)
            return False
        return True

    async def _until_due(self, job: LiveJob) -> None:
        while not job.wishes:
            seconds = None
            if job.pause is None:
                seconds = seconds_left(job, self._clock.now_ms(), self._pace.monotonic())
                if seconds <= 0:
                    return
            await self._pace.wait(job.woken, seconds)
            job.woken.clear()

    async def _run(self, job: LiveJob) -> None:
        wishes = list(job.wishes)
        if job.is_stuck:
            job.wishes.clear()
            message = f"job {job.spec.name} is stuck: a run that was given up has not ended"
            _answer(wishes, Conflict(message, hint="restart the daemon"))
            return
        job.is_running = True
        try:
            job.wishes.clear()
            run = await self._run_once(job, wishes)
        except BaseException:
            job.wishes[:0] = wishes  # for `close` to answer
            raise
        finally:
            job.is_running = False
        _answer(wishes, run)

    async def _run_once(self, job: LiveJob, wishes: list[RunWish]) -> EndedRun:
        spec, started_at_ms, started = job.spec, self._clock.now_ms(), self._pace.monotonic()
        budget = JobBudget(
            spec.budget_items,
            spec.budget_seconds,
            sure=any(wish.sure for wish in wishes),
            asked=bool(wishes),
            continued=job.is_continued,
        )
        job.row = replace(job.row, last_started_ms=started_at_ms)
        try:
            await self._lease(job)
        except PalyraError as error:
            ended = failed(error)
        else:
            ended = await attempt(spec, self._parts, budget, self._grace_seconds)
        job.abandoned = ended.left_behind
        took_ms = round((self._pace.monotonic() - started) * 1_000)
        report = ended.report
        run = EndedRun(
            spec.name,
            ended.outcome,
            started_at_ms,
            took_ms,
            report.items,
            report.notes,
            ended.code,
            ended.error,
            report.attention,
        )
        await self._conclude(job, run, ended, wishes)
        return run

    async def _lease(self, job: LiveJob) -> None:
        """A tick keeps its lease from run to run: renewing it each time would be all that it does.

        Of a journal that takes no writes nobody can have one, and looking at it is what it needs most."""
        at, seconds = self._pace.monotonic(), job.spec.lease_seconds
        if (job.is_tick and job.leased_until - at > seconds / 2) or self._parts.store.db.broken is not None:
            return
        await self._ledger.lease(job.spec.name, round(seconds * 1_000), begins=not job.is_tick)
        job.leased_until = at + seconds

    async def _conclude(self, job: LiveJob, run: EndedRun, ended: Ended, wishes: list[RunWish]) -> None:
        before, report, now_ms, at = job.row, ended.report, self._clock.now_ms(), self._pace.monotonic()
        more = report.more and report.items > 0
        job.row = replace(
            before,
            begun_at_ms=None,
            failures=before.failures + 1 if run.failed else 0,
            code=run.code,
            last_took_ms=run.took_ms,
            last_success_ms=before.last_success_ms if run.failed else now_ms,
            last_items=run.items,
            attention=before.attention if run.failed else report.attention,
            alarm=before.alarm if run.failed else report.alarm,
        )
        set_next_due(job, now_ms, at, failed=run.failed, more=more)
        is_news = run.failed and (run.error != job.error or at - job.error_told_at >= _TELL_AGAIN_SECONDS)
        if is_news:
            log.warning("job.failed", extra={"job": run.name, "error": run.code, "reason": run.error})
            job.error_told_at = at
        job.error = run.error
        job.count(run, more=more)
        has_done = job.spec.journaled and job.chain_items > 0 and not more
        is_told = bool(wishes) or is_news or has_done or bool(report.attention and not before.attention)
        is_other = (job.row.code, job.row.attention) != (before.code, before.attention)
        if is_told or is_other or not job.is_tick:
            await self._write_down(job, run if not is_told else job.chain(run), wishes, is_told=is_told)
        if is_told or not more:
            job.end_chain()

    async def _write_down(self, job: LiveJob, run: EndedRun, wishes: list[RunWish], *, is_told: bool) -> None:
        """What could not be written down is no failure of the job, and the journal itself says why it takes nothing."""
        keeps_until_ms = None
        if job.is_tick:
            left_ms = round((job.leased_until - self._pace.monotonic()) * 1_000)
            keeps_until_ms = self._clock.now_ms() + max(0, left_ms)
        try:
            if is_told:
                attempt_number = max(1, job.row.failures)
                await self._ledger.tell(run, job.row, keeps_until_ms, attempt_number, wishes)
            else:
                await self._ledger.note(job.row, keeps_until_ms)
        except PalyraError as error:
            log.warning("job.not_noted", extra={"job": run.name, "error": error.code})

    def _view(self, job: LiveJob) -> JobView:
        row = job.row
        due_ms = next_due_ms(job, self._clock.now_ms(), self._pace.monotonic())
        return JobView(
            name=job.spec.name,
            rhythm="" if job.rhythm is None else str(job.rhythm),
            every_ms=job.rhythm.every_ms if isinstance(job.rhythm, Every) else None,
            next_due_ms=due_ms if job.pause is None else None,
            is_running=job.is_running,
            is_stuck=job.is_stuck,
            paused_by=None if job.pause is None else job.pause.by,
            runs=job.runs,
            failed_runs=job.failed_runs,
            seconds=job.seconds,
            failures=row.failures if row.code else 0,
            last_started_ms=row.last_started_ms,
            last_ms=row.last_took_ms,
            last_items=row.last_items,
            last_success_ms=row.last_success_ms,
            last_error=(job.error or row.code) if row.code else None,
            attention=row.attention,
            alarm=row.alarm,
        )


def _answer(wishes: list[RunWish], answer: EndedRun | PalyraError) -> None:
    for wish in wishes:
        if wish.done.done():
            continue  # whoever asked has gone
        if isinstance(answer, PalyraError):
            wish.done.set_exception(answer)
            wish.done.exception()  # looked at: nobody need be waiting
        else:
            wish.done.set_result(answer)
