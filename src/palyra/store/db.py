"""One writer thread, group commit, a pool of readers.

Life of a write: `submit` queues a function of the transaction, with the others of its turn of the loop; the
writer drains the queue into one BEGIN IMMEDIATE; each function runs in its own savepoint, so one failure spoils
nobody; one COMMIT makes them all durable; only then are their futures resolved, once per event loop. After a failed
commit nobody can say what is on the disk, so the database turns read-only until it is reopened.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from queue import Empty, SimpleQueue
from time import perf_counter, sleep
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, cast

import apsw

from palyra.core import limits
from palyra.core.errors import Exhausted, Internal, PalyraError, Unavailable
from palyra.store.connection import ReadTx, Rows, WriteTx, fold_wal, open_writer, to_error
from palyra.store.metrics import WriteMetrics
from palyra.store.readers import ReaderPool
from palyra.store.upkeep.wal import WalCheckpointer

T = TypeVar("T")

log = logging.getLogger("palyra.journal")

# The whole batch is lost, not only the decision that met it: the disk or the file is in trouble.
_ENVIRONMENT = (
    apsw.IOError,
    apsw.FullError,
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.NoMemError,
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    apsw.BusyError,
    apsw.ProtocolError,
)


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
    ) -> None:
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
        self._broken: PalyraError | None = None
        self._readers = ReaderPool(path, vfs)
        self._thread: threading.Thread | None = None
        self._warned_at = 0
        self._last_warning = float("-inf")
        if not writable:
            self._broken = Unavailable("the journal was opened for reading only")
            return
        self._connection = open_writer(path, vfs)
        self._wal = WalCheckpointer(path, vfs)
        self._thread = threading.Thread(target=self._run, name="palyra-writer", daemon=True)
        self._thread.start()

    @property
    def broken(self) -> PalyraError | None:
        """Why writes are refused, if they are."""
        return self._broken

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
        self._between_commits(lambda connection: connection.execute("VACUUM"))
        for attempt in range(_FOLD_ATTEMPTS):
            sleep(0.01 * attempt)
            if self._between_commits(fold_wal):
                return
        raise Unavailable(
            "old pages are still in the WAL: a reader is holding them",
            hint="stop long-running readers and repeat the command; the next start removes them, too",
        )

    def _between_commits(self, work: Callable[[apsw.Connection], T]) -> T:
        future: Future[T] = Future()
        with self._accepting:
            self._check_open(0)
            self._queue.put(_BetweenCommits(work, future))
        return future.result()

    def refuse_writes(self, why: PalyraError) -> None:
        self._broken = why

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
            if self._broken is None:
                with suppress(apsw.Error):  # the WAL is durable as it is; the next opening folds it in
                    fold_wal(self._connection)
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

    def _check_open(self, more: int) -> None:
        if self._closed:
            raise Unavailable("the journal is closing", hint="repeat the request after the restart")
        if self._broken is not None:
            raise self._broken
        if self._queued + more >= self._queue_limit:
            raise Exhausted(f"{self._queue_limit} writes are already waiting", hint="slow down and repeat the request")

    def _run(self) -> None:
        most = limits.DECISIONS_PER_COMMIT
        while True:
            jobs, then = self._gather()
            for start in range(0, len(jobs), most):
                batch = jobs[start : start + most]
                with self._accepting:
                    self._queued -= len(batch)
                self._commit(batch)
                self._wal.committed(self._connection)
                self._wal.restart_if_folded(self._connection)
            if then is None:
                return
            if isinstance(then, _BetweenCommits):
                self._run_between_commits(then)

    def _gather(self) -> "tuple[list[_Job], _BetweenCommits | list[_Job] | None]":
        """Waits for work: the writes of the next commit, and what comes right behind them if that is no write."""
        jobs: list[_Job] = []
        then = self._queue.get()
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
            if self._broken is not None:
                raise self._broken  # noqa: TRY301 - one way out for all failures
            outcome = alone.work(self._connection)
        except Exception as error:  # noqa: BLE001 - the caller must hear of it and the thread live on
            outcome = to_error(error, self.path)
        _settle([(alone.future, outcome)])

    def _commit(self, batch: list[_Job]) -> None:
        connection, before = self._connection, self._guard.snapshot()
        committing = False
        try:
            if self._broken is not None:
                raise self._broken  # noqa: TRY301 - one way out for the whole batch
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
            if committing or not _roll_back(connection):
                _roll_back(connection)
                self._wal.stop()
                self._broken = Unavailable(
                    f"writing stopped after a failed commit: {failure.message}",
                    hint="check the disk, then restart; nothing that was acknowledged is lost",
                )
            self.metrics.failures += len(batch)
            _resolve(batch, [failure] * len(batch))
            return
        done = perf_counter()
        self.metrics.observe((done - batch[0][4]) * 1000, len(batch))  # whoever is told finds it counted
        _resolve(batch, results)  # before anything that takes time: people are waiting
        self._on_commit()
        if self.metrics.over_budget > self._warned_at:
            self._warn_over_budget(done)

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
