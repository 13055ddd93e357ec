"""The lines of a Markdown document, and what each of them is at the outermost level.

As much of CommonMark's block structure as it takes to know what is code, comment or nested, and what is not: a marker
or a heading counts only at the outermost level. Fences, comments and raw HTML are opaque up to their end. What stands
in list items and quotes is nested; it ends where the item or the quote ends, whatever was opened in it.
A line ends at LF, CRLF or CR, a byte order mark belongs to no line, and joining all lines gives the text back.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

BOM = "\ufeff"


class LineKind(StrEnum):
    BLANK = "blank"
    TEXT = "text"
    HEADING = "heading"
    """an ATX heading, or the line under a Setext heading"""
    MARKER = "marker"
    """begins like a marker of ours; whether it is one, `blocks` says"""
    OPAQUE = "opaque"
    """fenced code, a comment, raw HTML"""
    NESTED = "nested"
    """in a list item or a quote, or indented code"""


class Line(NamedTuple):
    number: int
    """from 1"""
    start: int
    end: int
    """without its line break"""
    stop: int
    """with it"""
    kind: LineKind
    level: int = 0
    """of a heading"""
    heading_from: int = 0
    """the number of the line a heading begins in: a Setext heading may have several"""


@dataclass(frozen=True, slots=True)
class Lines:
    text: str
    lines: tuple[Line, ...]
    unclosed: Line | None
    """opens something opaque that never ends"""

    def of(self, line: Line) -> str:
        return self.text[line.start : line.end]


def read_lines(text: str) -> Lines:
    """Linear in `text`; never fails."""
    reader = _BlockReader()
    lines: list[Line] = []
    for number, (start, end, stop) in enumerate(spans(text), 1):
        content = text[start:end]
        kind = reader.read(content, number)
        is_heading = kind is LineKind.HEADING
        lines.append(
            Line(
                number,
                start,
                end,
                stop,
                kind,
                reader.level if is_heading else 0,
                reader.heading_from if is_heading else 0,
            )
        )
    unclosed = lines[reader.opened_at - 1] if reader.closes is not None else None
    return Lines(text, tuple(lines), unclosed)


def spans(text: str) -> Iterator[tuple[int, int, int]]:
    """Start, end without the line break, end with it."""
    at = len(BOM) if text.startswith(BOM) else 0
    while at < len(text):
        match = _BREAK.search(text, at)
        end, stop = match.span() if match else (len(text), len(text))
        yield at, end, stop
        at = stop


def newline_of(text: str) -> str:
    """The first line break of `text`; LF where there is none."""
    match = _BREAK.search(text)
    return match[0] if match else "\n"


LOOKS_LIKE_MARKER = re.compile(r" {0,3}<!--[ \t]*PALYRA[ \t]*:", re.IGNORECASE)

_BREAK = re.compile("\r\n|\n|\r")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_ATX = re.compile(r"(#{1,6})(?:[ \t]|$)")
_SETEXT = re.compile(r"(?:(=+)|-+)[ \t]*$")
_THEMATIC = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_ITEM = re.compile(r"(?:[-*+]|(\d{1,9})[.)])(?=[ \t]|$)")
_VERBATIM = "(?:script|pre|style|textarea)"
_RAW_HTML = (
    (re.compile("<!--"), re.compile("-->")),
    (re.compile(rf"(?i:<{_VERBATIM}(?:[ \t>]|$))"), re.compile(f"(?i:</{_VERBATIM}>)")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile("<![A-Za-z]"), re.compile(">")),
)
"""how it begins, how it ends; on the same line, perhaps"""
_TAGS = (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt"
    " fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link"
    " main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead"
    " title tr track ul"
)
_BLOCK_TAG = re.compile(rf"</?(?:{'|'.join(_TAGS.split())})(?:[ \t>]|/>|$)", re.IGNORECASE)
_ATTRIBUTES = r"""(?:[ \t]+[A-Za-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:[^ \t"'=<>`]+|'[^']*'|"[^"]*"))?)*"""
_ANY_TAG = re.compile(rf"(?:<[A-Za-z][A-Za-z0-9-]*{_ATTRIBUTES}[ \t]*/?>|</[A-Za-z][A-Za-z0-9-]*[ \t]*>)[ \t]*$")


_MOST_NESTED = 16
"""lists and quotes within each other; further in, their signs are text"""


class _BlockReader:
    """What is open at the end of the last line: one for the document, one for each list item or quote that is open."""

    def __init__(self, depth: int = 0) -> None:
        self.closes: re.Pattern[str] | None = None
        """what ends the opaque part that is open"""
        self.opened_at = 0
        self.level = 0
        self.heading_from = 0
        self._depth = depth
        self._child: _BlockReader | None = None
        self._item = 0
        """how far the lines of the open list item are indented; 0 for a quote"""
        self._item_is_empty = False
        self._paragraph = 0
        """the line it began in"""
        self._html = False
        """within HTML that a blank line ends: no Markdown in it, but comments"""

    def read(self, line: str, number: int) -> LineKind:
        content = line.lstrip(" \t")
        if self.closes is not None and (content or not self._html):
            if self.closes.search(line):
                self.closes = None
            return LineKind.OPAQUE
        if not content:
            return self._blank(number)
        indent = len(line[: len(line) - len(content)].expandtabs(4))
        if self._child is not None and self._item and indent >= self._item:
            self._item_is_empty = False
            self._child.read(" " * (indent - self._item) + content, number)
            return LineKind.NESTED
        if indent >= 4:
            if not self._in_paragraph():
                self._close()
            return LineKind.NESTED
        if not self._depth and LOOKS_LIKE_MARKER.match(line):
            # Counted as text for what follows: so the lines after it mean the same once `repair` has made text of it.
            self._child, self._paragraph = None, self._paragraph or number
            return LineKind.MARKER
        return self._outermost(content, indent, number)

    def _blank(self, number: int) -> LineKind:
        self._paragraph, self._html, self.closes = 0, False, None
        if self._child is not None and self._item and not self._item_is_empty:
            self._child.read("", number)
        else:
            self._child = None
        return LineKind.BLANK

    def _outermost(self, content: str, indent: int, number: int) -> LineKind:
        for begins, ends in _RAW_HTML[:1] if self._html else _RAW_HTML:
            if opening := begins.match(content):
                self._close()
                # The dashes that open a comment may close it: `<!-->` is a whole one.
                if not ends.search(content, 2 if ends.pattern == "-->" else opening.end()):
                    self.closes, self.opened_at = ends, number
                return LineKind.OPAQUE
        if self._html:
            return LineKind.OPAQUE
        if fence := _FENCE.match(content):
            self._close()
            run = fence[1] or fence[2]
            self.closes, self.opened_at = re.compile(rf"^ {{0,3}}{run[0]}{{{len(run)},}}[ \t]*$"), number
            return LineKind.OPAQUE
        if _BLOCK_TAG.match(content) or (not self._in_paragraph() and _ANY_TAG.match(content)):
            self._close()
            self._html = True
            return LineKind.OPAQUE
        return self._heading(content, number) or self._container(content, indent, number)

    def _heading(self, content: str, number: int) -> LineKind | None:
        if atx := _ATX.match(content):
            self._close()
            self.level, self.heading_from = len(atx[1]), number
            return LineKind.HEADING
        setext = _SETEXT.match(content)
        if setext and self._paragraph:
            self.level, self.heading_from = 1 if setext[1] else 2, self._paragraph
            self._close()
            return LineKind.HEADING
        if _THEMATIC.match(content):
            self._close()
            return LineKind.TEXT
        return None

    def _container(self, content: str, indent: int, number: int) -> LineKind:
        if self._depth < _MOST_NESTED:
            if content[0] == ">":
                if self._child is None or self._item:
                    self._open(0)
                self._read_in_child(content[1:], indent + 1, 1, number)
                return LineKind.NESTED
            item = _ITEM.match(content)
            if item and not (self._paragraph and _cannot_interrupt(item, content)):
                rest, column = content[item.end() :], indent + item.end()
                text = rest.lstrip(" \t")
                padding = _width(rest[: len(rest) - len(text)], column)
                offset = padding if text and padding <= 4 else 1
                self._open(column + offset)
                self._item_is_empty = not text
                if text:
                    self._read_in_child(rest, column, offset, number)
                return LineKind.NESTED
        if not self._paragraph:
            if self._in_paragraph():
                return LineKind.NESTED  # it goes on with the paragraph of the item or quote, as CommonMark has it
            self._close()
            self._paragraph = number
        return LineKind.TEXT

    def _read_in_child(self, rest: str, column: int, cut: int, number: int) -> None:
        assert self._child is not None  # noqa: S101 - it has just been opened
        text = rest.lstrip(" \t")
        padding = _width(rest[: len(rest) - len(text)], column)
        self._child.read(" " * max(0, padding - cut) + text, number)

    def _in_paragraph(self) -> bool:
        return self._paragraph > 0 or (self._child is not None and self._child._in_paragraph())

    def _open(self, item: int) -> None:
        self._close()
        self._child, self._item = _BlockReader(self._depth + 1), item

    def _close(self) -> None:
        self._child, self._item, self._item_is_empty, self._paragraph = None, 0, False, 0


def _cannot_interrupt(item: re.Match[str], content: str) -> bool:
    return not content[item.end() :].strip() or item[1] not in (None, "1")


def _width(blanks: str, column: int) -> int:
    return len((" " * column + blanks).expandtabs(4)) - column
