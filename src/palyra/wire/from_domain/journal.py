"""The journal's records as they go out."""

import base64
import json

from palyra.core.errors import Integrity
from palyra.core.hashing import Json
from palyra.core.redact import redact_payload_json
from palyra.domain.journal import RESERVED_NAMESPACES, EventRecord, Finding, Receipt
from palyra.wire.journal import Appended, Event, Problem


def to_appended(receipt: Receipt) -> Appended:
    return Appended(
        seq=receipt.seq,
        event_id=receipt.event_id,
        hash=receipt.hash.hex(),
        recorded_at_ms=receipt.recorded_at_ms,
        repeated=receipt.repeated,
    )


def to_event(record: EventRecord) -> Event:
    """With its payload redacted once more: rules may have grown since it was written."""
    origin = record.origin
    return Event(
        seq=record.seq,
        event_id=record.event_id,
        kind=record.kind,
        v=record.v,
        actor=origin.actor.value,
        principal=origin.principal,
        channel=origin.channel,
        session_id=origin.session_id,
        run_id=origin.run_id,
        request_id=record.request_id,
        occurred_at_ms=record.occurred_at_ms,
        recorded_at_ms=record.recorded_at_ms,
        erased=record.is_erased,
        payload=_payload(record),
        commitment=record.commitment.hex(),
        prev_hash=record.prev_hash.hex(),
        hash=record.hash.hex(),
    )


def _payload(record: EventRecord) -> Json:
    if record.payload is None:
        return None
    try:
        payload = json.loads(record.payload)
    except ValueError:
        message = f"the payload of event {record.seq} was changed: it is not JSON"
        raise Integrity(message, hint="palyra journal verify", seq=record.seq) from None
    if record.kind.partition(".")[0] not in RESERVED_NAMESPACES or not isinstance(payload, dict):
        return redact_payload_json(payload)
    # Our own names say nothing about what stands under them: a conversation's `key` is what it is called.
    return {name: redact_payload_json(value) for name, value in payload.items()}


def to_problem(finding: Finding) -> Problem:
    return Problem(fault=finding.fault.value, seq=finding.seq, message=finding.message)


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()
