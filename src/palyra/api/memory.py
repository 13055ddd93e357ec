"""Operations on memory."""

from collections.abc import AsyncIterator
from pathlib import Path

from palyra.api.journal import to_actor, to_erasures
from palyra.api.operation import Call, Operation, StreamOperation, Who
from palyra.app import Access
from palyra.core import limits
from palyra.core.errors import InvalidArgument, PermissionDenied
from palyra.domain.memory import (
    AsOf,
    CandidateState,
    Change,
    Draft,
    ItemFilter,
    parse_category,
    parse_source,
    parse_trust,
    to_bps,
)
from palyra.domain.scope import ScopeKind, Visibility, visibility
from palyra.services.memory import ingest as ingesting
from palyra.services.memory import lifecycle, transfer, upkeep
from palyra.services.memory import search as searching
from palyra.store.memory.usage import Count
from palyra.wire import memory as wire
from palyra.wire.journal import Erasures


async def _retain(call: Call, request: wire.Retain) -> wire.Retained:
    done = await ingesting.ingest(
        call.app.memory,
        _draft(call, request),
        _seer(call, request),
        to_actor(request.actor),
        scope=None if request.scope is None else _scope(request.scope),
        request_id=request.request_id,
    )
    return wire.to_retained(done)


async def _retain_many(call: Call, request: wire.RetainMany) -> wire.ManyRetained:
    if not 1 <= len(request.items) <= limits.BULK_ITEMS:
        raise InvalidArgument(
            f"{len(request.items)} texts; between 1 and {limits.BULK_ITEMS} at once", hint="send them in parts"
        )
    done = await ingesting.ingest_many(
        call.app.memory,
        [_draft(call, item) for item in request.items],
        _seer(call, request),
        to_actor(request.actor),
        scope=None if request.scope is None else _scope(request.scope),
    )
    return wire.ManyRetained(results=[wire.to_retained(result) for result in done])


async def _search(call: Call, request: wire.Search) -> wire.SearchHits:
    found = await searching.search(call.app.memory, _search_request(request), _seer(call, request))
    return wire.SearchHits(
        hits=[wire.to_hit(hit, with_breakdown=request.include_score_breakdown) for hit in found.hits],
        degraded=list(found.degraded),
    )


async def _recall(call: Call, request: wire.Recall) -> wire.Recalled:
    found = await searching.recall(
        call.app.memory,
        _search_request(request),
        _seer(call, request),
        max_items=request.max_items,
        max_item_tokens=request.max_item_tokens,
        budget_tokens=request.budget_tokens,
    )
    return wire.Recalled(
        block=found.recall.block,
        tokens=found.recall.tokens,
        memories=[
            wire.RecalledMemory(
                citation=entry.citation,
                memory_id=entry.hit.item.memory_id,
                text=entry.text,
                trust=entry.hit.item.trust.label,
                source=entry.hit.item.source.value,
                score=entry.hit.score,
                tokens=entry.tokens,
            )
            for entry in found.recall.chosen
        ],
        dropped=[
            wire.NotRecalled(memory_id=gone.hit.item.memory_id, score=gone.hit.score, why=gone.why)
            for gone in found.recall.dropped
        ],
        degraded=list(found.degraded),
        receipt=found.receipt.event_id,
        seq=found.receipt.seq,
    )


async def _get(call: Call, request: wire.GetItem) -> wire.ItemDetail:
    detail = await lifecycle.get(call.app.memory, request.memory_id, _seer(call, request))
    return wire.ItemDetail(
        item=wire.to_wire(detail.item),
        conflicts=[wire.ConflictLink(memory_id=other, reasons=list(why)) for other, why in detail.conflicts],
    )


async def _list(call: Call, request: wire.ListItems) -> wire.ItemPage:
    items = await lifecycle.list_(call.app.memory, _seer(call, request), _filter(request), request.after, request.limit)
    more = len(items) == request.limit
    return wire.ItemPage(items=[wire.to_wire(item) for item in items], next_after=items[-1].memory_id if more else None)


