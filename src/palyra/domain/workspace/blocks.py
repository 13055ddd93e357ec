"""Managed blocks: the parts of a person's document that are ours to write.

    <!-- PALYRA:BEGIN facts sha=0f1e2d3c4b5a6978 -->
    <!-- PALYRA:ITEM 01JD8Q -->
    - Prefers tea over coffee
    <!-- PALYRA:END facts -->

A marker stands alone on its line: it begins at the left margin, spaces after it do not matter, and it counts only at
the outermost level of the document: not in code, not in another comment or raw HTML, not in a list or a quote. `sha`
covers the lines between BEGIN and END, whatever line breaks they have, so an edit by hand is noticed. A block without
`sha` and without text is an invitation: somebody has put it where the block should stand.
We write between BEGIN and END of a sound block and nowhere else. What is not sound fails closed, with its line.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from palyra.core.errors import FailedPrecondition, InvalidArgument
from palyra.core.text import has_lone_surrogate
from palyra.domain.workspace.escape import as_plain_text, item_lines, item_text
from palyra.domain.workspace.lines import BOM, LOOKS_LIKE_MARKER, Line, LineKind, Lines, newline_of, read_lines

ID_CHARS = 128


@dataclass(frozen=True, slots=True)
class BlockItem:
    item_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Broken:
    """Why a document, or one block of it, must not be written to."""

    line: int
    what: str
    block_id: str | None = None

    def error(self, path: str) -> FailedPrecondition:
        return FailedPrecondition(
            f"line {self.line} of {path}: {self.what}", hint=f"palyra workspace repair {path}", line=self.line
        )


@dataclass(frozen=True, slots=True)
class Block:
    block_id: str
    start: int
    """where the BEGIN marker begins"""
    end: int
    """where the END marker ends"""
    stop: int
    """where its line does, with the line break"""
    line: int
    items: tuple[BlockItem, ...]
    """as far as they can be read, if it was edited by hand"""
    edited: Broken | None
    """it is not as we wrote it"""


@dataclass(frozen=True, slots=True)
class Document:
    lines: Lines
    blocks: tuple[Block, ...]
    """each id once, in the order of the text"""
    broken: tuple[Broken, ...]
    """markers that belong to no block; while there are any, nothing is written"""

    def block(self, block_id: str) -> Block | None:
        return next((block for block in self.blocks if block.block_id == block_id), None)

    def fault(self, block_id: str) -> Broken | None:
        """Why `block_id` must not be written now."""
        if self.broken:
            return self.broken[0]
        block = self.block(block_id)
        return block.edited if block else None


@dataclass(frozen=True, slots=True)
class Repaired:
    text: str
    plain: tuple[Broken, ...]
    """markers that have become plain text"""


def parse(text: str) -> Document:
    """Blocks and faults of any text; linear, never fails."""
    lines = read_lines(text)
    markers = _Markers(lines)
    for line in lines.lines:
        if line.kind is LineKind.MARKER:
            markers.read(line)
    markers.finish()
    return Document(lines, tuple(markers.blocks), tuple(sorted(markers.broken, key=lambda broken: broken.line)))


def outside(text: str) -> str:
    """What stands outside every block: the owner's own lines."""
    kept, at = [], 0
    for block in parse(text).blocks:
        kept.append(text[at : block.start])
        at = block.end
    return "".join((*kept, text[at:]))


def items(text: str, block_id: str, *, path: str = "PATH") -> tuple[BlockItem, ...]:
    """What stands in the block; nothing if there is none. `FailedPrecondition` if it is not as we wrote it."""
    document = parse(text)
    if fault := document.fault(block_id):
        raise fault.error(path)
    block = document.block(block_id)
    return block.items if block else ()


def edit(text: str, block_id: str, wanted: Sequence[BlockItem], *, path: str = "PATH") -> str:
    """`text` with exactly the `wanted` items in the block, in that order, and every byte outside it as before.

    A missing block is put at the end after a blank line; before a fence or comment that is never closed, since after
    it everything is code. Doing it twice changes nothing. `FailedPrecondition` names the line of what is broken.
    """
    _check(block_id, wanted)
    document = parse(text)
    if fault := document.fault(block_id):
        raise fault.error(path)
    block = document.block(block_id)
    if block is None:
        return _with_new_block(document.lines, block_id, wanted) if wanted else text
    newline = newline_of(text[block.start :])
    return text[: block.start] + render(block_id, wanted, newline) + text[block.end :]


