"""Putting a name back for "she": only where the words before say plainly whom.

The name is the last one that stands before the statement in its turn, or in the turns just before; a statement that
names somebody itself is left as it is, and so is one where two were named at once.
"""

import re
from collections.abc import Sequence

from palyra.language.statements import ToldTurn
from palyra.language.words import pattern, words

TURNS_BEFORE = 4
_NAME = re.compile(r"(?<![.!?:\n\]\-*] )(?<!^)(?<![\n(\"'“„«])\b([A-ZÀ-Ý][a-zà-ÿ]{2,}(?:[ -][A-ZÀ-Ý][a-zà-ÿ]+)?)\b")
_SENTENCE = re.compile(r"(?<=[.!?\n])\s+")


def named(text: str, before: str, turns: Sequence[ToldTurn]) -> str:
    """`text` with "(she: Ines)" behind it, if it speaks of a person it does not name; `before` is its turn so far."""
    low = text.casefold()
    pronoun = pattern("person").search(low)
    if pronoun is None or names(text) or _is_german(f"{before} {text}"):
        return text
    who = _last(before)
    for turn in reversed(turns[-TURNS_BEFORE:]):
        who = who or _last(turn.text)
    if len(who) != 1 or who[0].casefold() in low:
        return text
    return f"{text.rstrip(' ,;:')} ({pronoun[0].split(chr(39))[0]}: {who[0]})"


def names(text: str) -> list[str]:
    """Words with a capital that no beginning of a sentence explains, each once."""
    found = (match[1] for match in _NAME.finditer(text))
    return list(dict.fromkeys(n for n in found if n.split()[0].casefold() not in words("not_a_name")))


def _last(text: str) -> list[str]:
    """Those named in the last sentence that names anybody."""
    for sentence in reversed(_SENTENCE.split(text[-600:])):
        if found := names(sentence):
            return found
    return []


# In German every noun has a capital, so a capital says nothing.
_GERMAN = re.compile(r"\b(?:und|der|die|das|ich|nicht|ist|wir|mit)\b")


def _is_german(text: str) -> bool:
    return len(_GERMAN.findall(text.casefold())) >= 2
