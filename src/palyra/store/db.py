"""One writer thread, group commit, a pool of readers.

Life of a write: `submit` queues a function of the transaction, with the others of its turn of the loop; the
writer drains the queue into one BEGIN IMMEDIATE; each function runs in its own savepoint, so one failure spoils
nobody; one COMMIT makes them all durable; only then are their futures resolved, once per event loop.

After a failed commit nobody can say what is on the disk, so nothing more is written. From time to time the writer looks
whether the disk takes files again; then it opens the database anew, has its end verified and the head of the chain read
from what is there, and goes on. Reading goes on all the while.
"""

import asyncio
import logging
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from itertools import groupby
from pathlib import Path
from queue import Empty, SimpleQueue
from time import perf_counter, sleep
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, cast

import apsw

from palyra.core import limits
from palyra.core.errors import Exhausted, Internal, PalyraError, Unavailable
from palyra.store.connection import APPLICATION_ID, ReadTx, Rows, WriteTx, fold_wal, open_writer, to_error
from palyra.store.metrics import WriteMetrics
from palyra.store.readers import ReaderPool
from palyra.store.upkeep.outage import DISK_ERRORS, Outage
from palyra.store.upkeep.reserve import Reserve
from palyra.store.upkeep.wal import WalCheckpointer

T = TypeVar("T")

log = logging.getLogger("palyra.journal")

# The whole batch is lost, not only the decision that met it: the disk or the file is in trouble.
_ENVIRONMENT = (
    *DISK_ERRORS,
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.NoMemError,
    apsw.BusyError,
    apsw.ProtocolError,
)

_uses_reserve: ContextVar[bool] = ContextVar("uses_reserve", default=False)
"""what this task writes may go into the room that is kept"""


class Guard(Protocol):
    """In-memory state that must follow the transaction: the chain head and the tree frontier."""

    def snapshot(self) -> object: ...
    def restore(self, snapshot: object) -> None: ...

    @property
    def pending(self) -> bool:
        """Rows are waiting for `flush`."""

    def flush(self, connection: apsw.Connection) -> None: ...


_FOLD_ATTEMPTS = 20
_UNDO = ("ROLLBACK TO decision", "RELEASE decision")
_UNDO_ALONE = ("ROLLBACK", "BEGIN IMMEDIATE")


class _BetweenCommits(NamedTuple):
    """Work that SQLite will not do inside a transaction."""

    work: Callable[[apsw.Connection], object]
    future: Future[Any]
    mends: bool = False
    """it is there for when nothing else can be done"""


_Waiting: TypeAlias = "asyncio.Future[Any] | Future[Any]"
_Job: TypeAlias = "tuple[Callable[[WriteTx], object] | None, object, _Waiting, asyncio.AbstractEventLoop | None, float]"
"""its work, or else its row; who waits, on which loop; since when. (A plain tuple: a class costs 0.4 µs a write.)"""


