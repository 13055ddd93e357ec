"""One model server over the network: connections, time limits, retries and what its failures mean.

Time: 10 s to connect; no byte for `silence_ms` ends the call, and so does no event for ten times that, since a server
may drip bytes for ever. Asked again is only while nothing was shown, and never for longer than `RETRY_LIMIT_MS` at a
time. Nothing from the environment (proxies, certificates, passwords), no redirects: texts go where the settings say.
"""

import asyncio
import random
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass

import httpx2

from palyra.core.breaker import Breaker, Patience
from palyra.core.clock import Clock
from palyra.core.errors import Deadline, FailedPrecondition, Integrity, PalyraError, Unavailable
from palyra.domain.chat.conversation import ChatEvent, Stopped
from palyra.providers.models.dialect import AnswerReader, Reported, nonsense
from palyra.providers.models.refusal import Refused, Target, refused_by_status, refused_in_stream

CONNECT_SECONDS = 10.0
BACKOFF_MS, LONGEST_BACKOFF_MS = 500, 8_000
RETRY_LIMIT_MS = 30_000
"""a server that wants us to wait for longer gets its way: the caller is told instead"""
STALL_FACTOR = 10
EVENT_BYTES = 8_388_608
REFUSAL_BYTES, REFUSAL_SECONDS = 65_536, 5.0
DRAIN_SECONDS = 0.05
"""for the end of the stream after the end of the answer, without which a connection cannot be used again"""
IDLE_CONNECTIONS = 16
PATIENCE = Patience(failures=5, first_pause_ms=30_000, longest_pause_ms=300_000)


@dataclass(frozen=True, slots=True)
class CallPace:
    silence_ms: int
    stall_ms: int
    max_retries: int
    backoff_ms: int = BACKOFF_MS

    @classmethod
    def of(cls, timeout_seconds: int, max_retries: int) -> "CallPace":
        return cls(timeout_seconds * 1000, STALL_FACTOR * timeout_seconds * 1000, max_retries)


