"""What the tools take: the schemas a model reads are made from these, and the same types check what arrives."""

from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from palyra.core import limits
from palyra.core.errors import InvalidArgument
from palyra.domain.labels import Category
from palyra.domain.memory import MemorySource
from palyra.domain.retrieval.query import RetrievalSourceProfileKind
from palyra.domain.scope import ScopeKind
from palyra.language.statements import Role
from palyra.wire.base import Arguments

_QUOTED_CHARS = 300
FORGOTTEN_AT_ONCE = 16
"""a person has to read every one of them"""

_Tags = Annotated[tuple[str, ...], Meta(max_length=limits.ITEM_TAGS, description="only memories with all these tags")]
_Places = Annotated[int, Meta(ge=1, le=limits.TOP_K)]
_Moment = Annotated[int, Meta(ge=0, lt=2**48, description="milliseconds since 1970-01-01 UTC")]
_Id = Annotated[str, Meta(min_length=26, max_length=26, description="a memory id, such as search shows")]


class SearchArguments(Arguments, kw_only=True):
    query: Annotated[str, Meta(min_length=1, max_length=limits.QUERY_BYTES, description="a question, or words")]
    profile: Annotated[
        RetrievalSourceProfileKind,
        Meta(description="what to search: memory, the words of conversations, documents, checkpoints or summaries"),
    ] = RetrievalSourceProfileKind.MEMORY
    top_k: Annotated[int, Meta(ge=1, le=limits.TOP_K, description="at most so many")] = 8
    min_score: Annotated[float, Meta(ge=0, le=1, description="leave out what scores less")] = 0.0
    tags: _Tags = ()
    categories: Annotated[tuple[Category, ...], Meta(description="only these; none: all")] = ()
    sources: Annotated[tuple[MemorySource, ...], Meta(description="only from these; none: all")] = ()
    include_past: Annotated[bool, Meta(description="also what was superseded or has expired")] = False
    as_of_ms: Annotated[_Moment | None, Meta(description="what was known then, in milliseconds since 1970")] = None


class RecallArguments(Arguments, kw_only=True):
    query: Annotated[str, Meta(min_length=1, max_length=limits.QUERY_BYTES, description="the question or task at hand")]
    max_items: Annotated[
        _Places | None, Meta(description="at most so many memories; absent: as many as chat gives")
    ] = None
    budget_tokens: Annotated[int, Meta(ge=64, le=32_768, description="how long the block may get")] = 2_048
    tags: _Tags = ()
    as_of_ms: Annotated[_Moment | None, Meta(description="what was known then, in milliseconds since 1970")] = None


class RetainArguments(Arguments, kw_only=True):
    text: Annotated[
        str,
        Meta(min_length=1, max_length=limits.ITEM_BYTES, description="one self-contained statement, no secrets"),
    ]
    source: Annotated[
        MemorySource,
        Meta(description="where it comes from: durable_fact (your conclusion), tape:user_message (said by the user)…"),
    ] = MemorySource.DURABLE_FACT
    category: Annotated[Category | None, Meta(description="guessed from the text if absent")] = None
    tags: Annotated[tuple[str, ...], Meta(max_length=limits.ITEM_TAGS)] = ()
    scope: Annotated[
        ScopeKind | None, Meta(description="who may see it later; absent: the narrowest place you stand in")
    ] = None
    speaker: Annotated[str, Meta(max_length=limits.IDENTIFIER_BYTES, description="who said it")] = ""
    said_at_ms: Annotated[_Moment | None, Meta(description="when it was said, in milliseconds since 1970")] = None
    ttl_ms: Annotated[
        Annotated[int, Meta(ge=1, lt=2**47)] | None, Meta(description="forget it by itself after so long")
    ] = None
    request_id: Annotated[
        Annotated[str, Meta(min_length=1, max_length=limits.IDENTIFIER_BYTES)] | None,
        Meta(description="repeat a call with the same id, and it is done once"),
    ] = None


class SaidTurn(Arguments, kw_only=True):
    role: Annotated[Role, Meta(description="who said it")]
    text: Annotated[str, Meta(min_length=1, max_length=limits.MESSAGE_BYTES, description="in their own words, whole")]
    said_at_ms: Annotated[_Moment | None, Meta(description="when it was said, in milliseconds since 1970")] = None
    speaker: Annotated[str, Meta(max_length=limits.IDENTIFIER_BYTES, description="the person's name, in a team")] = ""
    turn_id: Annotated[str, Meta(max_length=limits.IDENTIFIER_BYTES, description="your id of it, if it has one")] = ""


class AddArguments(Arguments, kw_only=True):
    session: Annotated[str, Meta(min_length=1, max_length=128, description="a name for this conversation")]
    turns: Annotated[
        tuple[SaidTurn, ...],
        Meta(min_length=1, max_length=limits.TURNS_AT_ONCE, description="in the order they were said"),
    ]
    wait_ms: Annotated[int, Meta(ge=0, le=limits.WAIT_MS, description="how long to wait until they are read")] = 5_000


class ReflectArguments(Arguments, kw_only=True):
    question: Annotated[
        str, Meta(min_length=1, max_length=limits.QUERY_BYTES, description="what to gather the memories about")
    ]
    max_items: Annotated[int, Meta(ge=1, le=16, description="at most so many facts")] = 8


class GetArguments(Arguments, kw_only=True):
    memory_id: _Id


class ForgetArguments(Arguments, kw_only=True):
    memory_ids: Annotated[
        tuple[_Id, ...], Meta(min_length=1, max_length=FORGOTTEN_AT_ONCE, description="what to delete")
    ]


class StatusArguments(Arguments, kw_only=True):
    pass


A = TypeVar("A", bound=Arguments)


def parse(kind: type[A], given: dict[str, Any] | None) -> A:
    try:
        return msgspec.convert({name: _whole(value) for name, value in (given or {}).items()}, kind)
    except msgspec.ValidationError as error:
        raise InvalidArgument(str(error)[:_QUOTED_CHARS], hint="the tool's inputSchema says what it takes") from None


def _whole(value: object) -> object:
    """In JSON 8.0 is an integer, and so says the schema."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
