from palyra.transports.grpc.generated import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Decision(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DECISION_UNSPECIFIED: _ClassVar[Decision]
    DECISION_APPROVE: _ClassVar[Decision]
    DECISION_REJECT: _ClassVar[Decision]
    DECISION_REOPEN: _ClassVar[Decision]
DECISION_UNSPECIFIED: Decision
DECISION_APPROVE: Decision
DECISION_REJECT: Decision
DECISION_REOPEN: Decision

class Candidate(_message.Message):
    __slots__ = ("v", "candidate_id", "seq", "principal", "channel", "run_id", "session_id", "kind", "content_text", "confidence", "basis", "trust", "risks", "sensitivity", "about", "title", "steps", "extractor", "state", "because", "similar", "conflicts", "proposed_at_unix_ms", "updated_at_unix_ms", "snoozed_until_unix_ms", "memory_id", "document", "sensitive")
    V_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TEXT_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    BASIS_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    RISKS_FIELD_NUMBER: _ClassVar[int]
    SENSITIVITY_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    EXTRACTOR_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    BECAUSE_FIELD_NUMBER: _ClassVar[int]
    SIMILAR_FIELD_NUMBER: _ClassVar[int]
    CONFLICTS_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    SNOOZED_UNTIL_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    SENSITIVE_FIELD_NUMBER: _ClassVar[int]
    v: int
    candidate_id: _common_pb2.CanonicalId
    seq: int
    principal: str
    channel: str
    run_id: _common_pb2.CanonicalId
    session_id: _common_pb2.CanonicalId
    kind: str
    content_text: str
    confidence: float
    basis: _containers.RepeatedScalarFieldContainer[str]
    trust: str
    risks: _containers.RepeatedScalarFieldContainer[str]
    sensitivity: str
    about: str
    title: str
    steps: _containers.RepeatedScalarFieldContainer[str]
    extractor: str
    state: str
    because: _containers.RepeatedScalarFieldContainer[str]
    similar: _containers.RepeatedCompositeFieldContainer[_common_pb2.CanonicalId]
    conflicts: _containers.RepeatedCompositeFieldContainer[_common_pb2.CanonicalId]
    proposed_at_unix_ms: int
    updated_at_unix_ms: int
    snoozed_until_unix_ms: int
    memory_id: _common_pb2.CanonicalId
    document: str
    sensitive: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, v: _Optional[int] = ..., candidate_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., seq: _Optional[int] = ..., principal: _Optional[str] = ..., channel: _Optional[str] = ..., run_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., session_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., kind: _Optional[str] = ..., content_text: _Optional[str] = ..., confidence: _Optional[float] = ..., basis: _Optional[_Iterable[str]] = ..., trust: _Optional[str] = ..., risks: _Optional[_Iterable[str]] = ..., sensitivity: _Optional[str] = ..., about: _Optional[str] = ..., title: _Optional[str] = ..., steps: _Optional[_Iterable[str]] = ..., extractor: _Optional[str] = ..., state: _Optional[str] = ..., because: _Optional[_Iterable[str]] = ..., similar: _Optional[_Iterable[_Union[_common_pb2.CanonicalId, _Mapping]]] = ..., conflicts: _Optional[_Iterable[_Union[_common_pb2.CanonicalId, _Mapping]]] = ..., proposed_at_unix_ms: _Optional[int] = ..., updated_at_unix_ms: _Optional[int] = ..., snoozed_until_unix_ms: _Optional[int] = ..., memory_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., document: _Optional[str] = ..., sensitive: _Optional[_Iterable[str]] = ...) -> None: ...

