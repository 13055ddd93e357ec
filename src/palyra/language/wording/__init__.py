"""How a new statement relates to a stored one: the same, in conflict, or different.

`SAME` is only for a restatement that loses nothing, `CONFLICT` only for two that cannot both hold now. In doubt
the answer is `DIFFERENT`: a duplicate in the store costs little, a fact that was merged away costs trust. All is
pure: no model, no clock, no language detection. `docs/guides/duplicates.md` shows the rules by example.
"""

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import cast

from rapidfuzz.distance import Indel

from palyra.language.wording import words as w
from palyra.language.wording.cjk import relate_cjk
from palyra.language.wording.opposites import antonym_conflict, is_comparison, is_negated, is_reordered, lemma
from palyra.language.wording.rewrites import EXPLICIT, EXPLICIT_LEAD
from palyra.language.wording.slots import Edit, value_conflict
from palyra.language.wording.text import HAN_OR_KANA, WordedStatement, clean, exact_form, parse, tokens

LONG_WORDS = 40
"""above this a text is a document: only equality, or what it corrects in so many words, is decided"""
LONG_CHARS = 400
HEAD_CHARS = 200
MAX_EDITS = 3
CORRECTED_SENTENCES = 4
COMPARED_SENTENCES = 8


class Relation(StrEnum):
    SAME = "same"
    CONFLICT = "conflict"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Relationship:
    relation: Relation
    reasons: tuple[str, ...]
    """stable codes, most telling first"""
    explicit: bool
    """the newer text says itself that it replaces something"""


def fingerprint(text: str) -> str:
    """Equal for texts that differ only in how they were typed: case, spacing, Unicode form, quotes, the final stop."""
    form = "\x1f".join(exact_form(tokens(clean(text))))
    return hashlib.sha256(form.encode("utf-8", "surrogatepass")).hexdigest()


def relate(older: str, newer: str) -> Relationship:
    if older == newer or (len(older) > LONG_CHARS and older.split() == newer.split()):
        return Relationship(Relation.SAME, ("equal_text",), explicit=False)
    if _is_long(older) or _is_long(newer):
        return _relate_long(older, newer)
    first, second = parse(older), parse(newer)
    explicit = second.is_explicit
    if first.exact == second.exact:
        return Relationship(Relation.SAME, ("case_or_space",), explicit=False)
    if first.plain == second.plain and first.plain and _articles_agree(first, second):
        return Relationship(Relation.SAME, ("restated",), explicit=False)
    conflicts, reasons = _compare(first, second)
    return Relationship(Relation.CONFLICT if conflicts else Relation.DIFFERENT, reasons, explicit)


def related_terms(text: str) -> frozenset[str]:
    """Words to look up candidates by. Two statements that are the same or in conflict share at least two of them,
    or one if they are only two words long."""
    words = parse(text).words if not _is_long(text) else tuple(token.lower() for token in tokens(clean(text)))
    terms: set[str] = set()
    # "I am from Peru" shares no content word with its correction: how it begins makes the terms.
    opening = [lemma(word) for word in words[:5] if word not in w.NEGATIONS][:3]
    terms.update(f"{before}~{word}" for before, word in pairwise(opening))
    spaced = text.isascii() or not HAN_OR_KANA.search(text)
    for n, word in enumerate(words):
        if not spaced and HAN_OR_KANA.match(word):
            terms.add(word)
            if n and HAN_OR_KANA.match(words[n - 1]):
                terms.add(words[n - 1] + word)
        elif word not in w.STOP_WORDS and word[0].isalnum():
            terms.add(lemma(word))
            if word.startswith("ne") and not word.isascii():
                terms.add(word[2:])  # the Czech "not" is part of the verb
    return frozenset(terms)


def _compare(first: WordedStatement, second: WordedStatement) -> tuple[bool, tuple[str, ...]]:
    """Whether two short statements that are not the same conflict, and the reasons for either."""
    if first.is_question or second.is_question:
        return False, ("question",)
    if first.is_code or second.is_code:
        return False, ("code",)
    if first.is_hedged or second.is_hedged:
        return False, ("hedged",)
    if first.words == second.words:
        typed_alike = [word.lower() for word in first.exact] == [word.lower() for word in second.exact]
        return False, ("case_means_something" if typed_alike else "said_otherwise",)
    if not first.words or not second.words:
        return False, ("unrelated",)
    if first.is_english != second.is_english:
        first, second = first._replace(is_english=False), second._replace(is_english=False)
    if first.is_cjk or second.is_cjk:
        conflicts, reason = relate_cjk(first, second)
        return conflicts, (reason,)
    if 2 * len(set(first.words).intersection(second.words)) < min(len(first.words), len(second.words)):
        return False, ("unrelated",)
    negated = is_negated(first, second)
    if negated is None:
        edits = _edits(first.words, second.words)
        opposed = len(edits) == 1 and antonym_conflict(first, second, edits[0])
        return opposed, ("antonym" if opposed else "unrelated",)
    if negated:
        return True, ("negated",)
    if is_reordered(first, second):
        return is_comparison(first), ("roles_swapped",)
    return _compare_edits(first, second)


