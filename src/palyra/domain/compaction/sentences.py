"""Sentences of what was said, with their places: in any script, without code, tables and the marks of Markdown."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from palyra.domain.chat.transcript import ERASED

MAX_SENTENCE_CHARS = 360
"""longer ones are cut at their commas; what is still longer is data"""
MIN_LETTERS = 2

_CODE_BLOCK = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_ABBREVIATIONS = "mr mrs ms dr prof st no vs etc approx dept inc ltd jr sr eg ie e.g i.e z.b bzw ca nr p.m a.m"
_ABBREVIATED = frozenset(_ABBREVIATIONS.split())
_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)|[。！？｡][”’」』）]*|[।؟](?=\s)|\n+")
_CLAUSE_END = re.compile(r"[,;:](?=\s)|[，；：、]| [–—-] ")
_MARKS = re.compile(r"(?:[ \t]*(?:#{1,6}|[-*+>•·]|\d{1,3}[.)]|\[[ xX]\])[ \t]+|[ \t]+)+")
_EMPHASIS = re.compile(r"\*{2,3}|~~|`")
_LINK = re.compile(r"!?\[([^\]\[\n]{1,200})\]\([^)\s]{1,400}\)")
_LETTER = re.compile(r"[^\W_]")
_TABLE = re.compile(r"^\s*\||\|\s*$|[-=_*]{4,}")


@dataclass(frozen=True, slots=True)
class Sentence:
    start: int
    end: int
    text: str
    """on one line, without marks of Markdown"""


def sentences(text: str, max_chars: int) -> Iterator[Sentence]:
    """The sentences of the first `max_chars` characters, in order; linear in their number."""
    text = text[:max_chars]
    if "```" in text or "~~~" in text:
        # Blanks instead of nothing, so that every place stays where it was.
        text = _CODE_BLOCK.sub(lambda match: "\n" * len(match[0]), text)
    start = 0
    for match in _END.finditer(text):
        if text[match.start()] == "." and _is_abbreviation(text, start, match.start()):
            continue
        yield from _between(text, start, match.end())
        start = match.end()
    yield from _between(text, start, len(text))


def _is_abbreviation(text: str, start: int, stop: int) -> bool:
    word = text[max(start, stop - 8) : stop].rpartition(" ")[2].lower()
    return (
        word in _ABBREVIATED
        or (len(word) == 1 and word.isalpha())
        or (word.isdigit() and not text[start:stop].strip(word + " \t"))
    )


def _between(text: str, start: int, end: int) -> Iterator[Sentence]:
    if mark := _MARKS.match(text, start, end):
        start = mark.end()
    # Of an endless sentence: pieces that end at a comma, as long as they may be.
    while end - start > MAX_SENTENCE_CHARS:
        cuts = [match.end() for match in _CLAUSE_END.finditer(text, start, start + MAX_SENTENCE_CHARS)]
        if not cuts:
            return
        yield from _between(text, start, cuts[-1])
        start = cuts[-1]
    raw = text[start:end].rstrip()
    spaces = len(raw) - len(raw := raw.lstrip())
    if not _TABLE.search(raw) and ERASED not in raw and len(_LETTER.findall(raw[:16])) >= MIN_LETTERS:
        yield Sentence(start + spaces, start + spaces + len(raw), flat(raw))


def flat(raw: str) -> str:
    if "](" in raw:
        raw = _LINK.sub(r"\1", raw)
    if "**" in raw or "`" in raw or "~~" in raw:
        raw = _EMPHASIS.sub("", raw)
    return " ".join(raw.split())
