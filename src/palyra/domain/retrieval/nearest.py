"""The rows whose vectors point where a question points, found through one bit per dimension.

A scan of every float is the most expensive part of a search. The signs of a vector, packed into a few words, tell
how near it is well enough to choose some hundred rows, whose cosines are then computed. On real text the choice
misses one in a hundred of the ten nearest of 23,000, and one in fifteen of the fifty; what it misses can still be
found by its words. Few rows, or too few dimensions for signs to mean much, are all compared. A vector is kept in one
byte per dimension: that moves a cosine by less than 0.003, and a search reads a quarter of the memory.

What all texts of a store have in common says nothing about one of them, so a question is compared without its share
of their common direction. That direction is kept per scope, and in integers: it must not depend on what the question
may not see, nor on the order of writes.
"""

from bisect import bisect_left
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from palyra.domain.retrieval.vectors import Floats, Mask, unit_rows

EXACT_ROWS: Final = 3_072
EXACT_DIMS: Final = 192
RESCORED: Final = 640
COMMON_FROM: Final = 32
"""With fewer vectors than this, what they have in common is mostly what each of them says."""
_WORD_BITS: Final = 64
_LARGEST: Final = 127
_STEPS: Final = 1 << 24
_SUM_ROWS: Final = 4_096
_COMMON_KEPT: Final = 16


