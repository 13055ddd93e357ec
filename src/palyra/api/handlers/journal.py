"""What the operations on the journal do."""

from collections.abc import AsyncIterator
from pathlib import Path

from palyra.api import journal as api
from palyra.api.call import Call, actor_of, principal_of, to_actor
from palyra.api.handlers.binding import bind
from palyra.api.repeats import request_key
from palyra.core.errors import InvalidArgument
from palyra.core.ids import EventId, parse_ulid
from palyra.core.merkle import leaf_hash
from palyra.domain.journal import Actor, EventDraft, EventFilter, Origin
from palyra.domain.scope import Visibility
from palyra.services.erase import EraseReport, erase
from palyra.services.export import export_bundle, stream_bundle
from palyra.services.journal import InclusionProof
from palyra.services.verify import verify
from palyra.wire import journal as wire
from palyra.wire.from_domain.journal import b64, to_appended, to_event, to_problem


async def _append(call: Call, request: wire.AppendEvent) -> wire.Appended:
    origin = Origin(
        principal_of(call.caller, request.principal),
        actor_of(call, request.actor),
        request.channel,
        request.session_id,
        request.run_id,
    )
    event_id = None if request.id is None else EventId(request.id)
    draft = EventDraft(request.kind, request.payload, origin, request.v, event_id, request.occurred_at_ms)
    standing = Visibility(origin.principal, origin.channel, origin.session_id)
    key = request_key(api.append, request, standing, origin.actor)
    return to_appended(await call.app.journal.append(draft, key))


async def _list(call: Call, request: wire.ListEvents) -> wire.EventPage:
    records = await call.app.journal.list(
        _filter(request), request.after_seq, request.limit, newest_first=request.newest_first
    )
    more = records[-1].seq if len(records) == request.limit else None
    return wire.EventPage(events=[to_event(record) for record in records], next_after_seq=more)


async def _get(call: Call, request: wire.GetEvent) -> wire.Event:
    return to_event(await call.app.journal.get(request.reference))


async def _tail(call: Call, request: wire.TailEvents) -> AsyncIterator[wire.Event]:
    async for record in call.app.journal.tail(_filter(request), request.after_seq, follow=request.follow):
        yield to_event(record)


async def _status(call: Call, _request: wire.GetStatus) -> wire.JournalStatus:
    status = await call.app.journal.status()
    metrics = status.writes
    return wire.JournalStatus(
        size=status.size,
        root=b64(status.root),
        unsigned_events=max(0, status.size - status.signed_size),
        database_bytes=status.database_bytes,
        wal_bytes=status.wal_bytes,
        refuses_writes=None if status.refused is None else status.refused.message,
        writes=wire.WriteStats(
            writes=metrics.decisions,
            failures=metrics.failures,
            commits=metrics.commits,
            over_budget=metrics.over_budget,
            budget_ms=metrics.budget_ms,
            p50_ms=metrics.percentile_ms(0.5),
            p99_ms=metrics.percentile_ms(0.99),
            max_ms=metrics.max_ms,
            queued=status.queued,
        ),
    )


async def _verify(call: Call, request: wire.VerifyJournal) -> wire.Verified:
    report = await verify(
        call.app.store, extra_notes=request.checkpoints, projections=request.projections, progress=call.progress
    )
    return wire.Verified(
        ok=report.ok,
        size=report.size,
        root=b64(report.root),
        head=report.head.hex(),
        erased=report.erased,
        checkpoints=report.checkpoints,
        verifier_key=report.verifier_key,
        state_digest=report.state_digest,
        first_bad_seq=next((finding.seq for finding in report.findings if finding.seq is not None), None),
        problems=[to_problem(finding) for finding in report.findings],
    )


async def _prove(call: Call, request: wire.Prove) -> wire.Proof:
    if (request.reference is None) == (request.from_size is None):
        raise InvalidArgument(
            "give either an event or an earlier size", hint="palyra journal prove EVENT, or --from-size N"
        )
    if request.reference is not None:
        return _inclusion(await call.app.journal.prove_inclusion(request.reference))
    proof = await call.app.journal.prove_consistency(request.from_size or 0)
    return wire.Proof(
        kind="consistency",
        size=proof.size,
        root=b64(proof.root),
        path=[b64(node) for node in proof.path],
        from_size=proof.old_size,
        from_root=b64(proof.old_root),
    )


