"""Taking slots: which are due is decided outside of the transaction, and taken in one if nothing changed meanwhile."""

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from palyra.core.errors import FailedPrecondition, InvalidArgument
from palyra.core.ids import SessionId
from palyra.domain.chat.session_events import SessionCreated
from palyra.domain.cron.due import (
    QUEUED_SLOTS,
    WALKED_SLOTS,
    WRONG_CLOCK_MS,
    Due,
    SlotStanding,
    decide_due,
)
from palyra.domain.cron.events import CronJobMoved, CronRunEnded, CronSlotClaimed, CronSlotsMissed
from palyra.domain.cron.job import Concurrency, CronJob, CronRun, CronRunId, CronRunState, SessionMode
from palyra.domain.journal import Actor, Decision, EventDraft, EventRecord, Origin, RequestKey, draft_of_event
from palyra.domain.scope import Visibility
from palyra.services.cron.context import Cron, find_job, origin_of, place_of, plan_of
from palyra.services.sessions.context import new_session_id
from palyra.services.sessions.lifecycle import creation_drafts
from palyra.store.connection import ReadTx
from palyra.store.cron.records import claimed_after, due_jobs, fetch_cron_run, is_claimed, jobs_by_id, open_cron_runs
from palyra.store.journal_store import Once
from palyra.store.sessions.records import fetch_session, key_is_taken

log = logging.getLogger("palyra.cron")

_DUE_JOBS = 1_000
"""in one tick: with all their prompts they are a lot of text"""
_EVENTS = 5_000
"""in one transaction; what is more waits for the next"""
_KNOWN_SLOTS = 2 * WALKED_SLOTS


@dataclass(frozen=True, slots=True)
class Claimed:
    jobs: int = 0
    slots: int = 0
    skipped: int = 0
    missed: int = 0

    def plus(self, other: "Claimed") -> "Claimed":
        return Claimed(
            self.jobs + other.jobs,
            self.slots + other.slots,
            self.skipped + other.skipped,
            self.missed + other.missed,
        )


async def claim_due(cron: Cron) -> Claimed:
    """Takes every slot that is due, of every job, oldest first: once, whatever the clock does."""
    now_ms = cron.clock.now_ms()

    def read(tx: ReadTx) -> list[tuple[CronJob, SlotStanding]]:
        return [(job, _standing(tx, job, now_ms)) for job in due_jobs(tx, now_ms, now_ms + WRONG_CLOCK_MS, _DUE_JOBS)]

    found = await cron.store.db.read(read)
    if not found:
        return Claimed()
    decided = await asyncio.to_thread(_decide_all, found, now_ms)
    total = Claimed()
    for chunk in _chunks(decided):
        total = total.plus((await cron.journal.commit(partial(_take, cron, chunk))).outcome)
    return total


def _decide_all(found: Sequence[tuple[CronJob, SlotStanding]], now_ms: int) -> list[tuple[CronJob, Due]]:
    decided: list[tuple[CronJob, Due]] = []
    for job, standing in found:
        try:
            decided.append((job, decide_due(plan_of(job), standing, now_ms)))
        except Exception:  # such as a zone that exists no more: it must not stop the others
            log.exception("cron job %s cannot be scheduled", job.job_id)
    return decided


def _standing(tx: ReadTx, job: CronJob, now_ms: int) -> SlotStanding:
    open_ = open_cron_runs(tx, job.job_id)
    queued = sum(run.state is CronRunState.QUEUED for run in open_)
    known = claimed_after(tx, job.job_id, min(job.cursor_ms, now_ms), _KNOWN_SLOTS)
    return SlotStanding(job.cursor_ms, queued, len(open_) - queued, known)


def _chunks(decided: Sequence[tuple[CronJob, Due]]) -> list[list[tuple[CronJob, Due]]]:
    chunks: list[list[tuple[CronJob, Due]]] = [[]]
    room = _EVENTS
    for job, due in decided:
        needs = 3 * len(due.run) + len(due.skipped) + QUEUED_SLOTS + 2
        if needs > room and chunks[-1]:
            chunks.append([])
            room = _EVENTS
        chunks[-1].append((job, due))
        room -= needs - QUEUED_SLOTS * (not due.replaces)
    return chunks


def _take(cron: Cron, chunk: Sequence[tuple[CronJob, Due]], tx: ReadTx) -> Decision[Claimed]:
    now = jobs_by_id(tx, [job.job_id for job, _ in chunk])
    drafts: list[EventDraft] = []
    total = Claimed()
    for job, due in chunk:
        if now.get(job.job_id) != job:
            continue  # somebody changed it meanwhile: the next tick decides anew
        drafts += _drafts(cron, tx, job, due)
        if due.replaces:
            drafts += _give_way(job, open_cron_runs(tx, job.job_id))
        missed = 0 if due.missed is None else due.missed.count
        total = total.plus(Claimed(1, len(due.run), len(due.skipped), missed))
    return Decision(tuple(drafts), total)


