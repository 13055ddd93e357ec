"""What the operations that change memory do."""

from pathlib import Path

from palyra.api import memory as api
from palyra.api.call import Call, actor_of, seer
from palyra.api.handlers.binding import bind
from palyra.api.handlers.journal import to_erasures
from palyra.api.repeats import request_key
from palyra.core import limits
from palyra.core.errors import InvalidArgument
from palyra.core.redact import redact_memory_text_for_output
from palyra.domain.journal import Actor
from palyra.domain.memory import Change, Draft, parse_category, parse_source, parse_trust, to_bps
from palyra.domain.scope import ScopeKind
from palyra.language.reading import reasons
from palyra.services.continuity.withdrawing import withdraw_memories
from palyra.services.memory import ingest as ingesting
from palyra.services.memory import lifecycle, transfer
from palyra.services.memory.deciding import settling, tidying
from palyra.services.memory.deciding.reopening import reopen
from palyra.wire import memory as wire
from palyra.wire.from_domain.memory import to_candidate, to_retained, to_wire
from palyra.wire.journal import Erasures


async def _retain(call: Call, request: wire.Retain) -> wire.Retained:
    standing, actor = seer(call, request), actor_of(call, request.actor)
    done = await ingesting.ingest(
        call.app.memory,
        _draft(call, request),
        standing,
        actor,
        scope=None if request.scope is None else _scope(request.scope),
        request=request_key(api.retain, request, standing, actor),
    )
    return to_retained(done)


async def _retain_many(call: Call, request: wire.RetainMany) -> wire.ManyRetained:
    if not 1 <= len(request.items) <= limits.BULK_ITEMS:
        raise InvalidArgument(
            f"{len(request.items)} texts; between 1 and {limits.BULK_ITEMS} at once", hint="send them in parts"
        )
    standing, actor = seer(call, request), actor_of(call, request.actor)
    done = await ingesting.ingest_many(
        call.app.memory,
        [_draft(call, item) for item in request.items],
        standing,
        actor,
        scope=None if request.scope is None else _scope(request.scope),
        request=request_key(api.retain_many, request, standing, actor),
    )
    return wire.ManyRetained(results=[to_retained(result) for result in done])


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
    standing, actor = seer(call, request), actor_of(call, request.actor)
    key = request_key(api.update, request, standing, actor)
    item, receipt = await lifecycle.update(call.app.memory, request.memory_id, change, standing, actor, request=key)
    return wire.Updated(item=to_wire(item), seq=receipt.seq, hash=receipt.hash.hex(), repeated=receipt.repeated)


async def _supersede(call: Call, request: wire.SupersedeItem) -> wire.Superseded:
    standing, actor = seer(call, request), actor_of(call, request.actor)
    key = request_key(api.supersede, request, standing, actor)
    old_id, new_id = request.old_id, request.new_id
    receipt = await lifecycle.supersede(call.app.memory, old_id, new_id, standing, actor, request=key)
    return wire.Superseded(old_id=old_id, new_id=new_id, seq=receipt.seq, repeated=receipt.repeated)


async def _settle(call: Call, request: wire.SettleConflict) -> wire.Settled:
    standing, actor = seer(call, request), actor_of(call, request.actor)
    key, one, other = request_key(api.settle, request, standing, actor), request.memory_id, request.other_id
    receipt = await settling.settle(call.app.memory, one, other, request.holds, standing, actor, request=key)
    holds = [one, other] if request.holds == settling.BOTH else [request.holds]
    return wire.Settled(holds=holds, seq=receipt.seq, repeated=receipt.repeated)


async def _delete(call: Call, request: wire.DeleteItems) -> wire.Deleted:
    standing, actor = seer(call, request), actor_of(call, request.actor)
    key = request_key(api.delete, request, standing, actor)
    deleted, receipt = await lifecycle.delete(call.app.memory, request.memory_ids, standing, actor, request=key)
    return wire.Deleted(deleted=deleted, seq=receipt.seq, repeated=receipt.repeated)


