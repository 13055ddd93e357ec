"""What is written down about jobs: leases and how they stand beside the journal, what people should know in it."""

from collections.abc import Sequence

from palyra.core.clock import Clock
from palyra.core.errors import Conflict
from palyra.domain.jobs.events import JobPaused, JobRan, JobResumed
from palyra.domain.journal import Actor, Decision, Origin, draft_of_event
from palyra.jobs.state import EndedRun, RunWish
from palyra.services.journal import JournalService
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.jobs.records import Pause, last_failure, pauses
from palyra.store.jobs.states import JobStateRow, Lease, put_state, release_others, states, take_lease
from palyra.store.journal_store import JournalStore

SYSTEM = Origin("system:jobs", Actor.SYSTEM)


class Ledger:
    def __init__(self, store: JournalStore, journal: JournalService, clock: Clock, owner: str) -> None:
        self._store = store
        self._journal = journal
        self._clock = clock
        self._owner = owner
        self._is_alone = False

    async def read(self) -> tuple[dict[str, JobStateRow], dict[str, Pause], dict[str, str]]:
        """How they stand, which are paused, and what those that fail have failed with."""

        def read(tx: ReadTx) -> tuple[dict[str, JobStateRow], dict[str, Pause], dict[str, str]]:
            rows = states(tx)
            failing = [last_failure(tx, name) for name, row in rows.items() if row.code]
            return rows, pauses(tx), {run.name: run.error for run in failing if run is not None}

        return await self._store.db.read(read)

    async def lease(self, name: str, lease_ms: int, *, begins: bool) -> None:
        """Durable before the work begins. This process has the data directory to itself, so what others hold is of
        the dead."""
        now_ms, is_alone = self._clock.now_ms(), self._is_alone
        lease = Lease(name, self._owner, now_ms, now_ms + lease_ms, begins)

        def work(tx: WriteTx) -> bool:
            if not is_alone:
                release_others(tx, self._owner)
            return take_lease(tx, lease)

        if not await self._store.db.submit(work):
            raise Conflict(f"another process runs job {name}", hint="stop the other one")
        self._is_alone = True

    async def note(self, row: JobStateRow, keeps_until_ms: int | None) -> None:
        """How it stands after a run. None: the lease is given back."""
        await self._store.db.submit(lambda tx: self._put(tx, row, keeps_until_ms))

    async def tell(
        self, run: EndedRun, row: JobStateRow, keeps_until_ms: int | None, attempt: int, wishes: Sequence[RunWish]
    ) -> None:
        """The same, and what came of the run for good."""
        by = ", ".join(dict.fromkeys(wish.by for wish in wishes))
        event = JobRan(
            run.name,
            run.outcome,
            run.started_at_ms,
            run.took_ms,
            run.items,
            attempt,
            run.notes,
            run.code,
            run.error,
            run.attention,
            by,
        )
        draft = draft_of_event(event, wishes[0].origin if wishes else SYSTEM)
        await self._journal.commit(
            lambda _tx: Decision((draft,), None), follow=lambda tx, _receipts: self._put(tx, row, keeps_until_ms)
        )

    async def pause(self, name: str, by: str, origin: Origin) -> Pause | None:
        await self._turn(name, JobPaused(name, by), origin, when_paused=False)
        return (await self._store.db.read(pauses)).get(name)

    async def resume(self, name: str, by: str, origin: Origin) -> None:
        await self._turn(name, JobResumed(name, by), origin, when_paused=True)

    async def _turn(self, name: str, event: JobPaused | JobResumed, origin: Origin, *, when_paused: bool) -> None:
        """Asking for what is so already changes nothing."""

        def decide(tx: ReadTx) -> Decision[None]:
            is_paused = name in pauses(tx)
            return Decision((draft_of_event(event, origin),) if is_paused is when_paused else (), None)

        await self._journal.commit(decide)

    def _put(self, tx: WriteTx, row: JobStateRow, keeps_until_ms: int | None) -> None:
        owner, until_ms = ("", 0) if keeps_until_ms is None else (self._owner, keeps_until_ms)
        put_state(tx, row, owner, until_ms)