def render(block_id: str, wanted: Sequence[BlockItem], newline: str) -> str:
    """A block without a line break at its end."""
    inner = _written(wanted)
    begin = f"<!-- PALYRA:BEGIN {block_id} sha={_digest(inner)} -->"
    return newline.join([begin, *inner, f"<!-- PALYRA:END {block_id} -->"])


def repair(
    text: str,
    block_id: str | None,
    keep: Literal["mine", "ours"],
    last_known: Sequence[BlockItem] = (),
    *,
    path: str = "PATH",
) -> Repaired:
    """A document that can be written to again, at least in `block_id`.

    Markers that belong to no block become plain text. `mine` adopts what stands in the block now: lines without an
    ITEM become items of their own, an ITEM without lines goes. `ours` puts `last_known` back. Nothing else changes.
    """
    plain = parse(text).broken
    text = _without_markers(text, {broken.line for broken in plain})
    if block_id is not None:
        block = parse(text).block(block_id)
        if keep == "ours":
            wanted: Sequence[BlockItem] = last_known
        else:
            wanted = block.items if block else ()
        if block and block.edited:
            newline = newline_of(text[block.start :])
            text = text[: block.start] + render(block_id, (), newline) + text[block.end :]
        text = edit(text, block_id, wanted, path=path)
    return Repaired(text, plain)


_ID = r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}"
_IS_ID = re.compile(_ID)
_MARKER = re.compile(
    rf"<!-- PALYRA:(?:BEGIN (?P<begin>{_ID})(?: sha=(?P<sha>[0-9a-f]{{16}}))?|ITEM (?P<item>{_ID})|END (?P<end>{_ID}))"
    r" -->[ \t]*"
)


class _Markers:
    """Which markers make a block. A BEGIN within a block ends the hope for that block, not for the new one."""

    def __init__(self, lines: Lines) -> None:
        self.blocks: list[Block] = []
        self.broken: list[Broken] = []
        self._lines = lines
        self._begin: tuple[Line, re.Match[str]] | None = None
        self._items: list[Line] = []
        self._ids: dict[str, int] = {}

    def read(self, line: Line) -> None:
        marker = _MARKER.fullmatch(self._lines.of(line))
        if marker is None:
            self.broken.append(Broken(line.number, "this looks like a marker of Palyra and cannot be read as one"))
        elif marker["begin"]:
            self._give_up(f"before another one begins in line {line.number}")
            self._begin = (line, marker)
        elif self._begin is None:
            name = "ITEM" if marker["item"] else "END"
            self.broken.append(
                Broken(line.number, f"{name} {marker['item'] or marker['end']} stands outside any block")
            )
        elif marker["item"]:
            self._items.append(line)
        elif marker["end"] == self._begin[1]["begin"]:
            self._close(line)
        else:
            what = f"END {marker['end']} stands inside block {self._begin[1]['begin']}"
            self.broken.append(Broken(line.number, what))

    def finish(self) -> None:
        self._give_up("before the document does")
        opened = self._lines.unclosed
        if opened is None:
            return
        what = f"a marker of Palyra stands in code or a comment that begins in line {opened.number} and never ends"
        self.broken += [
            Broken(line.number, what)
            for line in self._lines.lines[opened.number :]
            if LOOKS_LIKE_MARKER.match(self._lines.text, line.start, line.end)
        ]

    def _give_up(self, when: str) -> None:
        if self._begin is None:
            return
        line, marker = self._begin
        block_id = marker["begin"]
        self.broken.append(Broken(line.number, f"block {block_id} does not end {when}", block_id))
        self._drop_items(f"its block {block_id} does not end")

    def _drop_items(self, why: str) -> None:
        self.broken += [Broken(line.number, f"an ITEM cannot be placed: {why}") for line in self._items]
        self._begin, self._items = None, []

    def _close(self, end: Line) -> None:
        assert self._begin is not None  # noqa: S101 - read() has asked
        begin, marker = self._begin
        block_id = marker["begin"]
        if block_id in self._ids:
            what = f"block {block_id} is there already, in line {self._ids[block_id]}"
            self.broken += [Broken(begin.number, what, block_id), Broken(end.number, what, block_id)]
            self._drop_items(what)
            return
        self._ids[block_id] = begin.number
        self.blocks.append(self._block(begin, end, marker))
        self._begin, self._items = None, []

    def _block(self, begin: Line, end: Line, marker: re.Match[str]) -> Block:
        block_id = marker["begin"]
        inner = [self._lines.of(line) for line in self._lines.lines[begin.number : end.number - 1]]
        numbers = {line.number - begin.number - 1 for line in self._items}
        found = _read_items(inner, numbers)
        is_ours = marker["sha"] == _digest(inner) and _written(found) == inner
        is_invitation = marker["sha"] is None and not any(line.strip() for line in inner)
        edited = None
        if not is_ours and not is_invitation:
            what = f"block {block_id} was changed by hand since Palyra wrote it"
            edited = Broken(begin.number + _unlike_ours(inner, _written(found)), what, block_id)
        marker_end = end.start + len(self._lines.of(end).rstrip(" \t"))
        return Block(block_id, begin.start, marker_end, end.stop, begin.number, tuple(found), edited)


