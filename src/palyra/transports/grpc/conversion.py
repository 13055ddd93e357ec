"""Between `palyra.memory.v1` and the types every surface shares.

In proto3 an empty text, a 0 and an empty list are the same as nothing, and become None here. An enum value that we
do not know, a version other than 1 and an id that is none are errors: guessing would change what is remembered.
"""

from collections.abc import Iterable

from google.protobuf.message import Message

from palyra.core.errors import InvalidArgument
from palyra.core.ids import parse_ulid
from palyra.domain.memory import MemorySource
from palyra.transports.grpc.generated import common_pb2, memory_pb2
from palyra.wire import memory as wire

VERSION = 1

SOURCES: dict[int, MemorySource] = {
    memory_pb2.MEMORY_SOURCE_TAPE_USER_MESSAGE: MemorySource.USER_MESSAGE,
    memory_pb2.MEMORY_SOURCE_TAPE_TOOL_RESULT: MemorySource.TOOL_RESULT,
    memory_pb2.MEMORY_SOURCE_SUMMARY: MemorySource.SUMMARY,
    memory_pb2.MEMORY_SOURCE_MANUAL: MemorySource.MANUAL,
    memory_pb2.MEMORY_SOURCE_IMPORT: MemorySource.IMPORT,
    memory_pb2.MEMORY_SOURCE_DURABLE_FACT: MemorySource.DURABLE_FACT,
}
_NUMBERS = {source.value: number for number, source in SOURCES.items()}


# -- requests


def check_version(v: int) -> None:
    if v != VERSION:
        raise InvalidArgument(f"v is {v}; this service speaks version {VERSION}", hint=f"set v to {VERSION}")


def to_retain(request: memory_pb2.IngestMemoryRequest) -> wire.Retain:
    return wire.Retain(
        text=request.content_text,
        source=_source(request.source),
        channel=request.channel or None,
        session_id=_optional_id(request, "session_id"),
        tags=tuple(request.tags),
        confidence=request.confidence or None,
        expires_at_ms=request.ttl_unix_ms or None,
        request_id=request.request_id or None,
        category=request.category or None,
        trust=request.trust or None,
        pinned=request.pinned,
        scope=request.scope or None,
        valid_from_ms=request.valid_from_unix_ms or None,
        valid_to_ms=request.valid_to_unix_ms or None,
        said_at_ms=request.said_at_unix_ms or None,
        speaker=request.speaker,
        thread=request.thread,
        provenance=tuple(request.provenance),
    )


def to_search(request: memory_pb2.SearchMemoryRequest) -> wire.Search:
    asked = wire.Search(
        query=request.query,
        channel=request.channel or None,
        session_id=_optional_id(request, "session_id"),
        min_score=request.min_score,
        tags=tuple(request.tags),
        sources=tuple(map(_source, request.sources)),
        include_score_breakdown=request.include_score_breakdown,
        categories=tuple(request.categories),
        include_past=request.include_past,
        as_of_ms=request.as_of_unix_ms or None,
        as_of_seq=request.as_of_seq or None,
    )
    asked.top_k = request.top_k or asked.top_k
    asked.profile = request.profile or asked.profile
    return asked


def to_get(request: memory_pb2.GetMemoryItemRequest) -> wire.GetItem:
    return wire.GetItem(
        memory_id=parse_ulid(request.memory_id.ulid, "memory id"),
        channel=request.channel or None,
        session_id=_optional_id(request, "session_id"),
    )


def to_delete(request: memory_pb2.DeleteMemoryItemRequest) -> wire.DeleteItems:
    return wire.DeleteItems(
        memory_ids=[parse_ulid(request.memory_id.ulid, "memory id")],
        channel=request.channel or None,
        session_id=_optional_id(request, "session_id"),
    )


def to_list(request: memory_pb2.ListMemoryItemsRequest) -> wire.ListItems:
    asked = wire.ListItems(
        after=request.after_memory_ulid,
        channel=request.channel or None,
        session_id=_optional_id(request, "session_id"),
        tags=tuple(request.tags),
        sources=tuple(map(_source, request.sources)),
        categories=tuple(request.categories),
        include_past=request.include_past,
    )
    asked.limit = request.limit or asked.limit
    return asked


def to_purge(request: memory_pb2.PurgeMemoryRequest) -> wire.Purge:
    return wire.Purge(
        channel=request.channel or None,
        session_id=_optional_id(request, "session_id"),
        purge_all_principal=request.purge_all_principal,
    )


def _source(number: int) -> str:
    if number == memory_pb2.MEMORY_SOURCE_UNSPECIFIED:
        raise InvalidArgument("the source is unspecified", hint="say where the text comes from: a MemorySource above 0")
    if number not in SOURCES:
        known = ", ".join(f"{known} {source.value}" for known, source in SOURCES.items())
        raise InvalidArgument(f"unknown MemorySource {number}", hint=f"use one of {known}")
    return SOURCES[number].value


def _optional_id(request: Message, field: str) -> str | None:
    """Absent is None; an id that is there and empty is a mistake, which would otherwise widen a scope."""
    return parse_ulid(getattr(request, field).ulid, field) if request.HasField(field) else None


# -- answers


