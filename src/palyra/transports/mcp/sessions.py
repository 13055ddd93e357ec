"""The SDK's side of an HTTP request: no sessions, one JSON body as the answer, every error with our code."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import mcp_types as types
import msgspec
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Message, Receive, Scope

from palyra.core.errors import InvalidArgument, Unavailable
from palyra.transports.http.answers import WholeBody, json_answer
from palyra.transports.mcp.desk import McpClient
from palyra.transports.mcp.errors import with_our_code
from palyra.transports.mcp.server import build_server
from palyra.transports.observe import Observer, public_body


class McpSessions:
    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    def run(self) -> AbstractAsyncContextManager[None]:
        return self._manager.run()

    async def answer(self, scope: Scope, body: bytes, receive: Receive) -> WholeBody:
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        status, parts = 500, bytearray()

        async def replay() -> Message:
            return pending.pop() if pending else await receive()

        async def collect(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                parts.extend(message.get("body", b""))

        await self._manager.handle_request(scope, replay, collect)
        return _in_our_shape(status, bytes(parts))


def build_sessions(desk_of: Callable[[Any], McpClient], observer: Observer, max_body_bytes: int) -> McpSessions:
    """Host and Origin were checked at the door, so that the SDK's own check stays off."""
    server = build_server(desk_of, observer)
    return McpSessions(
        StreamableHTTPSessionManager(server, json_response=True, stateless=True, max_request_body_size=max_body_bytes)
    )


def _in_our_shape(status: int, body: bytes) -> WholeBody:
    try:
        message = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return _plain(status)
    if isinstance(message, dict) and isinstance(message.get("error"), dict):
        if status >= 500:  # the only one of the SDK's: it was closed while the request was under way
            return _plain(status)
        error = with_our_code(types.ErrorData.model_validate(message["error"]))
        return json_answer({**message, "error": error.model_dump(mode="json", exclude_none=True)}, status)
    return WholeBody(body, status)


def _plain(status: int) -> WholeBody:
    """What the SDK says in HTTP alone: accepted, or a header it cannot do with."""
    if status < 400:
        return WholeBody(b"", status)
    if status >= 500:
        error = Unavailable("palyrad is stopping", hint="repeat in a moment")
        return json_answer(public_body(error, None), error.http)
    hint = "content-type: application/json, and accept: application/json, text/event-stream"
    return json_answer(public_body(InvalidArgument("the headers do not fit MCP over HTTP", hint=hint), None), status)
