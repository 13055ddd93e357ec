"""One changed place in otherwise equal sentences: is it a value that can be only one, or something else?

A change before the verb is another subject; one behind a second preposition is another place or purpose; one
after a verb that holds many values adds to them. What is left, and only that, is a conflict.
"""

from typing import NamedTuple

from palyra.language.wording import words as w
from palyra.language.wording.text import WordedStatement
from palyra.language.wording.values import (
    COUNTED,
    TEMPORAL,
    ValueKind,
    counted_change,
    kind_of,
    kinds_of,
    temporal_change,
)
from palyra.language.wording.verbs import Holds, Predicate, is_verb, predicate

_LOCATIONS = frozenset(
    ("in", "on", "at", "under", "behind", "near", "by", "inside", "from", "above", "below", "v", "ve")
)
_LOCATIONS_ELSEWHERE = frozenset(("en", "em", "à", "a", "auf", "im", "am", "dans", "sur", "na", "no", "в", "на"))
_AND = frozenset(
    ("and", "but", "or", "because", "so", "while", "und", "et", "y", "e", "a", "и", "aber", "mais", "pero")
)
_MINE = frozenset(("my", "our", "your", "his", "her", "their"))
_EXCLUSIVE = frozenset(("always", "only", "default", "by-default", "exclusively"))
_NOT_UNIQUE = frozenset(("same", "kind", "type", "one", "sort"))


class Edit(NamedTuple):
    a: range
    b: range


def value_conflict(older: WordedStatement, newer: WordedStatement, edit: Edit) -> str | None:
    """The reason code if both values cannot hold, else None."""
    a, b = edit
    words = older.words
    if a.stop < len(words) and words[a.stop] == "'s":
        return None
    governed = predicate(words, a.start, older.is_english)
    if governed.at < 0:
        return _changed_subject(older, newer, edit) or _without_a_verb(older, newer, edit)
    if _is_inside_the_subject(older, a.stop) or _is_vague(words, governed.at):
        return None
    kinds, others = kinds_of(older, a.start, a.stop), kinds_of(newer, b.start, b.stop)
    if kinds | others == {ValueKind.MONTH, ValueKind.NAME} and kinds != others:
        kinds = others = {ValueKind.NAME}  # Jan, April and June are people too
    if ValueKind.NUMBER in kinds | others or (kinds == others == {ValueKind.UNIT}):
        return _number_conflict(older, newer, edit, governed) if kinds <= COUNTED and others <= COUNTED else None
    if kinds & TEMPORAL or others & TEMPORAL:
        return _temporal_conflict(older, newer, edit, governed)
    return _named_conflict(older, newer, edit, governed, kinds, others)


def _is_vague(words: tuple[str, ...], verb: int) -> bool:
    """ "It costs 5 euros": whatever it is, the next text's "it" may be something else."""
    return not w.VAGUE_SUBJECTS.isdisjoint(words[_clause_start(words, verb) : verb])


def _is_inside_the_subject(statement: WordedStatement, after: int) -> bool:
    """ "the server on port 80 is down": what follows the place holds the verb that counts."""
    words = statement.words
    for n in range(after, len(words)):
        if words[n] == "." or words[n] in _AND:
            return False
        if words[n] in w.COPULAS or (words[n].endswith("s") and is_verb(words, n, statement.is_english)):
            return True
    return False


def _changed_subject(older: WordedStatement, newer: WordedStatement, edit: Edit) -> str | None:
    """ "Ana is the team lead" and "Bob is the team lead": a role that only one can have."""
    a, b = edit
    after = older.words[a.stop : a.stop + 3]
    if a.start or b.start or len(a) > 3 or len(b) > 3 or len(after) < 3 or after[0] not in w.COPULAS:
        return None
    if not kinds_of(older, a.start, a.stop) | kinds_of(newer, b.start, b.stop) <= {ValueKind.NAME}:
        return None
    if not w.MEANING_WORDS.isdisjoint(older.words[a.start : a.stop] + newer.words[b.start : b.stop]):
        return None
    is_unique = after[1] == "the" and after[2] not in _NOT_UNIQUE
    is_mine = after[1] in _MINE and older.words[-1] in w.SLOT_NOUNS
    return "name_changed" if is_unique or is_mine else None


