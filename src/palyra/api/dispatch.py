"""Runs an operation for a caller: every surface comes through here, so nobody forgets to ask whether it may."""

from collections.abc import AsyncIterator
from functools import cache
from typing import TypeVar, cast

from palyra.api.call import Call, Scoped, principal_of, seer
from palyra.api.handlers import HANDLERS
from palyra.api.operation import AnyOperation, Operation, StreamOperation
from palyra.api.operations import OPERATIONS
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
    if caller.may(Capability.OWN):
        return
    if operation.of_everyone:
        await _admit_to_everyone(call, operation)
    elif operation.request in _scoped():
        scoped = cast("Scoped", request)
        principal = principal_of(caller, scoped.principal)
        if operation.needs is not Capability.OPERATE:  # there a channel is a filter, not a place to stand in
            seer(call, scoped)  # what is refused is not journaled
        if principal != caller.principal:
            await call.app.tokens.note_crossing(caller.name, principal, operation.name)


async def _admit_to_everyone(call: Call, operation: AnyOperation) -> None:
    caller = call.caller
    if not caller.may(Capability.ANY_PRINCIPAL):
        raise PermissionDenied(
            f"{operation.name} reaches what every principal wrote, and {caller.name} speaks for one",
            hint="create a token with --can operate --can any_principal",
        )
    if operation.method == "GET":  # what changes something is an event by itself
        await call.app.tokens.note_reading(caller.name, caller.principal, operation.name)


@cache
def _scoped() -> frozenset[type[Request]]:
    """Requests that say where the caller stands."""
    fields = {"principal", "channel"}
    return frozenset(row.request for row in OPERATIONS if fields <= set(row.request.__struct_fields__))
