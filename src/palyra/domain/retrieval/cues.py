"""What a text looks like, beyond its words: signs in an item and in a question that belong together.

A question that asks when is answered by a turn that names a time; one that asks how many, by a turn with a number;
one that asks for advice is bound by what its owner always wants. English and Chinese, by words and not by grammar:
a sign that is missed costs a little of the score, never the item.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntFlag
from typing import Final

from palyra.core.text import ascii_digits, words_of
from palyra.domain.retrieval.terms import TABLE, analyse
from palyra.language.words import groups, words


class Sign(IntFlag):
    """What an item shows. Stored as one byte of its fingerprint."""

    TIME = 1
    NUMBER = 2
    ASKS = 4
    STANDING = 8


@dataclass(frozen=True, slots=True)
class Cues:
    """What a question asks for."""

    asks_when: bool
    asks_number: bool
    asks_advice: bool
    asks_latest: bool
    of_assistant: bool
    """about what the assistant said, or about everything: not the person alone"""
    months: tuple[int, ...]
    years: tuple[int, ...]


_MONTHS: Final = groups("months", TABLE)["en"]
_TIME_TERMS: Final = frozenset(analyse(" ".join((*words("times", TABLE), *_MONTHS))))
_NUMBER_TERMS: Final = frozenset(analyse(" ".join(words("numbers", TABLE))))
_STANDING_TERMS: Final = frozenset(analyse(" ".join(words("standing", TABLE))))
_DIGIT: Final = re.compile(r"\d")
_HAN_TIME: Final = re.compile("[月号日点周年]")
_HAN_NUMBER: Final = re.compile("[一二三四五六七八九十百千万两]")
_ASKS: Final = re.compile(r"[?？][^.!?。！？]{0,60}\Z")

_WHEN: Final = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|time)\b|\bhow long\b"
    "|什么时候|何时|哪天|时间|几号|几点|多久|什麼時候",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"\bhow (?:many|much|long|often|old|far)\b|多少|几|多大|多久", re.IGNORECASE)
_ADVICE: Final = re.compile(
    r"\bshould i\b|\b(?:can|could) you (?:help|suggest|recommend|give|show|explain)\b|\bhow (?:do|can|should|would) i\b"
    r"|\bwhat (?:should|are some|would)\b|\bany (?:suggestions|tips|ideas|advice)\b|\b(?:recommend|suggest)\b"
    "|建议|推荐|怎么办",
    re.IGNORECASE,
)
_LATEST: Final = re.compile(
    r"\b(?:current|currently|latest|now|most recent|these days|still|newest)\b|现在|目前|最新|最近|当前", re.IGNORECASE
)
_ASSISTANT: Final = re.compile(
    r"\b(?:did|have|had) you\b|\byou (?:recommend|suggest|said|told|mention|gave|provid|list|explain|advis|propos)\w*"
    r"|\byour (?:suggestion|advice|recommendation|answer|explanation)s?\b"
    r"|\bremind me\b|\bsummar|\boverview\b|你(?:推荐|建议|说过|告诉)|总结|概括",
    re.IGNORECASE,
)
_MONTH: Final = re.compile(r"\b(" + "|".join(_MONTHS) + r")\b", re.IGNORECASE)
_HAN_MONTH: Final = re.compile(r"(?<!\d)(1[0-2]|[1-9])月")
_YEAR: Final = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")

# Of each English alternative of a pattern a word that it cannot match without, rather one that is seldom said.
_BEGINNING: Final = "summar"
_WHEN_WORDS: Final = frozenset(["when", "date", "day", "month", "year", "time", "long"])
_NUMBER_WORDS: Final = frozenset({"how"})
_ADVICE_WORDS: Final = frozenset(["should", "can", "could", "do", "would", "some", "any", "recommend", "suggest"])
_LATEST_WORDS: Final = frozenset(["current", "currently", "latest", "now", "recent", "these", "still", "newest"])
_ASSISTANT_WORDS: Final = frozenset({"you", "your", "remind", "overview", _BEGINNING})
_MONTH_WORDS: Final = frozenset(_MONTHS)

FRAME_TERMS: Final = frozenset(analyse(" ".join(words("asking", TABLE))))
"""Words of asking: they say what to do with the answer and seldom stand in it, so they weigh less."""


_TIME, _COUNTED, _QUESTION, _STANDING_SIGN = map(int, Sign)


def signs(text: str, terms: list[str]) -> int:
    """The sum of its `Sign`s, as a plain number: flags are slow to add. `terms` are those of `text`."""
    found = 0
    foreign = not text.isascii()
    if not _TIME_TERMS.isdisjoint(terms) or (foreign and _HAN_TIME.search(text)):
        found |= _TIME
    has_digit = _DIGIT.search(text) is not None if foreign else ascii_digits(text.encode()) > 0
    if has_digit or not _NUMBER_TERMS.isdisjoint(terms) or (foreign and _HAN_NUMBER.search(text)):
        found |= _COUNTED
    end = text.rstrip()[-80:]
    if ("?" in end or foreign) and _ASKS.search(end):
        found |= _QUESTION
    if not _STANDING_TERMS.isdisjoint(terms):
        found |= _STANDING_SIGN
    return found


def cues(question: str) -> Cues:
    may_match = _can_match(question)
    return Cues(
        asks_when=may_match(_WHEN_WORDS) and bool(_WHEN.search(question)),
        asks_number=may_match(_NUMBER_WORDS) and bool(_NUMBER.search(question)),
        asks_advice=may_match(_ADVICE_WORDS) and bool(_ADVICE.search(question)),
        asks_latest=may_match(_LATEST_WORDS) and bool(_LATEST.search(question)),
        of_assistant=may_match(_ASSISTANT_WORDS) and bool(_ASSISTANT.search(question)),
        months=_months(question) if may_match(_MONTH_WORDS) else (),
        years=tuple(sorted({int(year) for year in _YEAR.findall(question)})),
    )


def _can_match(question: str) -> Callable[[frozenset[str]], bool]:
    """Whether a pattern can match that needs one of some words: looking for words costs a tenth of a pattern.

    Patterns also look for Chinese, and ignore case, which more letters than ours have: elsewhere all may match."""
    if not question.isascii():
        return lambda _words: True
    low = question.lower()
    words = set(words_of(low))
    if _BEGINNING in low:  # the one that need not be a whole word
        words.add(_BEGINNING)
    return lambda some: not some.isdisjoint(words)


def _months(question: str) -> tuple[int, ...]:
    named = {word.lower() for word in _MONTH.findall(question) if word[0].isupper() or word.lower() != "may"}
    numbered = {int(month) for month in _HAN_MONTH.findall(question)}
    return tuple(sorted({_MONTHS.index(word) + 1 for word in named} | numbered))