def _without_a_verb(older: WordedStatement, newer: WordedStatement, edit: Edit) -> str | None:
    """No verb that we know: an amount with its unit, far enough from the start, is still no part of a name."""
    a, b = edit
    if not older.is_english and a.start > 1 and len(a) == len(b) == 1 and older.words[a.start - 1] in w.PREPOSITIONS:
        # Russian needs no "is".
        kind, other = kind_of(older.words, a.start, older.names), kind_of(newer.words, b.start, newer.names)
        return temporal_change(older.words[a.start], kind, newer.words[b.start], other) if kind in TEMPORAL else None
    if a.start < 3 or not _all_counted(older, newer, edit):
        return None
    has_unit = kinds_of(older, a.start, min(a.stop + 1, len(older.words))) == COUNTED
    if not has_unit and older.words[a.start - 1] not in w.PREPOSITIONS:
        return None
    return counted_change(older, a, newer, b)


def _all_counted(older: WordedStatement, newer: WordedStatement, edit: Edit) -> bool:
    return kinds_of(older, *_ends(edit.a)) | kinds_of(newer, *_ends(edit.b)) <= COUNTED


def _ends(span: range) -> tuple[int, int]:
    return span.start, span.stop


def _number_conflict(older: WordedStatement, newer: WordedStatement, edit: Edit, governed: Predicate) -> str | None:
    at, holds, _ = governed
    words, a = older.words, edit.a
    lead = words[at + 1 : a.start]
    if holds is Holds.ONCE:
        return None
    if holds is Holds.MANY and not all(word in w.LIGHT or word in w.PREPOSITIONS or word[0].isdigit() for word in lead):
        return None
    before = words[a.start - 1]
    if before == "#" and not (holds is Holds.BEING and len(lead) == 1):
        return None
    if before.isalpha() and before not in w.PREPOSITIONS and before not in w.LIGHT and holds is not Holds.BEING:
        # "in region 1": the number is part of a name, and the name says where.
        prior = words[a.start - 2] if a.start > 1 else ""
        if a.start - 1 != at and prior in w.PREPOSITIONS and prior != "every":
            return None
    return counted_change(older, edit.a, newer, edit.b)


def _temporal_conflict(older: WordedStatement, newer: WordedStatement, edit: Edit, governed: Predicate) -> str | None:
    a, b = edit
    if len(a) != 1 or len(b) != 1 or governed.holds not in {Holds.BEING, Holds.ONE}:
        return None
    if older.words[0] in w.RELATIVE_DAYS:
        return None
    if governed.holds is Holds.ONE and older.words[a.start].endswith("days"):
        return None  # "runs on Mondays" is a habit, and one may have several
    kind = kind_of(older.words, a.start, older.names)
    other = kind_of(newer.words, b.start, newer.names)
    names = older.names if governed.holds is Holds.BEING else frozenset[str]()
    for n in range(governed.at + 1, a.start):
        word = older.words[n]
        if word in w.PREPOSITIONS:
            if word not in w.FUNCTIONAL_LEADS.get(governed.verb, w.PREPOSITIONS):
                return None
        elif not (word in w.LIGHT or word in names or _is_planned(word) or _is_temporal(older, n)):
            return None
    return temporal_change(older.words[a.start], kind, newer.words[b.start], other)


def _is_temporal(statement: WordedStatement, n: int) -> bool:
    return kind_of(statement.words, n, statement.names) in TEMPORAL


def _is_planned(word: str) -> bool:
    """ "is due", "is coming", "are collected"; but a shop may be closed on more than one day."""
    return word == "due" or (word.endswith(("ed", "ing")) and word != "closed")


def _named_conflict(
    older: WordedStatement,
    newer: WordedStatement,
    edit: Edit,
    governed: Predicate,
    kinds: set[ValueKind],
    others: set[ValueKind],
) -> str | None:
    a, b = edit
    first, second = older.words[a.start : a.stop], newer.words[b.start : b.stop]
    if first[0] in _LOCATIONS and second[0] in _LOCATIONS and len(first) > 1 and len(second) > 1:
        if governed.holds is Holds.BEING and governed.at + 1 == a.start:
            return _named_conflict(
                older, newer, Edit(range(a.start + 1, a.stop), range(b.start + 1, b.stop)), governed, kinds, others
            )
        return None
    if not _could_be_values(first, second) or (ValueKind.LAND in kinds) != (ValueKind.LAND in others):
        return None
    reason = "name_changed" if ValueKind.NAME in kinds and ValueKind.NAME in others else "slot_changed"
    match governed.holds:
        case Holds.BEING:
            return reason if _is_one_being(older, newer, edit, governed) else None
        case Holds.ONE:
            return reason if _is_one_value(older, edit, governed) else None
        case Holds.USING:
            return reason if _is_one_use(older, newer, edit, governed) else None
        case Holds.MANY | Holds.ONCE | Holds.NOTHING:
            return None


