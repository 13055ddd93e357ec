"""Memory on the wire: what every surface accepts and answers. Confidence is 0..1 here, basis points inside."""

from typing import Any

from palyra.wire.base import Request, Response


class AsCaller(Request, kw_only=True):
    """Where the caller stands. The principal must be one the caller may speak for; none: its own."""

    principal: str | None = None
    channel: str | None = None
    session_id: str | None = None


class RetainedText(Request, kw_only=True):
    """One of many."""

    text: str
    source: str = "manual"
    tags: tuple[str, ...] = ()
    category: str | None = None
    confidence: float | None = None
    trust: str | None = None
    speaker: str = ""
    thread: str = ""
    said_at_ms: int | None = None
    valid_from_ms: int | None = None
    valid_to_ms: int | None = None
    expires_at_ms: int | None = None
    ttl_ms: int | None = None
    provenance: tuple[str, ...] = ()
    pinned: bool = False


class Retain(RetainedText, kw_only=True):
    principal: str | None = None
    channel: str | None = None
    session_id: str | None = None
    scope: str | None = None
    request_id: str | None = None
    actor: str | None = None


class RetainMany(AsCaller, kw_only=True):
    items: list[RetainedText]
    scope: str | None = None
    request_id: str | None = None
    actor: str | None = None


class Item(Response, kw_only=True):
    memory_id: str
    principal: str
    channel: str | None
    session_id: str | None
    scope: str
    source: str
    category: str
    sensitivity: str
    """public, personal or secret"""
    sensitive: list[str]
    """what in it is: health, identity_number, address, money, belief, sexuality, criminal, child, location, contact,
    personal (which of them is not known) or secret (a credential, masked)"""
    trust: str
    confidence: float
    text: str
    content_hash: str
    tags: list[str]
    speaker: str
    thread: str
    said_at_ms: int
    provenance: list[str]
    valid_from_ms: int
    valid_to_ms: int | None
    supersedes: str | None
    superseded_by: str | None
    pinned: bool
    expires_at_ms: int | None
    created_at_ms: int
    updated_at_ms: int
    last_recalled_at_ms: int | None
    recall_count: int
    closed_at_ms: int | None
    closed_why: str | None
    seq: int


class Retained(Response, kw_only=True):
    outcome: str
    """stored, merged, held_for_review, conflict_found or rejected"""
    memory_id: str | None
    candidate_id: str | None
    reasons: list[str]
    conflicts_with: list[str]
    superseded: list[str]
    seq: int
    hash: str
    repeated: bool


class ManyRetained(Response, kw_only=True):
    results: list[Retained]


class Search(AsCaller, kw_only=True):
    query: str
    top_k: int = 8
    min_score: float | None = None
    tags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    trusts: tuple[str, ...] = ()
    include_past: bool = False
    as_of_ms: int | None = None
    as_of_seq: int | None = None
    profile: str = "memory"
    include_score_breakdown: bool = False


class Where(Response, kw_only=True, omit_defaults=True):
    """Where a passage stands; what does not apply is left out."""

    seq: int
    event_id: str
    session_id: str = ""
    session_key: str = ""
    session_title: str = ""
    run_id: str = ""
    type: str = ""
    """of a turn: what the tape calls it, or attachment"""
    path: str = ""
    revision: int = 0
    heading: str = ""
    line: int = 0
    risk: str = ""
    checkpoint_id: str = ""
    name: str = ""
    compaction_id: str = ""

    def __str__(self) -> str:
        """On one line, as a person looks it up."""
        if self.path:
            return f"{self.path}:{self.line}"
        if self.checkpoint_id:
            return f"checkpoint {self.name or self.checkpoint_id}"
        return f"{self.session_key or 'attachment'}#{self.seq}"


class SearchHit(Response, kw_only=True):
    item: Item
    snippet: str
    score: float
    breakdown: dict[str, float] | None = None