def _written(wanted: Sequence[BlockItem]) -> list[str]:
    return [line for item in wanted for line in (f"<!-- PALYRA:ITEM {item.item_id} -->", *item_lines(item.text))]


def _unlike_ours(inner: list[str], ours: list[str]) -> int:
    """How many lines after BEGIN the first one stands that we would have written otherwise; 0 if there is none."""
    if inner == ours:
        return 0
    return next(
        (n for n, (a, b) in enumerate(zip(inner, ours, strict=False), 1) if a != b), min(len(inner), len(ours) + 1)
    )


_BULLET = re.compile(r"[-*+](?: |$)")


def _read_items(inner: list[str], item_lines_at: set[int]) -> list[BlockItem]:
    """Items of the lines in a block. A bullet at the margin that has no ITEM before it is an item of its own."""
    found: list[BlockItem] = []
    used: set[str] = set()
    item_id, held = "", list[str]()

    def keep() -> None:
        while held and not held[-1].strip():
            held.pop()
        text = item_text(held)
        if text or (item_id and held):
            own_id = item_id if item_id and item_id not in used else _new_id(text, used)
            used.add(own_id)
            found.append(BlockItem(own_id, text))
        held.clear()

    for index, line in enumerate(inner):
        if index in item_lines_at:
            keep()
            marker = _MARKER.fullmatch(line)
            item_id = marker["item"] if marker else ""
            continue
        if held and _BULLET.match(line):
            keep()
            item_id = ""
        if held or line.strip():
            held.append(line)
    keep()
    return found


def _new_id(text: str, used: set[str]) -> str:
    made = f"hand-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
    number = 1
    unused = made
    while unused in used:
        number += 1
        unused = f"{made}-{number}"
    return unused


def _digest(inner: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(inner).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _check(block_id: str, wanted: Sequence[BlockItem]) -> None:
    ids = [block_id, *(item.item_id for item in wanted)]
    for name in ids:
        if not _IS_ID.fullmatch(name):
            raise InvalidArgument(
                f"{name[:64]!a} cannot be the id of a block or an item",
                hint=f"use at most {ID_CHARS} letters, digits and . _ : / -, beginning with a letter or digit",
            )
    if len(set(ids[1:])) < len(wanted):
        raise InvalidArgument(f"block {block_id} would hold two items with the same id", hint="give each its own id")
    for item in wanted:
        if has_lone_surrogate(item.text):
            raise InvalidArgument(f"item {item.item_id} holds half a character", hint="send valid Unicode")


def _with_new_block(lines: Lines, block_id: str, wanted: Sequence[BlockItem]) -> str:
    text = lines.text
    opened = lines.unclosed
    at = opened.start if opened else len(text)
    before, after = text[:at], text[at:]
    newline = newline_of(text)
    last = lines.lines[opened.number - 2 if opened else -1] if before.removeprefix(BOM) else None
    gap = ""
    if last is not None:
        gap = (newline if last.end == last.stop else "") + (newline if last.kind is not LineKind.BLANK else "")
    return before + gap + render(block_id, wanted, newline) + newline + (newline if after else "") + after


def _without_markers(text: str, numbers: set[int]) -> str:
    if not numbers:
        return text
    lines = read_lines(text)
    pieces = [text[: lines.lines[0].start]]
    for line in lines.lines:
        raw = text[line.start : line.stop]
        pieces.append(as_plain_text(raw) if line.number in numbers else raw)
    return "".join(pieces)
