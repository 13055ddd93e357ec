"""Calls operations over HTTP for a program with an event loop; connections are kept for the next call."""

from collections.abc import AsyncIterator
from typing import TypeVar

import httpx2

from palyra.api.operation import Operation, StreamOperation
from palyra.client.messages import (
    BrokenOff,
    broken,
    is_repeatable,
    not_reached,
    read_answer,
    read_item,
    to_error,
    to_message,
)
from palyra.core.errors import Deadline, InvalidArgument
from palyra.wire.base import Request, Response

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)

_ANSWER_SECONDS = 600.0
_CONNECT_SECONDS = 5.0
_KEEP_SECONDS = 2.0
"""shorter than any server keeps them, so that no call meets a connection that is just being closed"""


class AsyncRemote:
    """Every failure to reach it or to get an answer is `unavailable`. `is_ours`: a daemon on this very machine."""

    def __init__(self, url: str, secret: str, *, is_ours: bool = False) -> None:
        self._url = url
        self._secret = secret
        try:
            self._http = httpx2.AsyncClient(
                base_url=url,
                trust_env=not is_ours,  # the owner's secret goes through no proxy
                timeout=httpx2.Timeout(_ANSWER_SECONDS, connect=_CONNECT_SECONDS),
                limits=httpx2.Limits(keepalive_expiry=_KEEP_SECONDS),
            )
        except (httpx2.InvalidURL, ValueError):
            raise InvalidArgument(f"{url!r} is no address", hint="such as http://127.0.0.1:7142") from None

    async def call(self, operation: Operation[Q, R], request: Q) -> R:
        try:
            return await self._send(operation, request)
        except BrokenOff:
            if not is_repeatable(operation, request):
                raise
        return await self._send(operation, request)

    async def _send(self, operation: Operation[Q, R], request: Q) -> R:
        message = to_message(operation, request, self._secret, in_lines=False)
        try:
            answer = await self._http.request(
                message.method, message.target, content=message.body, headers=message.headers
            )
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.UnsupportedProtocol):
            raise not_reached(self._url) from None
        except httpx2.TimeoutException:
            raise Deadline(
                f"no answer to {operation.name} within {_ANSWER_SECONDS:g} seconds", hint="ask for less at once"
            ) from None
        except httpx2.TransportError:
            raise broken(operation) from None
        return read_answer(operation, answer.status_code, answer.content)

    async def stream(self, operation: StreamOperation[Q, R], request: Q) -> AsyncIterator[R]:
        """One item after the other. A stream that broke off is not begun again."""
        message = to_message(operation, request, self._secret, in_lines=True)
        try:
            async with self._http.stream(
                message.method, message.target, content=message.body, headers=message.headers
            ) as answer:
                if answer.status_code != 200:
                    raise to_error(answer.status_code, await answer.aread())
                async for line in answer.aiter_lines():
                    if line:
                        yield read_item(operation, line.encode())
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.UnsupportedProtocol):
            raise not_reached(self._url) from None
        except httpx2.TransportError:
            raise broken(operation) from None

    async def close(self) -> None:
        await self._http.aclose()
