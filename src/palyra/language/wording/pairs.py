"""Two statements side by side, in numbers: what they share, what only one of them has, and how that compares with the
other statements there are."""

import math
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
from rapidfuzz.distance import Indel

from palyra.language.fitted import Array, Floats
from palyra.language.words import pattern

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+|[^\W\d_]+|\d+(?:[.,:/-]\d+)*")
_HAN_OR_KANA = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_NAME = re.compile(r"(?<=[^\W\d_][ ,;:(])[A-ZÀ-ÖØ-ÞĀ-ŽА-Я][\w'’-]+")
_SPEAKER = re.compile(r"\s*\[([^\]\n]{1,40})\]")
_CLOCK = re.compile(r"\d[:h.]\d\d(?!\d)|\d ?(?:am|pm|uhr|uur|h)(?!\w)|\d ?[点點時时시]")
_MONEY = re.compile(r"[€$£¥₩]|\d ?(?:k|euro|eur|usd|quid|pln|zł|kč|czk|円|元|块|원)(?!\w)")
_SHARE = re.compile(r"\d ?%")

COLUMNS = (
    *("share_new", "share_old", "shared", "rarest", "second", "before", "rarest_here"),
    *("grams", "begin", "end", "order"),
    *("numbers_shared", "numbers_new", "numbers_old", "numbers_both", "clock", "money", "percent"),
    *("dates", "dates_differ", "names_shared", "names_new", "names_old", "speaker_same", "speaker_other"),
    *("length_new", "length_old", "age", "same_kind", "other_kind"),
    *("pronouns", "asks", "explicit"),
    *("rank_shared", "margin_shared", "rank_grams", "margin_grams", "most_shared", "rank_order"),
)
"""names of the columns of `compare`, without an encoder"""
BY_MEANING = ("cosine", "cosine_said", "rank_cosine", "margin_cosine", "best_cosine")
"""what an encoder adds"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What of a text is compared."""

    tokens: tuple[str, ...]
    stems: frozenset[str]
    grams: frozenset[str]
    numbers: frozenset[str]
    dates: frozenset[str]
    names: frozenset[str]
    clock: bool
    money: bool
    percent: bool
    speaker: str


@lru_cache(maxsize=4096)
def seen(text: str) -> Seen:
    text = text[:2000]
    said = _SPEAKER.match(text)
    inner = text[said.end() :] if said else text
    low = inner.casefold()
    tokens: list[str] = []
    for token in _TOKEN.findall(low):
        tokens += token if _HAN_OR_KANA.match(token) else (token,)
    stems = [_stem(token) for token in tokens if not _HAN_OR_KANA.match(token)]
    stems += [a + b for a, b in pairwise(tokens) if _HAN_OR_KANA.match(a) and _HAN_OR_KANA.match(b)]
    squeezed = "".join(f" {token}" if not _HAN_OR_KANA.match(token) else token for token in tokens) + " "
    numbers = frozenset(token for token in tokens if token[0].isdigit())
    return Seen(
        tuple(tokens),
        frozenset(stems),
        frozenset(squeezed[n : n + 4] for n in range(max(1, len(squeezed) - 3))),
        numbers,
        frozenset(pattern("dates", "change.txt").findall(low)),
        frozenset(name.casefold()[:5] for name in _NAME.findall(inner)),
        _CLOCK.search(low) is not None,
        _MONEY.search(low) is not None,
        _SHARE.search(low) is not None,
        said[1].casefold() if said else "",
    )


def _stem(token: str) -> str:
    return token[:2] if _HANGUL.match(token) else token if token[0].isdigit() else token[:5]


class Rarity:
    """How much a shared word tells: the logarithm of how few of the texts that were fitted to hold it."""

    def __init__(self, counts: Array, texts: int) -> None:
        self._of_bucket = np.log((texts + 1) / (counts.astype(np.float64) + 1)).tolist()

    def __call__(self, stem: str) -> float:
        return float(self._of_bucket[bucket(stem, len(self._of_bucket))])


def bucket(stem: str, buckets: int) -> int:
    return zlib.crc32(stem.encode("utf-8", "replace")) % buckets


@dataclass(frozen=True, slots=True)
class StatementSide:
    """A statement as far as it is compared."""

    text: str
    said: str
    before: tuple[str, ...] = ()
    kind: str | None = None


