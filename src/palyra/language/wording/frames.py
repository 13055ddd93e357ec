"""Two statements with the same frame and another value are about the same attribute, whatever the verb.

"The chairperson of Fatah is A" and "… is B"; "Chanel was founded by A" and "… by B". What frames are is told by
a few words of `data/change.txt`: what links a subject to its value, and where several values are usual.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from rapidfuzz.distance import Indel

from palyra.language.wording.pairs import seen
from palyra.language.words import pattern, words

LONGEST_VALUE = 12
"""words"""
_TABLE = "change.txt"
_WORD = re.compile(r"'s\b|’s\b|[^\W_]+(?:[-.'’](?!s\b)[^\W_]+)*|[:=?]")
_WAS = re.compile(
    r"\s*[(\[](?:was|were|formerly|previously|before|not|früher|vorher|war|avant|antes|prima|voorheen|dříve|wcześniej)\b[^)\]]*[)\]]",
    re.IGNORECASE,
)
_NOT_THAT = re.compile(
    r"(?:,| and| und| et| y| e| en) (?:not|nicht|pas|no|non|não|niet|nie|ne) [^,;]{1,60}$", re.IGNORECASE
)
_PARALLEL = 0.6
"""of the words: two statements that share as many were made on one pattern, each about its own thing"""
_WITHIN = 3
"""words that two values may begin with in common"""


_LEADS_ON = words("preposition", _TABLE) - words("of", _TABLE)


class Frame(StrEnum):
    ONE = "one"
    """the same attribute, which has one value"""
    MANY = "many"
    """the same attribute, which may well have several"""
    OVER = "over"
    """the newer one says that the older one is over"""
    OTHER = "other"
    """alike but for one place, and that place is another subject, or nothing that only one can be"""


def frame(older: str, newer: str) -> Frame | None:
    """How the frames of two short statements compare; None: they have none in common."""
    if len(older) > 400 or len(newer) > 400:
        return None
    stated = bare(newer)
    first, second = _words(bare(older)), _words(stated)
    if not first or not second or first == second or "?" in (first[-1], second[-1]):
        return None
    if _is_over(older, newer):
        return Frame.OVER
    begin = _common(first, second)
    if begin >= 2 and not _contained(first[begin:], second[begin:]):
        for within in range(min(_WITHIN, begin - 2) + 1):
            at = begin - within
            if not _LEADS_ON.isdisjoint(first[at:begin]):
                break
            if _are_values(first[at:], second[at:]) and (found := _relation(first[:at])):
                return found
    if is_marked(older, newer):
        return None
    alike = Indel.normalized_similarity(first, second) >= _PARALLEL
    return Frame.OTHER if alike or _other_subject(first, second, begin) else None


@lru_cache(maxsize=4096)
def bare(text: str) -> str:
    """Without what only says that something changed: "Edit: …", "It turns out that …", "… (was …)"."""
    stated = _NOT_THAT.sub("", _WAS.sub("", text.strip().rstrip(".!")))
    for _ in range(3):
        led = _lead().match(stated)
        if led is None or led.end() == len(stated):
            break
        stated = stated[led.end() :]
    return stated


@lru_cache(maxsize=1)
def _lead() -> re.Pattern[str]:
    leads = "|".join(sorted((re.escape(word) for word in words("lead", _TABLE)), key=lambda word: (-len(word), word)))
    thens = "|".join(sorted(map(re.escape, words("then", _TABLE))))
    return re.compile(rf"(?i)(?:{leads})\b\s*[:,;.!–—-]*\s+(?:(?:{thens})\s+)?")


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(word.replace("’", "'") for word in _WORD.findall(text.casefold()))


def _is_over(older: str, newer: str) -> bool:
    """The newer one names all that the older one says, and that it is over."""
    was = seen(bare(older)).stems - _little()
    over = pattern("over", _TABLE).search(newer.casefold()) or _WAS.search(newer)
    return len(was) >= 2 and over is not None and was <= seen(newer).stems and _words(newer)[-1:] != ("?",)


@lru_cache(maxsize=1)
def _little() -> frozenset[str]:
    """Stems that say nothing by themselves."""
    held = ("copula", "of", "article", "possessive", "preposition")
    return frozenset(word[:5] for name in held for word in words(name, _TABLE))


def is_marked(older: str, newer: str) -> bool:
    """The newer one has words of change that the older one has not."""
    marks = pattern("now", _TABLE)
    return not set(marks.findall(newer.casefold())) <= set(marks.findall(older.casefold()))


def _relation(begin: Sequence[str]) -> Frame | None:
    """What links a subject to the value that follows."""
    last = begin[-1]
    if begin[0] in words("vague", _TABLE):
        return None
    several = not words("many", _TABLE).isdisjoint(begin)
    if last in words("copula", _TABLE) or last in ":=":
        return _found(_is_attribute(begin[:-1]), several=several)
    copulas = [n for n, word in enumerate(begin) if n and word in words("copula", _TABLE)]
    once = any(word in words("once", _TABLE) for word in begin[1:])
    of_kind = len(begin) >= 4 and last in words("of", _TABLE) and begin[-3] in words("article", _TABLE)
    if of_kind:
        return _found(bool(copulas) or once or several, several=several or not (copulas or once))
    if last in words("preposition", _TABLE) and copulas:
        linking = begin[copulas[-1] + 1 : -1]
        is_plain = 0 < len(linking) <= 2 and words("preposition", _TABLE).isdisjoint(linking)
        return _found(is_plain and (once or several), several=several)
    return None


def _other_subject(first: Sequence[str], second: Sequence[str], begin: int) -> bool:
    """ "The budget of Mars is 18k" and "The budget of Venus is 23k": they part before what links subject and value."""
    if begin < 2:
        return False
    one, other = (
        next((n for n in range(begin + 1, len(said)) if said[n] in words("copula", _TABLE)), None)
        for said in (first, second)
    )
    return one is not None and other is not None and first[one] == second[other] and max(one, other) <= begin + 4


def _found(is_one: bool, *, several: bool) -> Frame | None:
    return (Frame.MANY if several else Frame.ONE) if is_one else None


def _is_attribute(subject: Sequence[str]) -> bool:
    """Something of somebody: "the capital of Germany", "my manager", "the school where Ana learned"."""
    if len(subject) < 2:
        return False
    of = any(word in words("of", _TABLE) for word in subject[1:-1])
    return (
        of
        or "'s" in subject[1:-1]
        or subject[0] in words("possessive", _TABLE)
        or "where" in subject
        or "that" in subject
    )


def _are_values(first: Sequence[str], second: Sequence[str]) -> bool:
    """Of "is a pilot" and "is a father" both may be said of one person."""
    return max(len(first), len(second)) <= LONGEST_VALUE and {first[0], second[0]}.isdisjoint(
        words("indefinite", _TABLE)
    )


def _contained(first: Sequence[str], second: Sequence[str]) -> bool:
    """One value only says more than the other, or says nothing."""
    if not first or not second:
        return True
    return set(first) <= set(second) or set(second) <= set(first)


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    n = 0
    while n < min(len(first), len(second)) and first[n] == second[n]:
        n += 1
    return n
