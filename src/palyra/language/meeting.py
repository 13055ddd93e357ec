"""A question beside what is kept, in numbers: what the memory covers of it, and how each statement meets it.

Rows for the models of `bearing`, in fixed columns. Everything a column needs is at hand: no index, no encoder.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from palyra.language.asking import ASKS, OFFERS, Side, side, topical
from palyra.language.fitted import Array, Floats
from palyra.language.held import Held
from palyra.language.pieces import SHAPE
from palyra.language.statements import Encode, Kind, Known

MOST_BEFORE = 2
"""texts a statement replaced that count for finding it"""
KNOWN_MARK = "\u00a4"
_TOPICAL, _RARE = 0.3, 0.55
_COUNTED = 400
"""statements; the memories that were fitted to hold no more, and beyond it the number says nothing new"""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question beside the memory it is asked of; arrays by stem."""

    side: Side
    topic: Floats
    """how much it says about a topic, whatever is kept"""
    rarity: Floats
    """how few of what is kept hold it; 1 if none does"""
    held: Floats
    """1 if anything kept holds it"""
    count: int

    @property
    def has_topic(self) -> bool:
        return bool((self.topic >= _TOPICAL).any())


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an encoder says of a question and the candidates."""

    question: Floats
    rows: Floats
    """by candidate"""
    cosine: Floats
    before: Floats
    """the closest of a candidate and what it replaced"""
    among: Floats
    """candidate by candidate"""


def asked(question: str, held: Held, rare: Array) -> Asked:
    taken = side(question)
    having = np.array(held.having(taken.stems), dtype=np.float64)
    rarity = np.log((held.count + 1) / (having + 0.5)) / np.log(held.count + 3)
    known = having > 0
    topic = topical(taken.stems, rare)
    return Asked(taken, topic, np.where(known, np.clip(rarity, 0, 1.2), 1.0), known.astype(np.float64), held.count)


def meaning(question: str, found: Sequence[Known], encode: Encode) -> Meaning:
    texts = [question, *(k.text for k in found)]
    earlier = [(n, text) for n, k in enumerate(found) for text in k.before[:MOST_BEFORE]]
    vectors = encode([*texts, *(text for _, text in earlier)]).astype(np.float64)
    asks, rows = vectors[0], vectors[1 : len(texts)]
    cosine = rows @ asks
    before = cosine.copy()
    if earlier:
        np.maximum.at(before, [n for n, _ in earlier], vectors[len(texts) :] @ asks)
    return Meaning(asks, rows, cosine, before, rows @ rows.T)


def marked(ask: Asked) -> str:
    """The question with each rare word that the memory knows replaced by a mark: one model reads every memory."""
    place = {stem: n for n, stem in enumerate(ask.side.stems)}
    known = (ask.held > 0) & (ask.topic >= _RARE)
    return " ".join(
        KNOWN_MARK if len(stems) == 1 and known[place[stems[0]]] else word for word, stems in ask.side.by_word
    )


QUESTION = (
    *(f"shape_{name}" for name in SHAPE),
    *(f"asks_{name}" for name in ASKS),
    *(f"names_{name}" for name in OFFERS),
    "coverage",
    "coverage_topic",
    "held_most",
    "missing_most",
    "held",
    "missing",
    "stems",
    "names_known",
    "names_unknown",
    "numbers",
    "count",
)


def question_row(ask: Asked) -> Floats:
    """The question by itself, in the columns of QUESTION."""
    topic, held = ask.topic, ask.held
    missing = 1 - held
    content = topic >= _TOPICAL
    named = np.array([stem in ask.side.names for stem in ask.side.stems], dtype=np.float64)
    covered = (
        float(held @ content) / max(1, int(content.sum())),
        float(topic @ held) / (float(topic.sum()) or 1.0),
        float((topic * held).max(initial=0)),
        float((topic * missing).max(initial=0)),
        float(topic @ held),
        float(topic @ missing),
        float(np.log1p(len(topic))),
        float(named @ held),
        float(named @ missing),
        len(ask.side.numbers),
        float(np.log1p(min(ask.count, _COUNTED))),
    )
    return np.concatenate([ask.side.shape, ask.side.asks, ask.side.offers, covered])


_KINDS = tuple(Kind)
_STATED = ("first", "request", "asks", "lasting", "digits", "names")
_STATED_AT = [SHAPE.index(name) for name in _STATED]
PAIR = (
    "topic_shared",
    "topic_share",
    "rarity_shared",
    "rarity_share",
    "topic_most",
    "rarity_most",
    "topic_before",
    "rarity_before",
    "grams_share",
    "grams_back",
    "names_shared",
    "numbers_shared",
    "topic_dense",
    "cosine",
    "cosine_before",
    "like_newer",
    "like_older",
    "stems",
    *(f"states_{name}" for name in _STATED),
    *(f"kind_{kind}" for kind in _KINDS),
    "kind_unknown",
    *(f"offers_{name}" for name in OFFERS),
    "when_time",
    "when_number",
    "who_name",
    "where_place",
    "amount_number",
    "amount_money",
    "request_standing",
    "own_first",
    "replaced",
    "newest",
)


def pair_rows(ask: Asked, found: Sequence[Known], sense: Meaning | None) -> Floats:
    """A row a candidate, in the columns of PAIR."""
    q, sides = ask.side, [side(k.text) for k in found]
    kinds = np.array([[k.kind == kind for kind in _KINDS] + [k.kind is None] for k in found], dtype=np.float64)
    stated = np.stack([s.shape for s in sides])[:, _STATED_AT]
    offers = np.stack([s.offers for s in sides])
    when, who, where, amount, _, _, own, _ = q.asks
    fresh = np.array([bool(s.names - q.stem_set) for s in sides], dtype=np.float64)
    requests = float(q.shape[SHAPE.index("request")] > 0 or q.shape[SHAPE.index("first_word_requests")] > 0)
    standing = kinds[:, [_KINDS.index(k) for k in (Kind.PREFERENCE, Kind.PROCEDURE, Kind.CONSTRAINT)]].sum(axis=1)
    at = np.array([k.said_at_ms for k in found], dtype=np.float64)
    meant = (sense.cosine, sense.before) if sense else (np.zeros(len(found)),) * 2
    columns = (
        *_shared(ask, found, sides),
        *meant,
        *_likeness(at, sides, sense),
        np.log1p([len(s.stems) for s in sides]),
        *stated.T,
        *kinds.T,
        *offers.T,
        when * offers[:, 0],
        when * offers[:, 2],
        who * fresh,
        where * offers[:, 1],
        amount * offers[:, 2],
        amount * offers[:, 4],
        requests * standing,
        own * (stated[:, 0] > 0),
        np.array([bool(k.before) for k in found], dtype=np.float64),
        (at[:, None] >= at[None, :]).mean(axis=1),
    )
    return np.column_stack(columns)


def _shared(ask: Asked, found: Sequence[Known], sides: Sequence[Side]) -> tuple[Floats, ...]:
    """Columns about the words both sides have."""
    q = ask.side
    has = _holding(q, [s.stem_set for s in sides])
    earlier = [frozenset().union(*(side(t).stem_set for t in k.before[:MOST_BEFORE])) for k in found]
    wide = np.maximum(has, _holding(q, earlier))
    rarity = ask.rarity * np.where(ask.topic > _GRAMMATICAL, 1.0, _GRAMMATICAL)
    topic_all, rarity_all = max(float(ask.topic.sum()), 0.3), max(float((rarity * ask.held).sum()), 0.3)
    topic, rare = has @ ask.topic, has @ rarity
    grams = np.array([len(q.grams & s.grams) for s in sides], dtype=np.float64)
    return (
        topic,
        topic / topic_all,
        rare,
        rare / rarity_all,
        (has * ask.topic).max(axis=1, initial=0),
        (has * rarity).max(axis=1, initial=0),
        wide @ ask.topic / topic_all,
        wide @ rarity / rarity_all,
        grams / max(1, len(q.grams)),
        grams / np.array([max(1, len(s.grams)) for s in sides]),
        np.array([len(q.stem_set & s.names) for s in sides], dtype=np.float64),
        np.array([len(q.numbers & s.numbers) for s in sides], dtype=np.float64),
        topic / np.sqrt([len(s.stems) + 1 for s in sides]),
    )


_GRAMMATICAL = 0.25


def _holding(q: Side, sets: Sequence[frozenset[str]]) -> Floats:
    """Candidates by stems of the question."""
    return np.array([[stem in held for stem in q.stems] for held in sets], dtype=np.float64).reshape(len(sets), -1)


def _likeness(at: Floats, sides: Sequence[Side], sense: Meaning | None) -> tuple[Floats, Floats]:
    """How like the most like of the newer ones, and of the older ones: who may have outdated whom."""
    if sense is not None:
        like = sense.among
    else:
        sets = [s.stem_set for s in sides]
        like = np.array([[len(a & b) / max(1, min(len(a), len(b))) for b in sets] for a in sets])
    newer, older = at[None, :] > at[:, None], at[None, :] < at[:, None]
    return np.where(newer, like, 0).max(axis=1), np.where(older, like, 0).max(axis=1)


_RELATIVE = [
    PAIR.index(name)
    for name in ("topic_share", "rarity_share", "grams_share", "cosine", "cosine_before", "rarity_before")
]


def beside_others(rows: Floats, more: Floats) -> Floats:
    """Some columns again, each beside the other candidates: rank, distance to the mean, to the best of the others."""
    chosen = np.column_stack([rows[:, _RELATIVE], more])
    ranks = (chosen[None, :, :] > chosen[:, None, :]).sum(axis=1) / 10
    if len(chosen) == 1:
        others = np.zeros_like(chosen)
    else:
        top = np.sort(chosen, axis=0)
        others = np.where(chosen >= top[-1], top[-2], top[-1])
    return np.column_stack([ranks, chosen - chosen.mean(axis=0), chosen - others])
