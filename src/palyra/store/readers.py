"""Read-only connections for everybody who is not the writer."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, TypeAlias, TypeVar, cast

import apsw

from palyra.core import limits
from palyra.core.errors import Unavailable
from palyra.store.connection import ReadTx, open_reader, to_error

T = TypeVar("T")

READERS = 4
_PATIENCE_SECONDS = 0.05
_TURN_SECONDS = 0.005
_TURN_PASSES = 3
"""of the loop: the answer, then what has come in meanwhile, then what follows from that"""
_WRITING_SECONDS = 1.0

_Asked: TypeAlias = "tuple[Callable[[], Any], asyncio.AbstractEventLoop, asyncio.Future[Any]]"


class ReaderPool:
    """Read-only connections, one per thread, each query in one short snapshot with a time limit.

    Queries that keep the interpreter busy go one at a time: threads that all compute only take the interpreter from
    each other. They also give way to the writer while it decides and, as long as anybody writes, between two of them to
    the event loop and to short queries: whoever waits for a write waits for the disk besides.
    """

    def __init__(self, path: Path, vfs: str | None) -> None:
        self._path = path
        self._vfs = vfs
        self._idle: SimpleQueue[apsw.Connection] = SimpleQueue()
        self._readers = Workers("palyra-reader", READERS)
        self._searcher = Workers("palyra-searcher", 1, self._turn_seconds)
        self._short = _Underway()
        self._decided_at = float("-inf")
        self.writer_is_quiet = threading.Event()
        self.writer_is_quiet.set()

    def writer_decides(self) -> None:
        self._decided_at = monotonic()
        if self.writer_is_quiet.is_set():
            self.writer_is_quiet.clear()

    def _turn_seconds(self) -> float:
        return _TURN_SECONDS if monotonic() - self._decided_at < _WRITING_SECONDS else 0.0

    async def run_alone(self, query: Callable[[ReadTx], T]) -> T:
        """For a query that computes more than it reads."""
        return await self._searcher.submit(lambda: self._give_way(query))

    def _give_way(self, query: Callable[[ReadTx], T]) -> T:
        self.writer_is_quiet.wait(_PATIENCE_SECONDS)
        if (seconds := self._turn_seconds()) > 0:
            self._short.wait_for_none(seconds)
        return self.run_now(query, limits.READ_SECONDS)

    async def run(self, query: Callable[[ReadTx], T]) -> T:
        with self._short:
            return await self._readers.submit(lambda: self.run_now(query, limits.READ_SECONDS))

    def run_now(self, query: Callable[[ReadTx], T], limit_seconds: float) -> T:
        try:
            connection = self._idle.get_nowait()
        except Empty:
            connection = self._open()
        deadline = monotonic() + limit_seconds
        connection.set_progress_handler(lambda: monotonic() > deadline, 50_000)
        try:
            connection.execute("BEGIN")
            try:
                return query(cast("ReadTx", connection))
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        except apsw.Error as error:
            raise to_error(error, self._path) from error
        finally:
            connection.set_progress_handler(None)
            self._idle.put(connection)

    def close(self) -> None:
        self._readers.close()
        self._searcher.close()
        while True:
            try:
                connection = self._idle.get_nowait()
            except Empty:
                return
            with suppress(apsw.Error):  # a disk that fails must not keep a process from ending
                connection.close()

    def _open(self) -> apsw.Connection:
        try:
            return open_reader(self._path, self._vfs)
        except apsw.Error as error:
            raise to_error(error, self._path) from error


class _Underway:
    """How many are at it, for somebody who would rather wait until none is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._none = threading.Event()
        self._none.set()

    def __enter__(self) -> None:
        with self._lock:
            self._count += 1
            self._none.clear()

    def __exit__(self, *_raised: object) -> None:
        with self._lock:
            self._count -= 1
            if not self._count:
                self._none.set()

    def wait_for_none(self, seconds: float) -> None:
        self._none.wait(seconds)


class Workers:
    """So many threads, started when first needed, that do what they are given in the order it came.

    `turn_seconds`: with an answer the loop gets a turn, before the next piece of work is begun and for at most so long.
    Work that computes takes the interpreter from the loop, where many wait who need it only for a moment.

    An executor does the same with two futures, a lock and a condition for each call, at twice the price.
    """

    def __init__(self, name: str, count: int, turn_seconds: Callable[[], float] = lambda: 0.0) -> None:
        self._name = name
        self._count = count
        self._turn_seconds = turn_seconds
        self._queue: SimpleQueue[_Asked | None] = SimpleQueue()
        self._accepting = threading.Lock()
        self._closed = False
        self._threads: list[threading.Thread] = []

    def submit(self, work: Callable[[], T]) -> "asyncio.Future[T]":
        """Call from an event loop. Work that nobody waits for any more when its turn comes is left undone."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        with self._accepting:  # so that nothing can slip in behind the closing marks
            if self._closed:
                raise Unavailable("the journal is closing", hint="repeat the request after the restart")
            if not self._threads:
                self._start()
            self._queue.put((work, loop, future))
        return future

    def close(self) -> None:
        """Finishes what was accepted."""
        with self._accepting:
            self._closed = True
            for _ in self._threads:
                self._queue.put(None)
        for thread in self._threads:
            thread.join()

    def _start(self) -> None:
        for number in range(self._count):
            thread = threading.Thread(target=self._run, name=f"{self._name}_{number}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def _run(self) -> None:
        while (asked := self._queue.get()) is not None:
            work, loop, future = asked
            if future.cancelled():
                continue
            value, error = None, cast("BaseException | None", None)
            try:
                value = work()
            except BaseException as failure:  # noqa: BLE001 - whoever asked must hear of it and the thread live on
                error = failure
            self._answer(loop, future, value, error)
            del asked, work, future, value, error  # the next piece may be long in coming

    def _answer(
        self, loop: asyncio.AbstractEventLoop, future: "asyncio.Future[Any]", value: object, error: BaseException | None
    ) -> None:
        seconds = self._turn_seconds()
        turn_is_over = threading.Event() if seconds > 0 else None
        try:
            loop.call_soon_threadsafe(_settle, future, value, error, turn_is_over)
        except RuntimeError:
            return  # that loop is gone and nobody waits
        if turn_is_over is not None:
            turn_is_over.wait(seconds)


def _settle(
    future: "asyncio.Future[Any]", value: object, error: BaseException | None, turn_is_over: threading.Event | None
) -> None:
    if not future.done():
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)
    if turn_is_over is not None:
        _pass(future.get_loop(), turn_is_over, _TURN_PASSES)


def _pass(loop: asyncio.AbstractEventLoop, turn_is_over: threading.Event, passes: int) -> None:
    """Behind everything that is ready now, so many times over."""
    if passes:
        loop.call_soon(_pass, loop, turn_is_over, passes - 1)
    else:
        turn_is_over.set()
