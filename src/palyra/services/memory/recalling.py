"""What an agent is given: the statements that bear on a question, and nothing when none does.

Search brings candidates, and a fitted model says of each how likely it bears on the question. Chat, the proxy, MCP and
`palyra memory recall` all ask here, so that the same question gets the same lines from each of them.
"""

import asyncio
import logging
import secrets
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from palyra.core import limits
from palyra.core.errors import InvalidArgument, PalyraError, Unavailable
from palyra.core.hashing import sha256
from palyra.domain.journal import Actor, Decision, Receipt, draft_of_event
from palyra.domain.labels import Category, fits_channels
from palyra.domain.memory import ItemFilter, MemoryItem
from palyra.domain.memory_events import MemoryRecalled
from palyra.domain.recall import Answering, Hit, Recall, choose, newer_first, standing_for
from palyra.domain.retrieval.terms import analyse
from palyra.domain.scope import Visibility
from palyra.language.bearing import Bearing
from palyra.language.names.aliases import roles_in
from palyra.language.statements import Encode, Kind, Known
from palyra.language.stems import stems, stems_of, words
from palyra.services.memory.about import names_by_role
from palyra.services.memory.context import Memory, origin_of
from palyra.services.memory.search import SearchRequest, search
from palyra.services.memory.sources.lines import owners_lines
from palyra.store.connection import ReadTx
from palyra.store.memory.replaced import predecessors_of

log = logging.getLogger("palyra.memory")

KIND_OF = {Category.DURABLE_FACT: Kind.FACT} | {Category(kind.value): kind for kind in Kind if kind is not Kind.FACT}
_QUESTION_CHARS = 600
_CANDIDATES = 32
"""of the hits of a search are weighed"""


@dataclass(frozen=True, slots=True)
class RecallResult:
    recall: Recall
    found: tuple[Answering, ...]
    degraded: tuple[str, ...]
    receipt: Receipt | None
    """None: the journal takes no writes at the moment"""


@dataclass(frozen=True, slots=True)
class WeighedHits:
    """What was found, with the probability that it bears on the question as its score, best first."""

    hits: tuple[Answering, ...]
    degraded: tuple[str, ...]


async def recall(
    memory: Memory,
    request: SearchRequest,
    caller: Visibility,
    actor: Actor = Actor.AGENT,
    *,
    max_items: int | None = None,
    max_item_tokens: int = 512,
    budget_tokens: int = 2_048,
    leave_out: Callable[[Answering], bool] = lambda _hit: False,
) -> RecallResult:
    """What injection gives the agent, with a receipt in the journal: ids and hashes, no text.

    While the journal takes no writes it is given all the same; that the receipt is missing is counted, and told.
    `leave_out`: hits that say nothing new to whoever asks, such as the question itself."""
    if budget_tokens < 1 or max_item_tokens < 1:
        raise InvalidArgument(
            f"budget_tokens {budget_tokens} and max_item_tokens {max_item_tokens} must be at least 1",
            hint="leave them out for the defaults",
        )
    most = memory.auto_inject_max_items if max_items is None else max_items
    if not 1 <= most <= limits.TOP_K:
        raise InvalidArgument(f"max_items {most} is outside 1..{limits.TOP_K}", hint="ask for fewer memories")
    found = await bearing_on(memory, request, caller, leave_out=leave_out)
    chosen = choose(
        found.hits,
        max_items=most,
        max_item_tokens=max_item_tokens,
        budget_tokens=budget_tokens,
        boundary=secrets.token_hex(8),  # nobody who wrote a memory can have guessed it
        question=request.query,
        floor=request.min_score,
    )
    event = MemoryRecalled(
        sha256(request.query.encode("utf-8", "replace")).hex(),
        sha256(chosen.block.encode()).hex(),
        chosen.tokens,
        tuple(entry.hit.id for entry in chosen.chosen),
        tuple((hit.id, round(hit.score, 4)) for hit in found.hits),
        found.degraded,
    )
    draft = draft_of_event(event, origin_of(caller, actor))
    try:
        committed = await memory.journal.commit(lambda _tx: Decision((draft,), None))
    except Unavailable:
        memory.store.db.metrics.receipts_missing += 1
        return RecallResult(chosen, found.hits, (*found.degraded, "receipt"), None)
    return RecallResult(chosen, found.hits, found.degraded, committed.receipts[0])


