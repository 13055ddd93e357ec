"""Two versions of a document that began as one become one again.

Managed blocks merge by their items, text outside by lines. Where both sides changed the same, both versions stay, ours
first, and the place is reported; `with_marks` also shows it in the text. Nothing that either side added is lost.
A document with broken markers has no blocks here: it merges by lines, and stays as broken as it was.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from palyra.domain.workspace.blocks import ID_CHARS, BlockItem, parse, render
from palyra.domain.workspace.linediff import matches, split
from palyra.domain.workspace.lines import BOM, newline_of


@dataclass(frozen=True, slots=True)
class MergeConflict:
    line: int
    """of the merged text, where ours begins; for a block, where the block does"""
    ours: str
    theirs: str
    """empty on the side that removed it"""
    block_id: str | None = None
    item_id: str | None = None


@dataclass(frozen=True, slots=True)
class MergedText:
    text: str
    conflicts: tuple[MergeConflict, ...]


def merge(base: str, ours: str, theirs: str, *, with_marks: bool = False) -> MergedText:
    if theirs in (ours, base):
        return MergedText(ours, ())
    if ours == base:
        return MergedText(theirs, ())
    had, have, they_have = (text.startswith(BOM) for text in (base, ours, theirs))
    if had or have or they_have:
        bare = merge(*(text.removeprefix(BOM) for text in (base, ours, theirs)), with_marks=with_marks)
        return MergedText((BOM if (have if they_have == had else they_have) else "") + bare.text, bare.conflicts)
    versions = [_Version.of(text) for text in (base, ours, theirs)]
    if any(version is None for version in versions):
        sides = [_Version(split(text), {}) for text in (base, ours, theirs)]
    else:
        sides = [version for version in versions if version is not None]
    newline = newline_of(ours)
    blocks = _merged_blocks(*sides, newline=newline)
    return _Writer(blocks, newline, with_marks=with_marks).write(_regions(*_skeletons(*sides, blocks=blocks)))


@dataclass(frozen=True, slots=True)
class _Place:
    """Stands for a block among the lines."""

    block_id: str


_Token: TypeAlias = str | _Place


@dataclass(frozen=True, slots=True)
class _Written:
    raw: str
    """from BEGIN to the line break after END"""
    items: tuple[BlockItem, ...]
    edited: bool = False


@dataclass(frozen=True, slots=True)
class _Version:
    tokens: Sequence[_Token]
    blocks: dict[str, _Written]

    @staticmethod
    def of(text: str) -> "_Version | None":
        document = parse(text)
        if document.broken:
            return None
        tokens: list[_Token] = []
        blocks: dict[str, _Written] = {}
        at = 0
        for block in document.blocks:
            tokens += [*split(text[at : block.start]), _Place(block.block_id)]
            blocks[block.block_id] = _Written(text[block.start : block.stop], block.items, block.edited is not None)
            at = block.stop
        return _Version([*tokens, *split(text[at:])], blocks)


@dataclass(frozen=True, slots=True)
class _Block:
    raw: str
    conflicts: tuple[MergeConflict, ...] = ()


def _merged_blocks(base: _Version, ours: _Version, theirs: _Version, *, newline: str) -> dict[str, _Block]:
    """The blocks that stay."""
    merged: dict[str, _Block] = {}
    for block_id in dict.fromkeys([*ours.blocks, *theirs.blocks]):
        old, mine, other = (version.blocks.get(block_id) for version in (base, ours, theirs))
        if mine is None or other is None:
            kept = mine or other
            if kept is None or (old is not None and kept.raw == old.raw):
                continue  # removed on one side, untouched on the other
            gone = MergeConflict(0, mine.raw if mine else "", other.raw if other else "", block_id)
            merged[block_id] = _Block(kept.raw, (gone,) if old is not None else ())
        elif other.raw in (mine.raw, old.raw if old else None):
            merged[block_id] = _Block(mine.raw)
        elif old is not None and mine.raw == old.raw:
            merged[block_id] = _Block(other.raw)
        else:
            merged[block_id] = _merged_block(block_id, old, mine, other, newline)
    return merged


def _merged_block(block_id: str, old: _Written | None, mine: _Written, other: _Written, newline: str) -> _Block:
    kept, conflicts = _merged_items(old.items if old else (), mine.items, other.items, block_id)
    if mine.edited or other.edited:
        conflicts.insert(0, MergeConflict(0, mine.raw, other.raw, block_id))
    return _Block(render(block_id, kept, newline) + newline, tuple(conflicts))


def _merged_items(
    base: Sequence[BlockItem], ours: Sequence[BlockItem], theirs: Sequence[BlockItem], block_id: str
) -> tuple[list[BlockItem], list[MergeConflict]]:
    """Ours in our order, then what they added. An item changed on one side and removed on the other stays."""
    old, mine, other = ({item.item_id: item.text for item in items} for items in (base, ours, theirs))
    kept: list[BlockItem] = []
    conflicts: list[MergeConflict] = []
    taken = {*mine, *other}
    for item_id in dict.fromkeys([*mine, *other]):
        was, our, their = old.get(item_id), mine.get(item_id), other.get(item_id)
        if their in (our, was):
            choice = our
        elif our == was:
            choice = their
        else:
            conflicts.append(MergeConflict(0, our or "", their or "", block_id, item_id))
            choice = our if our is not None else their
            if our is not None and their is not None:
                kept.append(BlockItem(item_id, our))
                item_id, choice = _unused(item_id, taken), their  # noqa: PLW2901 - the second of two
        if choice is not None:
            kept.append(BlockItem(item_id, choice))
    return kept, conflicts


def _unused(item_id: str, taken: set[str]) -> str:
    number = 1
    stem = f"{item_id[: ID_CHARS - 16]}.theirs"
    made = stem
    while made in taken:
        number += 1
        made = f"{stem}{number}"
    taken.add(made)
    return made


def _skeletons(base: _Version, ours: _Version, theirs: _Version, *, blocks: dict[str, _Block]) -> list[list[_Token]]:
    """The tokens of each version, with each block that stays where it can be placed without doubt.

    Where only one side has it, that side says where. Where base does not have it, ours does.
    """
    in_all = {name for name in blocks if all(name in version.blocks for version in (base, ours, theirs))}
    in_ours = blocks.keys() & ours.blocks.keys()
    in_theirs = in_all | (blocks.keys() - ours.blocks.keys())
    return [
        [token for token in version.tokens if not isinstance(token, _Place) or token.block_id in kept]
        for version, kept in ((base, in_all), (ours, in_ours), (theirs, in_theirs))
    ]


_Region: TypeAlias = tuple[Sequence[_Token], Sequence[_Token] | None]
"""lines, and None; or ours and theirs, where they disagree"""


def _regions(base: Sequence[_Token], ours: Sequence[_Token], theirs: Sequence[_Token]) -> Iterator[_Region]:
    """The classical three-way walk: stretches all three have, and between them what either side made of it."""
    in_ours, in_theirs = _places(base, ours), _places(base, theirs)
    at_base = at_ours = at_theirs = 0
    for index in [*(i for i in range(len(base)) if i in in_ours and i in in_theirs), len(base)]:
        to_ours = in_ours[index] if index < len(base) else len(ours)
        to_theirs = in_theirs[index] if index < len(base) else len(theirs)
        was, mine, other = base[at_base:index], ours[at_ours:to_ours], theirs[at_theirs:to_theirs]
        if mine in (other, was) or other == was:
            yield (other if mine == was else mine), None
        else:
            yield from _disagreement(mine, other)
        if index < len(base):
            yield base[index : index + 1], None
        at_base, at_ours, at_theirs = index + 1, to_ours + 1, to_theirs + 1


def _disagreement(ours: Sequence[_Token], theirs: Sequence[_Token]) -> Iterator[_Region]:
    """What both sides have at the beginning and at the end is no matter of dispute."""
    most = min(len(ours), len(theirs))
    start = next((n for n in range(most) if ours[n] != theirs[n]), most)
    most -= start
    end = next((n for n in range(most) if ours[-1 - n] != theirs[-1 - n]), most)
    yield ours[:start], None
    yield ours[start : len(ours) - end], theirs[start : len(theirs) - end]
    yield ours[len(ours) - end :], None


def _places(base: Sequence[_Token], side: Sequence[_Token]) -> dict[int, int]:
    return {match.a + n: match.b + n for match in matches(base, side) for n in range(match.size)}


class _Writer:
    def __init__(self, blocks: dict[str, _Block], newline: str, *, with_marks: bool) -> None:
        self._blocks = blocks
        self._newline = newline
        self._with_marks = with_marks
        self._pieces: list[str] = []
        self._conflicts: list[MergeConflict] = []
        self._line = 1
        self._placed: set[str] = set()

    def write(self, regions: Iterator[_Region]) -> MergedText:
        for ours, theirs in regions:
            if theirs is None:
                self._put(ours)
            else:
                self._conflicts.append(MergeConflict(self._next_line(), self._raw(ours), self._raw(theirs)))
                self._mark("<<<<<<< ours")
                self._put(ours)
                self._mark("=======")
                self._put(theirs)
                self._mark(">>>>>>> theirs")
        return MergedText("".join(self._pieces), tuple(self._conflicts))

    def _put(self, tokens: Sequence[_Token]) -> None:
        for token in tokens:
            if isinstance(token, str):
                self._add(token)
            elif token.block_id not in self._placed:
                # Moved to two places: it stays in the first.
                self._placed.add(token.block_id)
                block = self._blocks[token.block_id]
                self._conflicts += [
                    MergeConflict(self._next_line(), c.ours, c.theirs, c.block_id, c.item_id) for c in block.conflicts
                ]
                self._add(block.raw)

    def _mark(self, mark: str) -> None:
        if self._with_marks:
            self._add(mark + self._newline)

    def _add(self, piece: str) -> None:
        if self._is_open():
            # The last line of a file without a line break at its end, and now more follows.
            self._pieces.append(self._newline)
            self._line += self._newline.count("\n")
        self._pieces.append(piece)
        self._line += piece.count("\n")

    def _is_open(self) -> bool:
        return bool(self._pieces) and not self._pieces[-1].endswith(("\n", "\r"))

    def _next_line(self) -> int:
        return self._line + (1 if self._is_open() else 0)

    def _raw(self, tokens: Sequence[_Token]) -> str:
        return "".join(token if isinstance(token, str) else self._blocks[token.block_id].raw for token in tokens)
