"""What an agent is given: a few memories that say different things, within a budget, fenced and cited.

Pure: the fence's boundary comes from outside, so that the same hits and boundary always give the same block.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from palyra.core.redact import redact_memory_text_for_output
from palyra.core.tokens import estimate_tokens
from palyra.domain.chat import fence
from palyra.domain.memory import MemoryItem
from palyra.domain.retrieval.terms import analyse
from palyra.domain.similarity import Relation, relate

SNIPPET_CHARS = 240
_OVERLAP = 0.75
"""of the words of the shorter text: above it, a hit says what a better one has said already"""
_SAYS_OTHERWISE = frozenset({"roles_swapped", "other_subject_or_value"})


@dataclass(frozen=True, slots=True)
class Hit:
    item: MemoryItem
    score: float
    parts: dict[str, float]
    snippet: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """A memory in the block, under its citation."""

    citation: str
    hit: Hit
    text: str
    tokens: int
    line: str
    """as it stands in the block"""


@dataclass(frozen=True, slots=True)
class Dropped:
    hit: Hit
    why: str
    """budget, repeats or limit"""


@dataclass(frozen=True, slots=True)
class Recall:
    block: str
    tokens: int
    chosen: tuple[Chosen, ...]
    dropped: tuple[Dropped, ...]


def choose(hits: Sequence[Hit], *, max_items: int, max_item_tokens: int, budget_tokens: int, boundary: str) -> Recall:
    """Best first; a hit that repeats a better one, or does not fit, gives way to the next."""
    chosen: list[Chosen] = []
    dropped: list[Dropped] = []
    words: list[set[str]] = []
    tokens = estimate_tokens(_block((), boundary))
    for hit in hits:
        if len(chosen) == max_items:
            dropped.append(Dropped(hit, "limit"))
            continue
        own = set(analyse(hit.item.text))
        said = zip(chosen, words, strict=True)
        if any(_repeats(own, other, hit.item.text, entry.hit.item.text) for entry, other in said):
            dropped.append(Dropped(hit, "repeats"))
            continue
        text = shorten(redact_memory_text_for_output(hit.item.text), max_item_tokens)
        citation = f"m{len(chosen) + 1}"
        line = _line(citation, hit.item, text, boundary)
        cost = estimate_tokens(line)
        if tokens + cost > budget_tokens:
            dropped.append(Dropped(hit, "budget"))
            continue
        chosen.append(Chosen(citation, hit, text, cost, line))
        words.append(own)
        tokens += cost
    block = _block([entry.line for entry in chosen], boundary) if chosen else ""
    return Recall(block, tokens if chosen else 0, tuple(chosen), tuple(dropped))


def snippet(text: str, terms: Sequence[str]) -> str:
    """The part of the text where most of the terms are, on one line."""
    flat = " ".join(text.split())
    if len(flat) <= SNIPPET_CHARS:
        return flat
    low = flat.lower()
    places = sorted(at for term in terms if (at := low.find(term[:12])) >= 0)
    if not places:
        return flat[: SNIPPET_CHARS - 1] + "…"
    best = max(places, key=lambda at: (sum(at <= other < at + SNIPPET_CHARS - 40 for other in places), -at))
    start = max(0, min(best - 30, len(flat) - SNIPPET_CHARS + 2))
    end = start + SNIPPET_CHARS - 2
    return ("…" if start else "") + flat[start:end].strip() + ("…" if end < len(flat) else "")


def shorten(text: str, max_tokens: int) -> str:
    if estimate_tokens(text) <= max_tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(text[:middle]) < max_tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + "…"


def _repeats(own: set[str], other: set[str], text: str, better: str) -> bool:
    """Never one that says otherwise in nearly the same words: with another number, another name, or not at all."""
    if len(own & other) < _OVERLAP * max(1, min(len(own), len(other))):
        return False
    if any(word[0].isdigit() for word in own ^ other):
        return False
    found = relate(better, text)
    return found.relation is not Relation.CONFLICT and _SAYS_OTHERWISE.isdisjoint(found.reasons)


def _line(citation: str, item: MemoryItem, text: str, boundary: str) -> str:
    """One memory of a block. `text` is what of the item is shown."""
    who = f' speaker="{fence.label(item.speaker, boundary)}"' if item.speaker else ""
    head = f"[{citation}] trust={item.trust.label} source={item.source.value}{who}: "
    return head + fence.inside(text, boundary) + "\n"


def _block(lines: Sequence[str], boundary: str) -> str:
    kind = fence.FenceKind.MEMORY
    return fence.opening(kind, boundary) + "".join(lines) + fence.closing(kind, boundary)
