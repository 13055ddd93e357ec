"""The words of telling a secret, `words.txt`: which nouns stand in a text, what stands before and after a value.

Every word belongs to languages; the links of a noun are those of its own languages, so that the Polish `to` ("is")
makes no secret of what follows an English "to".
"""

import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, Implementation

from palyra.core.text import parse_table

SECRETS = ("password", "code", "loose", "key", "login", "network", "lock")
_NOUNS = ("about", "password", "code", "loose", "number", "key", "login", "network", "lock", "device")
"""in the order in which they win where two overlap"""
_NO_BLANKS = re.compile("[\u3001-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LONGEST_WORD = 24
"""Letters a wildcard stands for: beyond that it is no word, and looking on would be quadratic."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class Noun(NamedTuple):
    start: int
    end: int
    kind: str
    languages: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Entry:
    kind: str
    rank: int
    languages: frozenset[str]
    open_left: bool
    open_right: bool


@cache
def _table() -> dict[str, tuple[tuple[str, str], ...]]:
    return parse_table(Path(__file__).with_name("words.txt").read_text("utf-8"))


@cache
def words(section: str, language: str) -> tuple[str, ...]:
    return tuple(word.replace("_", " ") for key, rest in _table()[section] if key == language for word in rest.split())


@cache
def telling() -> tuple[str, ...]:
    """What of every noun that may tell a secret is plain ASCII: the redactor's first look."""
    found = {word.strip("*") for kind in SECRETS for language, _ in _table()[kind] for word in words(kind, language)}
    return tuple(sorted(word for word in found if word.isascii()))


class Nouns:
    """Finds the nouns of a lower-cased text; made when first used."""

    @cached_property
    def _entries(self) -> dict[str, list[_Entry]]:
        gathered: dict[tuple[str, str], set[str]] = {}
        for kind in _NOUNS:
            for language, _ in _table()[kind]:
                for word in words(kind, language):
                    gathered.setdefault((kind, word), set()).add(language)
        entries: dict[str, list[_Entry]] = {}
        for (kind, word), languages in gathered.items():
            literal = word.strip("*")
            within = _NO_BLANKS.match(literal) is not None
            entry = _Entry(
                kind, _NOUNS.index(kind), frozenset(languages), within or word[0] == "*", within or word[-1] == "*"
            )
            entries.setdefault(literal, []).append(entry)
        return entries

    @cached_property
    def _automaton(self) -> AhoCorasick:
        return AhoCorasick(list(self._entries), implementation=Implementation.DFA)

    @cached_property
    def _by_number(self) -> list[list[_Entry]]:
        return list(self._entries.values())

    def find(self, low: str) -> list[Noun]:
        """Sorted, not overlapping; the longer wins, then the kind that comes first."""
        try:
            hits = self._automaton.find_matches_as_indexes(low, overlapping=True)
        except UnicodeEncodeError:
            low = _SURROGATE.sub("?", low)
            hits = self._automaton.find_matches_as_indexes(low, overlapping=True)
        found: list[tuple[int, int, int, Noun]] = []
        for number, start, end in hits:
            for entry in self._by_number[number]:
                noun = _whole(low, start, end, entry)
                if noun is not None:
                    found.append((noun.start - noun.end, entry.rank, noun.start, noun))
        return _apart(found)


def _whole(low: str, start: int, end: int, entry: _Entry) -> Noun | None:
    """The noun as it stands there, with the rest of its word; None if the word goes on where it may not."""
    if _NO_BLANKS.match(low, start):
        return Noun(start, end, entry.kind, entry.languages)
    if low[start - 1 : start].isalpha() and start and not _NO_BLANKS.match(low, start - 1):
        if not entry.open_left:
            return None
        first = max(0, start - _LONGEST_WORD)
        while start > first and low[start - 1].isalpha():
            start -= 1
    if low[end : end + 1].isalpha() and not _NO_BLANKS.match(low, end):
        if not entry.open_right:
            return None
        last = min(len(low), end + _LONGEST_WORD)
        while end < last and low[end].isalpha() and not _NO_BLANKS.match(low, end):
            end += 1
    return Noun(start, end, entry.kind, entry.languages)


def _apart(found: list[tuple[int, int, int, Noun]]) -> list[Noun]:
    kept: list[Noun] = []
    for _, _, _, noun in sorted(found, key=lambda item: (item[3].start, item[0], item[1])):
        if kept and noun.start < kept[-1].end:
            last = kept[-1]
            if (noun.start, noun.end, noun.kind) == (last.start, last.end, last.kind):
                kept[-1] = Noun(last.start, last.end, last.kind, last.languages | noun.languages)
            elif noun.end - noun.start > last.end - last.start:
                kept[-1] = noun
        else:
            kept.append(noun)
    return kept


NOUNS = Nouns()


def tells(low: str) -> bool:
    """Whether a noun that may tell a secret stands in a text: where none does, none is told."""
    return any(noun.kind in SECRETS for noun in NOUNS.find(low))


@cache
def _alternation(section: str, language: str) -> str:
    apart: list[str] = []
    within: list[str] = []
    for word in sorted(words(section, language), key=lambda word: (-len(word), word)):
        (within if _NO_BLANKS.match(word) else apart).append(re.escape(word).replace(r"\*", r"\w*"))
    parts = ([rf"(?<!\w)(?:{'|'.join(apart)})(?!\w)"] if apart else []) + within
    return "|".join(parts) or r"(?!)"


@cache
def ending(section: str, language: str) -> re.Pattern[str]:
    """Finds a word of the list at the end of what stands before a value, with an article or a mark behind it."""
    filler = _alternation("filler", language)
    return re.compile(rf"(?:{_alternation(section, language)})(?:[ ]?(?:{filler}))?[ ]{{0,2}}[:：,，、]?[ ]{{0,2}}\Z")


@cache
def opening(section: str, language: str) -> re.Pattern[str]:
    """Finds a word of the list at the beginning of what stands after a value."""
    return re.compile(rf"[^\w]{{0,3}}(?:{_alternation(section, language)})")


@cache
def anywhere(section: str, language: str) -> re.Pattern[str]:
    return re.compile(_alternation(section, language))


@cache
def plain(languages: frozenset[str]) -> frozenset[str]:
    """The words that hold sentences together, English ones always among them."""
    sections = ("plain", "is", "to", "change", "enter", "then", "as", "filler", *_NOUNS)
    return frozenset(
        part
        for language in languages | {"en"}
        for section in sections
        for word in words(section, language)
        for part in word.strip("*").split()
    )
