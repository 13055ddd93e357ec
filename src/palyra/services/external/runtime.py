"""The runtime of the mirror: follows the journal, answers searches, compares and repairs, and says how it stands.

SQLite stays the truth. Everything here can fail, be slow or be killed at any moment; what it costs is `degraded` in an
answer and a longer outbox, which is worked off by itself once the server is back.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from palyra.core.clock import Clock
from palyra.core.errors import PalyraError
from palyra.domain.retrieval.mirror import KEY_BYTES, Marks
from palyra.domain.scope import Visibility
from palyra.ports import MirrorIndex
from palyra.services.external.counters import Counters
from palyra.services.external.drift import Drift, Progress, find_drift, reconcile
from palyra.services.external.mirror import BULK, Mirror, converge
from palyra.services.external.proposing import EngineAnswer, ask
from palyra.services.external.server import MirrorServer
from palyra.services.external.status import MirrorStanding, MirrorStatus, standing_of, status_of
from palyra.services.memory.embedding import EmbeddingFollower
from palyra.services.memory.nearby import AskedVector
from palyra.store.connection import WriteTx
from palyra.store.external import ledger, outbox
from palyra.store.journal_store import JournalStore

T = TypeVar("T")

log = logging.getLogger("palyra.external")

_GATHER_SECONDS = 0.05
_IDLE_SECONDS = 5.0
_DOUBT_SECONDS = 60.0
_ERASE_SECONDS = 10.0
_GRACE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class ExternalOptions:
    provider: str
    server: str
    """its name"""
    search_seconds: float
    reconcile_seconds: float


class ExternalRuntime:
    def __init__(
        self,
        store: JournalStore,
        clock: Clock,
        follower: EmbeddingFollower,
        options: ExternalOptions,
        make: Callable[[str, int], MirrorIndex],
    ) -> None:
        self._store = store
        self._clock = clock
        self._follower = follower
        self._options = options
        self._make = make
        self._mirror: Mirror | None = None
        self._working = asyncio.Lock()
        self._opening = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._last_drift: Drift | None = None
        self._backlog = outbox.Backlog(0, None, 0)
        """as it was when somebody last looked"""
        self._compared_at = 0.0

    # -- for searches

    async def propose(self, seer: Visibility, asked: AskedVector) -> EngineAnswer | None:
        try:
            mirror = await self._opened()
            if mirror.identity != self._follower.serving:
                return EngineAnswer.failed(mirror, seer, "model changed")
            return await ask(mirror, seer, asked, self._options.search_seconds + _GRACE_SECONDS)
        except (PalyraError, ValueError, IndexError, KeyError, MemoryError, FloatingPointError):
            return None  # the index has a defect: the search itself will meet it, and say so

    async def still_held(self) -> tuple[str, ...]:
        """After erasing: takes what is gone from here away there, too, and says what was not confirmed yet. That is
        on a durable list, and tried again until it is."""
        # Not cancelled when the time is over: what is on its way to a server must end before anything else is sent.
        await asyncio.wait({self._begun(self.catch_up())}, timeout=_ERASE_SECONDS)
        held = await self._store.db.read(ledger.orphans)
        return tuple(
            f"external engine {place.partition('/')[0]}: {count} vectors, to be removed when it answers"
            for place, count in held.items()
        )

    # -- following

    async def run(self) -> None:
        """For as long as the process lives. Whatever happens here is told by `status`."""
        committed = self._store.listen()
        loop = asyncio.get_running_loop()
        self._compared_at = loop.time()
        try:
            while True:
                committed.clear()
                try:
                    await self._try_sleeper()
                    await self.catch_up()
                    await self._compare_if_due(loop.time())
                except PalyraError as error:
                    log.warning("the mirror stands still: %s", error.message)
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._pause()):
                        await committed.wait()
                await asyncio.sleep(_GATHER_SECONDS)
        finally:
            self._store.unlisten(committed)

    async def catch_up(self, progress: Callable[[int], None] = lambda _settled: None) -> int:
        """Tells the servers all that has happened so far, as far as they can be asked."""
        return await asyncio.shield(self._begun(self._catch_up(progress)))

    async def _catch_up(self, progress: Callable[[int], None]) -> int:
        mirror = await self._opened()
        async with self._working:
            return await self._tell(mirror, progress)

    def _begun(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Goes on when whoever waits for it goes away; only `close` ends it."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # told to whoever still waits

    async def _tell(self, mirror: Mirror, progress: Callable[[int], None] = lambda _settled: None) -> int:
        """By whoever holds the lock."""
        await self._follow_model(mirror)
        while await self._store.db.read(outbox.is_behind):
            await self._store.db.submit(lambda tx: outbox.note_changes(tx, self._clock.now_ms()))
        noted = self._backlog = await self._store.db.read(outbox.backlog)
        if noted.items > BULK:
            await self._load_first(mirror.server)
        else:
            await self._index_now(mirror.server)  # after a process that was killed while loading; else it is there

        def tell(settled: int) -> None:
            self._backlog = noted._replace(items=max(0, noted.items - settled))
            progress(settled)

        settled = await converge(mirror, tell)
        await self._index_now(mirror.server)
        await self._retire_old_places(mirror.server)
        self._backlog = await self._store.db.read(outbox.backlog)
        return settled

    async def _load_first(self, server: MirrorServer) -> None:
        """Filling a table and then its index is many times faster than the other way round."""
        held = await self._store.db.read(ledger.places)
        if held.get(server.place, 0) < BULK and server.breaker.is_closed:
            server.is_loading = True
            with suppress(PalyraError):  # then it is only slower
                await server.ask(lambda index: index.load_first())

    async def _index_now(self, server: MirrorServer) -> None:
        if server.is_loading and server.breaker.is_closed:
            with suppress(PalyraError):  # counted by its breaker, and tried again
                await server.ask(lambda index: index.index_now())
                server.is_loading = False

    def _pause(self) -> float:
        wait = _IDLE_SECONDS
        if self._mirror is not None and not self._mirror.server.breaker.is_closed:
            wait = min(wait, self._mirror.server.breaker.ms_to_trial / 1_000)
        return wait + _GATHER_SECONDS

    async def _try_sleeper(self) -> None:
        if self._mirror is not None and self._mirror.server.breaker.state == "half_open":
            with suppress(PalyraError):
                await self._mirror.server.ask(lambda index: index.ping())

    async def _compare_if_due(self, now: float) -> None:
        mirror = await self._opened()
        state = await self._store.db.read(outbox.read_mirror)
        doubtful = bool(mirror.doubt) or (state is not None and state.recheck)
        every = min(_DOUBT_SECONDS, self._options.reconcile_seconds) if doubtful else self._options.reconcile_seconds
        if now - self._compared_at < every or not mirror.server.breaker.is_closed:
            return
        await self.reconcile()

    async def _follow_model(self, mirror: Mirror) -> None:
        identity = self._follower.serving
        if identity == mirror.identity:
            return
        await self._store.db.submit(lambda tx: outbox.use_identity(tx, identity, self._clock.now_ms()))
        mirror.identity, mirror.dims = identity, self._follower.serving_dims
        mirror.server.use(mirror.marks.table(identity), mirror.dims)

    async def _retire_old_places(self, server: MirrorServer) -> None:
        for place in await self._store.db.read(ledger.places):
            name, _, table = place.partition("/")
            if name == server.name and table != server.table and server.breaker.is_closed:
                with suppress(PalyraError):  # it stays in the ledger, and is tried again
                    await server.ask(lambda index, table=table: index.retire(table))  # type: ignore[misc]
                    await self._store.db.submit(partial(ledger.strike_out_place, place=place))

    # -- comparing and repairing

    async def drift(self, progress: Progress = lambda _what, _done, _total: None) -> Drift:
        await self._told_all()
        mirror = await self._opened()
        async with self._working:
            self._last_drift = await find_drift(mirror, progress)
        return self._last_drift

    async def reconcile(self, progress: Progress = lambda _what, _done, _total: None) -> tuple[Drift, Drift]:
        """The drift before and after."""
        return await asyncio.shield(self._begun(self._reconcile(progress)))

    async def _reconcile(self, progress: Progress) -> tuple[Drift, Drift]:
        await self._told_all()
        mirror = await self._opened()
        async with self._working:
            self._compared_at = asyncio.get_running_loop().time()
            doubt, mirror.doubt = mirror.doubt, ""
            try:
                before, after = await reconcile(mirror, progress)
            except PalyraError:
                mirror.counters.reconcile_failures += 1
                mirror.doubt = doubt
                raise
            self._last_drift = after
            if after.count:
                mirror.counters.reconcile_failures += 1
                mirror.doubt = "the last comparison left differences"
            else:
                mirror.counters.reconciled += 1
                await self._store.db.submit(lambda tx: outbox.want_recheck(tx, wanted=False))
            return before, after

    async def _told_all(self) -> None:
        """What was written a moment ago has its vector, and the servers know it."""
        await self._follower.finish()
        await self.catch_up()

    async def rebuild(self, progress: Progress = lambda _what, _done, _total: None) -> int:
        """Everything anew. Searches are answered by the local index meanwhile."""
        return await asyncio.shield(self._begun(self._rebuild(progress)))

    async def _rebuild(self, progress: Progress) -> int:
        mirror = await self._opened()
        async with self._working:
            await mirror.server.ask(lambda index: index.clear())
            forget = partial(_forget_place, place=mirror.server.place, now_ms=self._clock.now_ms())
            await self._store.db.submit(forget)
            total = (await self._store.db.read(outbox.backlog)).items
            progress("mirrored", 0, total)
            return await self._tell(mirror, lambda settled: progress("mirrored", min(settled, total), total))

    # -- telling

    @property
    def measures(self) -> dict[str, float]:
        """For metrics: read from memory alone, as of the follower's last round."""
        counters = Counters() if self._mirror is None else self._mirror.counters
        standing = self.standing
        return {
            "searches": counters.searches,
            "fallbacks": sum(counters.fallbacks.values()),
            "rejected": sum(counters.rejected.values()),
            "sent": counters.sent,
            "removed": counters.removed,
            "write_failures": counters.write_failures,
            "reconciled": counters.reconciled,
            "reconcile_failures": counters.reconcile_failures,
            "pending": self._backlog.items,
            "freshness_ms": 0 if standing is None else standing.freshness_ms,
            "query_p95_ms": counters.percentile_ms(0.95) or 0.0,
            "servers_asleep": int(self._mirror is not None and not self._mirror.server.breaker.is_closed),
            "last_drift": 0 if self._last_drift is None else self._last_drift.count,
        }

    @property
    def standing(self) -> MirrorStanding | None:
        """The same of how it keeps what is promised of it; None: it was not opened yet."""
        return None if self._mirror is None else standing_of(self._mirror, self._options.provider, self._backlog)

    async def status(self) -> MirrorStatus:
        return await status_of(await self._opened(), self._options.provider, self._last_drift)

    async def _opened(self) -> Mirror:
        async with self._opening:
            if self._mirror is None:
                self._mirror = await self._open()
            return self._mirror

    async def _open(self) -> Mirror:
        await self._follower.look_around()
        identity, dims = self._follower.serving, self._follower.serving_dims
        fresh, name, now_ms = secrets.token_bytes(KEY_BYTES), self._options.server, self._clock.now_ms()
        state = await self._store.db.submit(lambda tx: _begin(tx, fresh, identity, name, now_ms))
        marks = Marks(state.key)
        server = MirrorServer(name, self._make, marks.table(identity), dims)
        return Mirror(self._store, self._clock, server, marks, identity, dims)

    async def close(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._mirror is not None:
            await asyncio.to_thread(self._mirror.server.close)


def _begin(tx: WriteTx, key: bytes, identity: str, name: str, now_ms: int) -> outbox.MirrorState:
    state = outbox.begin_mirror(tx, key, identity)
    if state.identity != identity:
        outbox.use_identity(tx, identity, now_ms)
    outbox.note_orphans(tx, now_ms)
    servers = {place.partition("/")[0] for place in ledger.places(tx)}
    if ledger.forget_homes(tx) or (servers and name not in servers):  # what is elsewhere has to come here
        outbox.note_all(tx, now_ms)
    return outbox.begin_mirror(tx, key, identity)


def _forget_place(tx: WriteTx, place: str, now_ms: int) -> None:
    ledger.strike_out_place(tx, place)
    outbox.note_all(tx, now_ms)