async def bearing_on(
    memory: Memory,
    request: SearchRequest,
    caller: Visibility,
    before: Sequence[str] = (),
    leave_out: Callable[[Answering], bool] = lambda _hit: False,
) -> WeighedHits:
    """What search finds and what documents say, each with the probability that it bears on the question, best first.

    What was replaced is found by its words and stands for what holds instead. `before`: what was said just before the
    question. What is left out is not weighed beside the rest; no hit goes for its score: the floor is for whoever
    chooses."""
    names = await _names_for(memory, request.query, caller)
    asked = f"{request.query} {names}".strip()
    asked = asked if len(asked.encode("utf-8", "replace")) <= limits.QUERY_BYTES else request.query
    wide = replace(
        request,
        query=asked,
        top_k=max(request.top_k, _CANDIDATES),
        min_score=0.0,
        through_past=not request.want.include_past,
    )
    found = await search(memory, wide, caller)
    degraded = list(found.degraded)
    remembered = [hit for hit in found.hits if _may_stand(hit.item, caller) and not leave_out(hit)]
    ids = [hit.item.memory_id for hit in remembered]

    def linked(tx: ReadTx) -> list[Answering]:
        earlier = predecessors_of(tx, ids, caller)
        return [replace(hit, before=earlier.get(hit.item.memory_id, ())) for hit in remembered]

    hits = await memory.store.db.read(linked)
    if caller.channel is None and request.as_of is None and request.want == ItemFilter():
        # Nobody has said of a line whether it is sensitive: where others listen none is given.
        lines = await owners_lines(memory, asked, caller)
        hits += [hit for hit in lines if not leave_out(hit)]
    scores = await asyncio.to_thread(_weigh, memory, question_in(asked), hits, caller, before, degraded)
    weighed = [replace(hit, score=score) for hit, score in zip(hits, scores, strict=True)]
    weighed.sort(key=lambda hit: (-hit.score, -hit.told.said_at_ms))
    return WeighedHits(tuple(newer_first(weighed)), tuple(degraded))


def _may_stand(item: MemoryItem, caller: Visibility) -> bool:
    """In a channel others listen: what is sensitive is not given there, whoever said it."""
    return caller.channel is None or fits_channels(item.sensitive)


def question_in(text: str) -> str:
    """Of a long text its end, from a word on: there it is that somebody asks something."""
    if len(text) <= _QUESTION_CHARS:
        return text
    return text[-_QUESTION_CHARS:].partition(" ")[2] or text[-_QUESTION_CHARS:]


async def _names_for(memory: Memory, question: str, caller: Visibility) -> str:
    """Names of those a question speaks of as the asker's own: Ines, for "my sister's allergy"."""
    roles = roles_in(question)
    if not roles:
        return ""
    names = await memory.store.db.read(lambda tx: names_by_role(tx, roles, caller))
    return " ".join(sorted(name for name in names if name.casefold() not in question.casefold()))


def _weigh(
    memory: Memory,
    question: str,
    hits: Sequence[Answering],
    caller: Visibility,
    before: Sequence[str],
    degraded: list[str],
) -> list[float]:
    # Two that say the same would each make the other look less telling.
    stands = standing_for(hits)
    known = {
        n: Known(
            hit.id,
            hit.told.text,
            hit.told.text,
            hit.told.said_at_ms,
            KIND_OF.get(hit.item.category) if isinstance(hit, Hit) else None,
            before=tuple(one.text for one in hit.before),
        )
        for n, hit in enumerate(hits)
        if stands[n] == n
    }
    found = list(known.values())
    if not found:
        return []
    weighed = Bearing(_encode(memory, degraded)).weigh(question, found, _Held(memory, caller, question, found), before)
    scores = dict(zip(known, weighed, strict=True))
    return [round(float(scores[stands[n]]), 4) for n in range(len(hits))]


def _encode(memory: Memory, degraded: list[str]) -> Encode | None:
    if memory.encoder is None:
        return None
    try:
        memory.encoder.load()
    except PalyraError as error:
        log.warning("recall without the sentence encoder: %s", error.message)
        degraded.append("encoder")
        return None
    return memory.encoder


class _Held:
    """What the asker may see, counted: whether anybody ever said a word of the question, and how many did.

    The index knows words by its own terms, so each stem is asked for by the words of the question that have it; what
    the hits say in other forms of them counts, too."""

    def __init__(self, memory: Memory, caller: Visibility, question: str, known: Sequence[Known]) -> None:
        terms: dict[str, set[str]] = defaultdict(set)
        for word in words(question):
            found = stems_of(word)
            for stem in found:
                terms[stem].update(analyse(word) if len(found) == 1 else (stem,))
        flat = list(dict.fromkeys(term for of_stem in terms.values() for term in of_stem))
        self.count, counts = memory.engine.having(caller, flat)
        having = dict(zip(flat, counts, strict=True))
        told = Counter(stem for one in known for stem in stems(" ".join((one.text, *one.before))))
        self._having = {
            stem: max(told[stem], *(having[term] for term in of_stem), 0) for stem, of_stem in terms.items()
        }

    def having(self, words: Sequence[str]) -> Sequence[int]:
        return [self._having.get(word, 0) for word in words]
