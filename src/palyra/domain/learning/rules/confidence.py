"""How sure a proposal is, in basis points, and the codes that say why.

A turn of phrase has its worth in the tables; what else is known about the sentence takes away from it or adds to it.
Facts from 9,000 on are written without asking, so every doubt there is puts a fact below.
"""

import re
from dataclasses import dataclass

from palyra.domain.compaction.disposition import is_private
from palyra.domain.learning.proposal import LearnedKind
from palyra.domain.learning.rules.clauses import Clause, Found
from palyra.domain.learning.rules.language import AUTO_BPS, FAIR

ASKED_BPS = 8_800
"""the most for what somebody should look at"""
UNSAID_BPS = 7_400
"""the most for a liking of nobody knows what"""
MOST_BPS = 9_800
_REMINDED_BPS, _CORRECTED_BPS = 200, 200
_LONG_WORDS, _BRIEF_WORDS = 28, 12
_OPENING_CHARS = 20
_DOUBT_BPS = {
    "later_clause": 400,
    "in_passing": 500,
    "long_sentence": 500,
    "quotation": 200,
    "question_within": 200,
    "long_opening": 200,
    "doubtful_setting": 900,
    "points_away": 1_600,
    "points_elsewhere": 200,
    "private": 200,
}
"""what each doubt takes away from a fact"""
_DOUBTFUL_PREFERENCE_BPS = 800
_RAMBLES = frozenset({"later_clause", "long_sentence"})
_POINTS = frozenset({"points_away", "points_elsewhere"})
_POINTING = re.compile(
    r"\b(?:here|there|this|that|it|them|these|those|hier|dort|ici|là-bas|aquí|allí|ahí|aqui|ali"
    r"|lá|qui|lì|tutaj|tam|tady"
    r"|здесь|там|это|ça|cela|eso|esto|isso|isto|questo|quello|dit|daar)\b|这里|那里|ここ|そこ|여기|거기",
    re.IGNORECASE,
)
"""what it points at may be in another sentence"""
_AWAY = re.compile(
    r"\b(?:it|them|him|these|those"
    r"|(?:this|that) (?!year|month|week|summer|winter|spring|autumn|fall|time|i\b|we\b|my\b)"
    r"(?=[\w-]+(?:[.,!]|$| (?:on|in|at|to|for|since|and)\b)))\b",
    re.IGNORECASE,
)
"""in the clause that states the fact: what it points at has to be in another sentence"""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known about a sentence from around it."""

    is_reminder: bool = False
    is_correction: bool = False
    is_doubtful: bool = False
    """in a long message, after a task to write something, in a language that was guessed"""


def weigh(found: Found, clause: Clause, setting: Setting, text: str) -> tuple[int, tuple[str, ...]]:
    basis = [found.rule.basis]
    bps = found.rule.bps
    if found.rule.without_value_bps and not clause.has_value:
        bps = found.rule.without_value_bps
    if clause.has_value:
        basis.append("value")
    if setting.is_reminder:
        bps += _REMINDED_BPS
        basis.append("reminder")
    if setting.is_correction:
        bps += _CORRECTED_BPS
        basis.append("correction")
    doubts = _doubts(found, clause, setting, text)
    basis.extend(doubts)
    if doubts and found.rule.kind is LearnedKind.DURABLE_FACT:
        bps = min(bps, AUTO_BPS) - sum(_DOUBT_BPS[doubt] for doubt in doubts)
    elif setting.is_doubtful or _RAMBLES.issubset(doubts):
        bps -= _DOUBTFUL_PREFERENCE_BPS
    if found.rule.basis == "likes" and not _POINTS.isdisjoint(doubts):
        bps = min(bps, UNSAID_BPS)
    return min(bps, MOST_BPS), tuple(basis)


def _doubts(found: Found, clause: Clause, setting: Setting, text: str) -> list[str]:
    doubts = {
        "later_clause": not found.is_first,
        "in_passing": not found.is_first and found.rule.bps <= FAIR and clause.words > _BRIEF_WORDS,
        "long_sentence": clause.words > _LONG_WORDS,
        "quotation": clause.has_quotation,
        "question_within": "?" in clause.text or "？" in clause.text,
        "long_opening": clause.begins > _OPENING_CHARS,
        "doubtful_setting": setting.is_doubtful,
        "points_away": (away := _AWAY.search(clause.around(found)) is not None),
        "points_elsewhere": not away and _POINTING.search(clause.text) is not None,
        "private": is_private(text),
    }
    return [code for code, holds in doubts.items() if holds]
