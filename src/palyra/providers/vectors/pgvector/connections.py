"""Connections to one PostgreSQL server, on an event loop of their own, for callers in any thread.

A call has a time limit that holds whatever the server does: a connection whose call did not end well is dropped,
never waited for. Searches and writes have separate slots, so that a long write keeps no search waiting.
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from palyra.core.errors import Deadline, Exhausted, FailedPrecondition, Integrity, PalyraError, Unavailable
from palyra.providers.extras import how_to_add
from palyra.store.external.pg_statements import SCHEMA_OF_VECTOR, SET

if TYPE_CHECKING:
    import asyncpg

    Connection: TypeAlias = asyncpg.Connection[asyncpg.Record]

T = TypeVar("T")

_SLOTS = {"search": 4, "write": 2}
_GRACE_SECONDS = 0.5


class Connections:
    def __init__(
        self, name: str, dsn: str, settings: dict[str, str], prepare: "Callable[[Connection], Awaitable[None]]"
    ) -> None:
        """`name` is what people call the server: the address may hold a password and is never shown.

        `prepare` is done once with every new connection."""
        self._name = name
        self._dsn = dsn
        self._settings = settings
        self._prepare = prepare
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._idle: list[Connection] = []
        self._slots: dict[str, asyncio.Semaphore] = {}

    def call(self, work: "Callable[[Connection], Awaitable[T]]", seconds: float, kind: str = "search") -> T:
        """What `work` returns; Deadline after so many seconds, else what went wrong in our words."""
        with _in_our_words(self._name, seconds):
            future = asyncio.run_coroutine_threadsafe(self._bounded(work, seconds, kind), self._running())
            try:
                return future.result(seconds + _GRACE_SECONDS)
            except concurrent.futures.TimeoutError:
                future.cancel()
                raise

    def close(self) -> None:
        with self._starting:
            self._closed = True
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(self._stop)
            thread.join()
            loop.close()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._closed:
                raise Unavailable(f"the connection to {self._name} is closed")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name=f"palyra-{self._name}", daemon=True)
                self._thread.start()
            return self._loop

    def _stop(self) -> None:
        loop = asyncio.get_running_loop()
        for connection in self._idle:
            connection.terminate()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        ended = asyncio.gather(*tasks, return_exceptions=True)
        ended.add_done_callback(lambda _done: loop.call_soon(loop.stop))

    async def _bounded(self, work: "Callable[[Connection], Awaitable[T]]", seconds: float, kind: str) -> T:
        slot = self._slots.setdefault(kind, asyncio.Semaphore(_SLOTS[kind]))
        async with asyncio.timeout(seconds), slot:
            connection = await self._connection(seconds)
            try:
                made = await work(connection)
            except BaseException:
                connection.terminate()  # closing politely would wait for a server that may never answer
                raise
            self._idle.append(connection)
            return made

    async def _connection(self, seconds: float) -> "Connection":
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
        asyncpg, register_vector = _driver()
        made: Connection = await asyncpg.connect(
            self._dsn, timeout=seconds, server_settings={"application_name": "palyra"}
        )
        try:
            for name, value in self._settings.items():
                await made.fetch(SET, name, value)
            await self._prepare(made)
            await register_vector(made, schema=await made.fetchval(SCHEMA_OF_VECTOR))
        except BaseException:
            made.terminate()
            raise
        return made


def _driver() -> "tuple[ModuleType, Callable[..., Awaitable[None]]]":
    try:
        import asyncpg  # noqa: PLC0415 - nobody pays for it who has not switched it on
        from pgvector.asyncpg import register_vector  # noqa: PLC0415 - the same
    except ImportError as error:
        raise FailedPrecondition(
            f"PostgreSQL needs the package {error.name}",
            hint=f"{how_to_add('postgres')}, or set memory.external.provider off",
        ) from None
    return asyncpg, register_vector


@contextmanager
def _in_our_words(name: str, seconds: float) -> Iterator[None]:
    try:
        yield
    except PalyraError:
        raise
    except (TimeoutError, concurrent.futures.TimeoutError, concurrent.futures.CancelledError):
        raise Deadline(f"{name} gave no answer within {seconds:g} s", hint="palyra memory external status") from None
    except Exception as error:  # noqa: BLE001 - whatever a driver or server comes up with, search goes on without it
        raise _named(name, error) from None


def _named(name: str, error: Exception) -> PalyraError:
    import asyncpg  # noqa: PLC0415 - the error is one of its own

    told = f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:200] if str(error) else 'no message'}"
    match error:
        case asyncpg.ClientConfigurationError() | ValueError():
            return FailedPrecondition(f"{name}: its address cannot be used", hint="check memory.external.dsn")
        case asyncpg.InsufficientResourcesError():
            return Exhausted(told, hint="the server is full: give it room; search goes on without it")
        case asyncpg.DataCorruptedError() | asyncpg.IndexCorruptedError():
            return Integrity(told, hint="repair the server, then palyra memory external rebuild")
        case (
            asyncpg.InvalidAuthorizationSpecificationError()
            | asyncpg.InvalidCatalogNameError()
            | asyncpg.SyntaxOrAccessError()
            | asyncpg.FeatureNotSupportedError()
            | asyncpg.DataError()
            | asyncpg.ReadOnlySQLTransactionError()
        ):
            return FailedPrecondition(told, hint="see docs/guides/external.md for what the server must allow")
        case _:
            return Unavailable(told, hint="palyra memory external status")
