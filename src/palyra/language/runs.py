"""Which runs of pieces are looked at as statements, what is known of each, and which of them together tell a turn best.

What is said of a run is put together from its pieces, so a hundred runs cost little more than their pieces.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from palyra.language.fitted import Array, Floats
from palyra.language.pieces import SHAPE, Piece, pieces, shapes
from palyra.language.words import pattern

MOST_PIECES = 7
MOST_CHARACTERS = 280
"""of a run of more than one piece"""
MOST_TOGETHER = 1_600
"""characters that are looked at together; no longer turn was there to learn from"""
WHOLE = 130
"""characters; a shorter turn is one statement or none"""

_PARTINGS = ("\n\n", "\n", ". ", "。", " ")
_SPEAKER = re.compile(r"\[([^\]\[\n]{1,40})\][ \t]|([^\W\d][\w.-]{1,30}) \[\d\d:\d\d\]: ")


@dataclass(frozen=True, slots=True)
class Cut:
    """The person's own words in pieces."""

    text: str
    pieces: tuple[Piece, ...]
    speaker: tuple[int, int] | None
    """where a turn says who speaks ("[Priya] …")"""
    edges: Array
    """before each piece, and after the last: 0 within a clause, 1 a mark, 2 a sentence, 3 a line, 4 a paragraph"""

    @property
    def texts(self) -> list[str]:
        return [self.text[p.start : p.end] for p in self.pieces]

    def of(self, first: int, last: int) -> str:
        return self.text[self.pieces[first].start : self.pieces[last].end]

    def told(self, first: int, last: int) -> str:
        """The run with its speaker."""
        if self.speaker is None or self.pieces[first].start <= self.speaker[1]:
            return self.of(first, last)
        return f"{self.text[slice(*self.speaker)].rstrip()} {self.of(first, last)}"


