"""What the operations on workspace documents do."""

from typing import Any, Literal, cast

import msgspec

from palyra.api import workspace as api
from palyra.api.call import Call, actor_of, seer
from palyra.api.handlers.binding import bind
from palyra.api.handlers.journal import to_erasures
from palyra.api.operation import AnyOperation
from palyra.api.repeats import request_key
from palyra.core.errors import InvalidArgument
from palyra.core.redact import redact_memory_text_for_output
from palyra.domain.access import Capability
from palyra.domain.chat.continuity_events import Line
from palyra.domain.memory import AsOf, Trust
from palyra.domain.retrieval.query import RetrievalSourceProfileKind
from palyra.domain.workspace import blocks
from palyra.domain.workspace.documents import kind_of
from palyra.services.memory.sources.searching import search_passages
from palyra.services.workspace import changes, reading
from palyra.services.workspace.changes import By
from palyra.services.workspace.erasing import erase
from palyra.services.workspace.sync import read_files
from palyra.store.workspace.records import Revision
from palyra.wire import workspace as wire
from palyra.wire.journal import Erasures


async def _list(call: Call, request: wire.ListDocuments) -> wire.Documents:
    found = await reading.list_(
        call.app.workspace,
        seer(call, request),
        request.prefix,
        Line(request.line),
        AsOf(request.as_of_ms, request.as_of_seq),
        deleted=request.deleted,
    )
    return wire.Documents(documents=[to_document(one) for one in found])


async def _get(call: Call, request: wire.GetDocument) -> wire.DocumentText:
    as_of = AsOf(request.as_of_ms, request.as_of_seq)
    one = await reading.read(
        call.app.workspace, request.path, seer(call, request), Line(request.line), as_of, request.revision
    )
    text = redact_memory_text_for_output(one.revision.text or "")
    edited = [block.block_id for block in blocks.parse(one.revision.text or "").blocks if block.edited is not None]
    return wire.DocumentText(text=text, edited_blocks=edited, **msgspec.structs.asdict(to_document(one)))


async def _write(call: Call, request: wire.WriteDocument) -> wire.DocumentInfo:
    by = _by(call, api.write, request, request.reason)
    return to_document(await changes.write(call.app.workspace, request.path, request.text, by, request.base_sha256))


async def _versions(call: Call, request: wire.NameDocument) -> wire.Versions:
    found = await reading.versions(call.app.workspace, request.path, seer(call, request), Line(request.line))
    return wire.Versions(revisions=[wire.RevisionInfo(**_revision(one)) for one in found])


async def _diff(call: Call, request: wire.DiffDocument) -> wire.DocumentDiff:
    found = await reading.diff(
        call.app.workspace, request.path, seer(call, request), request.old, request.new, Line(request.line)
    )
    return wire.DocumentDiff(diff=redact_memory_text_for_output(found))


async def _restore(call: Call, request: wire.RestoreDocument) -> wire.DocumentInfo:
    by = _by(call, api.restore, request, request.reason)
    return to_document(await changes.restore(call.app.workspace, request.path, request.revision, by))


async def _move(call: Call, request: wire.MoveDocument) -> wire.DocumentInfo:
    by = _by(call, api.move, request)
    return to_document(await changes.move(call.app.workspace, request.path, request.target, by))


async def _pin(call: Call, request: wire.PinDocument) -> wire.DocumentInfo:
    by = _by(call, api.pin, request)
    return to_document(await changes.pin(call.app.workspace, request.path, by, pinned=request.pinned))


async def _delete(call: Call, request: wire.DeleteDocument) -> wire.DocumentInfo:
    by = _by(call, api.delete, request, request.reason)
    return to_document(await changes.delete(call.app.workspace, request.path, by, request.base_sha256))


async def _release(call: Call, request: wire.ReleaseDocument) -> wire.DocumentInfo:
    by = _by(call, api.release, request)
    return to_document(await changes.release(call.app.workspace, request.path, by, request.sha256))


