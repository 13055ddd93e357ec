"""What the operations do that make a conversation: sending, listening, aborting, deciding, handing in files."""

from collections.abc import AsyncIterator
from typing import Any, assert_never

from palyra.api import chat as api
from palyra.api.call import Call, actor_of, seer
from palyra.api.handlers.binding import bind
from palyra.api.repeats import request_key
from palyra.core.errors import InvalidArgument, NotFound
from palyra.core.ids import MemoryId
from palyra.core.redact import redact_text
from palyra.domain.chat.attachments import StoredAttachment
from palyra.domain.chat.session import QueueMode, RunState, Session, TapeType
from palyra.domain.scope import Visibility
from palyra.services import attachments
from palyra.services.chat.engine import Watched
from palyra.services.chat.live import KeptText, PreviewText, Recorded
from palyra.services.chat.parts import NewMessage, Speaker
from palyra.services.prompt.context import AskedRecall
from palyra.services.sessions import lifecycle, transcripts
from palyra.wire import chat as wire
from palyra.wire.from_domain.sessions import shown, to_run


async def _send(call: Call, request: wire.SendMessage) -> AsyncIterator[wire.StreamLine]:
    standing, actor = seer(call, request), actor_of(call, None)
    session = await _session(call, request, standing)
    mode = _mode(request.mode)
    begun = await call.app.chat.send(
        session, _message(request), _speaker(call), mode, request_key(api.send, request, standing, actor)
    )
    watched = await call.app.chat.watch(begun.run_id, standing)
    async for line in _lines(call, watched, standing):
        yield line


async def _retry(call: Call, request: wire.RetryRun) -> AsyncIterator[wire.StreamLine]:
    standing, actor = seer(call, request), actor_of(call, None)
    session = await lifecycle.get(call.app.sessions, request.session, standing)
    key = request_key(api.retry, request, standing, actor)
    begun = await call.app.chat.retry(session, request.run_id, _speaker(call), standing, key)
    watched = await call.app.chat.watch(begun.run_id, standing)
    async for line in _lines(call, watched, standing):
        yield line


async def _follow(call: Call, request: wire.FollowRun) -> AsyncIterator[wire.StreamLine]:
    standing = seer(call, request)
    watched = await call.app.chat.watch(request.run_id, standing, request.after_seq)
    async for line in _lines(call, watched, standing):
        yield line


async def _lines(call: Call, watched: Watched, standing: Visibility) -> AsyncIterator[wire.StreamLine]:
    run, session = watched.run, watched.session
    yield wire.StreamLine(
        type="meta",
        session_id=session.session_id,
        session_key=session.key,
        run_id=run.run_id,
        state=run.state.value,
        model=call.app.model.info.model,
    )
    notice: dict[str, Any] = {}
    async for item in watched.items:
        match item:
            case Recorded(record=record):
                data = shown(record) or {}
                if record.type is TapeType.NOTICE:
                    notice = data
                yield wire.StreamLine(type="event", seq=record.seq, event=record.type.value, data=data)
            case PreviewText(offset=offset, text=text):
                yield wire.StreamLine(type="event", event="preview", data={"offset": offset, "text": text})
            case KeptText(seq=seq, offset=offset):
                yield wire.StreamLine(type="event", seq=seq, event="kept", data={"offset": offset})
            case _:
                assert_never(item)
    run, _ = await transcripts.read_run(call.app.sessions, run.run_id, standing)
    if run.state is RunState.FAILED:
        message = str(notice.get("message", "the turn failed"))
        hint = "; ".join(filter(None, (notice.get("hint"), "palyra session explain RUN")))
        error = {"code": run.error_code, "message": message, "hint": hint, "run_id": run.run_id}
        yield wire.StreamLine(type="error", run_id=run.run_id, error=error)
    used = run.usage
    yield wire.StreamLine(
        type="complete",
        session_id=session.session_id,
        run_id=run.run_id,
        state=run.state.value,
        model=run.model,
        usage={
            "input_tokens": used.input_tokens,
            "output_tokens": used.output_tokens,
            "cached_tokens": used.cached_tokens,
        },
    )


async def _session(call: Call, request: wire.SendMessage, standing: Visibility) -> Session:
    try:
        return await lifecycle.get(call.app.sessions, request.session, standing)
    except NotFound:
        if not request.create:
            raise
    return await lifecycle.create(call.app.sessions, standing, actor_of(call, None), request.session)


