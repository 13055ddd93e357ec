"""A question taken apart: the terms to look up, and what it asks for."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from palyra.domain.retrieval.cues import FRAME_TERMS, Cues, cues
from palyra.domain.retrieval.terms import analyse, query_terms

__all__ = ["FRAME_TERMS", "FRAME_WEIGHT", "MAX_TERMS", "ParsedQuestion", "parse", "word_spans"]

FRAME_WEIGHT: Final = 0.25
MAX_TERMS: Final = 32
"""A longer question is a pasted text: its rarest terms decide, the rest only costs time."""

_UNSPACED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7ff]")
_WORD: Final = re.compile(r"\w+(?:['\u2019]s\b)?")


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    terms: tuple[str, ...]
    """in order, with repetitions"""
    cues: Cues
    unspaced: bool
    """written in a script that the static vectors know badly"""


@lru_cache(maxsize=1024)
def parse(text: str) -> ParsedQuestion:
    return ParsedQuestion(tuple(query_terms(text)), cues(text), not text.isascii() and bool(_UNSPACED.search(text)))


def word_spans(text: str, terms: frozenset[str]) -> list[tuple[int, int]]:
    """Where in `text` a word stands whose term is one of `terms`."""
    return [match.span() for match in _WORD.finditer(text) if not terms.isdisjoint(analyse(match.group()))]
