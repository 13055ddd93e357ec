"""Finding passages by words and by meaning, ranked as memory is, whatever source they stand in.

Whatever an index says, a hit is read through the caller's visibility in the same snapshot before anybody sees it.
Where an index fails, the words in the database answer; what took no part is named in `degraded`.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from palyra.core import limits
from palyra.core.errors import Deadline, InvalidArgument, PalyraError
from palyra.core.redact import redact_memory_text_for_output
from palyra.domain.recall import snippet
from palyra.domain.retrieval.passages import PassageHit
from palyra.domain.retrieval.query import RetrievalSourceProfileKind, Scored
from palyra.domain.retrieval.scale import as_probability
from palyra.domain.retrieval.terms import query_terms
from palyra.domain.scope import Visibility
from palyra.services.memory.asking import Question, checked_query
from palyra.services.memory.context import Memory
from palyra.services.memory.sources.continuity import Checkpoints, Summaries
from palyra.services.memory.sources.documents import DocumentSections
from palyra.services.memory.sources.index import SourceIndex, key_of, seq_and_number
from palyra.services.memory.sources.source import PassageSource
from palyra.services.memory.sources.tape import Tape
from palyra.store.connection import ReadTx

SOURCES: Final[dict[RetrievalSourceProfileKind, PassageSource]] = {
    RetrievalSourceProfileKind.TRANSCRIPT: Tape(),
    RetrievalSourceProfileKind.WORKSPACE: DocumentSections(),
    RetrievalSourceProfileKind.CHECKPOINT: Checkpoints(),
    RetrievalSourceProfileKind.COMPACTION: Summaries(),
}
"""what a profile searches; the profile memory searches memory itself"""

_EMBED_SECONDS = 2.0
"""a recall that waits longer goes without them"""
_BY_NETWORK = limits.BACKFILL_BATCH
"""pieces that one search sends to a model over the network; the rest waits for the next one"""
_SPARE = 8
"""asked for beyond the limit: of a long turn several pieces may fit, and one is shown"""


@dataclass(frozen=True, slots=True)
class Passages:
    hits: tuple[PassageHit, ...]
    degraded: tuple[str, ...]
    """parts that took no part, or not for every piece: vector, index"""


@dataclass(frozen=True, slots=True)
class _Search:
    memory: Memory
    source: PassageSource
    index: SourceIndex
    question: Question
    caller: Visibility
    limit: int
    min_score: float


async def search_passages(
    memory: Memory,
    kind: RetrievalSourceProfileKind,
    query: str,
    caller: Visibility,
    limit: int,
    min_score: float = 0.0,
) -> Passages:
    """What of that source answers and the caller may see, best first."""
    return await search_in(memory, SOURCES[kind], kind, query, caller, limit, min_score)


async def search_in(
    memory: Memory,
    source: PassageSource,
    kind: RetrievalSourceProfileKind,
    query: str,
    caller: Visibility,
    limit: int,
    min_score: float = 0.0,
) -> Passages:
    """The same in a source that no profile names, with the weights of that kind."""
    check_limit(limit)
    if not 0.0 <= min_score <= 1.0:
        raise InvalidArgument(f"min_score {min_score} is outside 0..1", hint="0.3 leaves out weak hits")
    question = Question(checked_query(query))
    await question.embed(memory.follower)
    index = await _prepared(memory, source, kind, question, caller)
    asked = _Search(memory, source, index, question, caller, limit, min_score)
    hits = await memory.store.db.read_alone(lambda tx: _find(tx, asked))
    return Passages(tuple(hits), tuple(question.degraded))


def check_limit(limit: int) -> None:
    if not 1 <= limit <= limits.TOP_K:
        raise InvalidArgument(f"limit {limit} is outside 1..{limits.TOP_K}", hint="20 is a good start")


async def _prepared(
    memory: Memory, source: PassageSource, kind: RetrievalSourceProfileKind, question: Question, caller: Visibility
) -> SourceIndex:
    """The index, with vectors for what is new since the last search."""
    follower = memory.follower
    index = memory.sources.of(source, kind, caller.principal, follower.serving, follower.serving_dims)
    await memory.store.db.read_alone(lambda tx: index.follow(tx, caller.principal))
    bare = index.bare(None if follower.answers_at_once else _BY_NETWORK)
    if not bare or question.degraded:
        return index
    try:
        async with asyncio.timeout(None if follower.answers_at_once else _EMBED_SECONDS):
            identity, vectors = await follower.embed_as_served([text for _, text in bare])
    except TimeoutError:
        error = Deadline(f"what was found had no vectors within {_EMBED_SECONDS:g} s", hint="palyra memory status")
        question.say_without_vectors(error)
    except PalyraError as error:
        question.say_without_vectors(error)
    else:
        if identity == index.identity:
            await asyncio.to_thread(index.put_vectors, [key for key, _ in bare], vectors)
    if index.bare(1):
        question.say_without_vectors(Deadline("some texts have no vectors yet", hint="search again"))
    return index


def _find(tx: ReadTx, asked: _Search) -> list[PassageHit]:
    wanted = {
        seq_and_number(hit.key): hit for hit in _scored(tx, asked) if hit.score >= asked.min_score and hit.has_evidence
    }
    passages = asked.source.passages(tx, list(wanted), asked.caller)
    terms = query_terms(asked.question.text)
    found = [(hit, passages[key]) for key, hit in wanted.items() if key in passages]
    return [
        PassageHit(passage, hit.score, hit.parts, snippet(redact_memory_text_for_output(passage.text), terms))
        for hit, passage in found[: asked.limit]
    ]


def _scored(tx: ReadTx, asked: _Search) -> list[Scored]:
    memory, question, limit = asked.memory, asked.question, asked.limit + _SPARE
    now_ms = memory.clock.now_ms()
    try:
        try:
            found = asked.index.search(tx, asked.caller, question, now_ms, limit)
        except InvalidArgument as error:
            # The model was changed between embedding the question and looking it up: its vector is of another kind.
            question.go_without_vectors(error)
            found = asked.index.search(tx, asked.caller, question, now_ms, limit)
        return list(map(as_probability, found))
    except (ValueError, IndexError, KeyError, MemoryError, FloatingPointError):
        # A defect of the index must not take the texts away: the database has an index of its own.
        question.go_without_index()
        memory.sources.forget(asked.caller.principal)
    by_words = asked.source.words(tx, query_terms(question.text), asked.caller, limit)
    best = max((score for _, score in by_words), default=1.0) or 1.0
    halves = [(key_of(*key), score / best / 2) for key, score in by_words]
    return [Scored(key, score, {"lexical": score}) for key, score in halves]
