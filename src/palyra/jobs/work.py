"""What each job does: a few lines that call a service and say what came of it."""

import asyncio
import shutil
import threading

from palyra.core.errors import Cancelled, Exhausted
from palyra.jobs.spec import JobBudget, JobParts, JobReport
from palyra.store.jobs.space import file_space

_MIB = 1 << 20
_SPARE_BYTES = 64 * _MIB
_WORTH_PERCENT = 5


async def retain(parts: JobParts, budget: JobBudget) -> JobReport:
    from palyra.services.memory.upkeep import maintain  # noqa: PLC0415 - with the rest of memory

    done = await maintain(parts.memory, sure=budget.sure, enough=budget.is_spent)
    attention = ""
    if done.deferred:
        attention = (
            f"memories are due to expire all at once, {done.away_ms // 86_400_000} days after the last run: the clock"
            " may be wrong, so they wait until you are sure (palyra jobs run retention --sure)"
        )
    notes = (f"{done.expired} expired, {done.evicted} evicted", *([f"{done.waiting} wait"] if done.waiting else []))
    return JobReport(done.expired + done.evicted, notes, done.more, attention)


async def backfill(parts: JobParts, budget: JobBudget) -> JobReport:
    """What was written is embedded at once by the follower. This finds what that has missed."""
    done = await parts.memory.follower.backfill(most=budget.items, anew=not budget.continued)
    if done.error is not None:
        raise done.error
    return JobReport(done.embedded, (f"{done.done} of {done.total} with {done.identity}",), done.pending > 0)


async def vacuum(parts: JobParts, budget: JobBudget) -> JobReport:
    """Gives empty pages back to the disk. Nobody writes meanwhile, so it is left out if it is not worth that."""
    store = parts.store
    space = await store.db.read(file_space)
    if not budget.asked and space.empty_bytes * 100 < space.bytes * _WORTH_PERCENT:
        return JobReport(0, (f"{space.empty_bytes // _MIB} of {space.bytes // _MIB} MiB are empty: not worth it",))
    # SQLite makes a copy, and then writes all of it to the WAL.
    needed, free = 2 * space.bytes + _SPARE_BYTES, shutil.disk_usage(store.directory.root).free
    if free < needed:
        raise Exhausted(
            f"a vacuum needs {needed // _MIB} MiB free in {store.directory.root}, {free // _MIB} MiB are:"
            f" {-(-(needed - free) // _MIB)} MiB are missing",
            hint="free some space, then palyra jobs run vacuum",
            missing_bytes=needed - free,
        )
    await asyncio.to_thread(store.db.compact)
    after = await store.db.read(file_space)
    return JobReport(1, (f"{space.bytes // _MIB} MiB before, {after.bytes // _MIB} MiB after",))


async def verify(parts: JobParts, _budget: JobBudget) -> JobReport:
    """The whole journal, as `palyra journal verify` does, but for the replay of its projections."""
    from palyra.services.verify import verify_now  # noqa: PLC0415 - once a day

    stopping = threading.Event()

    def progress(_what: str, _done: int, _total: int) -> None:
        if stopping.is_set():
            raise Cancelled("the verification was stopped")

    try:
        found = await asyncio.to_thread(verify_now, parts.store, (), False, progress)
    finally:
        stopping.set()  # a thread cannot be cancelled, but it looks here
    if found.ok:
        return JobReport(found.size, (f"{found.size} events, {found.checkpoints} checkpoints: all in order",))
    first = found.findings[0]
    attention = f"the journal is damaged: {first.message}; {len(found.findings)} findings (palyra journal verify)"
    return JobReport(found.size, (f"{len(found.findings)} findings",), attention=attention, alarm=True)


async def sign(parts: JobParts, _budget: JobBudget) -> JobReport:
    from palyra.services.erase import finish_begun  # noqa: PLC0415 - with the rest of the services

    await finish_begun(parts.store, parts.journal)
    await parts.journal.sign_if_due()
    return JobReport()


async def condense(parts: JobParts, _budget: JobBudget) -> JobReport:
    from palyra.services.continuity.automatic import compact_due  # noqa: PLC0415 - with the rest of memory

    done = await compact_due(parts.compactor, parts.compacted_in_vain)
    return JobReport(len(done))


async def reflect(parts: JobParts, budget: JobBudget) -> JobReport:
    from palyra.services.learning.reflecting import reflect_due  # noqa: PLC0415 - only for those who learn

    done = await reflect_due(parts.learning, budget.items)
    return JobReport(done.runs, (f"{done.proposed} proposed, {done.applied} applied",), done.more)


async def fire(parts: JobParts, _budget: JobBudget) -> JobReport:
    """Starts scheduled prompts, and waits for none of them."""
    from palyra.services.cron.firing import fire_due  # noqa: PLC0415 - only for those who schedule

    done = await fire_due(parts.cron)
    notes = (f"{done.started} started, {done.ended} ended, {done.skipped} skipped, {done.missed} missed",)
    return JobReport(done.claimed + done.started + done.ended, notes)


async def mirror(parts: JobParts, _budget: JobBudget) -> JobReport:
    """What was written is told to the engine at once by its own task. This finds what that has missed."""
    _ = parts.memory  # with its mirror
    told = 0 if parts.external is None else await parts.external.catch_up()
    return JobReport(told, (f"{told} rows told",))


async def sync_files(parts: JobParts, _budget: JobBudget) -> JobReport:
    from palyra.services.workspace.watching import look  # noqa: PLC0415 - only for documents

    await look(parts.workspace)
    return JobReport()
