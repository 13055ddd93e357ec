"""Runs an operation for a caller: every surface comes through here, so nobody forgets to ask whether it may."""

from collections.abc import AsyncIterator
from typing import TypeVar, cast

from palyra.api.call import Call, Scoped, principal_of, seer
from palyra.api.handlers import HANDLERS
from palyra.api.operation import AnyOperation, Operation, StreamOperation
from palyra.core.errors import PermissionDenied
from palyra.domain.access import Capability
from palyra.wire.base import Request, Response

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)


async def run(call: Call, operation: Operation[Q, R], request: Q) -> R:
    await _admit(call, operation, request)
    return cast("R", await HANDLERS[operation.name](call, request))


async def stream(call: Call, operation: StreamOperation[Q, R], request: Q) -> AsyncIterator[R]:
    await _admit(call, operation, request)
    async for item in HANDLERS[operation.name](call, request):
        yield item


async def _admit(call: Call, operation: AnyOperation, request: Request) -> None:
    caller = call.caller
    if not caller.may(operation.needs):
        raise PermissionDenied(
            f"{caller.name} lacks the capability {operation.needs.value!r}, which {operation.name} needs",
            hint="on the machine itself: palyra serves its owner"
            if operation.needs is Capability.OWN
            else f"create a token with --can {operation.needs.value}",
        )
    if caller.may(Capability.OWN) or not isinstance(request, Scoped):
        return
    principal = principal_of(caller, request.principal)
    if operation.needs is not Capability.OPERATE:  # there a channel is something to filter by, not a place to stand in
        seer(call, request)  # what is refused is not journaled
    if principal != caller.principal:
        await call.app.tokens.note_crossing(caller.name, principal, operation.name)
