"""Sessions, runs, the tape and the message stream on the wire."""

from typing import Any

import msgspec

from palyra.wire.base import Request, Response


class InChat(Request, kw_only=True):
    """Where the caller stands. Which session is meant is a field of its own."""

    principal: str | None = None
    channel: str | None = None


# -- sessions


class CreateSession(InChat, kw_only=True):
    key: str | None = None
    """a name of one's own; none: its id"""
    title: str = ""
    request_id: str | None = None


class ListSessions(InChat, kw_only=True):
    after_session_key: str | None = None
    limit: int = 50
    archived: bool = False
    """those that are archived, too"""


class NameSession(InChat, kw_only=True):
    session: str
    """its id or its key"""


class RenameSession(NameSession, kw_only=True):
    title: str


class ArchiveSession(NameSession, kw_only=True):
    archived: bool = True


class BranchSession(NameSession, kw_only=True):
    run_id: str | None = None
    """the last run that both share; none: the last there is"""
    key: str | None = None
    title: str = ""
    request_id: str | None = None


class SessionInfo(Response, kw_only=True):
    session_id: str
    key: str
    principal: str
    channel: str | None
    title: str
    created_at_ms: int
    active_at_ms: int
    archived: bool
    parent_id: str | None
    branched_at_seq: int | None


class SessionPage(Response, kw_only=True):
    sessions: list[SessionInfo]
    next_after_session_key: str | None


class Lineage(Response, kw_only=True):
    session: SessionInfo
    ancestors: list[SessionInfo]
    """its parent first"""
    branches: list[SessionInfo]
    active_runs: list["RunInfo"]


class GetTranscript(NameSession, kw_only=True):
    after_seq: int = 0
    before_seq: int | None = None
    newest: bool = False
    """the last entries between the two instead of the first; in their order all the same"""
    limit: int = 500
    everything: bool = False
    """also what was cut by a reset or undone"""


class TapeEntry(Response, kw_only=True):
    seq: int
    event_id: str
    run_id: str
    type: str
    payload: dict[str, Any] | None
    """null: erased"""
    at_ms: int
    pinned: bool


class Transcript(Response, kw_only=True):
    session: SessionInfo
    runs: list["RunInfo"]
    entries: list[TapeEntry]
    next_after_seq: int | None
    """there is more after this"""
    next_before_seq: int | None = None
    """asked for the newest: there is more before this"""


class ExportSession(NameSession, kw_only=True):
    format: str = "json"


class SessionExport(Response, kw_only=True):
    format: str
    content: str


class SearchSessions(InChat, kw_only=True):
    query: str
    limit: int = 20


class TranscriptHit(Response, kw_only=True):
    session_id: str
    session_key: str
    session_title: str
    run_id: str | None
    seq: int
    type: str
    trust: str
    snippet: str
    at_ms: int
    score: float


class TranscriptHits(Response, kw_only=True):
    hits: list[TranscriptHit]


class PinEntry(NameSession, kw_only=True):
    event_id: str
    pinned: bool = True


class Undone(Response, kw_only=True):
    run_id: str
    text: str
    """what had been asked, to be asked better"""


class EraseSession(NameSession, kw_only=True):
    run_ids: tuple[str, ...] = ()
    """none: all of them"""
    reason: str = ""


# -- runs


class NameRun(InChat, kw_only=True):
    run_id: str


class RunInfo(Response, kw_only=True):
    run_id: str
    session_id: str
    state: str
    origin: str
    retry_of: str | None
    model: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    error_code: str
    created_at_ms: int
    started_at_ms: int | None
    ended_at_ms: int | None
    undone: bool


class LeftOnTape(Response, kw_only=True):
    """What a turn says and memory does not keep; the tape does."""

    turn: int
    """place among the turns that were handed over"""
    text: str
    event_id: str
    reason: str
    why: str
    """the same in plain words"""


class Explanation(Response, kw_only=True):
    """Why a run said what it said: what its prompts were made of."""

    run: RunInfo
    question: str
    answer: str
    reports: list[dict[str, Any]]
    """one per prompt that was sent"""
    injections: list[dict[str, Any]]
    references: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    notices: list[dict[str, Any]]
    left: list[LeftOnTape]
    """what the turn said and memory does not keep"""


class DecideTool(NameRun, kw_only=True):
    call_id: str
    approve: bool
    reason: str = ""


