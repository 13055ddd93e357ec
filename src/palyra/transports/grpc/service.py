"""`MemoryService`: bytes in, one operation of the table, bytes out.

Messages are parsed here and not by grpcio, so that bytes which are none become `INVALID_ARGUMENT` like any other
wrong request, and only after the caller is known.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message

from palyra.api import memory as api
from palyra.api.authenticate import Gate
from palyra.api.call import Call
from palyra.api.dispatch import run
from palyra.core.errors import Exhausted, FailedPrecondition, InvalidArgument, NotFound, TooLarge
from palyra.domain.access import Capability
from palyra.transports.grpc import conversion as convert
from palyra.transports.grpc.generated import memory_pb2
from palyra.transports.grpc.metadata import describe, read_identity
from palyra.transports.limits import RateLimit
from palyra.transports.observe import Observed, Observer
from palyra.wire import memory as wire

if TYPE_CHECKING:
    from palyra.app import App

SERVICE_NAME = memory_pb2.DESCRIPTOR.services_by_name["MemoryService"].full_name

M = TypeVar("M", bound=Message)
_Context = grpc.aio.ServicerContext[bytes, bytes]


@dataclass(frozen=True, slots=True)
class MemoryService:
    app: "App"
    gate: Gate
    observer: Observer
    rate: RateLimit
    max_message_bytes: int
    slots: asyncio.Semaphore
    """one for each call that may be answered at the same time"""

    def rpc_handler(self) -> "grpc.GenericRpcHandler[bytes, bytes]":
        return grpc.method_handlers_generic_handler(
            SERVICE_NAME,
            {
                "IngestMemory": self._method(api.retain.name, memory_pb2.IngestMemoryRequest, _ingest),
                "SearchMemory": self._method(api.search_.name, memory_pb2.SearchMemoryRequest, _search),
                "GetMemoryItem": self._method(api.get.name, memory_pb2.GetMemoryItemRequest, _get),
                "DeleteMemoryItem": self._method(api.delete.name, memory_pb2.DeleteMemoryItemRequest, _delete),
                "ListMemoryItems": self._method(api.list_.name, memory_pb2.ListMemoryItemsRequest, self._list),
                "PurgeMemory": self._method(api.purge.name, memory_pb2.PurgeMemoryRequest, _purge),
            },
        )

    def _method(
        self, operation: str, kind: type[M], answer: Callable[[Call, M], Awaitable[Message]]
    ) -> "grpc.RpcMethodHandler[bytes, bytes]":
        async def respond(raw: bytes, context: _Context) -> bytes:
            with self.observer.request("grpc", operation) as seen:
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
        convert.check_version(message.v)  # type: ignore[attr-defined]  # every request has it
        return message

    async def _list(self, call: Call, request: memory_pb2.ListMemoryItemsRequest) -> Message:
        return convert.from_page(await run(call, api.list_, convert.to_list(request)), self.max_message_bytes)


async def _ingest(call: Call, request: memory_pb2.IngestMemoryRequest) -> Message:
    retain = convert.to_retain(request)
    done = await run(call, api.retain, retain)
    return convert.from_retained(done, await _read_back(call, retain, done.memory_id))


async def _read_back(call: Call, retain: wire.Retain, memory_id: str | None) -> wire.Item | None:
    """What was written is written: whoever may not read it, or finds it erased meanwhile, gets no error for that."""
    if memory_id is None or not call.caller.may(Capability.READ):
        return None
    asked = wire.GetItem(memory_id=memory_id, channel=retain.channel, session_id=retain.session_id)
    try:
        return (await run(call, api.get, asked)).item
    except NotFound:
        return None


async def _search(call: Call, request: memory_pb2.SearchMemoryRequest) -> Message:
    return convert.from_hits(await run(call, api.search_, convert.to_search(request)))


async def _get(call: Call, request: memory_pb2.GetMemoryItemRequest) -> Message:
    return convert.from_detail(await run(call, api.get, convert.to_get(request)))


async def _delete(call: Call, request: memory_pb2.DeleteMemoryItemRequest) -> Message:
    try:
        done = await run(call, api.delete, convert.to_delete(request))
    except FailedPrecondition:  # it has left memory before
        return memory_pb2.DeleteMemoryItemResponse(v=convert.VERSION, deleted=False)
    return memory_pb2.DeleteMemoryItemResponse(v=convert.VERSION, deleted=done.deleted > 0)


async def _purge(call: Call, request: memory_pb2.PurgeMemoryRequest) -> Message:
    done = await run(call, api.purge, convert.to_purge(request))
    return memory_pb2.PurgeMemoryResponse(v=convert.VERSION, deleted_count=done.deleted)
