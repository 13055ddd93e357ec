"""Who somebody is to the speaker, from plain evidence only: "my daughter Lotte", "Lotte is my daughter".

A name and a role that stand beside each other in these ways are two words for one person. Nothing is guessed: a name
that only stands near a role is no evidence.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from palyra.language.words import words

_TABLE = "kin.txt"
_NAME = r"[A-ZÀ-ÖØ-ÞĀ-ŽŁŚŻŹĆŃÓĘĄ][\w'’-]*(?:\s[A-ZÀ-ÖØ-ÞĀ-ŽŁŚŻŹĆŃÓĘĄ][\w'’-]+)?"
_NO_BLANKS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CJK_NAME = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,4}"


@dataclass(frozen=True, slots=True)
class Alias:
    name: str
    role: str
    """as it was said, in lower case: daughter, Tochter, 女儿"""


def aliases(text: str) -> tuple[Alias, ...]:
    """Each once, in the order they stand."""
    found = [
        (match.start(), Alias(match["name"], match["role"].casefold()))
        for pattern in _patterns()
        for match in pattern.finditer(text)
    ]
    return tuple(dict.fromkeys(alias for _, alias in sorted(found, key=lambda one: one[0])))


def names_of(role: str, known: Iterable[Alias]) -> frozenset[str]:
    return frozenset(one.name for one in known if one.role == role.casefold())


def roles_in(text: str) -> frozenset[str]:
    """Roles that a text speaks of as the speaker's own: "my sister's allergy"."""
    return frozenset(match["role"].casefold() for pattern in _own_roles() for match in pattern.finditer(text))


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    mine, role, verb = (_any(words(name, _TABLE), apart=True) for name in ("mine", "role", "is"))
    of_mine = rf"(?i:(?<!\w)(?:{mine})\s+(?P<role>{role})(?!\w))"
    name = rf"(?P<name>{_NAME})"
    close_mine, close_role, close_verb = (_any(words(name, _TABLE), apart=False) for name in ("mine", "role", "is"))
    close = rf"(?:{close_mine})(?P<role>{close_role})"
    return (
        re.compile(rf"{of_mine}(?:\s*,)?\s+(?:(?i:{verb})\s+)?{name}"),
        re.compile(rf"(?<!\w){name}(?:\s*,\s*|\s+(?i:{verb})\s+){of_mine}"),
        re.compile(rf"(?<!\w){name}\s*\({of_mine}\)"),
        re.compile(rf"{close}(?:{close_verb})(?P<name>{_CJK_NAME})(?=[，。,.、\s]|$)"),
        re.compile(rf"(?<![\u3040-\u30ff\u3400-\u9fff])(?P<name>{_CJK_NAME}?)(?:{close_verb}){close}"),
    )


@cache
def _own_roles() -> tuple[re.Pattern[str], ...]:
    mine, role = (_any(words(name, _TABLE), apart=True) for name in ("mine", "role"))
    close_mine, close_role = (_any(words(name, _TABLE), apart=False) for name in ("mine", "role"))
    return (
        re.compile(rf"(?<!\w)(?:{mine})\s+(?P<role>{role})(?!\w)", re.IGNORECASE),
        re.compile(rf"(?:{close_mine})(?P<role>{close_role})"),
    )


def _any(table: Iterable[str], *, apart: bool) -> str:
    """Of those written with blanks around them, or of the others; longest first."""
    chosen = sorted((w for w in table if bool(_NO_BLANKS.search(w)) != apart), key=lambda w: (-len(w), w))
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in chosen) or r"(?!)"
