"""Where a turn may be cut, and what a piece of it looks like.

A piece is the least that is looked at alone: what stands between two marks of punctuation, or two blanks where the
script writes none, or a joining word in a run of many words. Statements are runs of pieces.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from palyra.language.fitted import Floats
from palyra.language.words import pattern

LONG_PIECE = 90
"""characters; a piece without punctuation is cut before joining words only when longer"""

_CUT = re.compile(
    r"[.!?;:,…]+[\"')\]»”]*(?=\s|$)|[。！？、，；：…～]+[」』）]*|\n+|\s[-–—]+\s|(?=[(\[（])|[)\]）]"
    r"|(?<=[\u3040-\u30ff\u4e00-\u9fff])[ \u3000]+|[ \u3000]+(?=[\u3040-\u30ff\u4e00-\u9fff])"
)


@dataclass(frozen=True, slots=True)
class Piece:
    start: int
    end: int
    ends_sentence: bool


def pieces(text: str, start: int = 0, end: int | None = None) -> list[Piece]:
    """text[start:end], cut; every character that is not blank is in one piece."""
    end = len(text) if end is None else end
    cuts = [start]
    for match in _CUT.finditer(text, start, end):
        if match.end() > cuts[-1] and text[cuts[-1] : match.end()].strip(_NOTHING):
            cuts.append(match.end())
    if cuts[-1] < end:
        if text[cuts[-1] : end].strip(_NOTHING):
            cuts.append(end)
        elif len(cuts) > 1:
            cuts[-1] = end
    found: list[Piece] = []
    for first, after in pairwise(cuts):
        inner = _joints(text, first, after) if after - first > LONG_PIECE else []
        for one, other in zip([first, *inner], [*inner, after], strict=True):
            found.append(_piece(text, one, other))
    return found


def _joints(text: str, start: int, end: int) -> list[int]:
    found, last = [], start
    for match in pattern("joint").finditer(text, start, end):
        if match.start() - last >= 30 and end - match.start() >= 30:
            found.append(match.start())
            last = match.start()
    return found


def _piece(text: str, start: int, end: int) -> Piece:
    inner = text[start:end]
    first = start + len(inner) - len(inner.lstrip())
    after = start + len(inner.rstrip())
    return Piece(first, max(after, first), bool(_ENDS.search(inner)))


_NOTHING = " \t\r\n.,;:!?…。！？、，；：-–—()[]（）\"'*>•·"
_ENDS = re.compile(r"[.!?…。！？][\"')\]»”」』）]*\s*$|\n\s*$")

SHAPE = (
    "length",
    "long",
    "words",
    "first",
    "pronoun",
    "asks",
    "question_word",
    "request",
    "lasting",
    "digits",
    "numbers",
    "capitals",
    "names",
    "shouts",
    "lines",
    "code",
    "quoted",
    "emoji",
    "ends_open",
    "word_length",
    "first_word_asks",
    "first_word_requests",
    "speaker",
    "cjk",
    "after_assistant",
)
"""names of the columns of `shape`"""


def shape(text: str, after_assistant: bool) -> Floats:
    """What a text looks like in numbers, without understanding it."""
    low = text.casefold()
    found = _WORDS.findall(text)
    count = len(found)
    cjk = len(_CJK.findall(text))
    per = max(1, count + cjk // 2)
    size = max(1, len(text))
    begins = low[:24]
    named = sum(1 for w in found[1:] if w[0].isupper() and not w.isupper())
    row = (
        np.log1p(size),
        size > 200,
        np.log1p(per),
        min(3, len(pattern("first_person").findall(low))),
        min(3, len(pattern("pronoun").findall(low))),
        low.count("?") + low.count("？"),
        len(pattern("question").findall(low)) / per,
        min(2, len(pattern("request").findall(low))),
        min(2, len(pattern("lasting").findall(low))),
        sum(c.isdigit() for c in text) / size,
        min(4, len(_NUMBERS.findall(text))),
        sum(c.isupper() for c in text) / size,
        min(4, named) / 2,
        text.count("!") + text.count("！"),
        min(5, text.count("\n")),
        len(_CODE.findall(text)) / size,
        min(2, len(_QUOTED.findall(text))),
        min(3, len(_EMOJI.findall(text))),
        bool(_OPEN.search(text)),
        sum(map(len, found)) / max(1, count),
        pattern("question").match(begins) is not None,
        pattern("request").match(begins) is not None,
        text.startswith("["),
        cjk / size,
        after_assistant,
    )
    return np.array(row, dtype=np.float64)


def shapes(texts: Sequence[str], after_assistant: bool) -> Floats:
    return np.stack([shape(t, after_assistant) for t in texts]) if texts else np.zeros((0, len(SHAPE)))


_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NUMBERS = re.compile(r"\d+(?:[.,:]\d+)*")
_CJK = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_CODE = re.compile(r"[{}<>=`|\\/_#$]")
_QUOTED = re.compile('["“”«»„「『]')
_EMOJI = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")
_OPEN = re.compile(r"[?？]\s*$")
