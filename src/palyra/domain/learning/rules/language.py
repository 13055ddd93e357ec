"""What a language has to say about itself: the turns of phrase that state, prefer, ask, doubt, suppose and joke.

One table for each language, the same code for all. Patterns are read without regard to case and over one sentence of
bounded length; `(?-i:[A-Z])` is how a table asks for a capital letter. No pattern nests one repetition in another.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from palyra.domain.learning.proposal import LearnedKind

AUTO_BPS = 9_000
"""facts from here on are written without asking anybody"""

SURE, FIRM, LIKELY, FAIR, FAINT = 9_300, 9_100, 8_700, 8_300, 7_200
"""what a turn of phrase is worth: the first two only where it leaves no other reading; the last, for what happened
once and for small talk, is on record and nobody is asked"""


@dataclass(slots=True)
class Phrases:
    """A pattern that is compiled when it is first needed: most processes never read a word of most languages."""

    source: str
    _compiled: re.Pattern[str] | None = field(default=None, repr=False, compare=False)

    @property
    def _pattern(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self.source, re.IGNORECASE)
        return self._compiled

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self._pattern.search(text, start)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self._pattern.match(text, start)

    def finditer(self, text: str, start: int = 0) -> Iterator[re.Match[str]]:
        return self._pattern.finditer(text, start)


@dataclass(frozen=True, slots=True)
class Rule:
    kind: LearnedKind
    basis: str
    bps: int
    patterns: tuple[Phrases, ...]
    """matched where a clause begins, or anywhere if the language says so; group `thing` is what it is about"""
    key: str = ""
    """of preferences: a slot, or its first part, followed by what it is about"""
    without_value_bps: int = 0
    """if not 0: what it is worth when the sentence names nothing and counts nothing"""


@dataclass(frozen=True, slots=True)
class Language:
    code: str
    markers: frozenset[str]
    """small words that give it away; empty for those known by their script"""
    openers: Phrases
    """words before the first clause that change nothing"""
    clause: Phrases
    """what ends one clause and begins the next"""
    reminds: Phrases
    """at the beginning: remember that"""
    corrects: Phrases
    """at the beginning: actually, correction"""
    negates: Phrases
    """not B: what a correction takes back"""
    states: Phrases
    """some verb of a statement: is, has, uses"""
    asks: Phrases
    hedges: Phrases
    supposes: Phrases
    conditions: Phrases
    """if: no fact follows, a standing instruction may"""
    jokes: Phrases
    once: Phrases
    """for this one, only today"""
    passing: Phrases
    """where a clause begins: a state that is over tomorrow"""
    borrows: Phrases
    """the task is about a text: what follows in the message is that text, or is made up"""
    drafts: Phrases
    """the task is to write something: this sentence tells what"""
    refers: Phrases
    """at the beginning: it, he, there: nothing by itself"""
    affirms: Phrases
    rules: tuple[Rule, ...]
    trails: Phrases
    """at the end: chatter that says nothing"""
    searches: bool = False
    """predicates come last: rules may match anywhere"""
    capitals_name: bool = True
    """a capital letter within a sentence is a name"""


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def either(*patterns: str) -> Phrases:
    """Any of the patterns; never, if there are none."""
    return Phrases("|".join(f"(?:{pattern})" for pattern in patterns) or r"(?!)")


def fact(basis: str, bps: int, *patterns: str, without_value_bps: int = 0) -> Rule:
    return Rule(LearnedKind.DURABLE_FACT, basis, bps, (either(*patterns),), without_value_bps=without_value_bps)


def preference(basis: str, bps: int, key: str, *patterns: str) -> Rule:
    return Rule(LearnedKind.PREFERENCE, basis, bps, tuple(map(either, patterns)), key)
