"""Finding memory again: hybrid search.

Whatever the indexes say, a hit is read through the caller's visibility in the same snapshot before anybody sees it.
A branch that fails is left out, and the answer says `degraded`.
"""

import re
from dataclasses import dataclass, field, replace

from palyra.core import limits
from palyra.core.errors import InvalidArgument
from palyra.core.ids import MemoryId
from palyra.core.redact import redact_memory_text_for_output
from palyra.domain.memory import AsOf, ItemFilter, MemoryItem
from palyra.domain.recall import Hit, newer_first, snippet
from palyra.domain.retrieval.query import PROFILES, RetrievalSourceProfileKind, Scored
from palyra.domain.retrieval.question import parse
from palyra.domain.retrieval.scale import as_probability
from palyra.domain.retrieval.terms import analyse, query_terms
from palyra.domain.scope import Visibility
from palyra.services.memory.asking import Question, checked_query
from palyra.services.memory.context import Memory
from palyra.services.memory.engine import Ask
from palyra.services.memory.nearby import Proposals
from palyra.store.connection import ReadTx
from palyra.store.memory.items import fetch_seqs, matching_clause, matching_seqs
from palyra.store.memory.replaced import conflicts_of, successor_of
from palyra.store.memory.search import Condition, exact_hits, lexical_hits

_WEIGHTS = PROFILES[RetrievalSourceProfileKind.MEMORY]
_SPARE = 4
"""hits asked for beyond top_k, in place of those that have ended meanwhile"""
_EXACT = 10_000
_PHRASE = re.compile(r'"([^"]{2,})"')
_PREFIX = re.compile(r"(?<!\S)(\w{2,})\*(?!\S)")


@dataclass(frozen=True, slots=True)
class SearchRequest:
    query: str
    top_k: int = 8
    min_score: float = 0.0
    want: ItemFilter = field(default_factory=ItemFilter)
    as_of: AsOf | None = None
    through_past: bool = False
    """what was replaced is found, too, and stands for what holds instead"""


@dataclass(frozen=True, slots=True)
class SearchResult:
    hits: tuple[Hit, ...]
    degraded: tuple[str, ...]
    """parts that took no part: vector, index, external"""


async def search(memory: Memory, request: SearchRequest, caller: Visibility) -> SearchResult:
    """Hits visible to `caller`, best first, at most `top_k`.

    Never raises for a failing model or index: searches with what is left and names the rest in `degraded`.
    """
    question = Question(_check(request))
    await question.embed(memory.follower)
    now_ms = memory.clock.now_ms()
    generation = memory.engine.generation
    near = await _proposals(memory, request, question, caller, now_ms, generation)

    def find(tx: ReadTx) -> list[Hit]:
        return _find(memory, tx, request, question, caller, now_ms, generation, near)

    return SearchResult(tuple(await memory.store.db.read_alone(find)), tuple(question.degraded))


def _check(request: SearchRequest) -> str:
    if not 1 <= request.top_k <= limits.TOP_K:
        raise InvalidArgument(f"top_k {request.top_k} is outside 1..{limits.TOP_K}", hint="8 is a good start")
    if not 0.0 <= request.min_score <= 1.0:
        raise InvalidArgument(f"min_score {request.min_score} is outside 0..1", hint="0.3 leaves out weak hits")
    return checked_query(request.query)


async def _proposals(
    memory: Memory, request: SearchRequest, question: Question, caller: Visibility, now_ms: int, generation: int
) -> Proposals | None:
    """Of the mirror, which holds what is current: a search of the past, or of a part, is answered here."""
    if memory.external is None or request.as_of is not None or request.want != ItemFilter():
        return None
    ask = Ask(question.text, question.vector, now_ms, 0, generation)
    return await memory.external.propose(caller, lambda tx: memory.engine.asked_vector(tx, caller, ask))


def _find(
    memory: Memory,
    tx: ReadTx,
    request: SearchRequest,
    question: Question,
    caller: Visibility,
    now_ms: int,
    generation: int,
    near: Proposals | None,
) -> list[Hit]:
    query = question.text
    which = matching_clause(request.want, now_ms, request.as_of)
    limit = request.top_k + _SPARE
    exact = _exact(tx, query, caller, which)
    seqs = exact or None
    if seqs is None and (request.as_of is not None or request.want != ItemFilter()):
        seqs = matching_seqs(tx, caller, request.want, now_ms, request.as_of)
    ask = Ask(
        query,
        question.vector,
        _asked_at_ms(request, now_ms),
        limit,
        generation,
        seqs,
        past=request.through_past and seqs is None,
    )
    if near is not None and seqs is None:
        ask = replace(ask, near=near.believed(tx))
        if ask.near is None:
            question.degraded.append("external")
    scored = _told(_with_exact(_scored(memory, tx, ask, caller, which, question), exact, _WEIGHTS.phrase), question)
    hits = _hits(tx, scored, request, query, caller, now_ms)
    worst = scored[-1] if len(scored) == limit and seqs is None else None
    if worst is not None and len(hits) < request.top_k and worst.score >= request.min_score and worst.has_evidence:
        # More have ended than there were spare ones: ask again among those that have not.
        ask = replace(ask, seqs=matching_seqs(tx, caller, request.want, now_ms, None), near=None)
        scored = _told(_scored(memory, tx, ask, caller, which, question), question)
        hits = _hits(tx, scored, request, query, caller, now_ms)
    return hits


