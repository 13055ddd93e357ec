from palyra.transports.grpc.generated import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MemorySource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_SOURCE_UNSPECIFIED: _ClassVar[MemorySource]
    MEMORY_SOURCE_TAPE_USER_MESSAGE: _ClassVar[MemorySource]
    MEMORY_SOURCE_TAPE_TOOL_RESULT: _ClassVar[MemorySource]
    MEMORY_SOURCE_SUMMARY: _ClassVar[MemorySource]
    MEMORY_SOURCE_MANUAL: _ClassVar[MemorySource]
    MEMORY_SOURCE_IMPORT: _ClassVar[MemorySource]
    MEMORY_SOURCE_DURABLE_FACT: _ClassVar[MemorySource]

class IngestOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INGEST_OUTCOME_UNSPECIFIED: _ClassVar[IngestOutcome]
    INGEST_OUTCOME_STORED: _ClassVar[IngestOutcome]
    INGEST_OUTCOME_MERGED: _ClassVar[IngestOutcome]
    INGEST_OUTCOME_HELD_FOR_REVIEW: _ClassVar[IngestOutcome]
    INGEST_OUTCOME_CONFLICT_FOUND: _ClassVar[IngestOutcome]
    INGEST_OUTCOME_REJECTED: _ClassVar[IngestOutcome]
MEMORY_SOURCE_UNSPECIFIED: MemorySource
MEMORY_SOURCE_TAPE_USER_MESSAGE: MemorySource
MEMORY_SOURCE_TAPE_TOOL_RESULT: MemorySource
MEMORY_SOURCE_SUMMARY: MemorySource
MEMORY_SOURCE_MANUAL: MemorySource
MEMORY_SOURCE_IMPORT: MemorySource
MEMORY_SOURCE_DURABLE_FACT: MemorySource
INGEST_OUTCOME_UNSPECIFIED: IngestOutcome
INGEST_OUTCOME_STORED: IngestOutcome
INGEST_OUTCOME_MERGED: IngestOutcome
INGEST_OUTCOME_HELD_FOR_REVIEW: IngestOutcome
INGEST_OUTCOME_CONFLICT_FOUND: IngestOutcome
INGEST_OUTCOME_REJECTED: IngestOutcome

class MemoryItem(_message.Message):
    __slots__ = ("v", "memory_id", "principal", "channel", "session_id", "source", "content_text", "content_hash", "tags", "confidence", "ttl_unix_ms", "created_at_unix_ms", "updated_at_unix_ms", "category", "trust", "sensitivity", "pinned", "scope", "supersedes", "superseded_by", "valid_from_unix_ms", "valid_to_unix_ms", "said_at_unix_ms", "speaker", "thread", "provenance", "closed_at_unix_ms", "closed_why", "seq", "sensitive")
    V_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TEXT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    TTL_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    SENSITIVITY_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDES_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_BY_FIELD_NUMBER: _ClassVar[int]
    VALID_FROM_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    SAID_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    PROVENANCE_FIELD_NUMBER: _ClassVar[int]
    CLOSED_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    CLOSED_WHY_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    SENSITIVE_FIELD_NUMBER: _ClassVar[int]
    v: int
    memory_id: _common_pb2.CanonicalId
    principal: str
    channel: str
    session_id: _common_pb2.CanonicalId
    source: MemorySource
    content_text: str
    content_hash: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    confidence: float
    ttl_unix_ms: int
    created_at_unix_ms: int
    updated_at_unix_ms: int
    category: str
    trust: str
    sensitivity: str
    pinned: bool
    scope: str
    supersedes: _common_pb2.CanonicalId
    superseded_by: _common_pb2.CanonicalId
    valid_from_unix_ms: int
    valid_to_unix_ms: int
    said_at_unix_ms: int
    speaker: str
    thread: str
    provenance: _containers.RepeatedScalarFieldContainer[str]
    closed_at_unix_ms: int
    closed_why: str
    seq: int
    sensitive: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, v: _Optional[int] = ..., memory_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., principal: _Optional[str] = ..., channel: _Optional[str] = ..., session_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., source: _Optional[_Union[MemorySource, str]] = ..., content_text: _Optional[str] = ..., content_hash: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., confidence: _Optional[float] = ..., ttl_unix_ms: _Optional[int] = ..., created_at_unix_ms: _Optional[int] = ..., updated_at_unix_ms: _Optional[int] = ..., category: _Optional[str] = ..., trust: _Optional[str] = ..., sensitivity: _Optional[str] = ..., pinned: _Optional[bool] = ..., scope: _Optional[str] = ..., supersedes: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., superseded_by: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., valid_from_unix_ms: _Optional[int] = ..., valid_to_unix_ms: _Optional[int] = ..., said_at_unix_ms: _Optional[int] = ..., speaker: _Optional[str] = ..., thread: _Optional[str] = ..., provenance: _Optional[_Iterable[str]] = ..., closed_at_unix_ms: _Optional[int] = ..., closed_why: _Optional[str] = ..., seq: _Optional[int] = ..., sensitive: _Optional[_Iterable[str]] = ...) -> None: ...