def _articles_agree(first: WordedStatement, second: WordedStatement) -> bool:
    """An article may be left out; "a manager" and "the manager" are two claims."""
    return all(second.articles.get(n, article) == article for n, article in first.articles.items())


def _compare_edits(first: WordedStatement, second: WordedStatement) -> tuple[bool, tuple[str, ...]]:
    edits = _edits(first.words, second.words)
    if all(not edit.a for edit in edits) or all(not edit.b for edit in edits):
        return False, ("contained",)
    if len(edits) > MAX_EDITS or any(not edit.a or not edit.b for edit in edits):
        return False, ("unrelated",)
    kept = len(first.words) - sum(len(edit.a) for edit in edits)
    if not kept:
        return False, ("unrelated",)
    reasons: list[str] = []
    for edit in edits:
        reason = "antonym" if antonym_conflict(first, second, edit) else value_conflict(first, second, edit)
        if reason is None:
            return False, ("other_subject_or_value",)
        reasons.append(reason)
    return True, tuple(dict.fromkeys(reasons))


def _edits(first: tuple[str, ...], second: tuple[str, ...]) -> list[Edit]:
    """The places that differ, in order; what was taken out and what was put in at one place is one edit."""
    edits: list[Edit] = []
    codes = cast("list[tuple[str, int, int, int, int]]", Indel.opcodes(first, second).as_list())
    for tag, a0, a1, b0, b1 in codes:
        if tag == "equal":
            continue
        if edits and edits[-1].a.stop == a0 and edits[-1].b.stop == b0:
            last = edits[-1]
            edits[-1] = Edit(range(last.a.start, a1), range(last.b.start, b1))
        else:
            edits.append(Edit(range(a0, a1), range(b0, b1)))
    return edits


def _is_long(text: str) -> bool:
    return len(text) > LONG_CHARS or text.count(" ") >= LONG_WORDS


_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


def _relate_long(older: str, newer: str) -> Relationship:
    head = _folded(older[:HEAD_CHARS])[:32]
    if (
        head == _folded(newer[:HEAD_CHARS])[:32]
        and abs(len(older) - len(newer)) * 4 <= len(older) + len(newer)
        and _folded(older) == _folded(newer)
    ):
        same = exact_form(tokens(clean(older))) == exact_form(tokens(clean(newer)))
        reason = "case_or_space" if same else "case_means_something"
        return Relationship(Relation.SAME if same else Relation.DIFFERENT, (reason,), explicit=False)
    opening = newer[:LONG_CHARS]
    if not EXPLICIT.search(opening) and not EXPLICIT_LEAD.match(opening.lower()):
        return Relationship(Relation.DIFFERENT, ("long_text",), explicit=False)
    sentences = [sentence for sentence in _SENTENCE_END.split(older) if not _is_long(sentence)]
    for corrected in _SENTENCE_END.split(opening)[:CORRECTED_SENTENCES]:
        if _is_long(corrected) or not parse(corrected).is_explicit:
            continue
        for stated in _nearest(corrected, sentences):
            conflicts, reasons = _compare(parse(stated), parse(corrected))
            if conflicts:
                return Relationship(Relation.CONFLICT, reasons, explicit=True)
    return Relationship(Relation.DIFFERENT, ("long_text",), explicit=True)


def _folded(text: str) -> str:
    return "".join(clean(text).lower().split()).rstrip(".!")


def _nearest(sentence: str, others: list[str]) -> list[str]:
    """The few of the others that share most words with `sentence`."""
    terms = set(sentence.lower().rstrip(".!").split()) - w.STOP_WORDS
    rated = [(len(terms.intersection(other.lower().rstrip(".!").split())), other) for other in others]
    rated.sort(key=lambda pair: -pair[0])
    return [other for shared, other in rated[:COMPARED_SENTENCES] if shared]
