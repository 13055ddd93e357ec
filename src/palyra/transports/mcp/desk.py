"""Where the calls of one agent go: straight into the app for a caller over HTTP, through the client over stdio."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

from palyra.api.operation import AnyOperation, Operation
from palyra.core.errors import PermissionDenied
from palyra.domain.access import Capability
from palyra.wire.base import Request, Response

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)


class McpClient(Protocol):
    """Whoever speaks MCP is an agent, whatever its credentials would let a person do."""

    name: str
    """for logs, and to whom an approval belongs"""
    actor: str | None
    """in whose name it writes; none: as the caller is known, which is no more trusted than an agent"""
    standing: dict[str, Any]
    """principal, channel and session_id of every request"""

    def may(self, operation: AnyOperation) -> bool: ...

    async def call(self, operation: Operation[Q, R], request: Q) -> R: ...


class OwnerDesk:
    """The desk of an agent that the owner of the files started: `palyra mcp`.

    `call` runs an operation as the owner; the agent's requests say that an agent asks.
    """

    name = "the owner's agent"
    actor: str | None = "agent"

    def __init__(self, call: Callable[[Any, Any], Awaitable[Any]], standing: dict[str, Any]) -> None:
        self._call = call
        self.standing = standing

    def may(self, operation: AnyOperation) -> bool:
        """The files are the owner's; deciding is not the agent's, whoever started it."""
        return operation.needs is not Capability.REVIEW

    async def call(self, operation: Operation[Q, R], request: Q) -> R:
        answer: R = await self._call(operation, request)
        return answer


def demand(desk: McpClient, operation: AnyOperation) -> None:
    """Before a person is asked about something that would be refused anyway."""
    if not desk.may(operation):
        raise PermissionDenied(
            f"{desk.name} lacks the capability {operation.needs.value!r}, which {operation.name} needs",
            hint=f"create a token with --can {operation.needs.value}",
        )