def _could_be_values(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    if len(first) > 4 or len(second) > 4 or set(first) <= set(second) or set(second) <= set(first):
        return False
    both = first + second
    if not w.RELATIVE_DAYS.isdisjoint(both) or not w.WIDER.isdisjoint(both):
        return False
    return all(word not in w.MEANING_WORDS and word not in w.PREPOSITIONS for word in both)


def _is_one_being(older: WordedStatement, newer: WordedStatement, edit: Edit, governed: Predicate) -> bool:
    words, a = older.words, edit.a
    start = _clause_start(words, governed.at)
    subject = words[start : governed.at]
    if not subject:
        return False
    lead = [word for word in words[governed.at + 1 : a.start] if word not in w.LIGHT]
    named = kinds_of(older, *_ends(edit.a)) | kinds_of(newer, *_ends(edit.b)) <= {
        ValueKind.NAME,
        ValueKind.LAND,
        ValueKind.MONTH,
    }
    ends = a.stop == len(words) or words[a.stop] in w.PREPOSITIONS or words[a.stop] in _AND or words[a.stop] == "."
    is_slot = not w.SLOT_NOUNS.isdisjoint(subject) or not w.SLOT_MODIFIERS.isdisjoint(subject)
    if not lead:
        is_one = is_slot or (named and governed.verb != ":") or _exclude_each_other(older, newer, edit)
        return ends and is_one
    if governed.verb in w.PAST_COPULAS:
        return False  # one can have been in many places
    if lead[0] in _LOCATIONS or (not older.is_english and lead[0] in _LOCATIONS_ELSEWHERE):
        rest = lead[1:]
        return ends and all(word in w.SLOT_NOUNS for word in rest) and (named or subject[0] not in {"i", "we"})
    return False


def _exclude_each_other(older: WordedStatement, newer: WordedStatement, edit: Edit) -> bool:
    if len(edit.a) != 1 or len(edit.b) != 1:
        return False
    first, second = older.words[edit.a.start], newer.words[edit.b.start]
    return any(first in group and second in group for group in w.GROUPS)


def _is_one_value(older: WordedStatement, edit: Edit, governed: Predicate) -> bool:
    lead = [word for word in older.words[governed.at + 1 : edit.a.start] if word not in w.LIGHT]
    prepositions = [word for word in lead if word in w.PREPOSITIONS]
    if governed.verb in w.COUNTING_ONLY:
        return False
    if governed.verb not in w.FUNCTIONAL_LEADS:
        return len(prepositions) <= 1 and len(lead) <= 2 and (not prepositions or lead[-1] in w.PREPOSITIONS)
    allowed = w.FUNCTIONAL_LEADS[governed.verb]
    if not prepositions:
        return not allowed and len(lead) <= 1
    if len(lead) > 1 and governed.verb not in w.WITH_OBJECT:
        return False
    return len(prepositions) == 1 and lead[-1] == prepositions[0] and prepositions[0] in allowed and len(lead) <= 4


def _is_one_use(older: WordedStatement, newer: WordedStatement, edit: Edit, governed: Predicate) -> bool:
    words = older.words
    lead = words[governed.at + 1 : edit.a.start]
    if any(word in w.PREPOSITIONS or word in w.PURPOSES for word in lead):
        return False
    if governed.verb in w.PREFERRING or not _EXCLUSIVE.isdisjoint(words):
        return True
    has_purpose = any(word in w.PURPOSES for word in words[edit.a.stop :])
    return has_purpose or older.is_explicit or newer.is_explicit


def _clause_start(words: tuple[str, ...], before: int) -> int:
    for n in range(before - 1, -1, -1):
        if words[n] == "." or words[n] in _AND:
            return n + 1
    return 0
