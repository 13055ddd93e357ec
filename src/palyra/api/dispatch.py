"""Runs an operation for a caller: every surface comes through here, so nobody forgets to ask whether it may."""

from collections.abc import AsyncIterator
from contextlib import suppress
from functools import cache
from typing import TypeVar, cast

from palyra.api.call import Call, Scoped, keep_from_sample, principal_of, seer, sees_sensitive, to_actor
from palyra.api.handlers import HANDLERS
from palyra.api.operation import AnyOperation, Operation, StreamOperation
from palyra.api.operations import OPERATIONS
from palyra.core.errors import PalyraError, PermissionDenied
from palyra.domain.access import PERSONS_ONLY, Capability
from palyra.domain.journal import Actor, Origin
from palyra.domain.memory import is_person
from palyra.wire.base import Request, Response
from palyra.wire.from_domain.masking import masked

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)


async def run(call: Call, operation: Operation[Q, R], request: Q) -> R:
    await _admit(call, operation, request)
    if operation.needs is not Capability.ERASE:
        found = cast("R", await HANDLERS[operation.name](call, request))
    else:
        async with call.app.store.db.on_reserve():  # what an erasure takes must get through a full disk, too
            found = cast("R", await HANDLERS[operation.name](call, request))
    return found if sees_sensitive(call) else masked(found)


async def stream(call: Call, operation: StreamOperation[Q, R], request: Q) -> AsyncIterator[R]:
    await _admit(call, operation, request)
    shows_all = sees_sensitive(call)
    async for item in HANDLERS[operation.name](call, request):
        yield item if shows_all else masked(item)


async def _admit(call: Call, operation: AnyOperation, request: Request) -> None:
    caller = call.caller
    if not caller.may(operation.needs):
        await _note_refusal(call, operation)
        raise PermissionDenied(
            f"{caller.name} lacks the capability {operation.needs.value!r}, which {operation.name} needs",
            hint=_way_in(call, operation),
        )
    if operation.needs is Capability.REVIEW:
        await _admit_to_review(call, operation, request)
    if _speaks(operation):
        await keep_from_sample(call.app, principal_of(caller, cast("Scoped", request).principal))
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


def _speaks(operation: AnyOperation) -> bool:
    """Writes in the name of a principal, and does not only look at what is there."""
    looks = operation.method == "GET" or operation.needs in (Capability.READ, Capability.OPERATE)
    return operation.request in _scoped() and (not looks or operation.name == "journal.append")


def _way_in(call: Call, operation: AnyOperation) -> str:
    if operation.needs is Capability.OWN:
        return "on the machine itself: palyra serves its owner"
    if operation.needs in PERSONS_ONLY and not is_person(call.caller.actor):
        return "no agent is given that: ask the owner"
    return f"create a token with --can {operation.needs.value}"


async def _admit_to_review(call: Call, operation: AnyOperation, request: Request) -> None:
    """Somebody with every right may still say that an agent is asking: then it is the agent that is refused."""
    named: str | None = getattr(request, "actor", None)
    actor = call.caller.actor if named is None else to_actor(named)
    if not is_person(actor):
        await _note_refusal(call, operation, actor)
        raise PermissionDenied(f"{operation.name} is for a person, not for {actor.value}", hint="ask the owner")


async def _note_refusal(call: Call, operation: AnyOperation, actor: Actor | None = None) -> None:
    """What only a person may do is tried by others: that is worth knowing. It is refused whether or not it can be
    written down."""
    caller = call.caller
    if operation.needs not in PERSONS_ONLY or not call.app.is_owner:
        return
    origin = Origin(caller.principal, actor or caller.actor)
    with suppress(PalyraError):
        await call.app.tokens.note_refusal(caller.name, origin, operation.name, operation.needs)


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
