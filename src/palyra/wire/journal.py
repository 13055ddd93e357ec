"""The journal on the wire: what every surface accepts and answers."""

from typing import Any

from palyra.wire.base import Request, Response


class AppendEvent(Request):
    kind: str
    payload: dict[str, Any]
    id: str | None = None
    request_id: str | None = None
    principal: str | None = None
    actor: str | None = None
    """none: as whom the caller is known"""
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
    checkpoints: tuple[str, ...] = ()
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


class StreamBundle(Request):
    pass


class BundleLine(Response):
    file: str
    """events.jsonl, checkpoints.log or manifest.json"""
    line: str
    """without its line feed"""


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
