"""What a sentence says of its subject: which word is the verb, and how many values that verb can hold."""

from enum import StrEnum
from typing import NamedTuple

from palyra.language.wording import words as w


class Holds(StrEnum):
    BEING = "being"
    """is, are, a colon: one value if the subject or the value is of that sort"""
    ONE = "one"
    """lives, costs, is called: one value at a time"""
    USING = "using"
    """uses, prefers: one value for one purpose"""
    MANY = "many"
    """likes, has, speaks: as many as you like"""
    ONCE = "once"
    """bought, visited: an event; there may be another"""
    NOTHING = "nothing"
    """no verb that we know"""


class Predicate(NamedTuple):
    at: int
    holds: Holds
    verb: str


_PRESENT = frozenset(("is", "are", "am", "be"))
_NONE = Predicate(-1, Holds.NOTHING, "")
_SUBJECTS = "i we you they he she it to not never always please and also will must should shall who which"
_BEFORE_A_VERB = frozenset(_SUBJECTS.split())
_OWNERS = "my your his her our their its this that these those some any no"
_BEFORE_A_NOUN = frozenset(_OWNERS.split()) | w.PREPOSITIONS
_WISHES = "want like love hope plan wish try decide need decided going wants likes loves hopes plans planning hoping"
_WISHING = frozenset(_WISHES.split())


def predicate(words: tuple[str, ...], before: int, is_english: bool) -> Predicate:
    """The verb nearest before a place in the same sentence: the one that governs what stands there."""
    for n in range(before - 1, -1, -1):
        word = words[n]
        if word == ".":
            break
        found = _english(words, n, word)
        if found is None and not is_english:
            found = _elsewhere(word)
        if found is not None:
            return Predicate(n, *found)
    return _NONE


def is_verb(words: tuple[str, ...], n: int, is_english: bool) -> bool:
    return _english(words, n, words[n]) is not None or (not is_english and _elsewhere(words[n]) is not None)


def _english(words: tuple[str, ...], n: int, word: str) -> tuple[Holds, str] | None:
    if word in w.COPULAS:
        return Holds.BEING, word
    if word in w.PARTICIPLES and n and (words[n - 1] in w.COPULAS or (n > 1 and words[n - 2] in w.COPULAS)):
        return Holds.ONE, word
    if word in w.USING:
        return (Holds.MANY, word) if _is_wished(words, n) else (Holds.USING, word)
    base = w.FUNCTIONAL.get(word)
    if base is not None and _reads_as_verb(words, n, word, base):
        return (Holds.MANY, base) if _is_wished(words, n) else (Holds.ONE, base)
    base = w.SET_LIKE.get(word)
    if base is not None and _reads_as_verb(words, n, word, base):
        return Holds.MANY, base
    if n and (word in w.PASTS or (len(word) > 4 and word.endswith("ed"))):
        # "is serviced every year" is what is so, "was serviced" is what happened
        return None if words[n - 1] in _PRESENT or (n > 1 and words[n - 2] in _PRESENT) else (Holds.ONCE, word)
    return None


def _reads_as_verb(words: tuple[str, ...], n: int, word: str, base: str) -> bool:
    """ "a call at 3" holds no verb, "call me at 3" does."""
    before = words[n - 1] if n else ""
    if not before or before == ".":
        return word == base
    if before in _BEFORE_A_NOUN and before != "to":
        return False
    if word == base:
        return before in _BEFORE_A_VERB or (before.endswith("s") and before not in w.MEANING_WORDS)
    if word.endswith("ing"):
        return before in w.COPULAS or before == "not"
    return not before[0].isdigit()


def _is_wished(words: tuple[str, ...], n: int) -> bool:
    return n > 1 and words[n - 1] == "to" and words[n - 2] in _WISHING


def _elsewhere(word: str) -> tuple[Holds, str] | None:
    if word in w.COPULAS_ELSEWHERE:
        return Holds.BEING, word
    if word in w.FUNCTIONAL_ELSEWHERE:
        return Holds.ONE, word
    if word in w.SET_LIKE_ELSEWHERE:
        return Holds.MANY, word
    return None
