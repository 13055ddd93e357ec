"""Read-only connections for everybody who is not the writer."""

import asyncio
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


class ReaderPool:
    """Read-only connections, one per thread, each query in one short snapshot with a time limit."""

    def __init__(self, path: Path, vfs: str | None) -> None:
        self._path = path
        self._vfs = vfs
        self._idle: SimpleQueue[apsw.Connection] = SimpleQueue()
        self._executor: ThreadPoolExecutor | None = None

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
        if self._executor is not None:
            self._executor.shutdown(wait=True)
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
