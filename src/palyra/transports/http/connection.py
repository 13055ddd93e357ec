"""One HTTP connection, guarded: nobody holds one by sending slowly, flooding headers or not reading answers."""

import json
from asyncio import TimerHandle
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from palyra.core.errors import Exhausted, InvalidArgument, PalyraError, TooLarge
from palyra.transports.observe import public_body

HEADER_BYTES = 32_768
HEADER_COUNT = 100
HEADER_SECONDS = 10.0
STALLED_SECONDS = 30.0


class GuardedConnection(HttpToolsProtocol):
    """`max_connections` is set by the server that uses it."""

    max_connections = 1_024

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_bytes = 0
        """as they came, while the parser may still be waiting for the end of a line"""
        self._header_bytes = 0
        self._in_head = True
        self._deadline: TimerHandle | None = None
        self._stalled: TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > self.max_connections:
            self.refuse(Exhausted(f"{self.max_connections} connections are open", hint="close some, then repeat"))
            return
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop(self._deadline)
        self._stop(self._stalled)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._in_head:
            self._head_bytes += len(data)
            if self._deadline is None:  # the first bytes of another request on a kept connection
                self._wait_for_head()
        super().data_received(data)
        if self._in_head and self._head_bytes > HEADER_BYTES and not self.transport.is_closing():
            self._refuse_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._header_bytes += len(name) + len(value)
        if self.transport.is_closing():
            return
        if len(self.headers) > HEADER_COUNT:
            self.refuse(TooLarge(f"more than {HEADER_COUNT} headers", hint="send fewer headers"))
        elif self._header_bytes > HEADER_BYTES:
            self._refuse_head()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._stop(self._deadline)
        self._deadline = None
        if not self.transport.is_closing():
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if self.cycle is not None:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_head, self._head_bytes, self._header_bytes = True, 0, 0
        if self.cycle is not None:
            super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        del msg  # uvicorn's own words
        self.refuse(InvalidArgument("this is not HTTP", hint="send an HTTP/1.1 request"))

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        self._stop(self._stalled)
        self._stalled = None
        super().resume_writing()

    def refuse(self, error: PalyraError) -> None:
        """Answers outside of any request, and hangs up."""
        body = json.dumps(public_body(error, None)).encode()
        head = b"content-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body)
        self.transport.write(STATUS_LINE[error.http] + head + body)
        self.transport.close()

    def _refuse_head(self) -> None:
        self.refuse(TooLarge(f"more than {HEADER_BYTES} bytes of headers", hint="send fewer or shorter headers"))

    def _wait_for_head(self) -> None:
        self._deadline = self.loop.call_later(HEADER_SECONDS, self._too_slow)

    def _too_slow(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()

    @staticmethod
    def _stop(timer: TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()