def _hits(
    tx: ReadTx, scored: list[Scored], request: SearchRequest, query: str, caller: Visibility, now_ms: int
) -> list[Hit]:
    terms = parse(query).terms
    hits: list[Hit] = []
    items: dict[int, MemoryItem] = {}
    seen: set[MemoryId] = set()
    for place, hit in enumerate(scored):
        if place % request.top_k == 0:  # as many as are wanted, and more only if some of them are not shown
            items = fetch_seqs(tx, [other.key for other in scored[place : place + request.top_k]], caller)
        item = items.get(hit.key)
        if item is not None and request.through_past:
            item = successor_of(tx, item, caller)
        if item is None or hit.score < request.min_score or not _is_current(item, request, now_ms):
            continue
        if request.through_past:
            if item.memory_id in seen:
                continue
            seen.add(item.memory_id)  # whether it fits is for whoever weighs it
        elif not hit.has_evidence:
            continue
        text = redact_memory_text_for_output(item.text)
        hits.append(Hit(item, hit.score, hit.parts, snippet(text, terms)))
        if len(hits) == request.top_k:
            break
    if request.as_of is not None or request.want.include_past:
        return hits
    against = conflicts_of(tx, [hit.item.memory_id for hit in hits], caller)
    return newer_first(
        [replace(hit, conflicts=against.get(hit.item.memory_id, ())) for hit in hits] if against else hits
    )


def _scored(
    memory: Memory, tx: ReadTx, ask: Ask, caller: Visibility, which: Condition, question: Question
) -> list[Scored]:
    try:
        return memory.engine.search(tx, caller, ask)
    except InvalidArgument as error:
        # The model was changed between embedding the question and looking it up: its vector is of another kind.
        question.go_without_vectors(error)
        return memory.engine.search(tx, caller, ask)
    except (ValueError, IndexError, KeyError, MemoryError, FloatingPointError):
        # A defect of the index must not take the memory away: the database has an index of its own.
        question.go_without_index()
        memory.engine.forget(caller.principal)
    found = lexical_hits(tx, query_terms(ask.text), caller, ask.limit, which)
    best = max((score for _, score in found), default=1.0) or 1.0
    return [Scored(seq, score / best / 2, {"lexical": score / best / 2}) for seq, score in found]


def _told(scored: list[Scored], question: Question) -> list[Scored]:
    """How likely each bears on the question. What the database answers alone is relative, and says no such thing."""
    return scored if "index" in question.degraded else list(map(as_probability, scored))


def _with_exact(scored: list[Scored], exact: list[int], score: float) -> list[Scored]:
    """The index knows words, not their beginnings: holding one counts as much as holding a phrase, word by word."""
    if not exact:
        return scored
    found = {hit.key: hit for hit in scored}
    hits = [_as_exact(found.get(seq, Scored(seq, 0.0, {})), score) for seq in exact]
    return sorted(hits, key=lambda hit: -hit.score)


def _as_exact(hit: Scored, score: float) -> Scored:
    lacking = min(max(0.0, score - hit.parts.get("phrase", 0.0)), 1.0 - hit.score)
    if not lacking:
        return hit
    return Scored(hit.key, hit.score + lacking, {**hit.parts, "phrase": hit.parts.get("phrase", 0.0) + lacking})


def _asked_at_ms(request: SearchRequest, now_ms: int) -> int:
    return now_ms if request.as_of is None or request.as_of.at_ms is None else request.as_of.at_ms


def _exact(tx: ReadTx, query: str, caller: Visibility, which: Condition) -> list[int]:
    """Items that hold a "quoted phrase" or a begin* of the query; none means: search as if it were plain words."""
    if '"' not in query and "*" not in query:
        return []
    phrases = [terms for phrase in _PHRASE.findall(query) if len(terms := analyse(phrase)) > 1]
    prefixes: list[str] = []
    for begin in _PREFIX.findall(query):
        terms = [begin.lower()] if begin.isascii() else analyse(begin)
        if len(terms) == 1:
            prefixes += terms
        else:
            phrases.append(terms)  # a script without spaces is indexed by pairs of characters
    return exact_hits(tx, phrases, prefixes, caller, _EXACT, which) if phrases or prefixes else []


def _is_current(item: MemoryItem, request: SearchRequest, now_ms: int) -> bool:
    if request.as_of is not None or request.want.include_past:
        return True
    return (
        item.superseded_by is None
        and (item.expires_at_ms is None or item.expires_at_ms > now_ms)
        and (item.valid_to_ms is None or item.valid_to_ms > now_ms)
    )
