"""The journal on the wire: what every surface accepts and answers."""

import base64
import json
from collections import Counter
from typing import Any

import msgspec

from palyra.core import limits
from palyra.core.errors import Integrity, InvalidArgument
from palyra.core.hashing import Json
from palyra.core.redact import redact_payload_json
from palyra.domain.journal import EventRecord, Finding, Receipt


class Request(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Base of all requests: an unknown field is an error, not a surprise."""


class Response(msgspec.Struct, kw_only=True):
    """Base of all responses."""


class AppendEvent(Request):
    kind: str
    payload: dict[str, Any]
    id: str | None = None
    request_id: str | None = None
    principal: str | None = None
    actor: str = "user"
    channel: str | None = None
    session_id: str | None = None
    run_id: str | None = None
    v: int = 1
    occurred_at_ms: int | None = None


class Appended(Response):
    seq: int
    event_id: str
    hash: str
    recorded_at_ms: int
    repeated: bool


class EventMatch(Request):
    """Which events; every given field must match."""

    kind: str | None = None
    actor: str | None = None
    principal: str | None = None
    channel: str | None = None
    session_id: str | None = None
    run_id: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    from_id: str | None = None
    to_id: str | None = None
    after_seq: int = 0


class ListEvents(EventMatch):
    limit: int = 50
    newest_first: bool = False


class TailEvents(EventMatch):
    follow: bool = False


class GetEvent(Request):
    reference: str


class Event(Response):
    seq: int
    event_id: str
    kind: str
    v: int
    actor: str
    principal: str
    channel: str | None
    session_id: str | None
    run_id: str | None
    request_id: str | None
    occurred_at_ms: int
    recorded_at_ms: int
    erased: bool
    payload: Any
    commitment: str
    prev_hash: str
    hash: str


class EventPage(Response):
    events: list[Event]
    next_after_seq: int | None


class GetStatus(Request):
    pass


class WriteStats(Response):
    """Of the process that answers. Latency runs from hand-over to durable."""

    writes: int
    failures: int
    commits: int
    over_budget: int
    budget_ms: float
    p50_ms: float | None
    p99_ms: float | None
    max_ms: float
    queued: int


class JournalStatus(Response):
    size: int
    root: str
    unsigned_events: int
    database_bytes: int
    wal_bytes: int
    refuses_writes: str | None
    writes: WriteStats


class VerifyJournal(Request):
    checkpoints: list[str] = []
    """signed notes kept elsewhere, which must still hold"""
    projections: bool = True


class Problem(Response):
    fault: str
    seq: int | None
    message: str


class Verified(Response):
    ok: bool
    size: int
    root: str
    head: str
    erased: int
    checkpoints: int
    verifier_key: str
    state_digest: str | None
    first_bad_seq: int | None
    problems: list[Problem]


class Prove(Request):
    reference: str | None = None
    """an event: prove that it is in the journal"""
    from_size: int | None = None
    """an earlier size: prove that nothing before it was changed"""


class Proof(Response):
    kind: str
    size: int
    root: str
    path: list[str]
    event: Event | None = None
    leaf_index: int | None = None
    leaf_hash: str | None = None
    from_size: int | None = None
    from_root: str | None = None


class MakeCheckpoint(Request):
    pass


class CheckpointMade(Response):
    origin: str
    size: int
    root: str
    note: str
    verifier_key: str
    file: str


class ExportJournal(Request):
    path: str


class Exported(Response):
    path: str
    size: int
    root: str
    bytes: int


class RebuildProjections(Request):
    pass


class Rebuilt(Response):
    state_digest_before: str
    state_digest_after: str
    same: bool
    events: int


class EraseEvents(Request):
    event_ids: list[str]
    reason: str = "asked for"


class Erased(Response):
    event_id: str
    seq: int
    erased_by: int
    repeated: bool


class Erasures(Response):
    erased: list[Erased]
    untouched_copies: list[str]
    certificate: list[Proof]
    checkpoint: str


def parse_payload(text: bytes) -> dict[str, Json]:
    """A JSON object from outside. One clear error for everything that is none."""
    hint = """give a JSON object, such as '{"text": "hi"}'"""
    try:
        value = json.loads(text.decode("utf-8"), parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"the payload is not UTF-8: {error.reason} at byte {error.start}", hint=hint) from None
    except RecursionError:
        message = f"the payload is nested deeper than {limits.PAYLOAD_DEPTH} levels"
        raise InvalidArgument(message, hint="flatten it, or store it as text") from None
    except ValueError as error:
        raise InvalidArgument(f"the payload is not JSON: {error}", hint=hint) from None
    if not isinstance(value, dict):
        raise InvalidArgument(f"the payload is a JSON {type(value).__name__}, not an object", hint=hint)
    return value


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
        return redact_payload_json(json.loads(record.payload))
    except ValueError:
        message = f"the payload of event {record.seq} was changed: it is not JSON"
        raise Integrity(message, hint="palyra journal verify", seq=record.seq) from None


def to_problem(finding: Finding) -> Problem:
    return Problem(fault=finding.fault.value, seq=finding.seq, message=finding.message)


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        [(double, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {double!r} stands there twice")
    return value
