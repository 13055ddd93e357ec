"""MCP on standard input and output: one message per line, until the input ends."""

from types import TracebackType
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from palyra.core.errors import InvalidArgument
from palyra.transports.mcp.errors import refusal, with_our_code


async def serve_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        out = _Out(write)
        await server.run(_In(read, out), out, server.create_initialization_options())


class _Stream:
    """One of the SDK's streams, to be closed like it."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> "Any":
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _Out(_Stream):
    """Every error that leaves carries our code."""

    async def send(self, item: SessionMessage, /) -> None:
        message = item.message
        if isinstance(message, types.JSONRPCError):
            message = types.JSONRPCError(jsonrpc="2.0", id=message.id, error=with_our_code(message.error))
            item = SessionMessage(message, metadata=item.metadata)
        await self._inner.send(item)


class _In(_Stream):
    """A line that is no message is answered; the SDK would pass over it in silence."""

    def __init__(self, inner: Any, out: _Out) -> None:
        super().__init__(inner)
        self._out = out

    @property
    def last_context(self) -> Any:
        return self._inner.last_context

    async def receive(self) -> SessionMessage | Exception:
        while isinstance(item := await self._inner.receive(), Exception):
            error = InvalidArgument("this line is no JSON-RPC 2.0 message", hint="send one message per line")
            await self._out.send(SessionMessage(refusal(types.PARSE_ERROR, error)))
        message: SessionMessage = item
        return message

    def __aiter__(self) -> "_In":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None