async def _restore(call: Call, request: wire.RestoreItems) -> wire.Restored:
    standing, actor = seer(call, request), actor_of(call, request.actor)
    key = request_key(api.restore, request, standing, actor)
    receipt = await tidying.restore(call.app.memory, request.memory_ids, standing, actor, request=key)
    return wire.Restored(restored=len(request.memory_ids), seq=receipt.seq, repeated=receipt.repeated)


async def _tidy(call: Call, request: wire.Tidy) -> wire.Tidied:
    memory, standing, actor = call.app.memory, seer(call, request), actor_of(call, request.actor)
    if request.apply and request.undo:
        raise InvalidArgument("apply and undo exclude each other", hint="give one of them")
    if request.undo:
        return wire.Tidied(left=[], taken_out=0, restored=await tidying.untidy(memory, standing, actor))
    found = await (
        tidying.tidy(memory, standing, actor) if request.apply else tidying.left_today(memory, standing, call.progress)
    )
    left = [
        wire.LeftToday(
            memory_id=one.item.memory_id,
            text=redact_memory_text_for_output(one.item.text),
            because=one.because,
            meaning=reasons()[one.because],
        )
        for one in found
    ]
    return wire.Tidied(left=left, taken_out=len(left) if request.apply else 0, restored=0)


async def _purge(call: Call, request: wire.Purge) -> wire.Deleted:
    standing, actor = seer(call, request), actor_of(call, request.actor)
    key = request_key(api.purge, request, standing, actor)
    done = await lifecycle.purge(call.app.memory, standing, actor, everything=request.purge_all_principal, request=key)
    return wire.Deleted(deleted=done.deleted, repeated=done.repeated)


async def _erase(call: Call, request: wire.EraseMemory) -> Erasures:
    app, standing, actor = call.app, seer(call, request), actor_of(call, request.actor)
    ids = lifecycle.check_ids(request.ids)
    withdrawn = await withdraw_memories(app.continuity, ids, standing, actor)
    report = await lifecycle.erase(
        app.memory, ids, request.reason, standing, actor, lambda tx: withdrawn.events(tx, standing.principal)
    )
    app.forget(standing.principal)
    done = to_erasures(report)
    done.untouched_copies += withdrawn.still_holding
    return done


async def _decide(call: Call, request: wire.DecideCandidate) -> wire.Retained:
    memory, standing, actor = call.app.memory, seer(call, request), actor_of(call, request.actor)
    candidate_id, reason, key = request.candidate_id, request.reason, request_key(api.decide, request, standing, actor)
    if request.approve:
        text = request.text
        done = await ingesting.approve(memory, candidate_id, standing, actor, text=text, reason=reason, request=key)
    else:
        done = await ingesting.reject(memory, candidate_id, standing, actor, reason=reason, request=key)
    return to_retained(done)


async def _reopen(call: Call, request: wire.ReopenCandidate) -> wire.HeldCandidate:
    standing, actor = seer(call, request), actor_of(call, request.actor)
    key = request_key(api.reopen, request, standing, actor)
    return to_candidate(
        await reopen(call.app.memory, request.candidate_id, standing, actor, reason=request.reason, request=key)
    )


async def _import(call: Call, request: wire.ImportMemory) -> wire.Imported:
    standing = seer(call, request)
    report = await transfer.import_(
        call.app.memory,
        Path(request.path),
        standing,
        Actor.USER,
        vouch=request.vouch,
        progress=lambda done, total: call.progress("items", done, total),
    )
    return wire.Imported(lines=report.lines, outcomes=report.outcomes)


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


HANDLERS = (
    bind(api.retain, _retain),
    bind(api.retain_many, _retain_many),
    bind(api.update, _update),
    bind(api.supersede, _supersede),
    bind(api.settle, _settle),
    bind(api.delete, _delete),
    bind(api.restore, _restore),
    bind(api.tidy, _tidy),
    bind(api.purge, _purge),
    bind(api.erase, _erase),
    bind(api.decide, _decide),
    bind(api.reopen, _reopen),
    bind(api.import_, _import),
)
