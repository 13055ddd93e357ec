"""Statements that say the opposite: with and without a "not", with an antonym, with two roles exchanged."""

from functools import lru_cache

from Stemmer import Stemmer

from palyra.language.wording import words as w
from palyra.language.wording.slots import Edit
from palyra.language.wording.text import WordedStatement
from palyra.language.wording.verbs import Holds, is_verb, predicate

_stem = Stemmer("english").stemWord
_SUPPORTING = "do does did any ever always mehr un une des de d' più mais"
_SUPPORT = frozenset(_SUPPORTING.split())
_ARTICLES_ELSEWHERE = frozenset(("ein", "eine", "einen", "einem", "einer"))
_OPPOSING_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-", "de", "anti", "anti-")
_COMPARING = """over than before after instead rather above below prefer prefers préfère prefiero prefiere prefiro
prefere preferisco preferisce lieber bevorzuge raději než чем предпочитаю предпочитает outranks precedes follows"""
_COMPARED = frozenset(_COMPARING.split())
_HABITS = frozenset(("turn", "switch", "keep", "stay", "stays", "leave", "remain", "remains", "goes", "set", "turned"))


@lru_cache(maxsize=16_384)
def lemma(word: str) -> str:
    """The base form of an English word; any other word as it is."""
    return w.IRREGULAR.get(word) or (_stem(word) if word.isascii() else word)


def is_past(word: str) -> bool:
    return word in w.PASTS or (len(word) > 4 and word.endswith("ed"))


def is_negated(older: WordedStatement, newer: WordedStatement) -> bool | None:
    """True if one is the other's denial, None if they differ in a negation and in more, False if not in negation."""
    first, second = older.words, newer.words
    denials = _denials(first) - _denials(second)
    if denials == 0:
        return _has_czech_denial(older, newer)
    if denials not in {1, -1} or "only" in first + second:
        return None
    denied, stated = (first, second) if denials > 0 else (second, first)
    kept = [word for word in denied if word not in w.NEGATIONS and word not in _SUPPORT]
    other = [word for word in stated if word not in w.NEGATIONS and word not in _SUPPORT]
    if not older.is_english:
        kept = [word for word in kept if word not in _ARTICLES_ELSEWHERE]
        other = [word for word in other if word not in _ARTICLES_ELSEWHERE]
    if len(kept) != len(other) or not kept:
        return None
    unlike = [(x, y) for x, y in zip(kept, other, strict=True) if x != y and {x, y} != {"j'", "je"}]
    if len(unlike) > 1 or any(lemma(x) != lemma(y) for x, y in unlike):
        return None
    if unlike and is_past(unlike[0][1]) != ("did" in denied or is_past(unlike[0][0])):
        return None
    return True


def _denials(words: tuple[str, ...]) -> int:
    return sum(map(w.NEGATIONS.__contains__, words))


def _has_czech_denial(older: WordedStatement, newer: WordedStatement) -> bool:
    if older.is_english or len(older.words) != len(newer.words):
        return False
    unlike = [(x, y) for x, y in zip(older.words, newer.words, strict=True) if x != y]
    if len(unlike) != 1:
        return False
    first, second = sorted(unlike[0], key=len)
    return (second == f"ne{first}" and len(first) > 2) or {first, second} in ({"je", "není"}, {"есть", "нет"})


def antonym_conflict(older: WordedStatement, newer: WordedStatement, edit: Edit) -> bool:
    """Opposites as the verb, after "is", or as before/after; not where they only tell two things apart."""
    if len(edit.a) != 1 or len(edit.b) != 1:
        return False
    words, n = older.words, edit.a.start
    first, second = words[n], newer.words[edit.b.start]
    if (first, second) in w.QUANTIFIER_ANTONYMS:
        return True
    is_act = _are_opposite_acts(first, second)
    if not is_act and not _are_opposite(first, second):
        return False
    governed = predicate(words, n, older.is_english)
    if is_act and (governed.at < 0 or governed.holds in {Holds.BEING, Holds.ONCE} or _introduces_a_verb(words[n - 1])):
        return True
    if first in w.PREPOSITIONS or first in {"always", "without", "with", "often", "sometimes", "usually", "never"}:
        return governed.at >= 0 or n == 0 or _has_no_verb_after(older, n)
    if governed.at < 0 and not older.is_english and n:
        return not _followed_by_another_verb(older, n)
    if governed.holds is Holds.USING:
        return governed.at + 1 == n and (n + 1 == len(words) or words[n + 1] in w.PREPOSITIONS)
    if governed.holds in {Holds.BEING, Holds.ONE} or (n and words[n - 1] in _HABITS) or (n > 1 and words[0] in _HABITS):
        return not _followed_by_another_verb(older, n)
    return False


def _introduces_a_verb(word: str) -> bool:
    return word in {"to", "will", "must", "should", "not", "i", "we", "you", "they", "always", "please", "can", "and"}


def _has_no_verb_after(statement: WordedStatement, n: int) -> bool:
    return not _followed_by_another_verb(statement, n)


def _followed_by_another_verb(statement: WordedStatement, n: int) -> bool:
    words = statement.words
    return any(
        words[k] in w.COPULAS or (words[k].endswith("s") and is_verb(words, k, statement.is_english))
        for k in range(n + 1, len(words))
    )


def _are_opposite_acts(first: str, second: str) -> bool:
    if (first, second) in w.VERB_ANTONYMS:
        return True
    if is_past(first) != is_past(second):
        return False
    return (lemma(first), lemma(second)) in _STEMMED_ANTONYMS or _is_prefixed(first, second)


_STEMMED_ANTONYMS = frozenset((lemma(a), lemma(b)) for a, b in w.VERB_ANTONYMS)


def _are_opposite(first: str, second: str) -> bool:
    if (first, second) in w.OTHER_ANTONYMS:
        return True
    if first.endswith("ful") and second == f"{first[:-3]}less":
        return True
    return (second.endswith("ful") and first == f"{second[:-3]}less") or _is_prefixed(first, second)


def _is_prefixed(first: str, second: str) -> bool:
    short, long = (first, second) if len(first) < len(second) else (second, first)
    if len(short) < 4 or not long.endswith(short) or (short, long) in w.NOT_OPPOSITES:
        return False
    return long[: len(long) - len(short)] in _OPPOSING_PREFIXES


def is_reordered(older: WordedStatement, newer: WordedStatement) -> bool:
    first, second = older.words, newer.words
    return len(first) == len(second) and first != second and sorted(first) == sorted(second)


def is_comparison(statement: WordedStatement) -> bool:
    return not _COMPARED.isdisjoint(statement.words)