async def _checkpoint(call: Call, _request: wire.MakeCheckpoint) -> wire.CheckpointMade:
    made, note = await call.app.journal.checkpoint()
    key = await call.app.journal.verifier_key()
    return wire.CheckpointMade(
        origin=made.origin,
        size=made.size,
        root=b64(made.root),
        note=note,
        verifier_key=str(key),
        file=str(call.app.store.checkpoint_file),
    )


async def _export(call: Call, request: wire.ExportJournal) -> wire.Exported:
    bundle = await export_bundle(
        call.app.store, call.app.journal, Path(request.path), lambda done, total: call.progress("events", done, total)
    )
    return wire.Exported(path=str(bundle.path), size=bundle.size, root=b64(bundle.root), bytes=bundle.bytes)


async def _bundle(call: Call, _request: wire.StreamBundle) -> AsyncIterator[wire.BundleLine]:
    async for file, line in stream_bundle(call.app.store, call.app.journal):
        yield wire.BundleLine(file=file, line=line)


async def _rebuild(call: Call, _request: wire.RebuildProjections) -> wire.Rebuilt:
    size, _ = await call.app.journal.head()
    before, after = await call.app.journal.rebuild(lambda seq: call.progress("projections", seq, size))
    return wire.Rebuilt(state_digest_before=before, state_digest_after=after, same=before == after, events=size)


async def _erase(call: Call, request: wire.EraseEvents) -> wire.Erasures:
    origin = Origin(call.caller.principal, Actor.OPERATOR)
    report = await erase(call.app.store, call.app.journal, request.event_ids, request.reason, origin)
    return to_erasures(report)


def to_erasures(report: EraseReport) -> wire.Erasures:
    return wire.Erasures(
        erased=[
            wire.Erased(event_id=e.event_id, seq=e.seq, erased_by=e.erased_by, repeated=e.repeated)
            for e in report.erasures
        ],
        untouched_copies=[*map(str, report.untouched_copies), *report.elsewhere],
        certificate=[_inclusion(proof) for proof in report.proofs],
        checkpoint=report.checkpoint_note,
    )


def _inclusion(proof: InclusionProof) -> wire.Proof:
    return wire.Proof(
        kind="inclusion",
        size=proof.size,
        root=b64(proof.root),
        path=[b64(node) for node in proof.path],
        event=to_event(proof.event),
        leaf_index=proof.event.seq - 1,
        leaf_hash=b64(leaf_hash(proof.event.hash)),
    )


def _filter(request: wire.EventMatch) -> EventFilter:
    for name in ("after_seq", "since_ms", "until_ms"):
        value = getattr(request, name)
        if value is not None and not 0 <= value < 2**63:
            raise InvalidArgument(f"{name} {value} is outside 0..2**63", hint="give a smaller number")
    return EventFilter(
        kind=request.kind,
        actor=None if request.actor is None else to_actor(request.actor),
        principal=request.principal,
        channel=request.channel,
        session_id=request.session_id,
        run_id=request.run_id,
        since_ms=request.since_ms,
        until_ms=request.until_ms,
        from_id=None if request.from_id is None else EventId(parse_ulid(request.from_id, "from_id")),
        to_id=None if request.to_id is None else EventId(parse_ulid(request.to_id, "to_id")),
    )


HANDLERS = (
    bind(api.append, _append),
    bind(api.list_, _list),
    bind(api.get, _get),
    bind(api.tail, _tail),
    bind(api.status, _status),
    bind(api.verify_, _verify),
    bind(api.prove, _prove),
    bind(api.checkpoint, _checkpoint),
    bind(api.export, _export),
    bind(api.bundle, _bundle),
    bind(api.rebuild_, _rebuild),
    bind(api.erase_, _erase),
)