class MemoryScoreBreakdown(_message.Message):
    __slots__ = ("lexical_score", "vector_score", "recency_score", "final_score", "context_score", "phrase_score", "speaker_score", "time_score", "form_score", "trust_score")
    LEXICAL_SCORE_FIELD_NUMBER: _ClassVar[int]
    VECTOR_SCORE_FIELD_NUMBER: _ClassVar[int]
    RECENCY_SCORE_FIELD_NUMBER: _ClassVar[int]
    FINAL_SCORE_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_SCORE_FIELD_NUMBER: _ClassVar[int]
    PHRASE_SCORE_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_SCORE_FIELD_NUMBER: _ClassVar[int]
    TIME_SCORE_FIELD_NUMBER: _ClassVar[int]
    FORM_SCORE_FIELD_NUMBER: _ClassVar[int]
    TRUST_SCORE_FIELD_NUMBER: _ClassVar[int]
    lexical_score: float
    vector_score: float
    recency_score: float
    final_score: float
    context_score: float
    phrase_score: float
    speaker_score: float
    time_score: float
    form_score: float
    trust_score: float
    def __init__(self, lexical_score: _Optional[float] = ..., vector_score: _Optional[float] = ..., recency_score: _Optional[float] = ..., final_score: _Optional[float] = ..., context_score: _Optional[float] = ..., phrase_score: _Optional[float] = ..., speaker_score: _Optional[float] = ..., time_score: _Optional[float] = ..., form_score: _Optional[float] = ..., trust_score: _Optional[float] = ...) -> None: ...

class MemorySearchHit(_message.Message):
    __slots__ = ("item", "snippet", "score", "breakdown")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    BREAKDOWN_FIELD_NUMBER: _ClassVar[int]
    item: MemoryItem
    snippet: str
    score: float
    breakdown: MemoryScoreBreakdown
    def __init__(self, item: _Optional[_Union[MemoryItem, _Mapping]] = ..., snippet: _Optional[str] = ..., score: _Optional[float] = ..., breakdown: _Optional[_Union[MemoryScoreBreakdown, _Mapping]] = ...) -> None: ...

class MemoryPassage(_message.Message):
    __slots__ = ("profile", "content_text", "snippet", "score", "breakdown", "speaker", "trust", "said_at_unix_ms", "seq", "event_id", "session_id", "session_key", "run_id", "type", "path", "revision", "heading", "line", "checkpoint_id", "name", "compaction_id")
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TEXT_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    BREAKDOWN_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    SAID_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_KEY_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    HEADING_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    CHECKPOINT_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_ID_FIELD_NUMBER: _ClassVar[int]
    profile: str
    content_text: str
    snippet: str
    score: float
    breakdown: MemoryScoreBreakdown
    speaker: str
    trust: str
    said_at_unix_ms: int
    seq: int
    event_id: _common_pb2.CanonicalId
    session_id: _common_pb2.CanonicalId
    session_key: str
    run_id: _common_pb2.CanonicalId
    type: str
    path: str
    revision: int
    heading: str
    line: int
    checkpoint_id: _common_pb2.CanonicalId
    name: str
    compaction_id: _common_pb2.CanonicalId
    def __init__(self, profile: _Optional[str] = ..., content_text: _Optional[str] = ..., snippet: _Optional[str] = ..., score: _Optional[float] = ..., breakdown: _Optional[_Union[MemoryScoreBreakdown, _Mapping]] = ..., speaker: _Optional[str] = ..., trust: _Optional[str] = ..., said_at_unix_ms: _Optional[int] = ..., seq: _Optional[int] = ..., event_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., session_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., session_key: _Optional[str] = ..., run_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., type: _Optional[str] = ..., path: _Optional[str] = ..., revision: _Optional[int] = ..., heading: _Optional[str] = ..., line: _Optional[int] = ..., checkpoint_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., name: _Optional[str] = ..., compaction_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ...) -> None: ...

class Receipt(_message.Message):
    __slots__ = ("seq", "hash")
    SEQ_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    seq: int
    hash: str
    def __init__(self, seq: _Optional[int] = ..., hash: _Optional[str] = ...) -> None: ...

