"""What the product asks of the outside: one Protocol per kind of adapter, and the plain values they exchange.

An adapter is one file in `providers/` and one row in its table; the suite in `tests/conformance` runs over the table.
Adapters are synchronous and thread-safe, but for models, which stream: whoever calls one keeps it off the event loop
and bounds its time.
They raise errors of `palyra.core.errors`, so that a caller can degrade without knowing who failed.
"""

from collections.abc import AsyncGenerator, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from palyra.core.errors import InvalidArgument
from palyra.core.ids import MemoryId
from palyra.domain.chat.conversation import ChatEvent, ChatRequest, ToolSpec
from palyra.domain.chat.tool_policy import Verdict
from palyra.domain.retrieval.vectors import Floats

Role: TypeAlias = Literal["query", "document"]


@dataclass(frozen=True, slots=True)
class EmbeddingIdentity:
    """Two vectors may be compared only if they carry the same identity. `version` changes with the arithmetic."""

    model: str
    dims: int
    version: str

    def __str__(self) -> str:
        return f"{self.model}/{self.dims}/{self.version}"

    @classmethod
    def parse(cls, text: str) -> "EmbeddingIdentity":
        """The inverse of `str`; the model's name may itself hold slashes."""
        model, _, rest = text.rpartition("/")
        model, _, dims = model.rpartition("/")
        if not (model and rest and dims.isascii() and dims.isdigit()):
            raise InvalidArgument(f"{text[:64]!r} is not an embedding identity", hint="expected model/dims/version")
        return cls(model, int(dims), rest)


class EmbeddingProvider(Protocol):
    """Text to vectors. The same text always gives the same vector under one identity, alone or in a batch."""

    @property
    def identity(self) -> EmbeddingIdentity: ...

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        """float32 (len(texts), dims), each row finite and of unit length, for any text at all.

        Unavailable, Deadline, Exhausted, FailedPrecondition or Integrity when it cannot: then no vector exists."""

    def close(self) -> None:
        """May be called twice."""


class SentenceEncoder(Protocol):
    """Sentences to rows of length one that are close when the sentences mean the like, whatever their languages.

    Too slow for a hot path, and remembered: keep it off the event loop. The same text always gives the same row."""

    def load(self) -> None:
        """What the first call would do. Unavailable or Integrity where it cannot be loaded."""

    @property
    def is_loaded(self) -> bool: ...

    def __call__(self, texts: Sequence[str]) -> Floats: ...

    def knows(self, texts: Sequence[str]) -> bool:
        """Whether a call would only look them up."""

    def forget(self) -> None:
        """After erasing."""

    def close(self) -> None:
        """May be called twice."""


class WeightedSpan(NamedTuple):
    """Characters `start` to `end` of a query, and how much they count: 1.0 is as usual, 0.0 not at all."""

    start: int
    end: int
    weight: float


@runtime_checkable
class WeightedQueries(Protocol):
    """A provider that can count some words of a query less, such as names the whole store is full of.

    What is frequent depends on the store, so it may shape queries only: stored vectors never depend on the store."""

    def embed_weighted(self, query: str, spans: Sequence[WeightedSpan]) -> Floats:
        """One unit vector (dims,). Text outside the spans weighs 1.0."""


class Near(NamedTuple):
    id: MemoryId
    cosine: float


