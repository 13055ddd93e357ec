"""The rules that tell a preference from a procedure, read from `language/data/categories.txt`."""

import re
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from palyra.language.words import fragments, lines, words

_TABLE = "categories.txt"


class CategoryRule(NamedTuple):
    category: str
    words: frozenset[str]
    opens: re.Pattern[str] | None
    holds: re.Pattern[str] | None


def _rules() -> tuple[CategoryRule, ...]:
    rules: list[dict[str, list[str]]] = []
    for key, rest in lines(_TABLE)["rules"]:
        if key == "category":
            rules.append({"category": [], "words": [], "opens": [], "holds": []})
        rules[-1][key].append(rest)
    return tuple(
        CategoryRule(
            rule["category"][0],
            frozenset(" ".join(rule["words"]).split()),
            _either(rule["opens"]),
            _either(rule["holds"]),
        )
        for rule in rules
    )


def _either(patterns: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(fragments(pattern, _TABLE) for pattern in patterns)) if patterns else None


CLAUSE = re.compile(r"[.!?;:\n]\s*|, |- ")
"""what ends one clause and begins the next"""

RULES = _rules()
BY_WORD: dict[str, tuple[int, ...]] = {}
for _index, _known in enumerate(RULES):
    for _word in _known.words:
        BY_WORD[_word] = (*BY_WORD.get(_word, ()), _index)
CATEGORY_WORDS = frozenset(BY_WORD)

UNSPACED_RULES = tuple(
    (category, re.compile("|".join(pattern for _, pattern in rows)))
    for category, rows in groupby(lines(_TABLE)["unspaced_rules"], itemgetter(0))
)

_STEP = re.compile(r"(?:^|[\s(])([1-9])[.):]\s")
_LEADS = words("step_leads", _TABLE)


def is_list_of_steps(opening: str, seen: frozenset[str]) -> bool:
    """A numbered list that is the text or is announced as steps; lists of tips and prices are not procedures."""
    if "1" not in opening or "2" not in opening or (opening[0] not in "1(" and _LEADS.isdisjoint(seen)):
        return False
    numbers = "".join(_STEP.findall(opening))
    return "123" in numbers or ("12" in numbers and "\n" in opening)


_POLITE = words("thanks", _TABLE)
_POLITE_REST = _POLITE | words("and_so_on", _TABLE)
_POLITE_WORDS = 8


def is_acknowledgement(words: list[str]) -> bool:
    """Thanks, greetings and the like: said to be polite, not to be kept."""
    return 0 < len(words) <= _POLITE_WORDS and not _POLITE.isdisjoint(words) and _POLITE_REST.issuperset(words)
