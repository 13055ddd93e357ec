"""Which rows hold a term: sorted arrays, searched by binary search.

New postings become a small segment of their own, so that a write costs what it adds. Segments of like size are
merged, so that a search looks into a few, and a posting is moved only a few times in its life.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palyra.domain.retrieval.entry import Codes

Rows: TypeAlias = NDArray[np.int32]
Counts: TypeAlias = NDArray[np.uint8]

_MERGE_RATIO = 4
_LAST_CODE = 0xFFFFFFFF


class Segment(NamedTuple):
    codes: Codes
    rows: Rows
    counts: Counts


class Matches(NamedTuple):
    """Postings of several codes, each with the place of its code among those asked for."""

    rows: NDArray[np.int64]
    counts: NDArray[np.float32]
    which: NDArray[np.int64]


class Postings:
    def __init__(self) -> None:
        self._segments: list[Segment] = []

    def __len__(self) -> int:
        return sum(len(segment.codes) for segment in self._segments)

    def add(self, codes: Codes, rows: Rows, counts: Counts) -> None:
        if not len(codes):
            return
        self._segments.append(_sorted(codes, rows, counts))
        while len(self._segments) > 1 and len(self._segments[-2].codes) <= _MERGE_RATIO * len(self._segments[-1].codes):
            second, first = self._segments.pop(), self._segments.pop()
            self._segments.append(_joined([first, second]))

    def find(self, codes: Sequence[int]) -> Matches:
        found = self._places(codes)
        if not found:
            return Matches(np.zeros(0, np.int64), np.zeros(0, np.float32), np.zeros(0, np.int64))
        # Rows as numpy wants its indexes: whoever looks something up by them would convert them each time.
        return Matches(
            np.concatenate([segment.rows[start:end] for _, segment, start, end in found], dtype=np.int64),
            np.concatenate([segment.counts[start:end] for _, segment, start, end in found], dtype=np.float32),
            np.array([i for i, *_ in found], np.int64).repeat([end - start for *_, start, end in found]),
        )

    def most_held(self, codes: Sequence[int]) -> int:
        """How many of the codes some row has at most: at a third of the price of finding out which row that is."""
        found = self._places(codes)
        if not found:
            return 0
        return int(np.bincount(np.concatenate([segment.rows[start:end] for _, segment, start, end in found])).max())

    def _places(self, codes: Sequence[int]) -> list[tuple[int, Segment, int, int]]:
        """(which code, segment, start, end)"""
        # One search for where each code begins and where the next one would: two of them cost twice as much.
        bounds = np.array([*codes, *[code + (code < _LAST_CODE) for code in codes]], np.uint32)
        found: list[tuple[int, Segment, int, int]] = []
        for segment in self._segments:
            places = segment.codes.searchsorted(bounds).tolist()
            for i, code in enumerate(codes):
                start, end = places[i], places[len(codes) + i]
                if code == _LAST_CODE:
                    end = len(segment.codes)
                if end > start:
                    found.append((i, segment, start, end))
        return found

    def keep(self, alive: NDArray[np.bool_]) -> None:
        """Drops the postings of rows that are not alive, so that their numbers can be given to other items."""
        if self._segments:
            whole = _joined(self._segments)
            kept = alive[whole.rows]
            self._segments = [Segment(whole.codes[kept], whole.rows[kept], whole.counts[kept])]

    def memory_bytes(self) -> int:
        return sum(array.nbytes for segment in self._segments for array in segment)


def _joined(segments: list[Segment]) -> Segment:
    if len(segments) == 1:
        return segments[0]
    return _sorted(
        np.concatenate([segment.codes for segment in segments]),
        np.concatenate([segment.rows for segment in segments]),
        np.concatenate([segment.counts for segment in segments]),
    )


def _sorted(codes: Codes, rows: Rows, counts: Counts) -> Segment:
    # Stable: on the runs of a merge it is linear.
    order = np.argsort(codes, kind="stable")
    return Segment(codes[order], rows[order], counts[order])
