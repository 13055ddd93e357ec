"""What one sentence says: which rules of its language match where its clauses begin, and what speaks against them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from palyra.domain.learning.proposal import LearnedKind
from palyra.domain.learning.rules.language import Language, Rule

_ONE_FOR_ONE = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'", "\u00a0": " ", "\u202f": " "})
_QUOTED = re.compile(
    r"\"[^\"]{0,300}\"|“[^”]{0,300}”|„[^“”]{0,300}[“”]|«[^»]{0,300}»|「[^」]{0,300}」|『[^』]{0,300}』|‹[^›]{0,300}›"
    r"|(?<![\w])'[^']{1,300}'(?!\w)|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){12,300}'(?!\w)"
)
_NAME_WORDS = 3
_MOST_CLAUSES = 12
_MASK = "\u2022"
_NUMBER = re.compile(r"\d|[零〇一二三四五六七八九十百千万两]")
_NAMED = re.compile(r"(?<=[\w,:;–—-] )[A-ZÀ-ÞĀ-ŽА-ЯЁ][\w-]+|[A-Za-z]{2,}(?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3])")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Found:
    rule: Rule
    match: re.Match[str]
    start: int
    """where its clause begins"""
    is_first: bool
    """in the first clause"""


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence as rules see it: quotations masked, openers behind it."""

    text: str
    language: Language
    begins: int
    """where the first clause begins"""
    has_quotation: bool

    @property
    def has_value(self) -> bool:
        """It counts or names something."""
        if _NUMBER.search(self.text):
            return True
        return self.language.capitals_name and _NAMED.search(self.text) is not None

    @property
    def words(self) -> int:
        if _UNSPACED.search(self.text):
            return len(self.text) // 2
        return len(self.text.split())

    def around(self, found: Found) -> str:
        """The clause a rule was found in."""
        after = self.language.clause.search(self.text, found.start + 1)
        return self.text[found.start : after.start() if after else len(self.text)]


def same_length(text: str) -> str:
    """With one kind of apostrophe and of space: every place stays where it was."""
    return text.translate(_ONE_FOR_ONE)


def clause_of(text: str, language: Language) -> Clause:
    """`text` is one sentence, on one line."""
    masked, quotations = _QUOTED.subn(_masked, same_length(text))
    opener = language.openers.match(masked)
    begins = opener.end() if opener and opener.end() < len(masked) else 0
    return Clause(masked, language, begins, quotations > 0 and _MASK in masked)


def _masked(match: re.Match[str]) -> str:
    """A short quotation is a name; a longer one is somebody else's sentence."""
    inner = match[0][1:-1]
    is_name = len(inner.split()) <= _NAME_WORDS and len(inner) <= 32 and not _UNSPACED.search(inner)
    return match[0] if is_name else _MASK * len(match[0])


def is_in_earnest(clause: Clause) -> bool:
    """Neither asked, nor doubted, supposed, joked, nor for this once."""
    language = clause.language
    against = (language.asks, language.hedges, language.supposes, language.jokes, language.once)
    return not any(pattern.search(clause.text) for pattern in against)


def findings(clause: Clause) -> list[Found]:
    """The best match for each kind."""
    conditional = clause.language.conditions.search(clause.text) is not None
    best: dict[LearnedKind, Found] = {}
    for place, start in enumerate(islice(_starts(clause), _MOST_CLAUSES)):
        passing = clause.language.passing.match(clause.text, start) is not None
        for rule in clause.language.rules:
            if (passing and rule.kind is LearnedKind.DURABLE_FACT) or (conditional and rule.key != "rule"):
                continue
            if rule.key == "rule" and _is_coordinated(clause, start):
                continue
            match = _matched(clause, rule, start)
            if match is None or _MASK in match[0]:
                continue
            known = best.get(rule.kind)
            if known is None or rule.bps > known.rule.bps:
                best[rule.kind] = Found(rule, match, start, place == 0)
    return list(best.values())


def _is_coordinated(clause: Clause, start: int) -> bool:
    """ "We keep going and never give up": no order begins after a mere "and"."""
    return start > clause.begins and clause.text[max(0, start - 2)].isalnum()


def _matched(clause: Clause, rule: Rule, start: int) -> re.Match[str] | None:
    for pattern in rule.patterns:
        if clause.language.searches:
            match = pattern.search(clause.text[start:]) if start == clause.begins else None
        else:
            match = pattern.match(clause.text, start)
        if match is not None:
            return match
    return None


def _starts(clause: Clause) -> Iterator[int]:
    yield clause.begins
    for match in clause.language.clause.finditer(clause.text, clause.begins + 1):
        if match.end() < len(clause.text):
            yield match.end()
