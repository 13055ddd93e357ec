"""A document in the pieces that are searched: by heading, each small enough to be an item of memory.

A heading counts at the outermost level: not in code, comments, lists, quotes or front matter. Markers of managed blocks
are left out and their items read as they were said, so that a search finds the words and shows nothing of ours.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from palyra.domain.chat.pieces import pieces
from palyra.domain.memory import MemoryLimits
from palyra.domain.workspace.blocks import Document, parse
from palyra.domain.workspace.escape import unescaped
from palyra.domain.workspace.lines import Line, LineKind, Lines

HEADING_CHARS = 200


@dataclass(frozen=True, slots=True)
class Section:
    headings: tuple[str, ...]
    """from the outermost to its own; empty before the first heading"""
    line: int
    """of the document, where `text` begins"""
    text: str
    """with its own heading; a long section makes several"""


def sections(text: str, allowed: MemoryLimits | None = None) -> tuple[Section, ...]:
    """In the order of the document; together they hold everything that is not blank or a marker."""
    document = parse(text)
    found: list[Section] = []
    for headings, lines in _by_heading(document.lines):
        found += _fitting(headings, lines, document, allowed or MemoryLimits())
    return tuple(found)


def _by_heading(lines: Lines) -> Iterator[tuple[tuple[str, ...], list[Line]]]:
    path: list[tuple[int, str]] = []
    held: list[Line] = []
    first_line = _after_front_matter(lines)
    for line in lines.lines:
        if line.kind is not LineKind.HEADING or line.number < first_line:
            held.append(line)
            continue
        size = line.number - line.heading_from
        own = [*held[len(held) - size :], line]
        yield tuple(name for _, name in path), held[: len(held) - size]
        path = [(level, name) for level, name in path if level < line.level]
        path.append((line.level, _heading(lines, own)))
        held = own
    yield tuple(name for _, name in path), held


def _heading(lines: Lines, own: list[Line]) -> str:
    if len(own) > 1:
        name = " ".join(lines.of(line).strip() for line in own[:-1])
    else:
        name = lines.of(own[0]).strip().lstrip("#").strip()
        bare = name.rstrip("#")
        name = bare.rstrip() if bare != name and (not bare or bare[-1] in " \t") else name
    return " ".join(name.split())[:HEADING_CHARS]


def _after_front_matter(lines: Lines) -> int:
    """The number of the first line after `---` … `---` at the very beginning; 1 without it."""
    if not lines.lines or lines.of(lines.lines[0]).rstrip() != "---":
        return 1
    return next((line.number + 1 for line in lines.lines[1:] if lines.of(line).rstrip() in ("---", "...")), 1)


def _fitting(headings: tuple[str, ...], lines: list[Line], document: Document, allowed: MemoryLimits) -> list[Section]:
    blocks = document.blocks
    starts = [block.start for block in blocks]
    texts: list[str] = []
    numbers: list[int] = []
    offsets: list[int] = []
    size = 0
    for line in lines:
        index = bisect_right(starts, line.start) - 1
        is_ours = index >= 0 and line.start < blocks[index].end
        if is_ours and line.kind is LineKind.MARKER:
            continue
        content = document.lines.of(line)
        content = unescaped(content) if is_ours else content
        texts.append(content)
        numbers.append(line.number)
        offsets.append(size)
        size += len(content) + 1
    whole = "\n".join(texts)
    made: list[Section] = []
    at = 0
    for piece in pieces(whole, allowed):
        at = whole.index(piece, at)
        made.append(Section(headings, numbers[bisect_right(offsets, at) - 1], piece))
        at += len(piece)
    return made
