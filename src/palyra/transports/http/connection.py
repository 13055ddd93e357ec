"""One HTTP connection, guarded: nobody holds one by sending slowly, flooding headers or not reading answers."""

import json
from asyncio import AbstractEventLoop, TimerHandle, Transport
from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from palyra.core.errors import Exhausted, InvalidArgument, PalyraError, TooLarge
from palyra.transports.observe import public_body


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    header_bytes: int = 32_768
    header_count: int = 100
    header_seconds: float = 10.0
    """for a whole head, from its first byte"""
    leftover_seconds: float = 5.0
    """for the rest of a body that was answered before all of it had come"""
    pipelined: int = 64
    """requests that wait behind the one being answered"""
    stalled_seconds: float = 30.0
    stalled_bytes: int = 32_768
    """what a reader takes at least in so many seconds, if there is so much"""
    goodbye_seconds: float = 1.0
    """for the other side to close, too: TLS waits for that, and an idle client does not look"""


class Part(Enum):
    """Which part of a request comes next."""

    NONE = "none"
    HEAD = "head"
    BODY = "body"


_HELD_BYTES = 16_384


class _Gathered:
    """A transport that holds small writes until the answer is whole or the turn of the loop is over.

    A head and its body come one after the other: as one packet they cost the system half, on both sides.
    """

    def __init__(self, transport: Any, loop: AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held: list[bytes] = []
        self._held_bytes = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self._held:
            self._loop.call_soon(self.flush)
        self._held.append(data)
        self._held_bytes += len(data)
        if self._held_bytes >= _HELD_BYTES:
            self.flush()

    def flush(self) -> None:
        if self._held:
            data = b"".join(self._held)
            self._held.clear()
            self._held_bytes = 0
            if not self._transport.is_closing():  # else the client has gone
                self._transport.write(data)

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def abort(self) -> None:
        self._held.clear()
        self._held_bytes = 0
        self._transport.abort()


class GuardedConnection(HttpToolsProtocol):
    """Its limits are set by the server that uses it."""

    limits = ConnectionLimits()
    max_connections = 1_024

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._part = Part.NONE
        self._is_deaf = False
        """nothing more is taken from this client"""
        self._head_bytes = 0
        """as they came, while the parser may still be waiting for the end of a line"""
        self._header_bytes = 0
        self._deadline: TimerHandle | None = None
        self._stalled: TimerHandle | None = None
        self._unread_bytes = 0
        self._goodbye: TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(cast("Transport", _Gathered(transport, self.loop)))
        if len(self.connections) > self.max_connections:
            self.refuse(Exhausted(f"{self.max_connections} connections are open", hint="close some, then repeat"))
            return
        self._wait(self.limits.header_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_watching()
        if self._goodbye is not None:
            self._goodbye.cancel()
        super().connection_lost(exc)

    # -- what comes in

    def data_received(self, data: bytes) -> None:
        if self._is_deaf:
            return
        if self._part is not Part.BODY:
            self._head_bytes += len(data)
        super().data_received(data)
        self._limit_what_is_missing()

    def _limit_what_is_missing(self) -> None:
        if self._is_deaf:
            return
        if self._part is not Part.BODY and self._head_bytes > self.limits.header_bytes:
            self._refuse_head()
        elif self._deadline is None and self._is_slow_if_it_waits():
            self._wait(self.limits.header_seconds)

    def on_message_begin(self) -> None:
        self._part = Part.HEAD
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._header_bytes += len(name) + len(value)
        if len(self.headers) > self.limits.header_count:
            self.refuse(TooLarge(f"more than {self.limits.header_count} headers", hint="send fewer headers"))
        elif self._header_bytes > self.limits.header_bytes:
            self._refuse_head()

    def on_headers_complete(self) -> None:
        self._part, self._head_bytes, self._header_bytes = Part.BODY, 0, 0
        self._stop_waiting()
        if self._is_deaf:
            return
        if self.parser.get_http_version() not in ("1.0", "1.1") or not self.url.startswith(b"/"):
            self._part = Part.HEAD
            self.refuse(InvalidArgument("the request line is none of ours", hint="METHOD /path HTTP/1.1"))
            return
        if len(self.pipeline) >= self.limits.pipelined:
            self._part = Part.HEAD
            self.refuse(Exhausted(f"more than {self.limits.pipelined} requests at once", hint="await some answers"))
            return
        super().on_headers_complete()
        if self.expect_100_continue or self.parser.should_upgrade():
            # What comes next could be the body, or no body, or another protocol: nobody could tell.
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        if not self._is_deaf:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._part = Part.NONE
        if not self._is_deaf:
            self._stop_waiting()
            super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        del msg  # uvicorn's own words
        self.refuse(InvalidArgument("this is not HTTP", hint="send an HTTP/1.1 request"))

    # -- what goes out

    def on_response_complete(self) -> None:
        cast("_Gathered", self.transport).flush()
        super().on_response_complete()
        if self._part is Part.BODY and self.cycle.response_complete and self._deadline is None:
            self._wait(self.limits.leftover_seconds)
        self._watch_reader()
        self._expect_goodbye()

    def shutdown(self) -> None:
        super().shutdown()
        self._expect_goodbye()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        self._stop_watching()
        super().resume_writing()
        if not self._is_answering():
            self._watch_reader()

    def refuse(self, error: PalyraError) -> None:
        """Answers outside of any request, and hangs up; what is being answered is answered first."""
        if self._is_deaf:
            return
        if self._is_answering() and (self._part is not Part.BODY or self.pipeline):
            self._hang_up()
            return
        self._is_deaf = True
        body = json.dumps(public_body(error, None)).encode()
        head = b"content-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body)
        self.transport.write(STATUS_LINE[error.http] + head + body)
        self.transport.close()

    def _refuse_head(self) -> None:
        limit = self.limits.header_bytes
        self.refuse(TooLarge(f"more than {limit} bytes of headers", hint="send fewer or shorter headers"))

    def _hang_up(self) -> None:
        """As soon as everything that was asked in full is answered."""
        self._is_deaf = True
        if self._is_answering():
            self.cycle.keep_alive = False
        else:
            self.transport.close()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _is_slow_if_it_waits(self) -> bool:
        if self._part is Part.NONE:
            return not self._is_answering() and self.timeout_keep_alive_task is None
        return self._part is Part.HEAD or not self._is_answering()

    def _wait(self, seconds: float) -> None:
        self._deadline = self.loop.call_later(seconds, self._hang_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _watch_reader(self) -> None:
        self._stop_watching()
        self._unread_bytes = self.transport.get_write_buffer_size()
        if self._unread_bytes:
            self._stalled = self.loop.call_later(self.limits.stalled_seconds, self._check_reader)

    def _check_reader(self) -> None:
        wanted = max(0, self._unread_bytes - self.limits.stalled_bytes)
        if self.transport.get_write_buffer_size() > wanted:
            self.transport.abort()
        else:
            self._watch_reader()

    def _expect_goodbye(self) -> None:
        if self._goodbye is None and self.transport.is_closing():
            self._goodbye = self.loop.call_later(self.limits.goodbye_seconds, self._let_go)

    def _let_go(self) -> None:
        if not self.transport.get_write_buffer_size():  # else somebody is still reading, and watched
            self.transport.abort()

    def _stop_watching(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
