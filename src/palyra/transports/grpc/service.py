"""`MemoryService`: bytes in, one operation of the table, bytes out."""

from dataclasses import dataclass

import grpc
from google.protobuf.message import Message

from palyra.api import memory as api
from palyra.api.call import Call
from palyra.api.dispatch import run
from palyra.core.errors import FailedPrecondition, NotFound
from palyra.domain.access import Capability
from palyra.transports.grpc import conversion as convert
from palyra.transports.grpc.answering import Answering
from palyra.transports.grpc.generated import memory_pb2
from palyra.wire import memory as wire

SERVICE_NAME = memory_pb2.DESCRIPTOR.services_by_name["MemoryService"].full_name


@dataclass(frozen=True, slots=True)
class MemoryService:
    answering: Answering

    def rpc_handler(self) -> "grpc.GenericRpcHandler[bytes, bytes]":
        method = self.answering.method
        return grpc.method_handlers_generic_handler(
            SERVICE_NAME,
            {
                "IngestMemory": method(api.retain, memory_pb2.IngestMemoryRequest, _ingest),
                "SearchMemory": method(api.search_, memory_pb2.SearchMemoryRequest, _search),
                "GetMemoryItem": method(api.get, memory_pb2.GetMemoryItemRequest, _get),
                "DeleteMemoryItem": method(api.delete, memory_pb2.DeleteMemoryItemRequest, _delete),
                "ListMemoryItems": method(api.list_, memory_pb2.ListMemoryItemsRequest, self._list),
                "PurgeMemory": method(api.purge, memory_pb2.PurgeMemoryRequest, _purge),
            },
        )

    async def _list(self, call: Call, request: memory_pb2.ListMemoryItemsRequest) -> Message:
        page = await run(call, api.list_, convert.to_list(request))
        return convert.from_page(page, self.answering.max_message_bytes)


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