class NearestRows:
    """Rows are positions the caller hands out; a row may be empty. Not thread-safe."""

    def __init__(self, dims: int) -> None:
        self.dims = dims
        # A count of 256 differing bits would not fit a byte, and one bit less tells as much.
        self._bits = 255 if dims == 256 else dims
        words = -(-dims // _WORD_BITS)
        self._codes = np.zeros((0, dims), np.int8)
        self._scale: Floats = np.zeros(0, np.float32)
        """a vector is its codes times its scale"""
        self._signs = np.zeros((words, 0), np.uint64)
        self._present: Mask = np.zeros(0, np.bool_)
        self._count = 0
        self._gathered = np.zeros((0, dims), np.int8)
        self._widened: Floats = np.zeros((0, dims), np.float32)
        self._scope = np.zeros(0, np.int64)
        self._sums: dict[int, NDArray[np.float64]] = {}
        self._counts: dict[int, int] = {}
        self._common: dict[frozenset[int], Floats] = {}

    def __len__(self) -> int:
        return self._count

    def put(self, rows: NDArray[np.int64], vectors: Floats, scopes: NDArray[np.int64]) -> None:
        """Adds or replaces. InvalidArgument and no change if a vector is not `dims` finite numbers of unit length."""
        vectors = unit_rows(vectors, self.dims)
        if not len(rows):
            return
        self._reserve(int(rows.max()) + 1)
        self._sum_up(rows[self._present[rows]], -1)
        scale = np.abs(vectors).max(axis=1) / np.float32(_LARGEST)
        self._scale[rows] = scale
        self._codes[rows] = np.rint(vectors / scale[:, None])
        self._scope[rows] = scopes
        self._sum_up(rows, 1)
        self._signs[:, rows] = self._packed(vectors)
        self._present[rows] = True
        self._count = int(np.count_nonzero(self._present))

    def discard(self, rows: NDArray[np.int64]) -> None:
        """Rows without a vector are ignored. The numbers are overwritten, not only hidden."""
        rows = rows[rows < len(self._present)]
        self._sum_up(rows[self._present[rows]], -1)
        self._codes[rows] = 0
        self._scale[rows] = 0.0
        self._signs[:, rows] = 0
        self._present[rows] = False
        self._count = int(np.count_nonzero(self._present))

    def distinctive(self, query: Floats, scopes: frozenset[int]) -> Floats:
        """The question without what the vectors of these scopes have in common."""
        common = self._common.get(scopes)
        if common is None:
            if len(self._common) >= _COMMON_KEPT:
                self._common.clear()
            common = self._common[scopes] = self._shared(scopes)
        rest: Floats = query - np.float32(query @ common) * common
        rest /= max(float(np.sqrt(rest @ rest)), 0.5)
        return rest

    def near(
        self, query: Floats, allowed: Mask, likely: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], Floats]:
        """Allowed rows and their cosines, in no order: all if there are few, else those that look nearest.

        `likely`: those of them that somebody else says are nearest."""
        width = min(len(allowed), len(self._present))
        if likely is not None:
            rows = np.unique(likely[likely < width])
            rows = rows[allowed[rows] & self._present[rows]]
            return rows, self._products(rows, query)
        visible = np.logical_and(allowed[:width], self._present[:width])
        count = int(np.count_nonzero(visible))
        many = count > EXACT_ROWS and self.dims >= EXACT_DIMS
        rows = self._likely(query, visible, count) if many else visible.nonzero()[0]
        return rows, self._products(rows, query)

    def cosines(self, query: Floats, rows: NDArray[np.int64]) -> Floats:
        """One per row asked for, of rows in ascending order; 0.0 where a row has no vector."""
        have = len(self._present)
        known = self._products(rows if not len(rows) or rows[-1] < have else rows[rows < have], query)
        return np.concatenate([known, np.zeros(len(rows) - len(known), np.float32)])

    def memory_bytes(self) -> int:
        kept = (self._codes, self._scale, self._signs, self._present, self._scope, self._gathered, self._widened)
        return sum(array.nbytes for array in kept)

    def _shared(self, scopes: frozenset[int]) -> Floats:
        """The common direction, shorter the fewer vectors there are; q - (q.c)c then takes a part of it away."""
        known = sorted(scope for scope in scopes if self._counts.get(scope))
        count = sum(self._counts[scope] for scope in known)
        common = np.zeros(self.dims)
        for scope in known:
            common += self._sums[scope]
        common *= np.sqrt(count / (count + COMMON_FROM)) / max(float(np.sqrt(common @ common)), 1.0)
        return common.astype(np.float32)

    def _sum_up(self, rows: NDArray[np.int64], sign: int) -> None:
        self._common.clear()
        for start in range(0, len(rows), _SUM_ROWS):
            some = rows[start : start + _SUM_ROWS]
            # Whole numbers, so that adding and taking away in any order ends at the same sum.
            steps = np.rint(self._codes[some] * (self._scale[some, None] * np.float32(_STEPS)))
            scopes = self._scope[some]
            for scope in np.unique(scopes).tolist():
                mine = scopes == scope
                count = int(np.count_nonzero(mine))
                total = (steps if count == len(some) else steps[mine]).sum(axis=0, dtype=np.float64)
                self._sums[scope] = self._sums.get(scope, 0.0) + sign * total
                self._counts[scope] = self._counts.get(scope, 0) + sign * count

    def _products(self, rows: NDArray[np.int64], query: Floats) -> Floats:
        """Through kept arrays: new ones cost more in page faults than the arithmetic does."""
        if len(self._gathered) < len(rows):
            self._gathered = np.zeros((len(rows), self.dims), np.int8)
            self._widened = np.zeros((len(rows), self.dims), np.float32)
        gathered, widened = self._gathered[: len(rows)], self._widened[: len(rows)]
        self._codes.take(rows, axis=0, out=gathered, mode="clip")
        widened[...] = gathered
        return (widened @ query) * self._scale.take(rows)

    def _likely(self, query: Floats, visible: Mask, count: int) -> NDArray[np.int64]:
        """`count`: how many are visible."""
        # Row 0 holds no vector in an index, and all others do in most: then nothing needs to be left out.
        first = 0 if visible[0] else 1
        changed = self._signs[:, first : len(visible)] ^ self._packed(query[np.newaxis])
        counted = np.uint8 if self._bits < 256 else np.uint16
        differing: NDArray[Any] = np.bitwise_count(changed).sum(axis=0, dtype=counted)
        some = None if count == len(visible) - first else visible[first:].nonzero()[0]
        if some is not None:
            differing = differing[some]
        # Counting how many are within so many bits is so fast that a few tries cost less than counting by number.
        bits = bisect_left(range(self._bits), RESCORED, key=lambda bits: int(np.count_nonzero(differing <= bits)))
        likely = (differing <= bits).nonzero()[0]
        return (likely if some is None else some[likely]) + first

    def _packed(self, vectors: Floats) -> NDArray[np.uint64]:
        signs = np.packbits(vectors[:, : self._bits] > 0, axis=1)
        octets = len(self._signs) * _WORD_BITS // 8
        if signs.shape[1] < octets:
            whole = np.zeros((len(vectors), octets), np.uint8)
            whole[:, : signs.shape[1]] = signs
            signs = whole
        return signs.view(np.uint64).T

    def _reserve(self, rows: int) -> None:
        have = len(self._present)
        if rows <= have:
            return
        capacity = max(rows, have + have // 2, 64)
        codes = np.zeros((capacity, self.dims), np.int8)
        codes[:have] = self._codes
        scale = np.zeros(capacity, np.float32)
        scale[:have] = self._scale
        signs = np.zeros((len(self._signs), capacity), np.uint64)
        signs[:, :have] = self._signs
        present = np.zeros(capacity, np.bool_)
        present[:have] = self._present
        scope = np.zeros(capacity, np.int64)
        scope[:have] = self._scope
        self._codes, self._scale, self._signs, self._present, self._scope = codes, scale, signs, present, scope