class FoundPassage(Response, kw_only=True):
    """What another source than memory says."""

    profile: str
    text: str
    speaker: str
    trust: str
    said_at_ms: int
    where: Where
    snippet: str
    score: float
    breakdown: dict[str, float] | None = None


class SearchHits(Response, kw_only=True):
    """`hits` with the profile memory; with any other `passages`."""

    hits: list[SearchHit]
    passages: list[FoundPassage]
    degraded: list[str]


class Recall(Search, kw_only=True):
    max_items: int | None = None
    max_item_tokens: int = 512
    budget_tokens: int = 2_048


class RecalledMemory(Response, kw_only=True):
    citation: str
    memory_id: str
    """of a line of a document: the event that wrote it, # and the line"""
    text: str
    trust: str
    sensitive: list[str]
    source: str
    """of a memory where it is from, else the profile that has found it"""
    path: str
    """of the document; empty: it is a memory"""
    score: float
    tokens: int


class NotRecalled(Response, kw_only=True):
    memory_id: str
    score: float
    why: str


class Recalled(Response, kw_only=True):
    block: str
    tokens: int
    memories: list[RecalledMemory]
    dropped: list[NotRecalled]
    degraded: list[str]
    receipt: str
    """id of the journal event that says what was given; empty, and `seq` 0, while the journal takes no writes"""
    seq: int


class GetItem(AsCaller, kw_only=True):
    memory_id: str


class ConflictLink(Response, kw_only=True):
    memory_id: str
    reasons: list[str]


class ItemDetail(Response, kw_only=True):
    item: Item
    conflicts: list[ConflictLink]


class ListItems(AsCaller, kw_only=True):
    after: str = ""
    limit: int = 50
    tags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    trusts: tuple[str, ...] = ()
    include_past: bool = False
    newest_first: bool = False


class ItemPage(Response, kw_only=True):
    items: list[Item]
    next_after: str | None


class UpdateItem(AsCaller, kw_only=True):
    memory_id: str
    ttl_ms: int | None = None
    text: str | None = None
    tags: list[str] | None = None
    category: str | None = None
    confidence: float | None = None
    expires_at_ms: int | None = None
    never_expires: bool = False
    pinned: bool | None = None
    reason: str = ""
    request_id: str | None = None
    actor: str | None = None


class Updated(Response, kw_only=True):
    item: Item
    """as it is now"""
    seq: int
    hash: str
    repeated: bool = False


class SupersedeItem(AsCaller, kw_only=True):
    old_id: str
    new_id: str
    request_id: str | None = None
    actor: str | None = None


class Superseded(Response, kw_only=True):
    old_id: str
    new_id: str
    seq: int
    repeated: bool = False


class AskAbout(AsCaller, kw_only=True):
    name: str


class Changed(Response, kw_only=True):
    before: Item
    after: Item | None


class About(Response, kw_only=True):
    name: str
    also: list[str]
    """other words for it, by plain evidence"""
    holds: list[Item]
    changed: list[Changed]


class ListConflicts(AsCaller, kw_only=True):
    before_seq: int = 0
    """0: from the newest on"""
    limit: int = 50


class OpenConflict(Response, kw_only=True):
    seq: int
    """of the event that linked them"""
    newer: Item
    older: Item
    reasons: list[str]


class ConflictPage(Response, kw_only=True):
    conflicts: list[OpenConflict]
    next_before_seq: int | None


class SettleConflict(AsCaller, kw_only=True):
    memory_id: str
    other_id: str
    holds: str
    """the id of the one that does, or `both`"""
    request_id: str | None = None
    actor: str | None = None


class Settled(Response, kw_only=True):
    holds: list[str]
    seq: int
    repeated: bool = False


class HistoryEvent(Response, kw_only=True):
    seq: int
    event_id: str
    kind: str
    actor: str
    at_ms: int
    body: dict[str, Any] | None


class ItemHistory(Response, kw_only=True):
    memory_id: str
    events: list[HistoryEvent]


class DeleteItems(AsCaller, kw_only=True):
    memory_ids: list[str]
    request_id: str | None = None
    actor: str | None = None


