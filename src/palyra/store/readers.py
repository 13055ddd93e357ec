"""Read-only connections for everybody who is not the writer."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TypeVar, cast

import apsw

from palyra.core import limits
from palyra.store.connection import ReadTx, open_reader, to_error

T = TypeVar("T")

READERS = 4
_PATIENCE_SECONDS = 0.05


class ReaderPool:
    """Read-only connections, one per thread, each query in one short snapshot with a time limit.

    Queries that keep the interpreter busy go one at a time, and give way to the writer while it decides: threads that
    all compute only take the interpreter from each other, and whoever waits for a write waits for the disk besides.
    """

    def __init__(self, path: Path, vfs: str | None) -> None:
        self._path = path
        self._vfs = vfs
        self._idle: SimpleQueue[apsw.Connection] = SimpleQueue()
        self._executor: ThreadPoolExecutor | None = None
        self._alone: ThreadPoolExecutor | None = None
        self.writer_is_quiet = threading.Event()
        self.writer_is_quiet.set()

    async def run_alone(self, query: Callable[[ReadTx], T]) -> T:
        """For a query that computes more than it reads."""
        if self._alone is None:
            self._alone = ThreadPoolExecutor(1, thread_name_prefix="palyra-searcher")
        return await asyncio.get_running_loop().run_in_executor(self._alone, self._give_way, query)

    def _give_way(self, query: Callable[[ReadTx], T]) -> T:
        self.writer_is_quiet.wait(_PATIENCE_SECONDS)
        return self.run_now(query, limits.READ_SECONDS)

    async def run(self, query: Callable[[ReadTx], T]) -> T:
        if self._executor is None:
            self._executor = ThreadPoolExecutor(READERS, thread_name_prefix="palyra-reader")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self.run_now, query, limits.READ_SECONDS)

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
        for executor in (self._executor, self._alone):
            if executor is not None:
                executor.shutdown(wait=True)
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return

    def _open(self) -> apsw.Connection:
        try:
            return open_reader(self._path, self._vfs)
        except apsw.Error as error:
            raise to_error(error, self._path) from error
