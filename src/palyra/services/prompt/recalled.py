"""The memory of a prompt: what is known about the question, without the question itself.

Nothing that goes wrong here ends the turn: an answer without memory, which says so, is better than none.
"""

import logging
from collections.abc import Sequence

from palyra.core import limits
from palyra.core.errors import InvalidArgument
from palyra.core.ids import MemoryId
from palyra.domain.chat.conversation import Message, PromptFact, Text
from palyra.domain.chat.fence import FenceKind, closing, opening
from palyra.domain.memory import MemoryItem
from palyra.domain.prompt import PromptPart, Unit
from palyra.domain.prompt.question import cut_query, flat, is_echo, query_for
from palyra.domain.prompt.report import LeftOut, PartKind, Source, Why
from palyra.domain.recall import Answering, Chosen, Hit, choose
from palyra.domain.retrieval.passages import PassageHit
from palyra.services.memory.recalling import bearing_on
from palyra.services.memory.search import SearchRequest
from palyra.services.prompt.context import AskedRecall, PromptContext
from palyra.store.connection import ReadTx
from palyra.store.memory.items import fetch_item

log = logging.getLogger("palyra.prompt")

FAILED = "memory"
"""in `degraded`: memory could not be searched at all"""
_NOT_SEARCHED = "Memory could not be searched just now. If the answer depends on it, say so.\n"


async def build_memory_augmented_prompt(ctx: PromptContext) -> PromptPart:
    """The best memories for the question, or for what the caller asks instead; those it names come first."""
    asked = ctx.recall or AskedRecall()
    _check(asked)
    if not ctx.auto_inject and ctx.recall is None:
        return PromptPart(PartKind.MEMORY, left_out=(LeftOut(None, Why.DISABLED),))
    most = asked.top_k or ctx.max_items
    named: list[Hit] = []
    missing: list[LeftOut] = []
    found: tuple[Answering, ...] = ()
    degraded: tuple[str, ...] = ()
    try:
        named, missing = await _named(ctx, asked.memory_ids)
        if query := recall_query(ctx):
            before = [" ".join(_texts(turn.messages[:1])) for turn in ctx.history[-1:]]
            sieve = _Sieve(ctx, {hit.item.memory_id for hit in named})
            result = await bearing_on(ctx.memory, SearchRequest(query), ctx.caller, before, sieve.takes_out)
            missing += sieve.left_out
            found, degraded = result.hits, result.degraded
    except Exception:
        log.exception("the prompt of run %s goes without memory", ctx.run_id)
        degraded = (FAILED,)
    chosen = choose(
        [*named, *found],
        max_items=most if asked.top_k else max(most, len(named)),
        max_item_tokens=ctx.max_item_tokens,
        budget_tokens=ctx.window.budget_tokens,
        boundary=ctx.boundary,
        question=ctx.question,
        floor=0.0 if ctx.recall is not None else ctx.memory.auto_inject_min_score,
    )
    left_out = [LeftOut(_source(gone.hit), Why(gone.why)) for gone in chosen.dropped]
    return _part(ctx, chosen.chosen, (*missing, *left_out), degraded)


def recall_query(ctx: PromptContext) -> str:
    """What memory is asked for this prompt; empty: nothing."""
    if ctx.recall is not None and ctx.recall.query is not None:
        return cut_query(flat(ctx.recall.query))
    if not ctx.auto_inject:
        return ""
    previous = ctx.history[-1].messages[:1] if ctx.history else ()
    return query_for(ctx.question, " ".join(_texts(previous)))


def _check(asked: AskedRecall) -> None:
    if asked.top_k is not None and not 1 <= asked.top_k <= limits.TOP_K:
        raise InvalidArgument(f"top_k {asked.top_k} is outside 1..{limits.TOP_K}", hint="8 is a good start")
    if len(asked.memory_ids) > limits.TOP_K:
        raise InvalidArgument(
            f"{len(asked.memory_ids)} memories were named; at most {limits.TOP_K} can be", hint="name fewer"
        )
    size = len((asked.query or "").encode("utf-8", "replace"))
    if size > limits.QUERY_BYTES:
        raise InvalidArgument(f"the query is {size} bytes; the limit is {limits.QUERY_BYTES}", hint="ask more briefly")


