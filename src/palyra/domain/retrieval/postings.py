"""Which rows hold a term: sorted arrays, searched by binary search.

New postings become a small segment of their own, so that a write costs what it adds. Segments of like size are
merged, so that a search looks into a few, and a posting is moved only a few times in its life.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palyra.domain.retrieval.entry import Codes

Rows: TypeAlias = NDArray[np.int32]
Counts: TypeAlias = NDArray[np.uint8]

_MERGE_RATIO = 4


class Segment(NamedTuple):
    codes: Codes
    rows: Rows
    counts: Counts


class Matches(NamedTuple):
    """Postings of several codes, one after the other: `sizes[i]` of them belong to the i-th code asked for."""

    rows: Rows
    counts: Counts
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

    def find(self, codes: Codes) -> Matches:
        rows: list[Rows] = []
        counts: list[Counts] = []
        sizes: list[int] = []
        which: list[int] = []
        for segment in self._segments:
            low = segment.codes.searchsorted(codes).tolist()
            high = segment.codes.searchsorted(codes, "right").tolist()
            for i, (start, end) in enumerate(zip(low, high, strict=True)):
                if end > start:
                    rows.append(segment.rows[start:end])
                    counts.append(segment.counts[start:end])
                    which.append(i)
                    sizes.append(end - start)
        if not rows:
            return Matches(np.zeros(0, np.int32), np.zeros(0, np.uint8), np.zeros(0, np.int64))
        return Matches(np.concatenate(rows), np.concatenate(counts), np.repeat(which, sizes))

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