def compare(new: StatementSide, earlier: Sequence[StatementSide], rarity: Rarity) -> Floats:
    """A row of `COLUMNS` for each earlier statement; these come oldest first."""
    count = len(earlier)
    if not count:
        return np.zeros((0, len(COLUMNS)))
    text, said, low = seen(new.text), seen(new.said), new.said.casefold()
    whole = replace(
        text,
        stems=text.stems | said.stems,
        numbers=text.numbers | said.numbers,
        dates=text.dates | said.dates,
        names=text.names | said.names,
        clock=text.clock or said.clock,
        money=text.money or said.money,
        percent=text.percent or said.percent,
        speaker=said.speaker,
    )
    here = Counter(stem for old in earlier for stem in seen(old.text).stems)
    weight = {stem: rarity(stem) for stem in whole.stems}
    sounds = (
        min(3, len(pattern("pronoun").findall(low))),
        float(new.said.rstrip().endswith(("?", "？"))),
        float(pattern("now", "change.txt").search(low) is not None),
    )
    rows = np.zeros((count, len(COLUMNS)))
    for n, old in enumerate(earlier):
        its = seen(old.text)
        told = _in_common(whole, its, old.before, weight, rarity)
        rarest = max((math.log((count + 1) / here[stem]) for stem in whole.stems & its.stems), default=0.0)
        sizes = (math.log1p(len(new.text)), math.log1p(len(old.text)), math.log1p(count - 1 - n))
        kinds = (new.kind == old.kind, new.kind != old.kind) if new.kind and old.kind else (False, False)
        row = (*told, rarest, *_order(whole, its), *_values(whole, its), *sizes, *kinds, *sounds)
        rows[n, : len(row)] = row
    both = rows[:, 0] + rows[:, 1]
    orders = rows[:, COLUMNS.index("order")]
    ranks = (*among(both), *among(rows[:, COLUMNS.index("grams")]), np.full(count, both.max()), among(orders)[0])
    rows[:, COLUMNS.index("rank_shared") :] = np.column_stack(ranks)
    return rows


def _in_common(
    new: Seen, old: Seen, before: Sequence[str], weight: Mapping[str, float], rarity: Rarity
) -> tuple[float, ...]:
    """How much of each is in the other, and of what the older one replaced in the new one."""
    total = math.fsum(weight.values()) or 1.0
    told = sorted((weight[stem] for stem in new.stems & old.stems), reverse=True)
    shared = math.fsum(told)
    gone = [math.fsum(weight[stem] for stem in new.stems & seen(text).stems) / total for text in before]
    return (
        shared / total,
        shared / (math.fsum(rarity(stem) for stem in old.stems) or 1.0),
        shared,
        told[0] if told else 0.0,
        told[1] if len(told) > 1 else 0.0,
        max(gone, default=0.0),
    )


def _order(new: Seen, old: Seen) -> tuple[float, ...]:
    """How alike they are as rows of words and letters."""
    shortest = max(1, min(len(new.tokens), len(old.tokens)))
    begin = _common(new.tokens, old.tokens)
    end = min(_common(new.tokens[::-1], old.tokens[::-1]), shortest - begin)
    grams = 2 * len(new.grams & old.grams) / (len(new.grams) + len(old.grams))
    return grams, begin / shortest, end / shortest, float(Indel.normalized_similarity(new.tokens, old.tokens))


def _values(new: Seen, old: Seen) -> tuple[float, ...]:
    """What each has of numbers, days and names, and which kinds of value both have."""
    return (
        min(3, len(new.numbers & old.numbers)),
        min(3, len(new.numbers - old.numbers)),
        min(3, len(old.numbers - new.numbers)),
        bool(new.numbers - old.numbers) and bool(old.numbers - new.numbers),
        new.clock and old.clock,
        new.money and old.money,
        new.percent and old.percent,
        bool(new.dates) and bool(old.dates),
        bool(new.dates - old.dates) and bool(old.dates - new.dates),
        min(3, len(new.names & old.names)),
        min(3, len(new.names - old.names)),
        min(3, len(old.names - new.names)),
        bool(new.speaker) and new.speaker == old.speaker,
        bool(new.speaker) and bool(old.speaker) and new.speaker != old.speaker,
    )


def compare_meaning(text: Floats, said: Floats, olds: Floats) -> Floats:
    """A row of `BY_MEANING` for each earlier statement."""
    cosine, cosine_said = olds @ text, olds @ said
    both = np.maximum(cosine, cosine_said)
    rank, margin = among(both)
    return np.column_stack([cosine, cosine_said, rank, margin, np.full(len(olds), both.max(initial=0.0))])


def among(values: Floats) -> tuple[Floats, Floats]:
    """For each value how many are larger (as a logarithm), and how far it is from the best of the others."""
    if not len(values):
        return values, values
    larger = (values[None, :] > values[:, None]).sum(axis=1)
    best = np.sort(values)[::-1]
    others = np.where(values == best[0], best[1] if len(best) > 1 else 0.0, best[0])
    return np.log1p(larger), values - others


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    for n, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return n
    return min(len(first), len(second))
