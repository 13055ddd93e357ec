"""What the operations that look at memory do, and those that look after it."""

from collections.abc import AsyncIterator
from dataclasses import asdict, replace

from palyra.api import memory as api
from palyra.api.call import Call, is_given_sensitive, seer, sees_sensitive
from palyra.api.handlers.binding import bind
from palyra.core.errors import InvalidArgument
from palyra.domain.labels import fits_channels, is_masked
from palyra.domain.memory import AsOf, CandidateState, ItemFilter, parse_category, parse_source, parse_trust
from palyra.domain.recall import Hit
from palyra.domain.retrieval.query import RetrievalSourceProfileKind, parse_profile
from palyra.services.memory import ingest as ingesting
from palyra.services.memory import lifecycle, transfer, upkeep
from palyra.services.memory import search as searching
from palyra.services.memory.about import about
from palyra.services.memory.deciding import settling
from palyra.services.memory.privacy import privacy_report
from palyra.services.memory.recalling import recall
from palyra.services.memory.sources.searching import search_passages
from palyra.services.workspace.sync import sync
from palyra.store.learning.records import count_waiting
from palyra.store.memory.usage import Count
from palyra.wire import memory as wire
from palyra.wire.from_domain.memory import to_candidate, to_hit, to_passage, to_wire


async def _search(call: Call, request: wire.Search) -> wire.SearchHits:
    if (kind := parse_profile(request.profile)) is not RetrievalSourceProfileKind.MEMORY:
        return await _search_passages(call, request, kind)
    found = await searching.search(call.app.memory, _search_request(request), seer(call, request))
    return wire.SearchHits(
        hits=[to_hit(hit, with_breakdown=request.include_score_breakdown) for hit in found.hits],
        passages=[],
        degraded=list(found.degraded),
    )


async def _search_passages(call: Call, request: wire.Search, kind: RetrievalSourceProfileKind) -> wire.SearchHits:
    given = ("tags", "sources", "categories", "trusts", "include_past", "as_of_ms", "as_of_seq")
    unfit = next((name for name in given if getattr(request, name) not in ((), False, None)), None)
    if unfit is not None:
        raise InvalidArgument(
            f"{unfit} is of memory, and profile {kind.value} searches another source", hint=f"leave out {unfit}"
        )
    found = await search_passages(
        call.app.memory, kind, request.query, seer(call, request), request.top_k, request.min_score or 0.0
    )
    return wire.SearchHits(
        hits=[],
        passages=[to_passage(hit, with_breakdown=request.include_score_breakdown) for hit in found.hits],
        degraded=list(found.degraded),
    )


async def _recall(call: Call, request: wire.Recall) -> wire.Recalled:
    memory = call.app.memory
    if parse_profile(request.profile) is not RetrievalSourceProfileKind.MEMORY:
        raise InvalidArgument(
            f"profile {request.profile} is one of the sources that recall brings together", hint="leave out profile"
        )
    asked = _search_request(request)
    standing = seer(call, request)
    is_given_all = is_given_sensitive(call, standing)
    if call.app.workspace.may_write:
        await sync(call.app.workspace, standing)  # what a person has saved is given as it is now
    found = await recall(
        memory,
        asked if request.min_score is not None else replace(asked, min_score=memory.auto_inject_min_score),
        standing,
        max_items=request.max_items,
        max_item_tokens=request.max_item_tokens,
        budget_tokens=request.budget_tokens,
        # Of a line nobody has said whether it is sensitive.
        leave_out=lambda hit: not is_given_all and not (isinstance(hit, Hit) and fits_channels(hit.item.sensitive)),
    )
    return wire.Recalled(
        block=found.recall.block,
        tokens=found.recall.tokens,
        memories=[
            wire.RecalledMemory(
                citation=entry.citation,
                memory_id=entry.hit.id,
                text=entry.text,
                trust=entry.hit.told.trust.label,
                sensitive=list(entry.hit.item.sensitive) if isinstance(entry.hit, Hit) else [],
                source=entry.hit.told.source.value,
                path="" if isinstance(entry.hit, Hit) else entry.hit.passage.place.path,
                score=entry.hit.score,
                tokens=entry.tokens,
            )
            for entry in found.recall.chosen
        ],
        dropped=[
            wire.NotRecalled(memory_id=gone.hit.id, score=gone.hit.score, why=gone.why) for gone in found.recall.dropped
        ],
        degraded=list(found.degraded),
        receipt="" if found.receipt is None else found.receipt.event_id,
        seq=0 if found.receipt is None else found.receipt.seq,
    )


async def _get(call: Call, request: wire.GetItem) -> wire.ItemDetail:
    detail = await lifecycle.get(call.app.memory, request.memory_id, seer(call, request))
    return wire.ItemDetail(
        item=to_wire(detail.item),
        conflicts=[wire.ConflictLink(memory_id=other, reasons=list(why)) for other, why in detail.conflicts],
    )


async def _about(call: Call, request: wire.AskAbout) -> wire.About:
    found = await about(call.app.memory, request.name, seer(call, request))
    return wire.About(
        name=found.name,
        also=list(found.also),
        holds=[to_wire(item) for item in found.holds],
        changed=[
            wire.Changed(before=to_wire(one.before), after=None if one.after is None else to_wire(one.after))
            for one in found.changed
        ],
    )


async def _conflicts(call: Call, request: wire.ListConflicts) -> wire.ConflictPage:
    found = await settling.conflicts(call.app.memory, seer(call, request), request.before_seq, request.limit)
    return wire.ConflictPage(
        conflicts=[
            wire.OpenConflict(seq=one.seq, newer=to_wire(one.newer), older=to_wire(one.older), reasons=[*one.reasons])
            for one in found
        ],
        next_before_seq=found[-1].seq if len(found) == request.limit else None,
    )


