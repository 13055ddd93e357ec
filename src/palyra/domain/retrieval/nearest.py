"""The rows whose vectors point where a question points, found through one bit per dimension.

A scan of every float is the most expensive part of a search. The signs of a vector, packed into a few words, tell
how near it is well enough to choose a thousand rows, whose cosines are then computed exactly. On real text the
choice misses one in twenty of the fifty nearest; what it misses can still be found by its words.
Few rows, or too few dimensions for signs to mean much, are compared exactly.

What all texts of a store have in common says nothing about one of them, so a question is compared without its share
of their common direction. That direction is kept per scope, and in integers: it must not depend on what the question
may not see, nor on the order of writes.
"""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from palyra.domain.retrieval.vectors import Floats, Mask, unit_rows

EXACT_ROWS: Final = 3_072
EXACT_DIMS: Final = 192
RESCORED: Final = 896
COMMON_FROM: Final = 32
"""With fewer vectors than this, what they have in common is mostly what each of them says."""
_WORD_BITS: Final = 64
_STEPS: Final = 1 << 24


class NearestRows:
    """Rows are positions the caller hands out; a row may be empty. Not thread-safe."""

    def __init__(self, dims: int) -> None:
        self.dims = dims
        words = -(-dims // _WORD_BITS)
        self._vectors: Floats = np.zeros((0, dims), np.float32)
        self._signs = np.zeros((words, 0), np.uint64)
        self._present: Mask = np.zeros(0, np.bool_)
        self._count = 0
        self._gathered: Floats = np.zeros((0, dims), np.float32)
        self._scope = np.zeros(0, np.int64)
        self._sums: dict[int, NDArray[np.int64]] = {}
        self._counts: dict[int, int] = {}

    def __len__(self) -> int:
        return self._count

    def put(self, rows: NDArray[np.int64], vectors: Floats, scopes: NDArray[np.int64]) -> None:
        """Adds or replaces. InvalidArgument and no change if a vector is not `dims` finite numbers of unit length."""
        vectors = unit_rows(vectors, self.dims)
        if not len(rows):
            return
        self._reserve(int(rows.max()) + 1)
        self._sum_up(rows[self._present[rows]], -1)
        self._vectors[rows] = vectors
        self._scope[rows] = scopes
        self._sum_up(rows, 1)
        self._signs[:, rows] = self._packed(vectors)
        self._present[rows] = True
        self._count = int(np.count_nonzero(self._present))

    def discard(self, rows: NDArray[np.int64]) -> None:
        """Rows without a vector are ignored. The numbers are overwritten, not only hidden."""
        rows = rows[rows < len(self._present)]
        self._sum_up(rows[self._present[rows]], -1)
        self._vectors[rows] = 0.0
        self._signs[:, rows] = 0
        self._present[rows] = False
        self._count = int(np.count_nonzero(self._present))

    def distinctive(self, query: Floats, scopes: Iterable[int]) -> Floats:
        """The question without what the vectors of these scopes have in common."""
        known = [scope for scope in scopes if self._counts.get(scope)]
        if not known:
            return query
        count = sum(self._counts[scope] for scope in known)
        common = np.sum([self._sums[scope] for scope in known], axis=0).astype(np.float64)
        common /= max(float(np.sqrt(common @ common)), 1.0)
        rest: Floats = (query - count / (count + COMMON_FROM) * float(query @ common) * common).astype(np.float32)
        rest /= max(float(np.sqrt(rest @ rest)), 0.5)
        return rest

    def near(self, query: Floats, allowed: Mask) -> tuple[NDArray[np.int64], Floats]:
        """Allowed rows and their cosines, in no order: all if there are few, else those that look nearest."""
        width = min(len(allowed), len(self._present))
        visible = np.logical_and(allowed[:width], self._present[:width])
        many = np.count_nonzero(visible) > EXACT_ROWS and self.dims >= EXACT_DIMS
        rows = self._likely(query, visible) if many else visible.nonzero()[0]
        return rows, self._gather(rows) @ query

    def cosines(self, query: Floats, rows: NDArray[np.int64]) -> Floats:
        """One per row asked for, of rows in ascending order; 0.0 where a row has no vector."""
        have = len(self._present)
        known = self._gather(rows if not len(rows) or rows[-1] < have else rows[rows < have]) @ query
        return np.concatenate([known, np.zeros(len(rows) - len(known), np.float32)])

    def memory_bytes(self) -> int:
        return self._vectors.nbytes + self._gathered.nbytes + self._signs.nbytes + 9 * len(self._present)

    def _sum_up(self, rows: NDArray[np.int64], sign: int) -> None:
        steps = np.rint(self._vectors[rows] * _STEPS).astype(np.int64) * sign
        for scope in np.unique(self._scope[rows]).tolist():
            mine = self._scope[rows] == scope
            self._sums[scope] = self._sums.get(scope, 0) + steps[mine].sum(axis=0)
            self._counts[scope] = self._counts.get(scope, 0) + sign * int(np.count_nonzero(mine))

    def _gather(self, rows: NDArray[np.int64]) -> Floats:
        """Into a kept array: a new one of a megabyte costs more in page faults than the copying does."""
        if len(self._gathered) < len(rows):
            self._gathered = np.zeros((len(rows), self.dims), np.float32)
        gathered = self._gathered[: len(rows)]
        np.take(self._vectors, rows, axis=0, out=gathered, mode="clip")
        return gathered

    def _likely(self, query: Floats, visible: Mask) -> NDArray[np.int64]:
        bits = self._packed(query[np.newaxis])[:, 0]
        width = len(visible)
        differing = np.zeros(width, np.uint16)
        changed = np.empty(width, np.uint64)
        for word, asked in zip(self._signs, bits, strict=True):
            np.bitwise_xor(word[:width], asked, out=changed)
            differing += np.bitwise_count(changed)
        if not visible.all():
            differing[~visible] = self.dims + 1
        within = np.cumsum(np.bincount(differing, minlength=self.dims + 2))
        return (differing <= int(within.searchsorted(RESCORED))).nonzero()[0]

    def _packed(self, vectors: Floats) -> NDArray[np.uint64]:
        signs = np.packbits(vectors > 0, axis=1)
        whole = np.zeros((len(vectors), len(self._signs) * _WORD_BITS // 8), np.uint8)
        whole[:, : signs.shape[1]] = signs
        return whole.view(np.uint64).T

    def _reserve(self, rows: int) -> None:
        have = len(self._present)
        if rows <= have:
            return
        capacity = max(rows, have + have // 2, 64)
        vectors = np.zeros((capacity, self.dims), np.float32)
        vectors[:have] = self._vectors
        signs = np.zeros((len(self._signs), capacity), np.uint64)
        signs[:, :have] = self._signs
        present = np.zeros(capacity, np.bool_)
        present[:have] = self._present
        scope = np.zeros(capacity, np.int64)
        scope[:have] = self._scope
        self._vectors, self._signs, self._present, self._scope = vectors, signs, present, scope
