"""Which lines two texts have in common, and what a person reads of the difference.

Lines that occur once in both texts are the fixed points; between them the standard library looks for the longest
common stretches, as long as that is cheap. So the cost stays near the length of the texts, also for texts of one line
repeated, on which a plain `difflib` takes minutes.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_MOST_PAIRS = 20_000
"""of equal lines between two fixed points: beyond, the stretch counts as changed as a whole"""
_CONTEXT = 3


class Match(NamedTuple):
    """`size` lines from `a` on in the first text equal those from `b` on in the second."""

    a: int
    b: int
    size: int


def split(text: str) -> list[str]:
    """Lines with their LF; a CR belongs to its line. Joined they are the text."""
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def matches(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Match]:
    """Common stretches, in order in both."""
    found: list[Match] = []
    at_a = at_b = 0
    for next_a, next_b in [*_fixed_points(a, b), (len(a), len(b))]:
        found += _between(a, b, at_a, next_a, at_b, next_b)
        if next_a < len(a):
            found.append(Match(next_a, next_b, 1))
        at_a, at_b = next_a + 1, next_b + 1
    return list(_joined(found))


def diff(old: str, new: str, old_name: str = "old", new_name: str = "new") -> str:
    """A unified diff; empty when nothing differs."""
    a, b = split(old), split(new)
    hunks = list(_hunks(matches(a, b), len(a), len(b)))
    if not hunks:
        return ""
    out = [f"--- {_label(old_name)}\n", f"+++ {_label(new_name)}\n"]
    for hunk in hunks:
        first, last = hunk[0], hunk[-1]
        out.append(f"@@ -{_range(first[0], last[1])} +{_range(first[2], last[3])} @@\n")
        for from_a, to_a, from_b, to_b, same in hunk:
            if same:
                out += [_shown(" ", line) for line in a[from_a:to_a]]
            else:
                out += [_shown("-", line) for line in a[from_a:to_a]]
                out += [_shown("+", line) for line in b[from_b:to_b]]
    return "".join(out)


def _fixed_points(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Places of lines that occur once in both, the longest row of them that is in order in both."""
    in_a, in_b = Counter(a), Counter(b)
    place_in_b = {line: index for index, line in enumerate(b) if in_b[line] == 1}
    pairs = [(index, place_in_b[line]) for index, line in enumerate(a) if in_a[line] == 1 and line in place_in_b]
    ends: list[int] = []  # the smallest last place in b of a row of each length
    rows: list[int] = []  # the pair it belongs to
    before: list[int] = []
    for number, (_, b_index) in enumerate(pairs):
        length = bisect_left(ends, b_index)
        before.append(rows[length - 1] if length else -1)
        ends[length : length + 1] = [b_index]
        rows[length : length + 1] = [number]
    row: list[tuple[int, int]] = []
    at = rows[-1] if rows else -1
    while at >= 0:
        row.append(pairs[at])
        at = before[at]
    return row[::-1]


def _between(
    a: Sequence[Hashable], b: Sequence[Hashable], from_a: int, to_a: int, from_b: int, to_b: int
) -> Iterator[Match]:
    start = 0
    while from_a + start < to_a and from_b + start < to_b and a[from_a + start] == b[from_b + start]:
        start += 1
    yield Match(from_a, from_b, start)
    from_a, from_b = from_a + start, from_b + start
    end = 0
    while to_a - end > from_a and to_b - end > from_b and a[to_a - end - 1] == b[to_b - end - 1]:
        end += 1
    left, right = a[from_a : to_a - end], b[from_b : to_b - end]
    counts = Counter(right)
    if left and right and sum(counts[line] for line in left) <= _MOST_PAIRS:
        for match in SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks():
            yield Match(from_a + match.a, from_b + match.b, match.size)
    yield Match(to_a - end, to_b - end, end)


def _joined(found: list[Match]) -> Iterator[Match]:
    held = Match(0, 0, 0)
    for match in found:
        if match.size == 0:
            continue
        if held.a + held.size == match.a and held.b + held.size == match.b:
            held = Match(held.a, held.b, held.size + match.size)
        else:
            if held.size:
                yield held
            held = match
    if held.size:
        yield held


_Stretch = tuple[int, int, int, int, bool]


def _hunks(common: list[Match], size_a: int, size_b: int) -> Iterator[list[_Stretch]]:
    """Changes with the lines around them; what is further apart makes a new hunk."""
    hunk: list[_Stretch] = []
    at_a = at_b = 0
    for match in [*common, Match(size_a, size_b, 0)]:
        if at_a < match.a or at_b < match.b:
            hunk.append((at_a, match.a, at_b, match.b, False))
        at_a, at_b = match.a + match.size, match.b + match.size
        is_last = at_a == size_a and at_b == size_b
        changed = any(not same for *_, same in hunk)
        if changed and (match.size > 2 * _CONTEXT or is_last):
            keep = min(match.size, _CONTEXT)
            if keep:
                hunk.append((match.a, match.a + keep, match.b, match.b + keep, True))
            yield hunk
            hunk, changed = [], False
            if is_last:
                return
        start = 0 if changed else max(0, match.size - _CONTEXT)
        if start < match.size:
            hunk.append((match.a + start, at_a, match.b + start, at_b, True))


def _range(start: int, stop: int) -> str:
    size = stop - start
    if size == 1:
        return f"{start + 1}"
    return f"{start + 1 if size else start},{size}"


def _shown(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


def _label(name: str) -> str:
    return " ".join(name.split())