def from_retained(done: wire.Retained, item: wire.Item | None) -> memory_pb2.IngestMemoryResponse:
    return memory_pb2.IngestMemoryResponse(
        v=VERSION,
        item=None if item is None else from_item(item),
        outcome=f"INGEST_OUTCOME_{done.outcome.upper()}",
        memory_id=to_id(done.memory_id),
        candidate_id=to_id(done.candidate_id),
        receipt=memory_pb2.Receipt(seq=done.seq, hash=done.hash),
        reasons=done.reasons,
        conflicts_with=to_ids(done.conflicts_with),
        superseded=to_ids(done.superseded),
        is_repeat=done.repeated,
    )


def from_hits(found: wire.SearchHits) -> memory_pb2.SearchMemoryResponse:
    return memory_pb2.SearchMemoryResponse(
        v=VERSION, hits=map(_hit, found.hits), degraded=found.degraded, passages=map(_passage, found.passages)
    )


def from_detail(detail: wire.ItemDetail) -> memory_pb2.GetMemoryItemResponse:
    return memory_pb2.GetMemoryItemResponse(
        v=VERSION,
        item=from_item(detail.item),
        conflicts=[
            memory_pb2.MemoryConflict(memory_id=to_id(link.memory_id), reasons=link.reasons)
            for link in detail.conflicts
        ],
    )


def from_page(page: wire.ItemPage, max_bytes: int) -> memory_pb2.ListMemoryItemsResponse:
    """As many of the items as go into one message, and at least one: the next page begins where this one ends."""
    answer = memory_pb2.ListMemoryItemsResponse(v=VERSION, next_after_memory_ulid=page.next_after or "")
    size = PAGE_BYTES
    for item in map(from_item, page.items):
        size += item.ByteSize() + FRAMING_BYTES
        if answer.items and size > max_bytes:
            answer.next_after_memory_ulid = answer.items[-1].memory_id.ulid
            break
        answer.items.append(item)
    return answer


PAGE_BYTES, FRAMING_BYTES = 64, 8
"""what a page costs besides its items, and what each of them costs besides itself, at most"""


def from_item(item: wire.Item) -> memory_pb2.MemoryItem:
    return memory_pb2.MemoryItem(
        v=VERSION,
        memory_id=to_id(item.memory_id),
        principal=item.principal,
        channel=item.channel,
        session_id=to_id(item.session_id),
        source=memory_pb2.MemorySource.Name(_NUMBERS[item.source]),
        content_text=item.text,
        content_hash=item.content_hash,
        tags=item.tags,
        confidence=item.confidence,
        ttl_unix_ms=item.expires_at_ms,
        created_at_unix_ms=item.created_at_ms,
        updated_at_unix_ms=item.updated_at_ms,
        category=item.category,
        trust=item.trust,
        sensitivity=item.sensitivity,
        sensitive=item.sensitive,
        pinned=item.pinned,
        scope=item.scope,
        supersedes=to_id(item.supersedes),
        superseded_by=to_id(item.superseded_by),
        valid_from_unix_ms=item.valid_from_ms,
        valid_to_unix_ms=item.valid_to_ms,
        said_at_unix_ms=item.said_at_ms,
        speaker=item.speaker,
        thread=item.thread,
        provenance=item.provenance,
        closed_at_unix_ms=item.closed_at_ms,
        closed_why=item.closed_why,
        seq=item.seq,
    )


def _hit(hit: wire.SearchHit) -> memory_pb2.MemorySearchHit:
    return memory_pb2.MemorySearchHit(
        item=from_item(hit.item), snippet=hit.snippet, score=hit.score, breakdown=_breakdown(hit)
    )


def _passage(hit: wire.FoundPassage) -> memory_pb2.MemoryPassage:
    where = hit.where
    return memory_pb2.MemoryPassage(
        profile=hit.profile,
        content_text=hit.text,
        snippet=hit.snippet,
        score=hit.score,
        breakdown=_breakdown(hit),
        speaker=hit.speaker,
        trust=hit.trust,
        said_at_unix_ms=hit.said_at_ms,
        seq=where.seq,
        event_id=to_id(where.event_id),
        session_id=to_id(where.session_id or None),
        session_key=where.session_key,
        run_id=to_id(where.run_id or None),
        type=where.type,
        path=where.path,
        revision=where.revision,
        heading=where.heading,
        line=where.line,
        checkpoint_id=to_id(where.checkpoint_id or None),
        name=where.name,
        compaction_id=to_id(where.compaction_id or None),
    )


def _breakdown(hit: wire.SearchHit | wire.FoundPassage) -> memory_pb2.MemoryScoreBreakdown | None:
    if hit.breakdown is None:
        return None
    parts = {f"{name}_score": part for name, part in hit.breakdown.items()}
    return memory_pb2.MemoryScoreBreakdown(final_score=hit.score, **parts)


def to_id(ulid: str | None) -> common_pb2.CanonicalId | None:
    return None if ulid is None else common_pb2.CanonicalId(ulid=ulid)


def to_ids(ulids: Iterable[str]) -> list[common_pb2.CanonicalId]:
    return [common_pb2.CanonicalId(ulid=ulid) for ulid in ulids]