class Evidence(_message.Message):
    __slots__ = ("seq", "event_id", "session_id", "run_id", "at_unix_ms", "words", "message")
    SEQ_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    seq: int
    event_id: _common_pb2.CanonicalId
    session_id: _common_pb2.CanonicalId
    run_id: _common_pb2.CanonicalId
    at_unix_ms: int
    words: str
    message: str
    def __init__(self, seq: _Optional[int] = ..., event_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., session_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., run_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., at_unix_ms: _Optional[int] = ..., words: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class Step(_message.Message):
    __slots__ = ("seq", "state", "at_unix_ms", "actor", "reason", "content_text")
    SEQ_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TEXT_FIELD_NUMBER: _ClassVar[int]
    seq: int
    state: str
    at_unix_ms: int
    actor: str
    reason: str
    content_text: str
    def __init__(self, seq: _Optional[int] = ..., state: _Optional[str] = ..., at_unix_ms: _Optional[int] = ..., actor: _Optional[str] = ..., reason: _Optional[str] = ..., content_text: _Optional[str] = ...) -> None: ...

class Known(_message.Message):
    __slots__ = ("memory_id", "content_text")
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TEXT_FIELD_NUMBER: _ClassVar[int]
    memory_id: _common_pb2.CanonicalId
    content_text: str
    def __init__(self, memory_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., content_text: _Optional[str] = ...) -> None: ...

class ListCandidatesRequest(_message.Message):
    __slots__ = ("v", "states", "kinds", "snoozed", "after_seq", "limit", "channel")
    V_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    SNOOZED_FIELD_NUMBER: _ClassVar[int]
    AFTER_SEQ_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    v: int
    states: _containers.RepeatedScalarFieldContainer[str]
    kinds: _containers.RepeatedScalarFieldContainer[str]
    snoozed: bool
    after_seq: int
    limit: int
    channel: str
    def __init__(self, v: _Optional[int] = ..., states: _Optional[_Iterable[str]] = ..., kinds: _Optional[_Iterable[str]] = ..., snoozed: _Optional[bool] = ..., after_seq: _Optional[int] = ..., limit: _Optional[int] = ..., channel: _Optional[str] = ...) -> None: ...

class ListCandidatesResponse(_message.Message):
    __slots__ = ("v", "candidates", "next_after_seq", "counts", "queued_runs")
    class CountsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    V_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    NEXT_AFTER_SEQ_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    QUEUED_RUNS_FIELD_NUMBER: _ClassVar[int]
    v: int
    candidates: _containers.RepeatedCompositeFieldContainer[Candidate]
    next_after_seq: int
    counts: _containers.ScalarMap[str, int]
    queued_runs: int
    def __init__(self, v: _Optional[int] = ..., candidates: _Optional[_Iterable[_Union[Candidate, _Mapping]]] = ..., next_after_seq: _Optional[int] = ..., counts: _Optional[_Mapping[str, int]] = ..., queued_runs: _Optional[int] = ...) -> None: ...

class GetCandidateRequest(_message.Message):
    __slots__ = ("v", "candidate_id", "channel")
    V_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    v: int
    candidate_id: _common_pb2.CanonicalId
    channel: str
    def __init__(self, v: _Optional[int] = ..., candidate_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., channel: _Optional[str] = ...) -> None: ...

class GetCandidateResponse(_message.Message):
    __slots__ = ("v", "candidate", "evidence", "similar", "conflicts", "history")
    V_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    SIMILAR_FIELD_NUMBER: _ClassVar[int]
    CONFLICTS_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    v: int
    candidate: Candidate
    evidence: _containers.RepeatedCompositeFieldContainer[Evidence]
    similar: _containers.RepeatedCompositeFieldContainer[Known]
    conflicts: _containers.RepeatedCompositeFieldContainer[Known]
    history: _containers.RepeatedCompositeFieldContainer[Step]
    def __init__(self, v: _Optional[int] = ..., candidate: _Optional[_Union[Candidate, _Mapping]] = ..., evidence: _Optional[_Iterable[_Union[Evidence, _Mapping]]] = ..., similar: _Optional[_Iterable[_Union[Known, _Mapping]]] = ..., conflicts: _Optional[_Iterable[_Union[Known, _Mapping]]] = ..., history: _Optional[_Iterable[_Union[Step, _Mapping]]] = ...) -> None: ...

class DecideCandidateRequest(_message.Message):
    __slots__ = ("v", "candidate_id", "decision", "text", "reason", "request_id", "channel")
    V_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    v: int
    candidate_id: _common_pb2.CanonicalId
    decision: Decision
    text: str
    reason: str
    request_id: str
    channel: str
    def __init__(self, v: _Optional[int] = ..., candidate_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., decision: _Optional[_Union[Decision, str]] = ..., text: _Optional[str] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ..., channel: _Optional[str] = ...) -> None: ...

class DecideCandidateResponse(_message.Message):
    __slots__ = ("v", "candidate")
    V_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_FIELD_NUMBER: _ClassVar[int]
    v: int
    candidate: Candidate
    def __init__(self, v: _Optional[int] = ..., candidate: _Optional[_Union[Candidate, _Mapping]] = ...) -> None: ...

class RollBackCandidateRequest(_message.Message):
    __slots__ = ("v", "candidate_id", "reason", "request_id", "channel")
    V_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    v: int
    candidate_id: _common_pb2.CanonicalId
    reason: str
    request_id: str
    channel: str
    def __init__(self, v: _Optional[int] = ..., candidate_id: _Optional[_Union[_common_pb2.CanonicalId, _Mapping]] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ..., channel: _Optional[str] = ...) -> None: ...

class RollBackCandidateResponse(_message.Message):
    __slots__ = ("v", "candidate")
    V_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_FIELD_NUMBER: _ClassVar[int]
    v: int
    candidate: Candidate
    def __init__(self, v: _Optional[int] = ..., candidate: _Optional[_Union[Candidate, _Mapping]] = ...) -> None: ...