def _message(request: wire.SendMessage) -> NewMessage:
    delta = request.parameter_delta
    if delta is None:
        return NewMessage(request.text, request.attachments)
    recall = None
    if delta.recall is not None:
        ids = tuple(MemoryId(one) for one in delta.recall.memory_ids)
        recall = AskedRecall(delta.recall.query, ids, delta.recall.top_k)
    return NewMessage(request.text, request.attachments, recall, delta.references, delta.auto_inject)


def _speaker(call: Call) -> Speaker:
    return Speaker(actor_of(call, None), call.caller.capabilities, call.caller.name)


def _mode(name: str) -> QueueMode:
    try:
        return QueueMode(name)
    except ValueError:
        raise InvalidArgument(f"unknown mode {name[:64]!r}", hint=f"use one of {', '.join(QueueMode)}") from None


async def _abort(call: Call, request: wire.NameRun) -> wire.RunInfo:
    return to_run(await call.app.chat.abort(request.run_id, seer(call, request)))


async def _decide(call: Call, request: wire.DecideTool) -> wire.ToolDecided:
    await call.app.chat.decide(
        request.run_id, request.call_id, seer(call, request), approve=request.approve, reason=request.reason
    )
    decision = "approved" if request.approve else "denied"
    return wire.ToolDecided(run_id=request.run_id, call_id=request.call_id, decision=decision)


async def _preview(call: Call, request: wire.PreviewReferences) -> wire.ReferencesPreview:
    found = await call.app.chat.parts.references(request.text, seer(call, request), True)
    return wire.ReferencesPreview(
        clean_text=redact_text(found.clean_text).text,
        references=[
            wire.ReferencePreview(
                kind=one.reference.kind.value,
                target=redact_text(one.reference.target).text,
                label=one.label,
                chars=len(one.text),
                tokens=one.tokens,
                provenance=one.provenance,
                trust=one.trust.label,
                warnings=list(one.warnings),
                error=one.error,
                text=one.text,
            )
            for one in found.references
        ],
        tokens=found.tokens,
        warnings=list(found.warnings),
    )


async def _attach(call: Call, request: wire.AddAttachment) -> wire.AttachmentInfo:
    standing = await _place(call, request)
    app = call.app
    made = await attachments.attach(
        app.store, app.journal, app.extractor, request.name, request.data, standing, actor_of(call, None)
    )
    return _to_attachment(made)


async def _attachment(call: Call, request: wire.GetAttachment) -> wire.AttachmentData:
    found = await attachments.load(call.app.store, request.attachment_id, await _place(call, request))
    text = redact_text(found.attachment.text).text
    return wire.AttachmentData(info=_to_attachment(found.attachment), text=text, data=found.data)


async def _place(call: Call, request: wire.AddAttachment | wire.GetAttachment) -> Visibility:
    standing = seer(call, request)
    if request.session is None:
        return standing
    session = await lifecycle.get(call.app.sessions, request.session, standing)
    return Visibility(session.principal, session.channel, session.session_id)


def _to_attachment(attachment: StoredAttachment) -> wire.AttachmentInfo:
    return wire.AttachmentInfo(
        attachment_id=attachment.attachment_id,
        name=attachment.name,
        media_type=attachment.media_type,
        size_bytes=attachment.size_bytes,
        width=attachment.width,
        height=attachment.height,
        text_chars=len(attachment.text),
        warnings=list(attachment.warnings),
    )


async def _model(call: Call, request: wire.GetModel) -> wire.ModelStatus:
    seer(call, request)
    info, health = call.app.model.info, call.app.model.health
    return wire.ModelStatus(
        provider=info.provider,
        model=info.model,
        window_tokens=info.window_tokens,
        max_output_tokens=info.max_output_tokens,
        takes_images=info.takes_images,
        takes_tools=info.takes_tools,
        breaker=health.breaker,
        failures=health.failures,
        last_error=health.last_error,
        retry_at_ms=health.retry_at_ms,
        active_runs=call.app.active_runs,
    )


HANDLERS = (
    bind(api.send, _send),
    bind(api.retry, _retry),
    bind(api.follow, _follow),
    bind(api.abort, _abort),
    bind(api.decide, _decide),
    bind(api.preview, _preview),
    bind(api.attach, _attach),
    bind(api.attachment, _attachment),
    bind(api.model, _model),
)