def stretches(text: str, spans: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """A long turn in parts of at most so many characters each, parted where paragraphs, lines or sentences end."""
    found: list[list[tuple[int, int]]] = [[]]
    room = MOST_TOGETHER
    for start, end in spans:
        at = start
        while at < end:
            after = end if end - at <= room else _parting(text, at, at + room, alone=not found[-1])
            if after > at:
                found[-1].append((at, after))
                room -= after - at
            if after < end:
                found.append([])
                room = MOST_TOGETHER
            at = after
    return [part for part in found if part]


def _parting(text: str, start: int, end: int, *, alone: bool) -> int:
    for mark in _PARTINGS:
        at = text.rfind(mark, start + (end - start) // 3, end)
        if at >= 0:
            return at + len(mark)
    return end if alone else start


def cut(text: str, spans: Sequence[tuple[int, int]], speaker: tuple[int, int] | None = None) -> Cut:
    """`speaker` stands before the spans; without it, one who is named where they begin."""
    found: list[Piece] = []
    already = speaker
    for start, end in spans:
        named = _SPEAKER.match(text, start, end) if start == spans[0][0] and already is None else None
        if named:
            speaker = named.span()
        found += pieces(text, named.end() if named else start, end)
    if speaker is not None and already is None and found:
        found[0] = Piece(speaker[0], found[0].end, found[0].ends_sentence)
    edges = [4, *(_edge(text, a, b) for a, b in pairwise(found)), 4]
    return Cut(text, tuple(found), speaker, np.array(edges[: len(found) + 1]))


def _edge(text: str, before: Piece, after: Piece) -> int:
    between = text[before.end : after.start]
    if "\n" in between:
        return 4 if between.count("\n") > 1 or between.strip() else 3
    if before.ends_sentence:
        return 2
    return 1 if text[before.end - 1 : before.end] in _MARKS else 0


_MARKS = frozenset(",;:，；：、-–—)]）")


def runs(made: Cut) -> Array:
    """First and last piece of every run worth looking at."""
    count = len(made.pieces)
    if count and made.pieces[-1].end - made.pieces[0].start <= WHOLE:
        return np.array([[0, count - 1]])
    found = []
    for first in range(count):
        for last in range(first, min(count, first + MOST_PIECES)):
            if last > first and made.pieces[last].end - made.pieces[first].start > MOST_CHARACTERS:
                break
            if last > first and made.edges[last] == 4:
                break
            found.append((first, last))
    return np.array(found).reshape(-1, 2)


_ITEM = re.compile(r"[-*•·–]\s|\d{1,2}[.)]\s")


def within_items(made: Cut, found: Array) -> Array:
    """Of each run, whether it stays within one item of a list."""
    begins = [made.edges[n] >= 3 and _ITEM.match(made.text, p.start) is not None for n, p in enumerate(made.pieces)]
    counted = np.cumsum(begins)
    same: Array = counted[found[:, 0]] == counted[found[:, 1]]
    return same


_COUNTED = ("pronoun", "first_person", "supposed", "request", "lasting", "greeting", "joint", "turning", "confirming")


def signs(made: Cut, after_assistant: bool) -> Floats:
    """What each piece looks like by itself: its shape, and how it begins."""
    texts = [made.text[p.start : p.end] for p in made.pieces]
    begins = [[pattern(name).match(t.casefold().lstrip("-*•([\"' ")) is not None for name in _COUNTED] for t in texts]
    lower = [[t[:1].islower(), t[:1] in "-*•([\"'“„«「", t[-1:] in "?？"] for t in texts]
    return np.column_stack([shapes(texts, after_assistant), np.array(begins, float), np.array(lower, float)])


_SUMMED = [SHAPE.index(name) for name in ("first", "pronoun", "request", "lasting", "numbers", "names", "quoted")]
_SIGNS = len(SHAPE) + len(_COUNTED) + 3


def rows(
    made: Cut, found: Array, looks: Floats, keep: Floats, joined: Floats, near: Floats, turn: float, after: bool
) -> Floats:
    """A row for each run: of its pieces, its ends, its neighbours and its turn.

    `keep` and `joined` are logits of the pieces (worth keeping; going on from the one before), `near` how close in
    meaning each is to the one before, all of the same length."""
    first, last = found[:, 0], found[:, 1]
    count = last - first + 1
    starts = np.array([p.start for p in made.pieces])
    ends = np.array([p.end for p in made.pieces])
    long = (ends - starts).astype(float)
    size = (ends[last] - starts[first]).astype(float)
    whole = float(ends[-1] - starts[0])
    columns = [count, np.log(size), np.full(len(found), np.log(whole)), size / whole, np.full(len(found), turn)]
    columns += [np.full(len(found), float(after)), np.full(len(found), float(made.speaker is not None))]
    weighed = _between(keep * long, first, last) / np.maximum(_between(long, first, last), 1)
    columns += [weighed, _least(keep, first, last), -_least(-keep, first, last), keep[first], keep[last]]
    around = np.concatenate([[-4.0], keep, [-4.0]])
    columns += [around[first], around[last + 2]]
    inner = np.concatenate([joined, [-4.0]])
    columns += [inner[first], inner[last + 1], _inner(joined, first, last, np.minimum, 4.0)]
    close = np.concatenate([near, [0.0]])
    columns += [close[first], close[last + 1], _inner(near, first, last, np.minimum, 1.0)]
    edges = made.edges.astype(float)
    columns += [edges[first], edges[last + 1], _inner(edges[:-1], first, last, np.maximum, -1.0)]
    columns += [first / max(1, len(made.pieces)), (len(made.pieces) - 1 - last) / max(1, len(made.pieces))]
    columns += [_between(looks[:, n], first, last) for n in _SUMMED]
    after_it = np.vstack([looks, np.zeros((1, _SIGNS))])[last + 1][:, len(SHAPE) :]
    return np.column_stack([*columns, looks[first][:, len(SHAPE) :], after_it, looks[last][:, [_SIGNS - 1]]])


def _between(values: Floats, first: Array, last: Array) -> Floats:
    total = np.concatenate([[0.0], np.cumsum(values)])
    summed: Floats = total[last + 1] - total[first]
    return summed


def _least(values: Floats, first: Array, last: Array) -> Floats:
    out = values[first].astype(np.float64)
    for step in range(1, MOST_PIECES):
        at = np.minimum(first + step, last)
        out = np.minimum(out, values[at])
    return out


def _inner(values: Floats, first: Array, last: Array, fold: "np.ufunc", empty: float) -> Floats:
    """Folded over the joints within a run; `values[i]` stands for the joint before piece i."""
    out = np.full(len(first), empty)
    for step in range(1, MOST_PIECES):
        within = first + step <= last
        at = np.minimum(first + step, last)
        out = np.where(within, fold(out, values[at]) if step > 1 else values[at], out)
    return out


def best(found: Array, worth: Floats, pieces_of: int) -> list[int]:
    """The runs, none sharing a piece with another, that are worth most together; those worth nothing are left out."""
    value = np.zeros(pieces_of + 1)
    chosen: list[int | None] = [None] * (pieces_of + 1)
    ending: dict[int, list[int]] = {}
    for n, (_, last) in enumerate(found.tolist()):
        ending.setdefault(last, []).append(n)
    for last in range(pieces_of):
        value[last + 1] = value[last]
        for n in ending.get(last, ()):
            total = value[found[n, 0]] + worth[n]
            if total > value[last + 1] + 1e-12:
                value[last + 1], chosen[last + 1] = total, n
    picked, at = [], pieces_of
    while at > 0:
        run = chosen[at]
        if run is None:
            at -= 1
        else:
            picked.append(run)
            at = int(found[run, 0])
    return picked[::-1]