class VectorIndex(Protocol):
    """Nearest vectors within one principal's partition. It sees ids and numbers, never a text, a session or a scope:
    what it returns is only a candidate until it has been read through the caller's visibility."""

    @property
    def dims(self) -> int: ...

    def put(self, principal: str, ids: Sequence[MemoryId], vectors: Floats) -> None:
        """Adds or replaces; all or nothing. InvalidArgument for wrong dims, NaN or a length other than 1."""

    def discard(self, principal: str, ids: Collection[MemoryId]) -> None:
        """Unknown ids are ignored."""

    def drop(self, principal: str) -> None:
        """Forgets the whole partition."""

    def top(self, principal: str, query: Floats, n: int, allowed: Collection[MemoryId] | None = None) -> Sequence[Near]:
        """The `n` nearest, best first; equal cosines in any fixed order. Unknown ids in `allowed` are ignored."""

    def cosines(self, principal: str, query: Floats, ids: Sequence[MemoryId]) -> Floats:
        """One per id, in that order; 0.0 for an unknown one."""

    def count(self, principal: str) -> int: ...

    def close(self) -> None:
        """May be called twice."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    provider: str
    model: str
    window_tokens: int
    max_output_tokens: int
    takes_images: bool
    takes_tools: bool


@dataclass(frozen=True, slots=True)
class ModelHealth:
    """How the last calls went. `open`: it failed so often that it is not asked for a while."""

    breaker: Literal["closed", "open", "half_open"]
    failures: int
    """in a row"""
    last_error: str
    retry_at_ms: int | None


class ChatModel(Protocol):
    """A language model. One instance serves many streams at once, all on the event loop."""

    @property
    def info(self) -> ModelInfo: ...

    @property
    def health(self) -> ModelHealth: ...

    def count_tokens(self, text: str) -> int:
        """Exact where the model's tokenizer is at hand, else a bound that errs upwards."""

    def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """Text and calls as they come, at last one `Stopped`. A call comes whole.

        InvalidArgument, TooLarge, FailedPrecondition (key, model), Exhausted, Unavailable, Deadline or Integrity.
        Retries only before the first event: what was shown is never begun again. Closing the iterator ends the call."""

    async def close(self) -> None:
        """May be called twice."""


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool of the box, with what the policy says about it before anybody has called it."""

    spec: ToolSpec
    asks: bool
    """a person has to agree to each call"""
    untrusted: bool
    """what it brings came from outside: files, pages, programs"""


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    text: str
    is_error: bool = False


class ToolRun(Protocol):
    """The tools of one run, which see what its caller may see. `check`, ask a person if it says so, then `call`."""

    @property
    def tainted(self) -> bool:
        """Whether untrusted text has been in the prompt of this run. There is no way back."""

    def taint(self) -> None: ...

    def offers(self) -> Sequence[ToolOffer]: ...

    def check(self, name: str, arguments: str) -> Verdict: ...

    async def question(self, name: str, arguments: str) -> str:
        """What to ask the person, on one line."""

    async def call(self, name: str, arguments: str, *, approved: bool = False) -> ToolOutcome:
        """Checks once more. What goes wrong is an outcome that tells the model, never an exception."""


class MirroredRow(NamedTuple):
    """What an external engine is given of an item: no word of it, and marks that only we can make."""

    principal: str
    id: MemoryId
    scope: bytes
    mark: bytes
    """of the content: 16 bytes, as the scope"""
    vector: bytes
    """float16, as stored"""


class EngineProposal(NamedTuple):
    """What an external engine says is near. Nothing of it is believed: see `services/external`."""

    id: MemoryId
    mark: bytes
    cosine: float


class RangeDigest(NamedTuple):
    rows: int
    digest: int
    """all rows' digests, exclusive-or"""


class ListedRow(NamedTuple):
    principal: bytes
    id: MemoryId
    digest: int


class MirrorIndex(VectorIndex, Protocol):
    """A vector index on another machine, whose rows can be compared with ours. Every method is bounded in time and
    raises Unavailable, Deadline, Exhausted (full), FailedPrecondition (wrong table or rights) or Integrity."""

    def mirror(self, rows: Sequence[MirroredRow]) -> None:
        """Adds or replaces, all or nothing; the same rows again change nothing. Durable when it returns."""

    def remove(self, rows: Sequence[tuple[str, MemoryId]]) -> None:
        """(principal, id); unknown ones are ignored. Durable when it returns."""

    def nearest(self, principal: str, query: Floats, n: int, scopes: Sequence[bytes]) -> Sequence[EngineProposal]:
        """Within these scopes, best first as far as the engine knows."""

    def digests(self) -> dict[int, RangeDigest]:
        """By the range an id falls in (`domain/retrieval/mirror.py`); empty ranges are left out."""

    def listed(self, ranges: Collection[int]) -> Sequence[ListedRow]: ...

    def clear(self) -> None:
        """Forgets every row of this mirror, of all principals."""

    def retire(self, table: str) -> None:
        """Removes another mirror from the same server, if it is there."""

    def load_first(self) -> None:
        """Many rows will come: search structures are given up until `index_now`. Searches may be slow or refused."""

    def index_now(self) -> None:
        """Searches are quick again when it returns; at once if they are."""

    def ping(self) -> None:
        """Returns if it would answer a search."""

    def total(self) -> int: ...
