"""Calls operations over HTTP, blocking: what a command uses. A socket and a parser load faster than a whole client."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar
from urllib.parse import urlsplit

from httptools import HttpParserError, HttpResponseParser

from palyra.api.operation import AnyOperation, Operation, StreamOperation
from palyra.client.messages import (
    ClientRequest,
    Progress,
    broken,
    not_reached,
    read_answer,
    read_item,
    read_step,
    to_error,
    to_message,
)
from palyra.wire.base import Request, Response

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)

_CONNECT_SECONDS = 5.0
_PIECE_BYTES = 65_536


class Remote:
    """A daemon on this machine. Raises NotReached if the request was not sent, Broken if no whole answer came."""

    def __init__(self, url: str, secret: str) -> None:
        self._url = url
        self._address = urlsplit(url)
        self._secret = secret

    def call(self, operation: Operation[Q, R], request: Q, progress: Progress | None = None) -> R:
        with self._sent(operation, request, in_lines=progress is not None) as answer:
            if progress is None or answer.status != 200:
                return read_answer(operation, answer.status, b"".join(answer.pieces()))
            for line in answer.lines():
                if (result := read_step(operation, line, progress)) is not None:
                    return result
            raise broken(operation)

    def stream(self, operation: StreamOperation[Q, R], request: Q) -> Iterator[R]:
        with self._sent(operation, request, in_lines=True) as answer:
            if answer.status != 200:
                raise to_error(answer.status, b"".join(answer.pieces()))
            for line in answer.lines():
                yield read_item(operation, line)

    @contextmanager
    def _sent(self, operation: AnyOperation, request: Request, *, in_lines: bool) -> "Iterator[_IncomingAnswer]":
        message = to_message(operation, request, self._secret, in_lines=in_lines)
        with self._connect() as connection:
            try:
                with suppress(BrokenPipeError, ConnectionResetError):  # it may have answered before it had read all
                    connection.sendall(_encode(message, self._address.netloc))
                answer = _IncomingAnswer(connection)
                answer.read_head()
                yield answer
            except (OSError, EOFError, HttpParserError):
                raise broken(operation) from None

    def _connect(self) -> socket.socket:
        host, port = self._address.hostname or "", self._address.port or 0
        try:
            connection = socket.create_connection((host, port), _CONNECT_SECONDS)
        except OSError:
            raise not_reached(self._url) from None
        connection.settimeout(None)  # how long an answer may take is for the daemon to say
        return connection


class _IncomingAnswer:
    """An answer as it comes in. An end that was not announced is no end: EOFError."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._parser = HttpResponseParser(self)
        self._pieces: list[bytes] = []
        self._has_head = False
        self._is_whole = False

    @property
    def status(self) -> int:
        status: int = self._parser.get_status_code()
        return status

    def read_head(self) -> None:
        while not self._has_head:
            self._receive()

    def lines(self) -> Iterator[bytes]:
        rest = b""
        for piece in self.pieces():
            *lines, rest = (rest + piece).split(b"\n")
            yield from filter(None, lines)
        if rest:
            yield rest

    def pieces(self) -> Iterator[bytes]:
        while self._pieces or not self._is_whole:
            if not self._pieces:
                self._receive()
            pieces, self._pieces = self._pieces, []
            yield from pieces

    def _receive(self) -> None:
        data = self._connection.recv(_PIECE_BYTES)
        if not data:
            raise EOFError
        self._parser.feed_data(data)

    def on_headers_complete(self) -> None:
        self._has_head = True

    def on_body(self, body: bytes) -> None:
        self._pieces.append(body)

    def on_message_complete(self) -> None:
        self._is_whole = True


def _encode(message: ClientRequest, host: str) -> bytes:
    body = message.body or b""
    headers = {"host": host, "connection": "close", "content-length": str(len(body)), **message.headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{message.method} {message.target} HTTP/1.1\r\n{head}\r\n".encode() + body