async def _repair(call: Call, request: wire.RepairDocument) -> wire.DocumentInfo:
    if request.keep not in ("mine", "ours"):
        raise InvalidArgument(f"unknown choice {request.keep[:64]!r}", hint="keep mine or ours")
    by, keep = _by(call, api.repair, request), cast('Literal["mine", "ours"]', request.keep)
    return to_document(await changes.repair(call.app.workspace, request.path, by, request.block_id, keep))


async def _search(call: Call, request: wire.SearchDocuments) -> wire.DocumentHits:
    if request.line:
        raise InvalidArgument("documents of a branch cannot be searched", hint="list them and read them")
    app, standing = call.app, seer(call, request)
    await read_files(app.workspace, standing)
    found = await search_passages(
        app.memory, RetrievalSourceProfileKind.WORKSPACE, request.query, standing, request.limit, request.min_score
    )
    return wire.DocumentHits(
        hits=[
            wire.DocumentHit(
                path=hit.passage.place.path,
                revision=hit.passage.place.revision,
                risk=hit.passage.place.risk,
                trust=hit.passage.trust.label,
                heading=hit.passage.place.heading,
                line_number=hit.passage.place.line,
                snippet=hit.snippet,
                score=hit.score,
                breakdown=hit.parts if request.include_score_breakdown else None,
            )
            for hit in found.hits
        ],
        degraded=list(found.degraded),
    )


async def _erase(call: Call, request: wire.EraseDocument) -> Erasures:
    by = _by(call, api.erase, request, request.reason)
    report = await erase(call.app.workspace, request.path, by)
    call.app.forget(by.caller.principal)
    return to_erasures(report)


async def _status(call: Call, request: wire.GetWorkspace) -> wire.WorkspaceStatus:
    standing = seer(call, request)
    found = await reading.status(call.app.workspace, standing)
    folder = call.app.workspace_folder(standing.principal)
    is_theirs = call.caller.may(Capability.OWN)
    return wire.WorkspaceStatus(
        folder=str(folder) if folder is not None and is_theirs else None,
        documents=found.documents,
        pending=list(found.pending),
        quarantined=list(found.quarantined),
        problems=[wire.WorkspaceProblem(path=path, problem=why) for path, why in sorted(found.problems.items())],
        watched=found.watched,
        unwatched_because=found.unwatched_because if is_theirs else "",
    )


def _by(call: Call, operation: AnyOperation, request: wire.InWorkspace, reason: str = "") -> By:
    standing, actor = seer(call, request), actor_of(call, None)
    return By(standing, actor, Line(request.line), reason, request_key(operation, request, standing, actor))


def _revision(one: Revision) -> dict[str, Any]:
    return {
        "path": one.path,
        "revision": one.revision,
        "sha256": one.sha256,
        "source": one.source,
        "actor": one.actor,
        "trust": Trust(one.trust).label,
        "risk": one.risk,
        "reasons": list(one.reasons),
        "masked": one.masked,
        "deleted": one.deleted,
        "moved_from": one.moved_from,
        "because": one.because,
        "reason": one.reason,
        "at_ms": one.at_ms,
        "seq": one.seq,
        "line": one.line,
    }


def to_document(one: reading.DocumentState) -> wire.DocumentInfo:
    kind = kind_of(one.revision.path)
    return wire.DocumentInfo(
        **_revision(one.revision),
        kind=kind.name,
        document_class=kind.document_class.value,
        binding=kind.binding.value,
        pinned=one.mark.pinned,
        released=one.is_released,
        file=one.file,
        problem=one.problem,
    )


HANDLERS = (
    bind(api.list_, _list),
    bind(api.get, _get),
    bind(api.write, _write),
    bind(api.versions, _versions),
    bind(api.diff, _diff),
    bind(api.restore, _restore),
    bind(api.move, _move),
    bind(api.pin, _pin),
    bind(api.delete, _delete),
    bind(api.release, _release),
    bind(api.repair, _repair),
    bind(api.search, _search),
    bind(api.erase, _erase),
    bind(api.status, _status),
)