async def _named(ctx: PromptContext, memory_ids: Sequence[MemoryId]) -> tuple[list[Hit], list[LeftOut]]:
    """Memories by id, as hits that fit perfectly. What is foreign, gone or never was looks the same."""
    if not memory_ids:
        return [], []
    now_ms = ctx.memory.clock.now_ms()

    def read(tx: ReadTx) -> dict[MemoryId, MemoryItem | None]:
        return {given: fetch_item(tx, given, ctx.caller) if given.isascii() else None for given in memory_ids}

    hits: list[Hit] = []
    missing: list[LeftOut] = []
    for memory_id, item in (await ctx.memory.store.db.read(read)).items():
        if item is None or item.closed_at_ms is not None or (item.expires_at_ms or now_ms + 1) <= now_ms:
            missing.append(LeftOut(Source("memory", memory_id[: limits.IDENTIFIER_BYTES]), Why.NOT_FOUND))
        else:
            hits.append(Hit(item, 1.0, {}, ""))
    return hits, missing


class _Sieve:
    """Takes out the question itself, what the history says in the same words, and what is named in any case.

    Not what stands in every prompt: as the answer to a question it is cited, and whoever asks why is shown it."""

    def __init__(self, ctx: PromptContext, named: set[MemoryId]) -> None:
        self._ctx, self._named = ctx, named
        self._said = _said(ctx, limits.ITEM_BYTES)
        self.left_out: list[LeftOut] = []

    def takes_out(self, hit: Answering) -> bool:
        if hit.id in self._named:
            return True
        why = None
        if is_echo(self._ctx.question, hit.told.text):
            why = Why.ECHO
        elif flat(hit.told.text) in self._said or self._stands(hit):
            why = Why.REPEATS
        if why is not None:
            self.left_out.append(LeftOut(_source(hit), why))
        return why is not None

    def _stands(self, hit: Answering) -> bool:
        """In a document that the prompt begins with."""
        return isinstance(hit, PassageHit) and hit.passage.place.path in {one.name for one in self._ctx.documents}


def _said(ctx: PromptContext, max_chars: int) -> set[str]:
    """Texts of the newest turns, up to half the window: those which are kept in the prompt in any case but the worst.

    An older turn may fall out for want of room; its memory is then the only trace of it, so it may be given."""
    said: set[str] = set()
    room = 2 * ctx.window.budget_tokens  # in characters: half the window at four to a token
    for turn in reversed(ctx.history):
        texts = list(_texts(turn.messages))
        room -= sum(map(len, texts))
        if room < 0:
            break
        said.update(flat(text) for text in texts if len(text) <= max_chars)
    return said


def _texts(messages: Sequence[Message]) -> list[str]:
    return [part.text for message in messages for part in message.parts if isinstance(part, Text)]


def _part(
    ctx: PromptContext, chosen: Sequence[Chosen], left_out: tuple[LeftOut, ...], degraded: tuple[str, ...]
) -> PromptPart:
    if not chosen and FAILED in degraded:
        unit = Unit(_NOT_SEARCHED, ctx.count(_NOT_SEARCHED))
        return PromptPart(PartKind.MEMORY, (unit,), left_out=left_out, degraded=degraded)
    first, last = opening(FenceKind.MEMORY, ctx.boundary), closing(FenceKind.MEMORY, ctx.boundary)
    return PromptPart(
        PartKind.MEMORY,
        tuple(_unit(ctx, entry) for entry in chosen),
        opening=first,
        closing=last,
        frame_tokens=ctx.count(first) + ctx.count(last),
        left_out=left_out,
        degraded=degraded,
    )


def _unit(ctx: PromptContext, entry: Chosen) -> Unit:
    item = entry.hit.told
    fact = PromptFact(entry.citation, entry.text, item.speaker, item.said_at_ms, entry.hit.score)
    return Unit(
        entry.line,
        ctx.count(entry.line),
        _source(entry.hit, entry.citation),
        fact,
        cut=entry.text.endswith("…") and not item.text.endswith("…"),
    )


def _source(hit: Answering, citation: str = "") -> Source:
    trust, score = hit.told.trust.label, round(hit.score, 4)
    if isinstance(hit, PassageHit):
        return Source("document", f"{hit.passage.place.path}:{hit.passage.place.line}", "", trust, score, citation)
    return Source("memory", hit.id, "", trust, score, citation)