async def _update(call: Call, request: wire.UpdateItem) -> wire.Updated:
    change = Change(
        text=request.text,
        tags=None if request.tags is None else tuple(request.tags),
        category=None if request.category is None else parse_category(request.category),
        confidence_bps=None if request.confidence is None else to_bps(request.confidence),
        expires_at_ms=_expiry(call, request),
        never_expires=request.never_expires,
        pinned=request.pinned,
        reason=request.reason,
    )
    item, receipt = await lifecycle.update(
        call.app.memory, request.memory_id, change, _seer(call, request), to_actor(request.actor)
    )
    return wire.Updated(item=wire.to_wire(item), seq=receipt.seq, hash=receipt.hash.hex())


async def _supersede(call: Call, request: wire.SupersedeItem) -> wire.Superseded:
    receipt = await lifecycle.supersede(
        call.app.memory, request.old_id, request.new_id, _seer(call, request), to_actor(request.actor)
    )
    return wire.Superseded(old_id=request.old_id, new_id=request.new_id, seq=receipt.seq)


async def _history(call: Call, request: wire.GetItem) -> wire.ItemHistory:
    events = await lifecycle.history(call.app.memory, request.memory_id, _seer(call, request))
    return wire.ItemHistory(
        memory_id=request.memory_id,
        events=[
            wire.HistoryEvent(
                seq=event.seq,
                event_id=event.event_id,
                kind=event.kind,
                actor=event.actor,
                at_ms=event.at_ms,
                body=event.body,
            )
            for event in events
        ],
    )


async def _delete(call: Call, request: wire.DeleteItems) -> wire.Deleted:
    deleted, receipt = await lifecycle.delete(
        call.app.memory, request.memory_ids, _seer(call, request), to_actor(request.actor)
    )
    return wire.Deleted(deleted=deleted, seq=receipt.seq)


async def _purge(call: Call, request: wire.Purge) -> wire.Deleted:
    deleted = await lifecycle.purge(
        call.app.memory, _seer(call, request), to_actor(request.actor), everything=request.purge_all_principal
    )
    return wire.Deleted(deleted=deleted)


async def _erase(call: Call, request: wire.EraseMemory) -> Erasures:
    report = await lifecycle.erase(
        call.app.memory, request.ids, request.reason, _seer(call, request), to_actor(request.actor)
    )
    return to_erasures(report)


async def _status(call: Call, request: wire.GetMemoryStatus) -> wire.MemoryStatus:
    seer = _seer(call, request)
    found = await upkeep.status(call.app.memory, seer)

    def counts(rows: tuple[Count, ...]) -> list[wire.UsageCount]:
        return [wire.UsageCount(name=row.name, items=row.items, bytes=row.bytes) for row in rows]

    return wire.MemoryStatus(
        principal=seer.principal,
        items=found.items,
        bytes=found.bytes,
        max_entries=found.retention.max_entries,
        max_bytes=found.retention.max_bytes,
        ttl_days=found.retention.ttl_days,
        by_scope=counts(found.by_scope),
        by_source=counts(found.by_source),
        by_category=counts(found.by_category),
        waiting_for_review=found.waiting_for_review,
        embedding_model=found.embedding_model,
        serving_model=found.serving_model,
        vectors=found.vectors,
        vectors_pending=found.vectors_pending,
        index_bytes=found.index_bytes,
        last_maintenance=None if found.last_maintenance is None else _maintenance(found.last_maintenance),
        embedding_error=None if found.embedding_error is None else found.embedding_error.message,
    )


async def _index(call: Call, _request: wire.BuildIndex) -> wire.IndexBuilt:
    report = await call.app.memory.follower.backfill(lambda done, total: call.progress("vectors", done, total))
    return wire.IndexBuilt(
        model=report.identity,
        embedded=report.embedded,
        done=report.done,
        total=report.total,
        pending=report.pending,
        error=None if report.error is None else report.error.message,
    )


async def _maintain(call: Call, request: wire.Maintain) -> wire.Maintenance:
    return _maintenance(await upkeep.maintain(call.app.memory, sure=request.sure))


async def _candidates(call: Call, request: wire.ListCandidates) -> wire.CandidatePage:
    try:
        state = CandidateState(request.state)
    except ValueError:
        raise InvalidArgument(
            f"unknown state {request.state[:64]!r}", hint=f"use one of {', '.join(CandidateState)}"
        ) from None
    if not 1 <= request.limit <= 500:
        raise InvalidArgument(f"limit {request.limit} is outside 1..500", hint="ask for smaller pages")
    found = await ingesting.candidates(call.app.memory, _seer(call, request), state, request.after_seq, request.limit)
    more = len(found) == request.limit
    return wire.CandidatePage(
        candidates=[wire.to_candidate(candidate) for candidate in found], next_after_seq=found[-1].seq if more else None
    )


