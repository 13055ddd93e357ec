"""How a method is answered: who calls, whether there is room, bytes to a message, and errors in the one shape.

Messages are parsed here and not by grpcio, so that bytes which are none become `INVALID_ARGUMENT` like any other
wrong request, and only after the caller is known.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message

from palyra.api.authenticate import Gate
from palyra.api.call import Call
from palyra.api.operation import AnyOperation
from palyra.core.errors import Exhausted, InvalidArgument, TooLarge
from palyra.transports.grpc.conversion import check_version
from palyra.transports.grpc.metadata import describe, read_identity
from palyra.transports.limits import RateLimit
from palyra.transports.observe import Observed, Observer

if TYPE_CHECKING:
    from palyra.app import App

M = TypeVar("M", bound=Message)
_Context = grpc.aio.ServicerContext[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Answering:
    """What all services of one server share."""

    app: "App"
    gate: Gate
    observer: Observer
    rate: RateLimit
    max_message_bytes: int
    slots: asyncio.Semaphore
    """one for each call that may be answered at the same time"""

    def method(
        self, operation: AnyOperation, kind: type[M], answer: Callable[[Call, M], Awaitable[Message]]
    ) -> "grpc.RpcMethodHandler[bytes, bytes]":
        async def respond(raw: bytes, context: _Context) -> bytes:
            with self.observer.request("grpc", operation.name) as seen:
                try:
                    # A write that is committed when time runs out stays written; a request id tells what became of it.
                    async with asyncio.timeout(context.time_remaining()):
                        call = await self._admit(context, seen)
                        async with self.slots:
                            return (await answer(call, self._parse(raw, kind))).SerializeToString()
                except Exception as error:  # noqa: BLE001 - whatever it is leaves in the one shape
                    known = seen.fail(error)
            details, trailing = describe(known, seen.request_id)
            return await context.abort(grpc.StatusCode[known.grpc], details, trailing)

        return grpc.unary_unary_rpc_method_handler(respond)

    async def _admit(self, context: _Context, seen: Observed) -> Call:
        metadata: Any = context.invocation_metadata()
        shown = read_identity(metadata or ())
        authenticated = self.gate.caller(shown.authorization, shown.principal, shown.channel)
        caller = await self.rate.identify(authenticated)
        seen.caller = caller.name
        self.rate.admit(caller.name)
        if self.slots.locked():  # counted only now, so that nobody without a token can use them up
            raise Exhausted("too many calls are being answered", hint="repeat it a little later")
        return Call(self.app, caller)

    def _parse(self, raw: bytes, kind: type[M]) -> M:
        if len(raw) > self.max_message_bytes:
            raise TooLarge(
                f"the message is {len(raw)} bytes; the limit is {self.max_message_bytes}",
                hint="send less at once",
                bytes=len(raw),
                limit=self.max_message_bytes,
            )
        try:
            message = kind.FromString(raw)
        except DecodeError:
            raise InvalidArgument(
                f"these {len(raw)} bytes are no {kind.DESCRIPTOR.full_name}",
                hint="encode the message as protobuf; texts are UTF-8",
            ) from None
        check_version(message.v)  # type: ignore[attr-defined]  # every request has it
        return message