class Upstream:
    """`url` is where every request goes; `headers` hold the key, and nothing prints them."""

    def __init__(self, url: str, headers: Mapping[str, str], target: Target, pace: CallPace, clock: Clock) -> None:
        self._url, self._target, self._pace, self._clock = url, target, pace, clock
        self._headers = {
            **headers,
            "content-type": "application/json",
            "accept": "text/event-stream",
            "accept-encoding": "identity",
            "user-agent": "palyra",
        }
        self.breaker = Breaker(clock, f"the model server {target.server}", PATIENCE)
        self._client: httpx2.AsyncClient | None = None
        self._is_closed = False

    async def stream(
        self, content: bytes, new_reader: Callable[[], AnswerReader], max_bytes: int
    ) -> AsyncGenerator[ChatEvent, None]:
        with self.breaker.call() as call:
            for attempt in range(self._pace.max_retries + 1):
                is_shown = False
                try:
                    async with aclosing(self._attempt(content, new_reader(), max_bytes)) as events:
                        async for event in events:
                            if not is_shown:
                                call.answered()
                                is_shown = True
                            if isinstance(event, Stopped):
                                call.succeeded()
                            yield event
                except Refused as refused:
                    wait_ms = refused.wait_ms
                    if is_shown or wait_ms is None or wait_ms > RETRY_LIMIT_MS or attempt == self._pace.max_retries:
                        raise refused.error from None
                else:
                    return
                await asyncio.sleep((wait_ms + self._jitter_ms(attempt)) / 1000)

    async def close(self) -> None:
        self._is_closed = True
        if self._client is not None:
            await self._client.aclose()

    def _jitter_ms(self, attempt: int) -> float:
        most = min(self._pace.backoff_ms * 2**attempt, LONGEST_BACKOFF_MS)
        return random.uniform(0, most)  # noqa: S311 - keeps clients apart, guards nothing

    async def _attempt(self, content: bytes, reader: AnswerReader, max_bytes: int) -> AsyncGenerator[ChatEvent, None]:
        """Refused when another attempt may help, or the error itself when none can."""
        with self._failures():
            answer = await self._send(content)
            try:
                if answer.status_code != 200:
                    raise await self._refused(answer)
                if answer.headers.get("content-encoding", "identity") != "identity":
                    raise nonsense("it is compressed, though we asked for it plain")
                answer.stream = _Capped(answer.stream, max_bytes)
                async with aclosing(self._events(answer, reader)) as events:
                    async for event in events:
                        yield event
            finally:
                await answer.aclose()

    async def _send(self, content: bytes) -> httpx2.Response:
        client = self._open()
        request = client.build_request("POST", self._url, content=content, headers=self._headers)
        async with asyncio.timeout(self._pace.stall_ms / 1000):
            return await client.send(request, stream=True)

    async def _events(self, answer: httpx2.Response, reader: AnswerReader) -> AsyncGenerator[ChatEvent, None]:
        answer.encoding = "utf-8-sig"
        loop = asyncio.get_running_loop()
        async with aclosing(_sent(answer)) as source:
            last_progress = loop.time()
            while True:
                try:
                    async with asyncio.timeout_at(last_progress + self._pace.stall_ms / 1000):
                        sent = await anext(source, None)
                except (TimeoutError, httpx2.TransportError):
                    if not reader.end():
                        raise
                    sent = None  # the answer was whole; some servers forget to say that it was all
                if sent is None:
                    break
                for event in reader.take(sent.data) if sent.data else ():
                    if isinstance(event, Stopped):
                        await _drain(source)
                        yield event
                        return
                    yield event
                # What came in one piece is read without waiting, yet must not hold up the others.
                await asyncio.sleep(0)
                if sent.event != "ping":
                    last_progress = loop.time()  # now: the time our reader took is not the server's
        rest = reader.end()
        if not rest:
            raise Refused(self._cut(), 0)
        for event in rest:
            yield event

    async def _refused(self, answer: httpx2.Response) -> Refused:
        body = bytearray()
        try:
            async with asyncio.timeout(REFUSAL_SECONDS):
                async for piece in answer.aiter_raw():
                    body += piece
                    if len(body) > REFUSAL_BYTES:
                        break
        except (TimeoutError, httpx2.HTTPError):
            pass  # the status says enough
        return refused_by_status(answer.status_code, answer.headers, bytes(body), self._target, self._clock.now_ms())

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """What goes wrong on the way, as our errors. None of it is chained: causes hold the request, with the key."""
        try:
            yield
        except Reported as reported:
            raise refused_in_stream(reported.error, self._target) from None
        except (TimeoutError, httpx2.ReadTimeout, httpx2.WriteTimeout):
            raise self._too_slow() from None
        except httpx2.SSEError:
            raise nonsense("it is not a stream of events, or one event has no end") from None
        except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.StreamError):
            raise Refused(self._cut(), 0) from None
        except httpx2.HTTPError as error:
            raise Refused(self._unreachable(type(error).__name__), 0) from None

    def _open(self) -> httpx2.AsyncClient:
        if self._is_closed:
            raise FailedPrecondition("the model is closed", hint="the daemon is stopping: ask again when it is back")
        if self._client is None:
            seconds = self._pace.silence_ms / 1000
            self._client = httpx2.AsyncClient(
                timeout=httpx2.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds), pool=None),
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=IDLE_CONNECTIONS),
                trust_env=False,
                follow_redirects=False,
                # Reading all the certificates of the system takes longer than a local server to answer.
                verify=True if self._url.startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            )
        return self._client

    def _cut(self) -> PalyraError:
        return Unavailable(
            f"the stream of the model server {self._target.server} ended before its end",
            hint="try again; if it happens often, ask whoever runs the server",
        )

    def _unreachable(self, why: str) -> PalyraError:
        return Unavailable(
            f"the model server {self._target.server} cannot be reached: {why}",
            hint="is it running, and reachable from here? models.base_url says where it is looked for",
        )

    def _too_slow(self) -> PalyraError:
        return Deadline(
            f"the model server {self._target.server} made no progress within {self._pace.silence_ms} ms",
            hint="try again, or raise models.timeout_seconds",
        )


async def _sent(answer: httpx2.Response) -> AsyncGenerator[httpx2.ServerSentEvent, None]:
    async for event in httpx2.EventSource(answer, EVENT_BYTES):
        yield event


async def _drain(source: AsyncIterator[httpx2.ServerSentEvent]) -> None:
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            async for _ in source:
                pass
    except (TimeoutError, httpx2.HTTPError, Integrity):
        pass  # the answer is whole; only the connection is lost


class _Capped(httpx2.AsyncByteStream):
    """Ends a stream that is longer than any answer can be."""

    def __init__(self, stream: object, max_bytes: int) -> None:
        assert isinstance(stream, httpx2.AsyncByteStream)  # noqa: S101 - an asynchronous client has no other
        self._stream, self._left, self._max_bytes = stream, max_bytes, max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            self._left -= len(piece)
            if self._left < 0:
                raise nonsense(f"it is longer than {self._max_bytes} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
