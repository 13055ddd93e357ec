"""What goes back: one JSON object, or lines of them. Every way ends in the one shape of an error."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any

import msgspec
from starlette.types import Receive, Scope, Send

from palyra.core.errors import Cancelled, PalyraError, Unavailable
from palyra.transports.observe import Observed, public_body

_JSON = (b"content-type", b"application/json")
_NDJSON = (b"content-type", b"application/x-ndjson")
_ALWAYS = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
_FIRST_SECONDS = 0.25
"""how long a stream waits for its first item or error before it says 200"""
_PROGRESS_SECONDS = 0.2

Headers = tuple[tuple[bytes, bytes], ...]


class WholeBody:
    """A whole body at once."""

    def __init__(self, body: bytes, status: int = 200, headers: Headers = (_JSON,)) -> None:
        self.body = body
        self.status = status
        self.headers = headers

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        size = (b"content-length", b"%d" % len(self.body))
        await send({"type": "http.response.start", "status": self.status, "headers": [*self.headers, *_ALWAYS, size]})
        await send({"type": "http.response.body", "body": self.body})


def json_answer(value: object, status: int = 200, headers: Headers = ()) -> WholeBody:
    return WholeBody(msgspec.json.encode(value), status, (_JSON, *headers))


def error_answer(error: PalyraError, request_id: str, status: int | None = None) -> WholeBody:
    headers: Headers = ()
    if error.http == 401:
        headers = ((b"www-authenticate", b"Bearer"),)
    elif isinstance(wait_ms := error.details.get("retry_after_ms"), int):
        headers = ((b"retry-after", b"%d" % -(-wait_ms // 1000)),)
    return json_answer(public_body(error, request_id), status or error.http, headers)


class JsonLines:
    """NDJSON: items as they come, and an error as the last line if there is one."""

    def __init__(self, items: AsyncIterator[Any], seen: Observed, stopping: asyncio.Event) -> None:
        self._items = items
        self._seen = seen
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        gone = asyncio.ensure_future(_disconnected(receive))
        stop = asyncio.ensure_future(self._stopping.wait())
        item: asyncio.Future[Any] = asyncio.ensure_future(anext(self._items))
        try:
            await asyncio.wait({item, gone, stop}, timeout=_FIRST_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if (early := _early_error(item, stop)) is not None:
                await error_answer(self._seen.fail(early), self._seen.request_id)(scope, receive, send)
                return
            await send({"type": "http.response.start", "status": 200, "headers": [_NDJSON, *_ALWAYS]})
            while True:
                if not item.done():
                    await asyncio.wait({item, gone, stop}, return_when=asyncio.FIRST_COMPLETED)
                if gone.done():
                    self._seen.fail(Cancelled("the reader went away"))
                    return
                try:
                    line = msgspec.json.encode(_result(item))
                except StopAsyncIteration:
                    break
                await send({"type": "http.response.body", "body": line + b"\n", "more_body": True})
                item = asyncio.ensure_future(anext(self._items))
        except Exception as error:  # noqa: BLE001 - the last line says what happened
            last = msgspec.json.encode(public_body(self._seen.fail(error), self._seen.request_id))
            await send({"type": "http.response.body", "body": last + b"\n", "more_body": True})
        finally:
            await _end(item, gone, stop)
            with suppress(Exception):
                await self._items.aclose()  # type: ignore[attr-defined]
        await send({"type": "http.response.body", "body": b""})


async def with_progress(
    work: Callable[[Callable[[str, int, int], None]], Awaitable[object]],
) -> AsyncIterator[dict[str, object]]:
    """Runs `work` with somewhere to report to: `{"progress": …}` now and then, at last `{"result": …}`.

    Finishes it, too: whoever stops listening has still asked for it.
    """
    loop, newest, told = asyncio.get_running_loop(), {}, asyncio.Event()

    def report(what: str, done: int, total: int) -> None:  # from whichever thread does the work
        newest["progress"] = {"what": what, "done": done, "total": total}
        loop.call_soon_threadsafe(told.set)

    task = asyncio.ensure_future(work(report))
    waiting = asyncio.ensure_future(told.wait())
    try:
        while not task.done():
            await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if waiting.done() and not task.done():
                told.clear()
                yield dict(newest)
                await asyncio.wait({task}, timeout=_PROGRESS_SECONDS)
                waiting = asyncio.ensure_future(told.wait())
        yield {"result": task.result()}
    finally:
        await _end(waiting)
        await asyncio.gather(task, return_exceptions=True)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _result(item: asyncio.Future[Any]) -> Any:
    if not item.done():
        raise _stopping()
    return item.result()


def _early_error(item: asyncio.Future[Any], stop: asyncio.Future[Any]) -> BaseException | None:
    """What went wrong before there was anything to send."""
    if not item.done():
        return _stopping() if stop.done() else None
    error = item.exception()
    return None if isinstance(error, StopAsyncIteration) else error


def _stopping() -> Unavailable:
    return Unavailable("palyrad is stopping", hint="repeat from the last line you have")


async def _end(*tasks: asyncio.Future[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