class Database:
    def __init__(
        self,
        path: Path,
        guard: Guard,
        *,
        writable: bool = True,
        vfs: str | None = None,
        queue_limit: int = limits.QUEUED_DECISIONS,
        budget_ms: float = 25.0,
        on_commit: Callable[[], None] = lambda: None,
        write_rows: Callable[[WriteTx, list[object]], list[object]] = lambda _tx, _rows: [],
        load: Callable[[ReadTx], PalyraError | None] = lambda _tx: None,
    ) -> None:
        """`load` verifies the end of what is there and takes the guard's state from it; an error is its damage."""
        self.path = path
        self.metrics = WriteMetrics(budget_ms)
        self._guard = guard
        self._vfs = vfs
        self._on_commit = on_commit
        self._write_rows = write_rows
        self._queue: SimpleQueue[list[_Job] | _BetweenCommits | None] = SimpleQueue()
        """what a turn of a loop brought; None: close"""
        self._queued = 0
        self._queue_limit = queue_limit
        self._outbox: tuple[asyncio.AbstractEventLoop | None, list[_Job]] = None, []
        """of the loop that wrote last"""
        self._room = 0
        """how many it may hold: what it is given in one turn is refused together when the turn is over"""
        self._accepting = threading.Lock()
        self._closed = False
        self._outage = Outage()
        self._is_sound = writable
        """the connection can be written to: not after a failed commit, until it is opened anew"""
        self._load = load
        self._reserve = Reserve(path.with_name("reserve"), path)
        self._erasing = 0
        """how many use the reserve"""
        self._readers = ReaderPool(path, vfs)
        self._thread: threading.Thread | None = None
        self._warned_at = 0
        self._last_warning = float("-inf")
        if not writable:
            self._outage.refusal, self._outage.is_final = Unavailable("the journal was opened for reading only"), True
            return
        self._connection = open_writer(path, vfs)
        self._wal = WalCheckpointer(path, vfs)
        self._reserve.keep()
        self._thread = threading.Thread(target=self._run, name="palyra-writer", daemon=True)
        self._thread.start()

    @property
    def broken(self) -> PalyraError | None:
        """Why writes are refused, if they are."""
        return self._outage.refusal

    @property
    def is_lost(self) -> bool:
        """Writing has stopped, and only another process can begin it again."""
        return self._outage.is_lost

    @property
    def queued(self) -> int:
        """Writes that no commit has taken up."""
        return self._queued

    def submit(self, work: Callable[[WriteTx], T]) -> "asyncio.Future[T]":
        """Queues `work`; the future resolves once its commit is durable. Call from an event loop."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._outbox_of(loop).append((work, None, future, loop, perf_counter()))
        return future

    def submit_row(self, row: object) -> "asyncio.Future[object]":
        """Queues a row for `write_rows`, which writes neighbours together and needs no savepoint."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[object] = loop.create_future()
        owner, outbox = self._outbox
        # Most rows come while others of the same turn wait, and after a look at whether anything speaks against it.
        if owner is not loop or not outbox or len(outbox) >= self._room:
            outbox = self._outbox_of(loop)
        outbox.append((None, row, future, loop, perf_counter()))
        return future

    def write_now(self, work: Callable[[WriteTx], T]) -> T:
        """For a thread without an event loop: blocks until durable."""
        future: Future[T] = Future()
        with self._accepting:
            self._check_open(0)
            self._drain([(work, None, future, None, perf_counter())])
        return future.result()

    async def read(self, query: Callable[[ReadTx], T]) -> T:
        return await self._readers.run(query)

    async def read_alone(self, query: Callable[[ReadTx], T]) -> T:
        """For a query that computes more than it reads: one at a time, and not while the writer decides."""
        return await self._readers.run_alone(query)

    def read_now(self, query: Callable[[ReadTx], T], limit_seconds: float = limits.READ_SECONDS) -> T:
        return self._readers.run_now(query, limit_seconds)

    def compact(self) -> None:
        """Rewrites the database file and empties the WAL, so that nothing deleted is left in unused parts of either.

        SQLite zeroes what it frees, but moving rows between pages leaves copies behind in the gaps. The writer
        thread does it between two commits; a reader that holds the WAL is waited for here, not there.
        """
        self._between_commits(_vacuum)
        for attempt in range(_FOLD_ATTEMPTS):
            sleep(0.01 * attempt)
            if self._between_commits(fold_wal):
                return
        raise Unavailable(
            "old pages are still in the WAL: a reader is holding them",
            hint="stop long-running readers and repeat the command; the next start removes them, too",
        )

    def has_room_to_compact(self) -> bool:
        """SQLite makes a copy, and then writes all of it to the WAL."""
        return shutil.disk_usage(self.path.parent).free > 2 * self.path.stat().st_size

    def _between_commits(self, work: Callable[[apsw.Connection], T], *, mends: bool = False) -> T:
        future: Future[T] = Future()
        with self._accepting:
            self._check_open(0, mends=mends)
            self._queue.put(_BetweenCommits(work, future, mends))
        return future.result()

    def refuse_writes(self, why: PalyraError) -> None:
        """For as long as this process has it open."""
        self._outage.refusal, self._outage.is_final, self._is_sound = why, True, False

    @asynccontextmanager
    async def on_reserve(self) -> AsyncIterator[None]:
        """What is written inside may use the room that is kept for it, also while the disk is full and other writes
        are refused."""
        await asyncio.to_thread(self._open_reserve)
        uses = _uses_reserve.set(True)
        try:
            yield
        finally:
            _uses_reserve.reset(uses)
            await asyncio.to_thread(self._close_reserve)

    def _open_reserve(self) -> None:
        with self._accepting:
            self._erasing += 1
        try:
            self._reserve.release()
            if self._outage.seconds_to_attempt is not None:
                self._between_commits(lambda _connection: self._reopen(folds=False), mends=True)
        except BaseException:
            self._close_reserve()
            raise

    def _close_reserve(self) -> None:
        with self._accepting:
            self._erasing -= 1
        if not self._erasing:
            self._reserve.keep()

    def close(self) -> None:
        """Finishes what was accepted, folds the WAL into the database, closes everything."""
        with self._accepting:
            if self._closed:
                return
            self._closed = True
            self._drain(self._outbox[1])
            self._queue.put(None)
        if self._thread is not None:
            self._thread.join()
            self._wal.close()
        self._readers.close()
        if self._thread is not None:
            if self._is_sound:
                with suppress(apsw.Error):  # the WAL is durable as it is; the next opening folds it in
                    fold_wal(self._connection)
            with suppress(apsw.Error):  # opening it anew may have failed half-way
                self._connection.close()

    def _outbox_of(self, loop: asyncio.AbstractEventLoop) -> list[_Job]:
        """Where a write goes, with whatever else this turn of the loop brings, so that the writer is woken once, for
        all of it."""
        owner, outbox = self._outbox
        if owner is not loop:
            outbox = []
            self._outbox = loop, outbox
        self._check_open(len(outbox))
        self._room = self._queue_limit - self._queued
        if not outbox:
            self._readers.writer_decides()  # from here on: a search would keep the writer from taking it up
            loop.call_soon(self._hand_over, outbox)
        return outbox

    def _hand_over(self, outbox: list[_Job]) -> None:
        with self._accepting:  # so that nothing can slip in behind the closing mark
            try:
                self._check_open(0)
            except PalyraError as error:
                self._readers.writer_is_quiet.set()
                _settle([(job[2], error) for job in outbox])
                outbox.clear()
            self._drain(outbox)

    def _drain(self, outbox: list[_Job]) -> None:
        """Under `_accepting`."""
        if outbox:
            self._queued += len(outbox)
            self._queue.put(outbox.copy())
            outbox.clear()

    def _check_open(self, more: int, *, mends: bool = False) -> None:
        if self._closed:
            raise Unavailable("the journal is closing", hint="repeat the request after the restart")
        if self._outage.refusal is not None and not mends and not (self._is_sound and _uses_reserve.get()):
            raise self._outage.refusal
        if self._queued + more >= self._queue_limit:
            raise Exhausted(f"{self._queue_limit} writes are already waiting", hint="slow down and repeat the request")

    def _run(self) -> None:
        most = limits.DECISIONS_PER_COMMIT
        while True:
            if self._outage.seconds_to_attempt == 0:
                self._heal()
            try:
                jobs, then = self._gather()
            except Empty:
                continue  # it is time for another attempt
            for start in range(0, len(jobs), most):
                batch = jobs[start : start + most]
                with self._accepting:
                    self._queued -= len(batch)
                self._commit(batch)
                if self._is_sound:
                    self._wal.committed(self._connection)
                    self._wal.restart_if_folded(self._connection)
            if then is None:
                return
            if isinstance(then, _BetweenCommits):
                self._run_between_commits(then)

    def _gather(self) -> "tuple[list[_Job], _BetweenCommits | list[_Job] | None]":
        """Waits for work: the writes of the next commit, and what comes right behind them if that is no write."""
        jobs: list[_Job] = []
        then = self._queue.get(timeout=self._outage.seconds_to_attempt)
        try:
            while isinstance(then, list):
                jobs = jobs + then if jobs else then
                if len(jobs) >= limits.DECISIONS_PER_COMMIT:
                    break
                then = self._queue.get_nowait()
        except Empty:
            pass
        return jobs, then

    def _run_between_commits(self, alone: "_BetweenCommits") -> None:
        try:
            if not self._is_sound and not alone.mends:
                raise self._refusal  # noqa: TRY301 - one way out for all failures
            outcome = alone.work(self._connection)
        except Exception as error:  # noqa: BLE001 - the caller must hear of it and the thread live on
            outcome = to_error(error, self.path)
        _settle([(alone.future, outcome)])

    def _commit(self, batch: list[_Job]) -> None:
        connection, before = self._connection, self._guard.snapshot()
        committing = False
        try:
            if not self._is_sound:
                raise self._refusal  # noqa: TRY301 - one way out for the whole batch
            self._readers.writer_decides()
            connection.execute("BEGIN IMMEDIATE")
            tx = _WriterTx(connection, self._guard)
            results = self._decide_all(connection, tx, batch)
            self._guard.flush(connection)
            committing = True
            if not self._queued:
                self._readers.writer_is_quiet.set()  # from here on it waits for the disk
            connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - whatever it was, the callers must hear of it and the thread live on
            self._readers.writer_is_quiet.set()
            self._guard.restore(before)
            failure = to_error(error, self.path)
            if self._is_sound and (not _roll_back(connection) or committing or isinstance(error, DISK_ERRORS)):
                self._is_sound = False
                self._wal.stop()
                self._outage.begin(error)
                failure = self._refusal
            self.metrics.failures += len(batch)
            _resolve(batch, [failure] * len(batch))
            return
        done = perf_counter()
        self.metrics.observe((done - batch[0][4]) * 1000, len(batch))  # whoever is told finds it counted
        _resolve(batch, results)  # before anything that takes time: people are waiting
        self._on_commit()
        if self.metrics.over_budget > self._warned_at:
            self._warn_over_budget(done)

    @property
    def _refusal(self) -> PalyraError:
        return self._outage.refusal or Unavailable("writing has stopped", hint="repeat the request in a moment")

    def _heal(self) -> None:
        """One attempt at writing again, by the writer thread."""
        if self._erasing:
            self._outage.postpone()  # the room is theirs until they are done
            return
        try:
            self._reserve.renew()
        except OSError as error:
            self._outage.wait_for_disk(error)
            return
        try:
            self._reopen(folds=True)
        except (apsw.FullError, apsw.ReadOnlyError) as error:
            self._outage.wait_for_disk(error)
            return
        except Exception as error:  # noqa: BLE001 - whatever it was, the thread lives on, and says so
            self._outage.attempt_failed(to_error(error, self.path))
            return
        self._outage.over()
        self._on_commit()

    def _reopen(self, *, folds: bool) -> None:
        """Nothing is believed of what was in memory. A commit that changes nothing shows that another one will succeed.

        `folds`: of what could not be synced some pages may be lost, so what had been acknowledged goes to the main
        file. That takes room."""
        self._is_sound = False
        self._wal.close()
        with suppress(apsw.Error):
            self._connection.close()
        self._connection = open_writer(self.path, self._vfs)
        self._wal = WalCheckpointer(self.path, self._vfs)
        self._connection.execute("BEGIN")
        damage = self._load(cast("ReadTx", self._connection))
        self._connection.execute("COMMIT")
        if damage is not None:
            raise damage
        if folds:
            fold_wal(self._connection)
        self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._is_sound = True

    def _warn_over_budget(self, now: float) -> None:
        """At most once a minute: a slow disk must not fill the log as well."""
        if now - self._last_warning < 60:
            return
        self._last_warning, self._warned_at = now, self.metrics.over_budget
        log.warning(
            "journal writes over the budget of %s ms: %d of %d, slowest %.0f ms",
            self.metrics.budget_ms,
            self.metrics.over_budget,
            self.metrics.decisions,
            self.metrics.max_ms,
        )

    def _decide_all(self, connection: apsw.Connection, tx: "_WriterTx", batch: list[_Job]) -> list[object]:
        """What each of them gets: an error is the answer of the one that failed."""
        rows = [job[1] for job in batch if job[0] is None]
        if len(rows) == len(batch):
            return self._write_rows(tx, rows)
        outcomes: list[object] = []
        for is_rows, jobs in groupby(batch, key=lambda job: job[0] is None):
            if is_rows:
                outcomes += self._write_rows(tx, [job[1] for job in jobs])
            else:
                outcomes += [self._decide(connection, tx, job[0], alone=len(batch) == 1) for job in jobs]
        return outcomes

    def _decide(
        self, connection: apsw.Connection, tx: "_WriterTx", work: Callable[[WriteTx], object] | None, *, alone: bool
    ) -> object:
        """Alone in the transaction it needs no savepoint: nobody else is there to be spoiled."""
        assert work is not None  # noqa: S101 - `_decide_all` sends rows elsewhere
        self._guard.flush(connection)
        before = self._guard.snapshot()
        if not alone:
            connection.execute("SAVEPOINT decision")
        try:
            value = work(tx)
            self._guard.flush(connection)
        except _ENVIRONMENT:
            raise
        except Exception as error:  # noqa: BLE001 - one caller's failure is that caller's answer
            for statement in _UNDO_ALONE if alone else _UNDO:
                connection.execute(statement)
            self._guard.restore(before)
            return error if isinstance(error, PalyraError) else _defect(error)
        if not alone:
            connection.execute("RELEASE decision")
        return value