class IngestMemoryRequest(_message.Message):
    __slots__ = ("v", "source", "content_text", "channel", "session_id", "tags", "confidence", "ttl_unix_ms", "request_id", "category", "trust", "pinned", "scope", "valid_from_unix_ms", "valid_to_unix_ms", "said_at_unix_ms", "speaker", "thread", "provenance")
    V_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TEXT_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    TTL_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    VALID_FROM_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    SAID_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    PROVENANCE_FIELD_NUMBER: _ClassVar[int]
    v: int
    source: MemorySource
    content_text: str
    channel: str
    session_id: _common_pb2.CanonicalId
    tags: _containers.RepeatedScalarFieldContainer[str]
    confidence: float
    ttl_unix_ms: int
    request_id: str
    category: str
    trust: str
    pinned: bool
    scope: str
    valid_from_unix_ms: int
    valid_to_unix_ms: int
    said_at_unix_ms: int
    speaker: str
    thread: str
    provenance: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, v: _Optional[int] = ..., source: _Optional[_Union[MemorySource, str]] = ..., content_text: _Optional[str] = ..., channel: _Optional[str] = ..., session_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., tags: _Optional[_Iterable[str]] = ..., confidence: _Optional[float] = ..., ttl_unix_ms: _Optional[int] = ..., request_id: _Optional[str] = ..., category: _Optional[str] = ..., trust: _Optional[str] = ..., pinned: _Optional[bool] = ..., scope: _Optional[str] = ..., valid_from_unix_ms: _Optional[int] = ..., valid_to_unix_ms: _Optional[int] = ..., said_at_unix_ms: _Optional[int] = ..., speaker: _Optional[str] = ..., thread: _Optional[str] = ..., provenance: _Optional[_Iterable[str]] = ...) -> None: ...

class IngestMemoryResponse(_message.Message):
    __slots__ = ("v", "item", "outcome", "memory_id", "candidate_id", "receipt", "reasons", "conflicts_with", "superseded", "is_repeat")
    V_FIELD_NUMBER: _ClassVar[int]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_ID_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    CONFLICTS_WITH_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    IS_REPEAT_FIELD_NUMBER: _ClassVar[int]
    v: int
    item: MemoryItem
    outcome: IngestOutcome
    memory_id: _common_pb2.CanonicalId
    candidate_id: _common_pb2.CanonicalId
    receipt: Receipt
    reasons: _containers.RepeatedScalarFieldContainer[str]
    conflicts_with: _containers.RepeatedCompositeFieldContainer[_common_pb2.CanonicalId]
    superseded: _containers.RepeatedCompositeFieldContainer[_common_pb2.CanonicalId]
    is_repeat: bool
    def __init__(self, v: _Optional[int] = ..., item: _Optional[_Union[MemoryItem, _Mapping]] = ..., outcome: _Optional[_Union[IngestOutcome, str]] = ..., memory_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., candidate_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., receipt: _Optional[_Union[Receipt, _Mapping]] = ..., reasons: _Optional[_Iterable[str]] = ..., conflicts_with: _Optional[_Iterable[_Union[_common_pb2.CanonicalId, _Mapping]]] = ..., superseded: _Optional[_Iterable[_Union[_common_pb2.CanonicalId, _Mapping]]] = ..., is_repeat: _Optional[bool] = ...) -> None: ...

class SearchMemoryRequest(_message.Message):
    __slots__ = ("v", "query", "channel", "session_id", "top_k", "min_score", "tags", "sources", "include_score_breakdown", "categories", "include_past", "as_of_unix_ms", "as_of_seq", "profile")
    V_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_SCORE_BREAKDOWN_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_PAST_FIELD_NUMBER: _ClassVar[int]
    AS_OF_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_SEQ_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    v: int
    query: str
    channel: str
    session_id: _common_pb2.CanonicalId
    top_k: int
    min_score: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    sources: _containers.RepeatedScalarFieldContainer[MemorySource]
    include_score_breakdown: bool
    categories: _containers.RepeatedScalarFieldContainer[str]
    include_past: bool
    as_of_unix_ms: int
    as_of_seq: int
    profile: str
    def __init__(self, v: _Optional[int] = ..., query: _Optional[str] = ..., channel: _Optional[str] = ..., session_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., top_k: _Optional[int] = ..., min_score: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., sources: _Optional[_Iterable[_Union[MemorySource, str]]] = ..., include_score_breakdown: _Optional[bool] = ..., categories: _Optional[_Iterable[str]] = ..., include_past: _Optional[bool] = ..., as_of_unix_ms: _Optional[int] = ..., as_of_seq: _Optional[int] = ..., profile: _Optional[str] = ...) -> None: ...

class SearchMemoryResponse(_message.Message):
    __slots__ = ("v", "hits", "degraded", "passages")
    V_FIELD_NUMBER: _ClassVar[int]
    HITS_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    v: int
    hits: _containers.RepeatedCompositeFieldContainer[MemorySearchHit]
    degraded: _containers.RepeatedScalarFieldContainer[str]
    passages: _containers.RepeatedCompositeFieldContainer[MemoryPassage]
    def __init__(self, v: _Optional[int] = ..., hits: _Optional[_Iterable[_Union[MemorySearchHit, _Mapping]]] = ..., degraded: _Optional[_Iterable[str]] = ..., passages: _Optional[_Iterable[_Union[MemoryPassage, _Mapping]]] = ...) -> None: ...