class ToolDecided(Response, kw_only=True):
    run_id: str
    call_id: str
    decision: str


# -- messages


class ExplicitRecall(Request, kw_only=True):
    query: str | None = None
    """look for this instead of the message itself"""
    memory_ids: tuple[str, ...] = ()
    """these, whatever a search would find"""
    top_k: int | None = None


class ParameterDelta(Request, kw_only=True):
    """What one message wants otherwise."""

    recall: ExplicitRecall | None = None
    references: tuple[str, ...] = ()
    """in the form they have in a text: @file:a.md, [[standup]]"""
    auto_inject: bool | None = None


class SendMessage(NameSession, kw_only=True):
    text: str
    attachments: tuple[str, ...] = ()
    mode: str = "queue"
    """if a run is active: queue, merge or interrupt"""
    parameter_delta: ParameterDelta | None = None
    create: bool = False
    """make a session of that key if there is none"""
    request_id: str | None = None


class HandedTurn(Request, kw_only=True):
    """One turn of a conversation that is over."""

    role: str
    """user, assistant, tool or system"""
    text: str
    said_at_ms: int | None = None
    speaker: str = ""
    turn_id: str = ""
    """the same again is read once"""


class AddTurns(NameSession, kw_only=True):
    """Finished turns of a session, which is made if there is none of that key."""

    turns: list[HandedTurn]
    wait_ms: int = 0
    """answer when they have been read, or so much later with how many still wait"""
    actor: str | None = None


class ReadStatement(Response, kw_only=True):
    """One thing a turn states."""

    turn: int
    """place among the turns that were handed over"""
    text: str
    kind: str
    confidence: float
    event_id: str
    outcome: str
    """stored, merged, conflict_found or held_for_review"""
    reasons: list[str]
    memory_id: str | None
    candidate_id: str | None


class TurnsAdded(Response, kw_only=True):
    session_id: str
    session_key: str
    added: int
    repeated: int
    """turns that were on the tape already"""
    pending: int
    """turns that wait to be read"""
    written: list[ReadStatement]
    waiting: list[ReadStatement]
    left: list[LeftOnTape]


class RetryRun(NameSession, kw_only=True):
    run_id: str | None = None
    """none: the last one"""
    request_id: str | None = None


class FollowRun(NameRun, kw_only=True):
    after_seq: int = 0


class StreamLine(Response, kw_only=True, omit_defaults=True):
    """One line of a message stream. `meta` first; `event` for all that happens; `error` if the run failed; `complete`
    last. An event with a seq is in the journal: whoever lost the stream goes on with after_seq. One without is a
    preview of text that will be; `offset` says where in the answer it belongs."""

    type: str
    session_id: str = ""
    session_key: str = ""
    run_id: str = ""
    state: str = ""
    model: str = ""
    seq: int | None = None
    event: str = ""
    data: dict[str, Any] = msgspec.field(default_factory=dict)
    error: dict[str, Any] | None = None
    usage: dict[str, int] | None = None


class PreviewReferences(InChat, kw_only=True):
    text: str


class ReferencePreview(Response, kw_only=True):
    kind: str
    target: str
    label: str
    chars: int
    tokens: int
    provenance: str
    trust: str
    warnings: list[str]
    error: str
    text: str


class ReferencesPreview(Response, kw_only=True):
    clean_text: str
    references: list[ReferencePreview]
    tokens: int
    warnings: list[str]


class AddAttachment(InChat, kw_only=True):
    name: str
    data: bytes
    """as base64"""
    session: str | None = None


class AttachmentInfo(Response, kw_only=True):
    attachment_id: str
    name: str
    media_type: str
    size_bytes: int
    width: int | None
    height: int | None
    text_chars: int
    warnings: list[str]


class GetAttachment(InChat, kw_only=True):
    attachment_id: str
    session: str | None = None


class AttachmentData(Response, kw_only=True):
    info: AttachmentInfo
    text: str
    data: bytes


class GetModel(InChat, kw_only=True):
    pass


class ModelStatus(Response, kw_only=True):
    provider: str
    model: str
    window_tokens: int
    max_output_tokens: int
    takes_images: bool
    takes_tools: bool
    breaker: str
    failures: int
    last_error: str
    retry_at_ms: int | None
    active_runs: int