async def _decide(call: Call, request: wire.DecideCandidate) -> wire.Retained:
    memory, seer, actor = call.app.memory, _seer(call, request), to_actor(request.actor)
    if request.approve:
        done = await ingesting.approve(
            memory, request.candidate_id, seer, actor, text=request.text, reason=request.reason
        )
    else:
        done = await ingesting.reject(memory, request.candidate_id, seer, actor, reason=request.reason)
    return wire.to_retained(done)


async def _import(call: Call, request: wire.ImportMemory) -> wire.Imported:
    seer = _seer(call, request)
    report = await transfer.import_(
        call.app.memory,
        Path(request.path),
        seer,
        to_actor("user"),
        vouch=request.vouch,
        progress=lambda done, total: call.progress("items", done, total),
    )
    return wire.Imported(lines=report.lines, outcomes=report.outcomes)


async def _export(call: Call, request: wire.ExportMemory) -> AsyncIterator[wire.Item]:
    async for item in transfer.export(call.app.memory, _seer(call, request), include_past=request.include_past):
        yield wire.to_wire(item)


def _seer(call: Call, request: wire.AsCaller | wire.Retain) -> Visibility:
    """The one place where a request's scope meets the caller's rights."""
    principal = request.principal if request.principal is not None else call.caller.principal
    if call.caller.who is not Who.OPERATOR and principal != call.caller.principal:
        raise PermissionDenied(
            f"you speak for {call.caller.principal!r}, not for {principal!r}", hint="use a token of that principal"
        )
    return visibility(principal, request.channel, request.session_id)


def _search_request(request: wire.Search) -> searching.SearchRequest:
    as_of = None
    if request.as_of_ms is not None and request.as_of_seq is not None:
        raise InvalidArgument("as_of_ms and as_of_seq exclude each other", hint="give one of them")
    for name, value in (("as_of_ms", request.as_of_ms), ("as_of_seq", request.as_of_seq)):
        if value is not None and not 0 <= value < 2**62:
            raise InvalidArgument(f"{name} {value} is outside 0..2**62", hint="give a moment or seq of the past")
    if request.as_of_ms is not None or request.as_of_seq is not None:
        as_of = AsOf(request.as_of_ms, request.as_of_seq)
    return searching.SearchRequest(
        request.query, request.top_k, request.min_score, _filter(request), as_of, request.profile
    )


def _filter(request: wire.Search | wire.ListItems) -> ItemFilter:
    return ItemFilter(
        tags=tuple(request.tags),
        sources=tuple(map(parse_source, request.sources)),
        categories=tuple(map(parse_category, request.categories)),
        include_past=request.include_past,
    )


def _draft(call: Call, request: wire.RetainedText) -> Draft:
    return Draft(
        text=request.text,
        source=parse_source(request.source),
        tags=tuple(request.tags),
        category=None if request.category is None else parse_category(request.category),
        confidence_bps=None if request.confidence is None else to_bps(request.confidence),
        trust=None if request.trust is None else parse_trust(request.trust),
        speaker=request.speaker,
        thread=request.thread,
        said_at_ms=request.said_at_ms,
        expires_at_ms=_expiry(call, request),
        valid_from_ms=request.valid_from_ms,
        valid_to_ms=request.valid_to_ms,
        provenance=tuple(request.provenance),
        pinned=request.pinned,
    )


def _expiry(call: Call, request: wire.RetainedText | wire.UpdateItem) -> int | None:
    if request.ttl_ms is None:
        return request.expires_at_ms
    if request.ttl_ms <= 0:
        raise InvalidArgument(f"a time to live of {request.ttl_ms} ms is past", hint="give one above 0, or none")
    return call.app.clock.now_ms() + request.ttl_ms


def _scope(name: str) -> ScopeKind:
    try:
        return ScopeKind(name)
    except ValueError:
        raise InvalidArgument(f"unknown scope {name[:64]!r}", hint=f"use one of {', '.join(ScopeKind)}") from None