async def _list(call: Call, request: wire.ListItems) -> wire.ItemPage:
    items = await lifecycle.list_(
        call.app.memory,
        seer(call, request),
        _filter(request),
        request.after,
        request.limit,
        newest_first=request.newest_first,
    )
    more = len(items) == request.limit
    return wire.ItemPage(items=[to_wire(item) for item in items], next_after=items[-1].memory_id if more else None)


async def _history(call: Call, request: wire.GetItem) -> wire.ItemHistory:
    standing = seer(call, request)
    events = await lifecycle.history(call.app.memory, request.memory_id, standing)
    hides = not sees_sensitive(call) and is_masked(
        (await lifecycle.get(call.app.memory, request.memory_id, standing)).item.sensitive
    )
    return wire.ItemHistory(
        memory_id=request.memory_id,
        events=[
            wire.HistoryEvent(
                seq=event.seq,
                event_id=event.event_id,
                kind=event.kind,
                actor=event.actor,
                at_ms=event.at_ms,
                body=None if hides else event.body,
            )
            for event in events
        ],
    )


async def _status(call: Call, request: wire.GetMemoryStatus) -> wire.MemoryStatus:
    standing = seer(call, request)
    found = await upkeep.status(call.app.memory, standing)

    def counts(rows: tuple[Count, ...]) -> list[wire.UsageCount]:
        return [wire.UsageCount(name=row.name, items=row.items, bytes=row.bytes) for row in rows]

    return wire.MemoryStatus(
        principal=standing.principal,
        items=found.items,
        bytes=found.bytes,
        max_entries=found.retention.max_entries,
        max_bytes=found.retention.max_bytes,
        ttl_days=found.retention.ttl_days,
        by_scope=counts(found.by_scope),
        by_source=counts(found.by_source),
        by_category=counts(found.by_category),
        waiting_for_review=found.waiting_for_review,
        learned_waiting=await call.app.store.db.read(lambda tx: count_waiting(tx, standing)),
        embedding_model=found.embedding_model,
        serving_model=found.serving_model,
        vectors=found.vectors,
        vectors_pending=found.vectors_pending,
        index_bytes=found.index_bytes,
        last_maintenance=None if found.last_maintenance is None else _maintenance(found.last_maintenance),
        embedding_error=None if found.embedding_error is None else found.embedding_error.message,
    )


async def _privacy(call: Call, request: wire.GetPrivacyReport) -> wire.PrivacyAnswer:
    standing = seer(call, request)
    found = await privacy_report(call.app.memory, standing)
    return wire.PrivacyAnswer(
        principal=standing.principal,
        items=found.items,
        kinds=[wire.SensitiveKind(**asdict(one)) for one in found.kinds],
        about=[wire.SensitiveAbout(**asdict(one)) for one in found.about] if sees_sensitive(call) else [],
        holds_all=found.holds_all,
        may_leave=found.may_leave,
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
    if not 0 <= request.after_seq < 1 << 62:
        raise InvalidArgument(f"after_seq {request.after_seq} is outside 0..2**62", hint="0 begins at the beginning")
    found = await ingesting.candidates(call.app.memory, seer(call, request), state, request.after_seq, request.limit)
    more = len(found) == request.limit
    return wire.CandidatePage(
        candidates=[to_candidate(candidate) for candidate in found], next_after_seq=found[-1].seq if more else None
    )


async def _export(call: Call, request: wire.ExportMemory) -> AsyncIterator[wire.Item]:
    async for item in transfer.export(call.app.memory, seer(call, request), include_past=request.include_past):
        yield to_wire(item)


def _search_request(request: wire.Search) -> searching.SearchRequest:
    as_of = None
    if request.as_of_ms is not None and request.as_of_seq is not None:
        raise InvalidArgument("as_of_ms and as_of_seq exclude each other", hint="give one of them")
    for name, value in (("as_of_ms", request.as_of_ms), ("as_of_seq", request.as_of_seq)):
        if value is not None and not 0 <= value < 2**62:
            raise InvalidArgument(f"{name} {value} is outside 0..2**62", hint="give a moment or seq of the past")
    if request.as_of_ms is not None or request.as_of_seq is not None:
        as_of = AsOf(request.as_of_ms, request.as_of_seq)
    return searching.SearchRequest(request.query, request.top_k, request.min_score or 0.0, _filter(request), as_of)


def _filter(request: wire.Search | wire.ListItems) -> ItemFilter:
    return ItemFilter(
        tags=tuple(request.tags),
        sources=tuple(map(parse_source, request.sources)),
        categories=tuple(map(parse_category, request.categories)),
        trusts=tuple(map(parse_trust, request.trusts)),
        include_past=request.include_past,
    )


def _maintenance(report: upkeep.MaintenanceReport) -> wire.Maintenance:
    return wire.Maintenance(
        at_ms=report.at_ms, expired=report.expired, evicted=report.evicted, deferred=report.deferred
    )


HANDLERS = (
    bind(api.search_, _search),
    bind(api.recall, _recall),
    bind(api.get, _get),
    bind(api.list_, _list),
    bind(api.about, _about),
    bind(api.conflicts, _conflicts),
    bind(api.history, _history),
    bind(api.status, _status),
    bind(api.privacy, _privacy),
    bind(api.candidates, _candidates),
    bind(api.index, _index),
    bind(api.maintain, _maintain),
    bind(api.export, _export),
)
