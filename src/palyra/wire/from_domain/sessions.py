"""Sessions, runs and the tape, as they go over the wire."""

from typing import Any, cast

from palyra.core.redact import redact_payload_json
from palyra.domain.chat.session import Run, Session, TapeRecord
from palyra.wire import chat as wire


def to_session(session: Session) -> wire.SessionInfo:
    return wire.SessionInfo(
        session_id=session.session_id,
        key=session.key,
        principal=session.principal,
        channel=session.channel,
        title=session.title,
        created_at_ms=session.created_at_ms,
        active_at_ms=session.active_at_ms,
        archived=session.archived,
        parent_id=session.parent_id,
        branched_at_seq=session.branched_at_seq,
    )


def to_run(run: Run) -> wire.RunInfo:
    return wire.RunInfo(
        run_id=run.run_id,
        session_id=run.session_id,
        state=run.state.value,
        origin=run.origin.value,
        retry_of=run.retry_of,
        model=run.model,
        input_tokens=run.usage.input_tokens,
        output_tokens=run.usage.output_tokens,
        cached_tokens=run.usage.cached_tokens,
        error_code=run.error_code,
        created_at_ms=run.created_at_ms,
        started_at_ms=run.started_at_ms,
        ended_at_ms=run.ended_at_ms,
        undone=run.undone_seq is not None,
    )


def to_entry(record: TapeRecord) -> wire.TapeEntry:
    return wire.TapeEntry(
        seq=record.seq,
        event_id=record.event_id,
        run_id=record.run_id,
        type=record.type.value,
        payload=shown(record),
        at_ms=record.at_ms,
        pinned=record.pinned,
    )


def shown(record: TapeRecord) -> dict[str, Any] | None:
    """Redacted once more on its way out: the rules may have learned since it was written."""
    return None if record.payload is None else cast("dict[str, Any]", redact_payload_json(record.payload))
