"""The journal's own words: drafts that ask to be appended, records that were, receipts that say so."""

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar, cast

from palyra.core import limits
from palyra.core.errors import InvalidArgument
from palyra.core.hashing import Json, header_names
from palyra.core.ids import EventId, parse_ulid

T = TypeVar("T")


class Actor(StrEnum):
    USER = "user"
    AGENT = "agent"
    SYSTEM = "system"
    OPERATOR = "operator"
    PLUGIN = "plugin"


class Origin(NamedTuple):
    """Who did it and where: the part of a header that many events share. (A named tuple: it is looked up by.)"""

    principal: str
    actor: Actor = Actor.USER
    channel: str | None = None
    session_id: str | None = None
    run_id: str | None = None


class EventBody(Protocol):
    """A frozen dataclass whose fields are the payload of an event."""

    KIND: ClassVar[str]
    V: ClassVar[int]
    TELLS: ClassVar[str]
    """what it says to a person: see `wire/telling.py`"""
    WORDS: ClassVar[tuple[str, ...]]
    """fields that hold somebody's words"""


class EventDraft(NamedTuple):
    """One fact that asks to be appended. The writer adds seq, time, salt, commitment and hashes."""

    kind: str
    body: dict[str, Json]
    origin: Origin
    v: int = 1
    event_id: EventId | None = None
    occurred_at_ms: int | None = None
    words: tuple[str, ...] | None = None
    """fields that hold somebody's words, for the redactor; None: it looks everywhere"""


@dataclass(frozen=True, slots=True)
class RequestKey:
    """What makes a repeated request recognisable: the caller's id, and a digest of what was asked."""

    request_id: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class EventRecord:
    """`JournalEventRecord`: one row of the journal. `payload` and `salt` are None once erased."""

    seq: int
    event_id: EventId
    kind: str
    v: int
    origin: Origin
    request_id: str | None
    request_digest: bytes | None
    occurred_at_ms: int
    recorded_at_ms: int
    commitment: bytes
    prev_hash: bytes
    hash: bytes
    salt: bytes | None
    payload: bytes | None

    @property
    def is_erased(self) -> bool:
        return self.payload is None


class Receipt(NamedTuple):
    """Proof of having been written: quote it, and `palyra journal prove` shows the rest."""

    seq: int
    event_id: EventId
    hash: bytes
    recorded_at_ms: int
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Decision(Generic[T]):
    """What a use-case wants written, and what it will answer once that is durable."""

    events: tuple[EventDraft, ...]
    outcome: T


@dataclass(frozen=True, slots=True)
class Committed(Generic[T]):
    outcome: T
    receipts: tuple[Receipt, ...]


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events a query wants; every given field must match."""

    kind: str | None = None
    actor: Actor | None = None
    principal: str | None = None
    channel: str | None = None
    session_id: str | None = None
    run_id: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    from_id: EventId | None = None
    to_id: EventId | None = None


class Fault(StrEnum):
    """What `verify` can find wrong."""

    PAYLOAD = "payload"
    HEADER = "header"
    LINK = "link"
    ORDER = "order"
    GAP = "gap"
    TRUNCATED = "truncated"
    CHECKPOINT = "checkpoint"
    TREE = "tree"
    NAMES = "names"
    PROJECTION = "projection"
    DATABASE = "database"


@dataclass(frozen=True, slots=True)
class Finding:
    fault: Fault
    seq: int | None
    message: str


_KIND = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*){0,5}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

RESERVED_NAMESPACES = frozenset({
    "journal", "memory", "session", "run", "tape", "workspace", "checkpoint", "compaction", "learning", "cron",
    "job", "token", "console", "index", "access", "demo",
})  # fmt: skip
"""Kinds that change projected state belong to the product; `journal append` may not forge them."""


def check_draft(draft: EventDraft) -> bytes:
    """One clear error for a header that could not be read back as it was written; else its encoded names."""
    if not 1 <= draft.v <= 0xFFFF:
        raise InvalidArgument(
            f"event version {draft.v} is outside 1..65535", hint="use v 1 unless the kind says otherwise"
        )
    if draft.event_id is not None:
        parse_ulid(draft.event_id, "event id")
    if draft.occurred_at_ms is not None and not 0 <= draft.occurred_at_ms < 1 << 48:
        raise InvalidArgument(
            f"occurred_at_ms {draft.occurred_at_ms} is outside 0..2**48", hint="give milliseconds since 1970-01-01 UTC"
        )
    return encode_names(draft.kind, draft.origin)


def check_kind(kind: str) -> str:
    if not _KIND.fullmatch(kind) or len(kind) > limits.EVENT_KIND_BYTES:
        raise InvalidArgument(
            f"event kind {kind[:80]!r} is not a dotted name",
            hint=f"use lower-case words joined by dots, such as build.finished, in {limits.EVENT_KIND_BYTES} bytes",
        )
    return kind


def payload_of(event: EventBody) -> dict[str, Json]:
    """Small, because it is kept for ever: a field that says nothing is not written."""
    body: dict[str, Json] = {}
    names, values_of = _names(type(event))
    for name, value in zip(names, values_of(event), strict=True):
        if value is None or value is False or value in ((), ""):
            continue
        body[name] = cast("Json", list(value) if type(value) is tuple else value)
    return body


def draft_of_event(event: EventBody, origin: Origin, occurred_at_ms: int | None = None) -> EventDraft:
    return EventDraft(event.KIND, payload_of(event), origin, event.V, None, occurred_at_ms, event.WORDS)


@cache
def _names(kind: type[Any]) -> tuple[tuple[str, ...], Callable[[object], tuple[Any, ...]]]:
    names = tuple(field.name for field in fields(kind))
    return names, attrgetter(*names) if len(names) > 1 else lambda event: tuple(getattr(event, name) for name in names)


@lru_cache(maxsize=4096)
def check_identifier(value: str, what: str) -> str:
    """Identifiers stay in the header for good, so nothing erasable or unreadable may hide in them."""
    size = len(value.encode("utf-8", "surrogatepass"))
    if not value or size > limits.IDENTIFIER_BYTES:
        raise InvalidArgument(
            f"{what} is {size} bytes; it must be 1 to {limits.IDENTIFIER_BYTES}",
            hint=f"shorten the {what}" if value else f"give a {what}, or leave it out",
        )
    if _CONTROL.search(value) or value != value.strip():
        raise InvalidArgument(
            f"{what} {value[:64]!r} holds control characters or outer spaces", hint="use visible characters"
        )
    from palyra.core.redact import SECRETS_ONLY, redact_text  # noqa: PLC0415 - who only shows events redacts nothing

    if redact_text(value, SECRETS_ONLY).spans:
        raise InvalidArgument(
            f"{what} looks like it holds a secret", hint="identifiers are never erased: use a name, not a credential"
        )
    return value


@lru_cache(maxsize=4096)
def encode_names(kind: str, origin: Origin) -> bytes:
    """The repeated middle of the hashed header, once every name in it is known to be sound."""
    check_kind(kind)
    check_identifier(origin.principal, "principal")
    for value, what in ((origin.channel, "channel"), (origin.session_id, "session id"), (origin.run_id, "run id")):
        if value is not None:
            check_identifier(value, what)
    names = (kind, origin.actor.value, origin.principal, origin.channel, origin.session_id, origin.run_id)
    return header_names(*(None if name is None else name.encode() for name in names))