class _WriterTx:
    """The writer's transaction as work sees it: rows that wait are written before anything can look for them."""

    __slots__ = ("_connection", "_guard")

    def __init__(self, connection: apsw.Connection, guard: Guard) -> None:
        self._connection = connection
        self._guard = guard

    def execute(self, statements: str, bindings: Sequence[object] = ()) -> Rows:
        if self._guard.pending:
            self._guard.flush(self._connection)
        return cast("Rows", self._connection.execute(statements, bindings))

    def executemany(self, statement: str, rows: Iterable[Sequence[object]]) -> object:
        if self._guard.pending:
            self._guard.flush(self._connection)
        return self._connection.executemany(statement, cast("Iterable[tuple[apsw.SQLiteValue, ...]]", rows))


def _vacuum(connection: apsw.Connection) -> None:
    fold_wal(connection)  # what it takes is room
    try:
        connection.execute("VACUUM")
    except apsw.FullError:
        fold_wal(connection)  # what it had written of the copy
        raise


def _roll_back(connection: apsw.Connection) -> bool:
    """True when the connection is known to hold no transaction."""
    try:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    except apsw.Error:
        return not connection.in_transaction
    return True


def _resolve(batch: list[_Job], outcomes: list[object]) -> None:
    settled = list(zip([job[2] for job in batch], outcomes, strict=True))
    loops = {job[3] for job in batch}
    for loop in loops:
        group = settled if len(loops) == 1 else [one for job, one in zip(batch, settled, strict=True) if job[3] is loop]
        if loop is None:
            _settle(group)
            continue
        try:
            loop.call_soon_threadsafe(_settle, group)
        except RuntimeError:
            continue  # that loop is gone and nobody waits; the write itself is durable


def _settle(group: list[tuple[_Waiting, object]]) -> None:
    for future, outcome in group:
        if future.done():
            continue
        if isinstance(outcome, PalyraError):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


def _defect(error: Exception) -> PalyraError:
    wrapped = Internal(f"{type(error).__name__} while deciding: {error}", hint="this is a defect: please report it")
    wrapped.__cause__ = error
    return wrapped