class Deleted(Response, kw_only=True):
    deleted: int
    seq: int | None = None
    repeated: bool = False


class RestoreItems(AsCaller, kw_only=True):
    memory_ids: list[str]
    request_id: str | None = None
    actor: str | None = None


class Restored(Response, kw_only=True):
    restored: int
    seq: int
    repeated: bool = False


class Tidy(AsCaller, kw_only=True):
    apply: bool = False
    undo: bool = False
    actor: str | None = None


class LeftToday(Response, kw_only=True):
    memory_id: str
    text: str
    because: str
    """a word for why it would stay on the tape today"""
    meaning: str


class Tidied(Response, kw_only=True):
    left: list[LeftToday]
    taken_out: int
    restored: int


class Purge(AsCaller, kw_only=True):
    purge_all_principal: bool = False
    request_id: str | None = None
    actor: str | None = None


class EraseMemory(AsCaller, kw_only=True):
    ids: list[str]
    reason: str = "asked for"
    actor: str | None = None


class GetMemoryStatus(AsCaller, kw_only=True):
    pass


class GetPrivacyReport(AsCaller, kw_only=True):
    pass


class SensitiveKind(Response, kw_only=True):
    kind: str
    items: int
    oldest_at_ms: int
    newest_at_ms: int
    by_trust: dict[str, int]
    waiting: int


class SensitiveAbout(Response, kw_only=True):
    name: str
    """empty: the owner, or nobody who is named"""
    items: int
    by_kind: dict[str, int]


class PrivacyAnswer(Response, kw_only=True):
    principal: str
    items: int
    kinds: list[SensitiveKind]
    about: list[SensitiveAbout]
    holds_all: bool
    may_leave: bool


class UsageCount(Response, kw_only=True):
    name: str
    items: int
    bytes: int


class Maintenance(Response, kw_only=True):
    at_ms: int
    expired: int
    evicted: int
    deferred: bool


class MemoryStatus(Response, kw_only=True):
    principal: str
    items: int
    bytes: int
    max_entries: int | None
    max_bytes: int | None
    ttl_days: int | None
    by_scope: list[UsageCount]
    by_source: list[UsageCount]
    by_category: list[UsageCount]
    waiting_for_review: int
    learned_waiting: int
    """learned from conversations, and to be decided"""
    embedding_model: str
    serving_model: str
    vectors: int
    vectors_pending: int
    index_bytes: int
    last_maintenance: Maintenance | None
    embedding_error: str | None


class BuildIndex(Request, kw_only=True):
    pass


class IndexBuilt(Response, kw_only=True):
    model: str
    embedded: int
    done: int
    total: int
    pending: int
    error: str | None


class Maintain(Request, kw_only=True):
    sure: bool = False


class ListCandidates(AsCaller, kw_only=True):
    state: str = "needs_review"
    after_seq: int = 0
    limit: int = 50


class HeldCandidate(Response, kw_only=True):
    candidate_id: str
    seq: int
    text: str
    source: str
    category: str
    trust: str
    confidence: float
    because: list[str]
    risks: list[str]
    sensitivity: str
    sensitive: list[str]
    provenance: list[str]
    state: str
    held_at_ms: int
    memory_id: str | None


class CandidatePage(Response, kw_only=True):
    candidates: list[HeldCandidate]
    next_after_seq: int | None


class DecideCandidate(AsCaller, kw_only=True):
    candidate_id: str
    approve: bool
    text: str | None = None
    reason: str = ""
    request_id: str | None = None
    actor: str | None = None


class ReopenCandidate(AsCaller, kw_only=True):
    candidate_id: str
    reason: str = ""
    request_id: str | None = None
    actor: str | None = None


class ImportMemory(AsCaller, kw_only=True):
    path: str
    vouch: bool = False


class Imported(Response, kw_only=True):
    lines: int
    outcomes: dict[str, int]


class ExportMemory(AsCaller, kw_only=True):
    include_past: bool = False
