"""One request on its way to the model's server, and the answer on its way back, byte for byte.

An event stream passes as it comes; anything else is passed on once it is whole, so that what breaks off on the way
is never taken for an answer. A client that goes away takes the request to the model with it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.types import Receive, Scope, Send

from palyra.core import limits
from palyra.core.errors import Cancelled, Deadline, Exhausted, InvalidArgument, PalyraError, Unavailable
from palyra.services.proxy.heard import AnswerListener
from palyra.transports.http.answers import WholeBody
from palyra.transports.http.proxy.upstream import Header, Outgoing, PassThrough, answered_headers
from palyra.transports.http.site import Visit

if TYPE_CHECKING:
    import httpx2

_EVENT_BYTES = 1_048_576
"""an event that is longer passes in pieces"""
_NO_STORE = (b"cache-control", b"no-store")


@dataclass(frozen=True, slots=True)
class Refusals:
    """How our own errors look to this client."""

    answer: Callable[[PalyraError, int | None], WholeBody]
    event: Callable[[PalyraError], bytes]


class Relay:
    """`ended` is called with what went wrong, if anything did, before the client sees the end."""

    def __init__(
        self,
        visit: Visit,
        upstream: PassThrough,
        outgoing: Outgoing,
        refusals: Refusals,
        heard: AnswerListener | None,
        ended: Callable[[PalyraError | None], Awaitable[None]],
        headers: tuple[Header, ...] = (),
    ) -> None:
        self._visit = visit
        self._upstream = upstream
        self._outgoing = outgoing
        self._refusals = refusals
        self._heard = heard
        self._ended = ended
        self._headers = headers
        self._is_streaming = False
        self._is_answered = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            error = await until_gone(receive, self._pass_on(scope, receive, send))
        except Exception as broken:  # noqa: BLE001 - becomes an error in the client's shape
            error = self._visit.seen.fail(broken)
        if error is None:
            return
        if isinstance(error, Cancelled) and self._heard is not None and self._heard.is_over and not self._heard.failed:
            await self._ended(None)  # it went away because it had heard all of it
            return
        self._visit.seen.fail(error)
        await self._ended(error)
        if not isinstance(error, Cancelled):
            await self._say(error, None, scope, receive, send)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        import httpx2  # noqa: PLC0415 - only where a model is asked

        status = None
        try:
            await self._exchange(scope, receive, send)
        except httpx2.TimeoutException:
            error: PalyraError = Deadline(
                "the model's server took too long", hint="ask again, or raise models.timeout_seconds"
            )
        except (httpx2.HTTPError, httpx2.InvalidURL) as failure:
            status = 502
            error = Unavailable(
                f"the model's server cannot be used: {type(failure).__name__}",
                hint="check that it runs, and models.base_url",
            )
        except Unavailable as failure:
            status, error = 502, failure
        else:
            return
        self._visit.seen.fail(error)
        await self._ended(error)
        await self._say(error, status, scope, receive, send)

    async def _exchange(self, scope: Scope, receive: Receive, send: Send) -> None:
        out = self._outgoing
        client = await self._upstream.client()
        async with client.stream(out.method, out.url, headers=out.headers, content=out.body) as answer:
            if not (200 <= answer.status_code < 300 or 400 <= answer.status_code < 600):
                # A redirect would take the key and the conversation to a place nobody has configured.
                raise Unavailable(
                    f"the model's server answered HTTP {answer.status_code}", hint="check models.base_url"
                )
            headers = [*answered_headers(answer.headers.raw), *self._headers]
            kind = answer.headers.get("content-type", "")
            if answer.status_code == 200 and kind.startswith("text/event-stream"):
                await self._stream(answer, headers, send)
                return
            body = await _read(answer)
        if self._heard is not None:
            self._heard.whole(body)
        await self._end(answer.status_code, broke_off=self._heard is not None and self._heard.failed)
        self._is_answered = True
        await WholeBody(body, answer.status_code, tuple(headers))(scope, receive, send)

    async def _stream(self, answer: "httpx2.Response", headers: list[Header], send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [*headers, _NO_STORE]})
        self._is_streaming = True
        rest = bytearray()
        """of an event: if it breaks off there, the client is told so and need not guess what half of it means"""
        async for piece in answer.aiter_raw():
            seen = max(0, len(rest) - 3)
            rest += piece
            end = len(rest) if len(rest) > _EVENT_BYTES else _end_of_events(rest, seen)
            if end:
                events = bytes(rest[:end])
                del rest[:end]
                self._hear(events)
                await send({"type": "http.response.body", "body": events, "more_body": True})
        self._hear(bytes(rest))
        await self._end(200, broke_off=self._heard is not None and (self._heard.failed or not self._heard.is_over))
        self._is_streaming, self._is_answered = False, True
        await send({"type": "http.response.body", "body": bytes(rest)})

    def _hear(self, events: bytes) -> None:
        if self._heard is not None:
            for line in events.splitlines():
                self._heard.line(line)

    async def _end(self, status: int, *, broke_off: bool) -> None:
        error = upstream_error(status, broke_off=broke_off)
        if error is not None:
            self._visit.seen.fail(error)
        await self._ended(error)

    async def _say(self, error: PalyraError, status: int | None, scope: Scope, receive: Receive, send: Send) -> None:
        """As an answer, or as the last event of a stream that has begun."""
        if self._is_streaming:
            await send({"type": "http.response.body", "body": b"\n\n" + self._refusals.event(error)})
        elif not self._is_answered:
            await self._refusals.answer(error, status)(scope, receive, send)


def upstream_error(status: int, *, broke_off: bool) -> PalyraError | None:
    """What an answer that passes unchanged means for the log and the tape."""
    said = f"the model's server answered HTTP {status}"
    if status == 429:
        return Exhausted(said, hint="wait, then ask again")
    if 400 <= status < 500:
        return InvalidArgument(said, hint="its answer says what is wrong")
    if status >= 500:
        return Unavailable(said, hint="ask again later")
    return Unavailable("the model's server broke off its answer", hint="ask again") if broke_off else None


def _end_of_events(data: bytearray, seen: int) -> int:
    """Where the last whole event ends; 0 if none does after `seen`."""
    ends = [(data.rfind(blank, seen), len(blank)) for blank in (b"\n\n", b"\n\r\n", b"\r\r")]
    return max([place + size for place, size in ends if place >= 0], default=0)


async def _read(answer: "httpx2.Response") -> bytes:
    body = bytearray()
    async for piece in answer.aiter_raw():
        body += piece
        if len(body) > limits.BODY_BYTES:
            raise Unavailable(
                f"the model's server answers with more than {limits.BODY_BYTES} bytes", hint="ask for less, or a stream"
            )
    return bytes(body)


async def until_gone(receive: Receive, work: Coroutine[Any, Any, None]) -> PalyraError | None:
    """Does the work unless the client goes away or the server stops, and says which of them ended it."""
    gone, working = asyncio.ensure_future(_disconnected(receive)), asyncio.ensure_future(work)
    error: PalyraError | None = None
    try:
        await asyncio.wait({gone, working}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            error = Cancelled("the client went away")
    except asyncio.CancelledError:  # by the server alone, when it has waited long enough for us to finish
        error = Unavailable("palyrad is stopping", hint="ask again in a moment")
    gone.cancel()
    if error is not None:
        working.cancel()
    await asyncio.gather(gone, working, return_exceptions=True)
    if working.cancelled():
        return error
    working.result()
    return None


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