def _drafts(cron: Cron, tx: ReadTx, job: CronJob, due: Due) -> list[EventDraft]:
    events: list[CronSlotClaimed | CronSlotsMissed] = []
    drafts: list[EventDraft] = []
    if due.missed is not None:
        missed = due.missed
        events.append(
            CronSlotsMissed(_run_id(cron), job.job_id, missed.first_ms, missed.last_ms, missed.count, missed.more)
        )
    for slot in sorted((*due.run, *due.skipped)):
        if is_claimed(tx, job.job_id, slot):
            continue  # under another schedule, when the clock was ahead
        if slot in due.skipped:
            code = "replaced" if job.policy.concurrency is Concurrency.REPLACE else "still_running"
            events.append(CronSlotClaimed(_run_id(cron), job.job_id, slot, CronRunState.SKIPPED.value, error_code=code))
            continue
        session, made = _session(cron, tx, job)
        drafts += made
        if made and job.policy.session is SessionMode.SHARED:
            job = replace(job, session_id=session)
        events.append(_queued(cron, job, slot, session))
    if due.rewound or not events:
        drafts.append(_draft(CronJobMoved(job.job_id, due.cursor_ms, due.next_ms, due.rewound), job))
    else:
        events[-1] = replace(events[-1], cursor_ms=due.cursor_ms, next_ms=due.next_ms)
    return [*drafts, *(_draft(event, job) for event in events)]


def _queued(cron: Cron, job: CronJob, slot_ms: int, session: SessionId, *, manual: bool = False) -> CronSlotClaimed:
    shares = job.policy.session is SessionMode.SHARED
    return CronSlotClaimed(
        _run_id(cron), job.job_id, slot_ms, CronRunState.QUEUED.value, session, manual, shares_session=shares
    )


def _draft(event: CronSlotClaimed | CronSlotsMissed | CronJobMoved | CronRunEnded, job: CronJob) -> EventDraft:
    return draft_of_event(event, origin_of(job))


def _give_way(job: CronJob, replaced: Sequence[CronRun]) -> list[EventDraft]:
    """Those that wait end here; the one that is going on ends when its turn has been aborted."""
    waiting = [run for run in replaced if run.state is CronRunState.QUEUED]
    return [_draft(CronRunEnded(run.run_id, CronRunState.CANCELLED.value, "replaced"), job) for run in waiting]


def _session(cron: Cron, tx: ReadTx, job: CronJob) -> tuple[SessionId, tuple[EventDraft, ...]]:
    """Where a run speaks: the session of its job, made with the first; or a new one."""
    key: str | None = None
    if job.policy.session is SessionMode.SHARED:
        if job.session_id is not None:
            return job.session_id, ()
        key = f"cron:{job.name or job.job_id}"
        found = fetch_session(tx, key, place_of(job))
        if found is not None and found.channel == job.channel:
            return found.session_id, ()
        if key_is_taken(tx, job.principal, key):  # in another channel, where this job does not speak
            key = f"cron:{job.job_id}"
    session_id = new_session_id(cron.sessions)
    origin = Origin(job.principal, Actor.SYSTEM, job.channel, session_id)
    return session_id, creation_drafts(SessionCreated(session_id, key or session_id), job.name, origin)


def _run_id(cron: Cron) -> CronRunId:
    return CronRunId(cron.store.ids.next())


# -- by hand


async def claim_now(
    cron: Cron, name: str, caller: Visibility, actor: Actor, request: RequestKey | None = None
) -> CronRun:
    """A run a person asks for, besides the schedule."""
    now_ms = cron.clock.now_ms()

    def decide(tx: ReadTx) -> Decision[CronRunId]:
        job = find_job(tx, name, caller)
        if not job.prompt:
            raise FailedPrecondition(f"the prompt of job {job.job_id} was erased", hint="palyra cron update --prompt")
        open_ = open_cron_runs(tx, job.job_id)
        _check_room(job, open_)
        session, made = _session(cron, tx, job)
        event = _queued(cron, job, now_ms, session, manual=True)
        given_way = _give_way(job, open_) if job.policy.concurrency is Concurrency.REPLACE else []
        return Decision((*made, *given_way, draft_of_event(event, origin_of(job, actor))), event.run_id)

    once = None if request is None else Once(caller.principal, request, _first_run)
    run_id = (await cron.journal.commit(decide, once)).outcome
    run = await cron.store.db.read(lambda tx: fetch_cron_run(tx, run_id))
    assert run is not None, "claimed above"  # noqa: S101 - a mistake of our own
    return run


def _first_run(written: list[EventRecord]) -> CronRunId:
    body = next((event.payload for event in written if event.kind == CronSlotClaimed.KIND), None)
    if body is None:
        raise InvalidArgument("this request id was used for something else", hint="use a new one for every request")
    return CronRunId(json.loads(body)["run_id"])


def _check_room(job: CronJob, open_: Sequence[CronRun]) -> None:
    if not open_:
        return
    if job.policy.concurrency is Concurrency.FORBID:
        raise FailedPrecondition(
            f"a run of {job.name or job.job_id!r} is {open_[0].state.value} already",
            hint="wait for it, or allow more with --concurrency queue",
        )
    if job.policy.concurrency is Concurrency.QUEUE and len(open_) > QUEUED_SLOTS:
        raise FailedPrecondition(f"{len(open_)} runs of {job.name!r} wait already", hint="wait for them")
