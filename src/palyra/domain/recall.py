"""What an agent is given: a few memories that say different things, within a budget, fenced and cited.

Pure: the fence's boundary comes from outside, so that the same hits and boundary always give the same block.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeAlias, TypeVar

from palyra.core.ids import MemoryId
from palyra.core.redact import redact_memory_text_for_output
from palyra.core.tokens import estimate_tokens
from palyra.domain.chat import fence
from palyra.domain.memory import MemoryItem
from palyra.domain.retrieval.passages import Passage, PassageHit
from palyra.domain.retrieval.terms import analyse
from palyra.language.wording import Relation, relate
from palyra.language.wording.frames import Frame, frame
from palyra.language.words import pattern

SNIPPET_CHARS = 240
_LAST_MS = 253_402_300_799_000
"""the end of year 9999, after which there are no dates"""
_BEFORE_CHARS = 80
_NO_BRACKETS = str.maketrans("()", "  ")
_OVERLAP = 0.75
"""of the words of the shorter text: above it, a hit says what a better one has said already"""
_SAYS_OTHERWISE = frozenset({"roles_swapped", "other_subject_or_value"})


@dataclass(frozen=True, slots=True)
class Hit:
    item: MemoryItem
    score: float
    parts: dict[str, float]
    snippet: str
    before: tuple[MemoryItem, ...] = ()
    """what it took the place of, nearest first"""
    conflicts: tuple[MemoryItem, ...] = ()
    """what contradicts it and holds as well"""

    @property
    def told(self) -> MemoryItem:
        return self.item

    @property
    def id(self) -> MemoryId:
        return self.item.memory_id


Answering: TypeAlias = Hit | PassageHit
"""what may be given with a question: a memory, or what another source says"""

HitT = TypeVar("HitT", Hit, Hit | PassageHit)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A memory or passage in the block, under its citation."""

    citation: str
    hit: Answering
    text: str
    tokens: int
    line: str
    """as it stands in the block"""


@dataclass(frozen=True, slots=True)
class Dropped:
    hit: Answering
    why: str
    """weak, budget, repeats or limit"""


@dataclass(frozen=True, slots=True)
class Recall:
    block: str
    tokens: int
    chosen: tuple[Chosen, ...]
    dropped: tuple[Dropped, ...]


def choose(
    hits: Sequence[Answering],
    *,
    max_items: int,
    max_item_tokens: int,
    budget_tokens: int,
    boundary: str,
    question: str = "",
    floor: float = 0.0,
) -> Recall:
    """Best first, none below the floor; a hit that repeats a better one, or does not fit, gives way to the next."""
    of_the_past = asks_for_the_past(question)
    chosen: list[Chosen] = []
    dropped: list[Dropped] = []
    words: list[set[str]] = []
    tokens = estimate_tokens(_block((), boundary))
    for hit in hits:
        if hit.score < floor:
            dropped.append(Dropped(hit, "weak"))
            continue
        if len(chosen) == max_items:
            dropped.append(Dropped(hit, "limit"))
            continue
        own = set(analyse(hit.told.text))
        said = zip(chosen, words, strict=True)
        if any(_repeats(own, other, hit.told.text, entry.hit.told.text) for entry, other in said):
            dropped.append(Dropped(hit, "repeats"))
            continue
        text = shorten(redact_memory_text_for_output(hit.told.text), max_item_tokens)
        citation = f"m{len(chosen) + 1}"
        line = _line(citation, hit, text, boundary, of_the_past)
        cost = estimate_tokens(_block([*(entry.line for entry in chosen), line], boundary)) - tokens
        if tokens + cost > budget_tokens:
            dropped.append(Dropped(hit, "budget"))
            continue
        chosen.append(Chosen(citation, hit, text, cost, line))
        words.append(own)
        tokens += cost
    block = _block([entry.line for entry in chosen], boundary) if chosen else ""
    return Recall(block, tokens if chosen else 0, tuple(chosen), tuple(dropped))


def standing_for(hits: Sequence[Answering]) -> list[int]:
    """For each hit the place of the one that says it: itself, or a shorter one of which it is a repeat."""
    words = [set(analyse(hit.told.text)) for hit in hits]
    short_first = sorted(range(len(hits)), key=lambda n: (len(words[n]), n))
    stands: dict[int, int] = {}
    for place, n in enumerate(short_first):
        text = hits[n].told.text
        others = (m for m in short_first[:place] if stands[m] == m)
        stands[n] = next((m for m in others if _repeats(words[n], words[m], text, hits[m].told.text)), n)
    return [stands[n] for n in range(len(hits))]


def newer_first(hits: Sequence[HitT]) -> list[HitT]:
    """Of two that contradict each other and both hold, what was said later stands before what was said earlier.

    It takes the better score of the two, so that hits stay in the order of their scores."""
    ordered = list(hits)
    for hit in hits:
        against = {one.memory_id for one in hit.conflicts if one.said_at_ms < hit.told.said_at_ms}
        at = next(n for n, one in enumerate(ordered) if one.id == hit.id)
        first = next((n for n, one in enumerate(ordered[:at]) if one.id in against), None)
        if first is not None:
            ordered.insert(first, replace(ordered.pop(at), score=max(hit.score, ordered[first].score)))
    return ordered


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
    if frame(better, text) in (Frame.ONE, Frame.MANY, Frame.OVER):  # another value is no repeat of the outdated one
        return False
    found = relate(better, text)
    return found.relation is not Relation.CONFLICT and _SAYS_OTHERWISE.isdisjoint(found.reasons)


def _line(citation: str, hit: Answering, text: str, boundary: str, of_the_past: bool) -> str:
    """One memory of a block, with the day it was said. `text` is what of the item is shown."""
    item = hit.told
    who = f' speaker="{fence.label(item.speaker, boundary)}"' if item.speaker else ""
    head = f"[{citation}] trust={item.trust.label} source={item.source.value} said={_day(item)}{who}: "
    return head + fence.inside(text, boundary) + _marks(hit, boundary, of_the_past) + "\n"


def _marks(hit: Answering, boundary: str, of_the_past: bool) -> str:
    """What held before, where the question asks for that; and that somebody says otherwise, in any case."""
    marks = ""
    if of_the_past and hit.before:
        earlier = " ".join(redact_memory_text_for_output(hit.before[0].text).translate(_NO_BRACKETS).split())
        cut = earlier if len(earlier) <= _BEFORE_CHARS else earlier[: _BEFORE_CHARS - 1] + "…"
        marks += f" (before: {fence.inside(cut, boundary)})"
    if hit.conflicts:
        marks += f" (conflicts with what was said on {_day(hit.conflicts[0])})"
    return marks


def _day(item: MemoryItem | Passage) -> str:
    return f"{datetime.fromtimestamp(min(item.said_at_ms, _LAST_MS) / 1000, UTC):%Y-%m-%d}"


def asks_for_the_past(question: str) -> bool:
    """Whether it asks for what held before, in any of the languages of the table."""
    return bool(question) and pattern("past", "past.txt").search(question.casefold()) is not None


def _block(lines: Sequence[str], boundary: str) -> str:
    kind = fence.FenceKind.MEMORY
    return fence.opening(kind, boundary) + "".join(lines) + fence.closing(kind, boundary)
