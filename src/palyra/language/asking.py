"""A question or a statement taken apart once: its stems, names and numbers, what it asks for and what it offers."""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from palyra.language import words as tables
from palyra.language.fitted import Array, Floats
from palyra.language.pieces import shape
from palyra.language.stems import folded, stems_of, words
from palyra.language.words import pattern

ASKS = ("when", "who", "where", "amount", "why", "general", "own", "again")
OFFERS = ("time", "place", "number", "clock", "money", "name")
RARE_BUCKETS = 1 << 14
MOST_CHARACTERS = 2_000

_TABLE = "asking.txt"
_GRAMMAR = ("first_person", "pronoun", "question", "request", "joint", "greeting", "lasting", "supposed")
_GRAMMAR_COUNTS = 0.25


@dataclass(frozen=True, slots=True)
class Side:
    """Either side of a pair: what is asked, or what was kept."""

    stems: tuple[str, ...]
    stem_set: frozenset[str]
    by_word: tuple[tuple[str, tuple[str, ...]], ...]
    names: frozenset[str]
    """stems of words with a capital where no sentence begins"""
    numbers: frozenset[str]
    grams: frozenset[str]
    """every four characters"""
    shape: Floats
    asks: Floats
    offers: Floats


@lru_cache(maxsize=8_192)
def side(text: str) -> Side:
    text = text[:MOST_CHARACTERS]
    low = text.casefold()
    by_word = tuple((word, stems_of(word)) for word in words(text))
    every = tuple(dict.fromkeys(stem for _, found in by_word for stem in found))
    names = frozenset(stem for word in _NAME.findall(text) for stem in stems_of(word))
    numbers = frozenset(_NUMBER.findall(text))
    plain = f" {_NO_WORD.sub(' ', folded(text))} "
    offers = (
        bool(tables.pattern("time_word", _TABLE).search(low)),
        bool(tables.pattern("place_word", _TABLE).search(low)),
        bool(numbers),
        bool(CLOCK.search(text)),
        bool(MONEY.search(text)),
        bool(names),
    )
    return Side(
        every,
        frozenset(every),
        by_word,
        names,
        numbers,
        frozenset(plain[n : n + 4] for n in range(len(plain) - 3)),
        shape(text, False),
        np.array([bool(tables.pattern(section, _TABLE).search(low)) for section in ASKS], dtype=np.float64),
        np.array(offers, dtype=np.float64),
    )


_NAME = re.compile(r"(?<![.!?:\n] )(?<!^)(?<!\w)[^\W\d_a-zß-öø-ÿ]\w+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*|[一二三四五六七八九十百千万两]+(?=[个点号月日年天次人台])")
CLOCK = re.compile(r"\d{1,2}[:.h]\d\d|\d\s?(?:am|pm|uhr|h\b)|\d[点時时]|\d{1,2}[./]\d{1,2}|\d{4}-\d\d", re.IGNORECASE)
MONEY = re.compile(r"[€$£¥₩]|\d\s?(?:k\b|eur|usd|euro|kč|zł|元|円|万|원|lakh|%)", re.IGNORECASE)
_NO_WORD = re.compile(r"\W+")


def topical(stems: Sequence[str], rare: Array) -> Floats:
    """How much each stem says about a topic: rare in what people say at large, and no word of grammar.

    `rare`: by bucket, from 0, heard in every conversation, to 1, heard in none."""
    grammar = _grammar()
    weights = [float(rare[bucket(s)]) * (_GRAMMAR_COUNTS if s in grammar else 1.0) for s in stems]
    return np.array(weights, dtype=np.float64)


@lru_cache(maxsize=16_384)
def bucket(stem: str) -> int:
    return zlib.crc32(stem.encode("utf-8", "replace")) % RARE_BUCKETS


@cache
def _grammar() -> frozenset[str]:
    listed = (word for section in _GRAMMAR for word in tables.words(section))
    return frozenset(stem for phrase in listed for word in words(phrase) for stem in stems_of(word))


# -- a yes: when a person agrees to what the assistant has just asked about, its words are what she states

LONGEST_YES = 240
"""characters; who says more than that speaks for herself"""

_WORD = re.compile(r"[^\W\d_]{4,}|\d+|[\u3040-\u30ff\u4e00-\u9fff]{2}")
_ASKING = re.compile(r"(?:[.!;:。！；\n]|\?) *\n*([^.!?;:。！？；\n]{1,48}[?？])\s*$")
_PLAIN = " ,.!:;，。！、"


def agreement(said: str, asked: str) -> str | None:
    """What is said besides the yes; None if nothing was asked, or nothing agreed to."""
    found = pattern("confirming").match(said.casefold())
    if found is None or len(said) > LONGEST_YES or not asked.rstrip().endswith(("?", "？")):
        return None
    rest = said[found.end() :].strip(_PLAIN)
    while more := pattern("confirming").match(rest.casefold()):
        rest = rest[more.end() :].strip(_PLAIN)
    return rest


def proposal_ends(asked: str) -> int:
    """Where the question at the end begins ("Shall I do both?"), if it proposes nothing itself."""
    found = _ASKING.search(asked)
    return found.start(1) if found and asked[: found.start(1)].strip() else len(asked)


def is_excepted(text: str, besides: str) -> bool:
    """Whether what was said besides the yes speaks of the same."""
    return bool(set(_WORD.findall(text.casefold())) & set(_WORD.findall(besides.casefold())))
