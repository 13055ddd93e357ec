"""A person says yes to what the assistant has just asked about: then its words are what she states."""

import re

from palyra.language.words import pattern

LONGEST_YES = 240
"""characters; who says more than that speaks for herself"""

_WORD = re.compile(r"[^\W\d_]{4,}|\d+|[\u3040-\u30ff\u4e00-\u9fff]{2}")
_ASKING = re.compile(r"(?:[.!;:。！；\n]|\?) *\n*([^.!?;:。！？；\n]{1,48}[?？])\s*$")
_PLAIN = " ,.!:;，。！、"


def agreement(said: str, asked: str) -> str | None:
    """What is said besides the yes; None if nothing was asked, or nothing agreed to."""
    found = pattern("confirming").match(said.casefold())
    if found is None or len(said) > LONGEST_YES or not asked.rstrip().endswith(("?", "？")):
        return None
    rest = said[found.end() :].strip(_PLAIN)
    while more := pattern("confirming").match(rest.casefold()):
        rest = rest[more.end() :].strip(_PLAIN)
    return rest


def proposal_ends(asked: str) -> int:
    """Where the question at the end begins ("Shall I do both?"), if it proposes nothing itself."""
    found = _ASKING.search(asked)
    return found.start(1) if found and asked[: found.start(1)].strip() else len(asked)


def is_excepted(text: str, besides: str) -> bool:
    """Whether what was said besides the yes speaks of the same."""
    return bool(set(_WORD.findall(text.casefold())) & set(_WORD.findall(besides.casefold())))
