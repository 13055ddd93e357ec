"""One writer thread, group commit, a pool of readers.

Life of a write: `submit` queues a function of the transaction, with the others of its turn of the loop; the
writer drains the queue into one BEGIN IMMEDIATE; each function runs in its own savepoint, so one failure spoils
nobody; one COMMIT makes them all durable; only then are their futures resolved, once per event loop. After a failed
commit nobody can say what is on the disk, so the database turns read-only until it is reopened.
"""

import asyncio
import logging
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from queue import Empty, SimpleQueue
from time import perf_counter, sleep
from typing import Any, Protocol, TypeAlias, TypeVar, cast

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


class _BetweenCommits:
    """Work that SQLite will not do inside a transaction."""

    __slots__ = ("work",)

    def __init__(self, work: Callable[[apsw.Connection], object]) -> None:
        self.work = work


_Outcome: TypeAlias = "tuple[_Job, object, BaseException | None]"


class _Job:
    __slots__ = ("future", "loop", "queued_at", "row", "work")

    def __init__(
        self,
        work: Callable[[WriteTx], object] | None,
        row: object,
        future: "asyncio.Future[Any] | Future[Any]",
        loop: asyncio.AbstractEventLoop | None,
    ) -> None:
        self.work = work
        self.row = row
        self.future = future
        self.loop = loop
        self.queued_at = perf_counter()


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
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._queue_limit = queue_limit
        self._outbox: tuple[asyncio.AbstractEventLoop | None, deque[_Job]] = None, deque()
        """of the loop that wrote last"""
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
        self._connection.set_wal_hook(self._wal.committed)
        self._thread = threading.Thread(target=self._run, name="palyra-writer", daemon=True)
        self._thread.start()

    @property
    def broken(self) -> PalyraError | None:
        """Why writes are refused, if they are."""
        return self._broken

    @property
    def queued(self) -> int:
        return self._queue.qsize()

    def submit(self, work: Callable[[WriteTx], T]) -> "asyncio.Future[T]":
        """Queues `work`; the future resolves once its commit is durable. Call from an event loop."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._hand_over_soon(_Job(work, None, future, loop), loop)
        return future

    def submit_row(self, row: object) -> "asyncio.Future[object]":
        """Queues a row for `write_rows`, which writes neighbours together and needs no savepoint."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[object] = loop.create_future()
        self._hand_over_soon(_Job(None, row, future, loop), loop)
        return future

    def write_now(self, work: Callable[[WriteTx], T]) -> T:
        """For a thread without an event loop: blocks until durable."""
        future: Future[T] = Future()
        self._enqueue(_Job(work, None, future, None))
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
        self._enqueue(_Job(None, _BetweenCommits(work), future, None))
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

    def _hand_over_soon(self, job: _Job, loop: asyncio.AbstractEventLoop) -> None:
        """With whatever else this turn of the loop brings, so that the writer is woken once, for all of it."""
        owner, outbox = self._outbox
        if owner is not loop:
            outbox = deque()
            self._outbox = loop, outbox
        self._check_open(len(outbox))
        if not outbox:
            loop.call_soon(self._hand_over, outbox)
        outbox.append(job)

    def _hand_over(self, outbox: deque[_Job]) -> None:
        with self._accepting:  # so that nothing can slip in behind the closing mark
            try:
                self._check_open(0)
            except PalyraError as error:
                _settle([(job, None, error) for job in outbox])
                outbox.clear()
            self._drain(outbox)

    def _drain(self, outbox: deque[_Job]) -> None:
        while outbox:
            self._queue.put(outbox.popleft())

    def _enqueue(self, job: _Job) -> None:
        with self._accepting:
            self._check_open(0)
            self._queue.put(job)

    def _check_open(self, more: int) -> None:
        if self._closed:
            raise Unavailable("the journal is closing", hint="repeat the request after the restart")
        if self._broken is not None:
            raise self._broken
        if self._queue.qsize() + more >= self._queue_limit:
            raise Exhausted(f"{self._queue_limit} writes are already waiting", hint="slow down and repeat the request")

    def _run(self) -> None:
        while True:
            job = self._queue.get()
            if job is None:
                return
            if isinstance(job.row, _BetweenCommits):
                self._run_between_commits(job, job.row)
                continue
            batch = [job]
            closing = False
            while len(batch) < limits.DECISIONS_PER_COMMIT:
                try:
                    job = self._queue.get_nowait()
                except Empty:
                    break
                if job is None:
                    closing = True
                    break
                if isinstance(job.row, _BetweenCommits):
                    self._commit(batch)
                    self._run_between_commits(job, job.row)
                    batch = []
                    break
                batch.append(job)
            if batch:
                self._commit(batch)
            self._wal.restart_if_folded(self._connection)
            if closing:
                return

    def _run_between_commits(self, job: _Job, alone: "_BetweenCommits") -> None:
        try:
            if self._broken is not None:
                raise self._broken  # noqa: TRY301 - one way out for all failures
            outcome: _Outcome = job, alone.work(self._connection), None
        except Exception as error:  # noqa: BLE001 - the caller must hear of it and the thread live on
            outcome = job, None, to_error(error, self.path)
        _settle([outcome])

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
            _resolve([(job, None, failure) for job in batch])
            return
        done = perf_counter()
        self.metrics.observe((done - batch[0].queued_at) * 1000, len(batch))  # whoever is told finds it counted
        _resolve(results)  # before anything that takes time: people are waiting
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

    def _decide_all(self, connection: apsw.Connection, tx: "_WriterTx", batch: list[_Job]) -> list[_Outcome]:
        outcomes: list[_Outcome] = []
        for is_rows, group in groupby(batch, key=lambda job: job.work is None):
            jobs = list(group)
            if is_rows:
                written = self._write_rows(tx, [job.row for job in jobs])
                for job, value in zip(jobs, written, strict=True):
                    outcomes.append((job, None, value) if isinstance(value, PalyraError) else (job, value, None))
            else:
                outcomes += [self._decide(connection, tx, job, alone=len(batch) == 1) for job in jobs]
        return outcomes

    def _decide(self, connection: apsw.Connection, tx: "_WriterTx", job: _Job, *, alone: bool) -> _Outcome:
        """Alone in the transaction it needs no savepoint: nobody else is there to be spoiled."""
        assert job.work is not None  # noqa: S101 - `_decide_all` sends rows elsewhere
        self._guard.flush(connection)
        before = self._guard.snapshot()
        if not alone:
            connection.execute("SAVEPOINT decision")
        try:
            value = job.work(tx)
            self._guard.flush(connection)
        except _ENVIRONMENT:
            raise
        except Exception as error:  # noqa: BLE001 - one caller's failure is that caller's answer
            for statement in _UNDO_ALONE if alone else _UNDO:
                connection.execute(statement)
            self._guard.restore(before)
            return job, None, error if isinstance(error, PalyraError) else _defect(error)
        if not alone:
            connection.execute("RELEASE decision")
        return job, value, None


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


def _resolve(outcomes: list[_Outcome]) -> None:
    by_loop: defaultdict[asyncio.AbstractEventLoop, list[_Outcome]] = defaultdict(list)
    for outcome in outcomes:
        loop = outcome[0].loop
        if loop is None:
            _settle([outcome])
        else:
            by_loop[loop].append(outcome)
    for loop, group in by_loop.items():
        try:
            loop.call_soon_threadsafe(_settle, group)
        except RuntimeError:
            continue  # that loop is gone and nobody waits; the write itself is durable


def _settle(outcomes: list[_Outcome]) -> None:
    for job, value, error in outcomes:
        if job.future.done():
            continue
        if error is None:
            job.future.set_result(value)
        else:
            job.future.set_exception(error)


def _defect(error: Exception) -> PalyraError:
    wrapped = Internal(f"{type(error).__name__} while deciding: {error}", hint="this is a defect: please report it")
    wrapped.__cause__ = error
    return wrapped