def _maintenance(report: upkeep.MaintenanceReport) -> wire.Maintenance:
    return wire.Maintenance(
        at_ms=report.at_ms, expired=report.expired, evicted=report.evicted, deferred=report.deferred
    )


retain = Operation(
    "memory.retain", "POST", "/v1/memory/items", wire.Retain, wire.Retained, Who.PRINCIPAL, Access.OWN, _retain
)
retain_many = Operation(
    "memory.retain_many", "POST", "/v1/memory/items/batch", wire.RetainMany, wire.ManyRetained, Who.PRINCIPAL,
    Access.OWN, _retain_many,
)  # fmt: skip
search_ = Operation(
    "memory.search", "POST", "/v1/memory/search", wire.Search, wire.SearchHits, Who.PRINCIPAL, Access.READ, _search
)
recall = Operation(
    "memory.recall", "POST", "/v1/memory/recall", wire.Recall, wire.Recalled, Who.PRINCIPAL, Access.OWN, _recall
)
get = Operation(
    "memory.get", "GET", "/v1/memory/items/{memory_id}", wire.GetItem, wire.ItemDetail, Who.PRINCIPAL, Access.READ, _get
)
list_ = Operation(
    "memory.list", "GET", "/v1/memory/items", wire.ListItems, wire.ItemPage, Who.PRINCIPAL, Access.READ, _list
)
update = Operation(
    "memory.update",
    "PATCH",
    "/v1/memory/items/{memory_id}",
    wire.UpdateItem,
    wire.Updated,
    Who.PRINCIPAL,
    Access.OWN,
    _update,
)
supersede = Operation(
    "memory.supersede",
    "POST",
    "/v1/memory/items/{old_id}/supersede",
    wire.SupersedeItem,
    wire.Superseded,
    Who.PRINCIPAL,
    Access.OWN,
    _supersede,
)
history = Operation(
    "memory.history",
    "GET",
    "/v1/memory/items/{memory_id}/history",
    wire.GetItem,
    wire.ItemHistory,
    Who.PRINCIPAL,
    Access.READ,
    _history,
)
delete = Operation(
    "memory.delete", "POST", "/v1/memory/delete", wire.DeleteItems, wire.Deleted, Who.PRINCIPAL, Access.OWN, _delete
)
purge = Operation(
    "memory.purge", "POST", "/v1/memory/purge", wire.Purge, wire.Deleted, Who.PRINCIPAL, Access.OWN, _purge
)
erase = Operation(
    "memory.erase", "POST", "/v1/memory/erase", wire.EraseMemory, Erasures, Who.PRINCIPAL, Access.OWN, _erase
)
status = Operation(
    "memory.status",
    "GET",
    "/v1/memory/status",
    wire.GetMemoryStatus,
    wire.MemoryStatus,
    Who.PRINCIPAL,
    Access.READ,
    _status,
)
candidates = Operation(
    "memory.candidates",
    "GET",
    "/v1/memory/candidates",
    wire.ListCandidates,
    wire.CandidatePage,
    Who.PRINCIPAL,
    Access.READ,
    _candidates,
)
decide = Operation(
    "memory.decide",
    "POST",
    "/v1/memory/candidates/{candidate_id}/decision",
    wire.DecideCandidate,
    wire.Retained,
    Who.PRINCIPAL,
    Access.OWN,
    _decide,
)
index = Operation(
    "memory.index", "POST", "/v1/memory/index", wire.BuildIndex, wire.IndexBuilt, Who.OPERATOR, Access.OWN, _index
)
maintain = Operation(
    "memory.maintain",
    "POST",
    "/v1/memory/maintain",
    wire.Maintain,
    wire.Maintenance,
    Who.OPERATOR,
    Access.OWN,
    _maintain,
)
import_ = Operation(
    "memory.import", "POST", "/v1/memory/import", wire.ImportMemory, wire.Imported, Who.OPERATOR, Access.OWN, _import
)
export = StreamOperation(
    "memory.export", "GET", "/v1/memory/export", wire.ExportMemory, wire.Item, Who.PRINCIPAL, Access.READ, _export
)

OPERATIONS = (
    retain,
    retain_many,
    search_,
    recall,
    get,
    list_,
    update,
    supersede,
    history,
    delete,
    purge,
    erase,
    status,
    candidates,
    decide,
    index,
    maintain,
    import_,
    export,
)