class GetMemoryItemRequest(_message.Message):
    __slots__ = ("v", "memory_id", "channel", "session_id")
    V_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    v: int
    memory_id: _common_pb2.CanonicalId
    channel: str
    session_id: _common_pb2.CanonicalId
    def __init__(self, v: _Optional[int] = ..., memory_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., channel: _Optional[str] = ..., session_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ...) -> None: ...

class GetMemoryItemResponse(_message.Message):
    __slots__ = ("v", "item", "conflicts")
    V_FIELD_NUMBER: _ClassVar[int]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    CONFLICTS_FIELD_NUMBER: _ClassVar[int]
    v: int
    item: MemoryItem
    conflicts: _containers.RepeatedCompositeFieldContainer[MemoryConflict]
    def __init__(self, v: _Optional[int] = ..., item: _Optional[_Union[MemoryItem, _Mapping]] = ..., conflicts: _Optional[_Iterable[_Union[MemoryConflict, _Mapping]]] = ...) -> None: ...

class MemoryConflict(_message.Message):
    __slots__ = ("memory_id", "reasons")
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    memory_id: _common_pb2.CanonicalId
    reasons: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, memory_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., reasons: _Optional[_Iterable[str]] = ...) -> None: ...

class DeleteMemoryItemRequest(_message.Message):
    __slots__ = ("v", "memory_id", "channel", "session_id")
    V_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    v: int
    memory_id: _common_pb2.CanonicalId
    channel: str
    session_id: _common_pb2.CanonicalId
    def __init__(self, v: _Optional[int] = ..., memory_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., channel: _Optional[str] = ..., session_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ...) -> None: ...

class DeleteMemoryItemResponse(_message.Message):
    __slots__ = ("v", "deleted")
    V_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    v: int
    deleted: bool
    def __init__(self, v: _Optional[int] = ..., deleted: _Optional[bool] = ...) -> None: ...

class ListMemoryItemsRequest(_message.Message):
    __slots__ = ("v", "after_memory_ulid", "limit", "channel", "session_id", "tags", "sources", "categories", "include_past")
    V_FIELD_NUMBER: _ClassVar[int]
    AFTER_MEMORY_ULID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_PAST_FIELD_NUMBER: _ClassVar[int]
    v: int
    after_memory_ulid: str
    limit: int
    channel: str
    session_id: _common_pb2.CanonicalId
    tags: _containers.RepeatedScalarFieldContainer[str]
    sources: _containers.RepeatedScalarFieldContainer[MemorySource]
    categories: _containers.RepeatedScalarFieldContainer[str]
    include_past: bool
    def __init__(self, v: _Optional[int] = ..., after_memory_ulid: _Optional[str] = ..., limit: _Optional[int] = ..., channel: _Optional[str] = ..., session_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., tags: _Optional[_Iterable[str]] = ..., sources: _Optional[_Iterable[_Union[MemorySource, str]]] = ..., categories: _Optional[_Iterable[str]] = ..., include_past: _Optional[bool] = ...) -> None: ...

class ListMemoryItemsResponse(_message.Message):
    __slots__ = ("v", "items", "next_after_memory_ulid")
    V_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_AFTER_MEMORY_ULID_FIELD_NUMBER: _ClassVar[int]
    v: int
    items: _containers.RepeatedCompositeFieldContainer[MemoryItem]
    next_after_memory_ulid: str
    def __init__(self, v: _Optional[int] = ..., items: _Optional[_Iterable[_Union[MemoryItem, _Mapping]]] = ..., next_after_memory_ulid: _Optional[str] = ...) -> None: ...

class PurgeMemoryRequest(_message.Message):
    __slots__ = ("v", "channel", "session_id", "purge_all_principal")
    V_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    PURGE_ALL_PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    v: int
    channel: str
    session_id: _common_pb2.CanonicalId
    purge_all_principal: bool
    def __init__(self, v: _Optional[int] = ..., channel: _Optional[str] = ..., session_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., purge_all_principal: _Optional[bool] = ...) -> None: ...

class PurgeMemoryResponse(_message.Message):
    __slots__ = ("v", "deleted_count")
    V_FIELD_NUMBER: _ClassVar[int]
    DELETED_COUNT_FIELD_NUMBER: _ClassVar[int]
    v: int
    deleted_count: int
    def __init__(self, v: _Optional[int] = ..., deleted_count: _Optional[int] = ...) -> None: ...
