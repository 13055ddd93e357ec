"""Vectors of one principal in memory, and the exact nearest of them by cosine.

A vector is stored as the float32 it arrives as, unit length; a score is its float32 dot product with the query,
rounded to six decimals, and equal scores rank by row. So the answer does not depend on the order of writes, on how
the matrix is cut up, or on which kernel BLAS picks: it equals sorting every score.

The matrix is stored by column in chunks, dims x rows: one query streams it once, twice as fast as by row. A first
pass over sign bits or leading components was measured and left out: its provable bounds exclude almost nothing on
real sentences, and without them it was a third faster at 100,000 rows, no faster at 20,000, and sometimes wrong.
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from palyra.core.errors import InvalidArgument

Floats: TypeAlias = NDArray[np.float32]
Rows: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

CHUNK_ROWS = 4_096
FIRST_ROWS = 64
DECIMALS = 6
UNIT_TOLERANCE = 1e-3


class VectorBlock:
    """Rows are dense positions the caller hands out from 0; a row may be empty. Not thread-safe."""

    def __init__(self, dims: int) -> None:
        self.dims = dims
        self._chunks: list[Floats] = []
        self._present: Mask = np.zeros(0, dtype=np.bool_)
        self._size = 0
        self._last: tuple[bytes, Floats] | None = None

    def __len__(self) -> int:
        """How many rows hold a vector."""
        return int(np.count_nonzero(self._present[: self._size]))

    def put(self, rows: Rows, vectors: Floats) -> None:
        """Adds or replaces; of a row named twice the last counts.

        InvalidArgument and no change if a vector is not `dims` finite numbers of unit length."""
        vectors = unit_rows(vectors, self.dims)
        rows = np.asarray(rows, dtype=np.int64)
        if len(rows) != len(vectors):
            raise InvalidArgument(f"{len(rows)} rows for {len(vectors)} vectors", hint="pass one row for each vector")
        if not len(rows):
            return
        if rows.min() < 0:
            raise InvalidArgument(f"row {int(rows.min())} is negative", hint="rows count from 0")
        rows, latest = np.unique(rows[::-1], return_index=True)
        vectors = vectors[::-1][latest]
        self._grow(int(rows[-1]) + 1)
        for chunk, here in self._by_chunk(rows):
            chunk[:, _columns(rows[here])] = vectors[here].T
        self._present[rows] = True
        self._last = None

    def discard(self, rows: Rows) -> None:
        """Rows without a vector are ignored. The numbers are overwritten, not only hidden."""
        rows = np.asarray(rows, dtype=np.int64)
        rows = np.unique(rows[(rows >= 0) & (rows < self._size)])
        for chunk, here in self._by_chunk(rows):
            chunk[:, _columns(rows[here])] = 0.0
        self._present[rows] = False
        self._last = None

    def scores(self, query: Floats) -> Floats:
        """The cosine with every row, unrounded, read-only; 0.0 where a row has no vector.

        The last answer is kept until the next write: a search that asks for the top and then for some more rows
        pays for one scan."""
        query = unit_rows(query[np.newaxis], self.dims).reshape(self.dims)
        key, last = query.tobytes(), self._last
        if last is not None and last[0] == key:
            return last[1]
        # Whole chunks, empty columns and all: numpy copies a matrix that is cut to a part of its width.
        whole = np.empty(sum(chunk.shape[1] for chunk in self._chunks), dtype=np.float32)
        for number, chunk in enumerate(self._chunks):
            np.dot(query, chunk, out=whole[number * CHUNK_ROWS :][: chunk.shape[1]])
        out = whole[: self._size]
        out.flags.writeable = False
        self._last = (key, out)
        return out

    def top(self, query: Floats, n: int, allowed: Mask | None = None) -> tuple[Rows, Floats]:
        """Rows and cosines of the `n` nearest, best first. `allowed` is by row; rows beyond its end are not allowed."""
        return best(self.scores(query), n, self._visible(allowed))

    def cosines(self, query: Floats, rows: Rows) -> Floats:
        """One per row asked for, in that order; 0.0 where a row has no vector."""
        rows = np.asarray(rows, dtype=np.int64)
        out = np.zeros(len(rows), dtype=np.float32)
        known = np.flatnonzero((rows >= 0) & (rows < self._size))
        out[known] = self.scores(query)[rows[known]]
        return np.round(out, DECIMALS)

    def memory_bytes(self) -> int:
        kept = 0 if self._last is None else self._last[1].nbytes
        return sum(chunk.nbytes for chunk in self._chunks) + self._present.nbytes + kept

    def _by_chunk(self, rows: Rows) -> Iterator[tuple[Floats, Rows]]:
        """Each chunk that holds some of the rows, with the places in `rows` of those it holds."""
        numbers = rows // CHUNK_ROWS
        for number in np.unique(numbers):
            yield self._chunks[number], np.flatnonzero(numbers == number)

    def _visible(self, allowed: Mask | None) -> Mask | None:
        present = self._present[: self._size]
        if allowed is not None:
            visible = np.zeros(self._size, dtype=np.bool_)
            width = min(self._size, len(allowed))
            np.logical_and(present[:width], allowed[:width], out=visible[:width])
            return visible
        return None if present.all() else present

    def _grow(self, size: int) -> None:
        """The first chunk doubles, so that a small principal stays small; later ones are whole."""
        if size <= self._size:
            return
        self._widen_first(CHUNK_ROWS if size > CHUNK_ROWS else max(FIRST_ROWS, 1 << (size - 1).bit_length()))
        while len(self._chunks) * CHUNK_ROWS < size:
            self._chunks.append(np.zeros((self.dims, CHUNK_ROWS), dtype=np.float32))
        rows = sum(chunk.shape[1] for chunk in self._chunks)
        if rows > len(self._present):
            self._present = np.concatenate([self._present, np.zeros(rows - len(self._present), dtype=np.bool_)])
        self._size = size

    def _widen_first(self, width: int) -> None:
        old = self._chunks[0] if self._chunks else np.zeros((self.dims, 0), dtype=np.float32)
        if old.shape[1] < width:
            wide = np.zeros((self.dims, width), dtype=np.float32)
            wide[:, : old.shape[1]] = old
            self._chunks[:1] = [wide]


def _columns(rows: Rows) -> Rows | slice:
    """Where sorted rows of one chunk are in it; neighbours as a slice, which numpy reads and writes much faster."""
    columns = rows % CHUNK_ROWS
    first, last = int(columns[0]), int(columns[-1])
    return slice(first, last + 1) if last - first + 1 == len(columns) else columns


def best(scores: Floats, n: int, visible: Mask | None = None) -> tuple[Rows, Floats]:
    """Positions and rounded scores of the `n` highest, best first; equal ones by position."""
    rows = np.arange(len(scores), dtype=np.int64) if visible is None else np.flatnonzero(visible)
    picked = scores if visible is None else scores[rows]
    n = max(0, min(n, len(rows)))
    if n == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    if n < len(rows):
        # Two decimals of slack around the n-th: whatever rounds to the same score must take part in the tie.
        floor = np.partition(picked, len(rows) - n)[len(rows) - n] - np.float32(2 * 10.0**-DECIMALS)
        near = np.flatnonzero(picked >= floor)
        rows, picked = rows[near], picked[near]
    rounded = np.round(picked, DECIMALS)
    order = np.argsort(-rounded, kind="stable")[:n]
    return rows[order], rounded[order]


def unit_rows(vectors: Floats, dims: int) -> Floats:
    """`vectors` as float32 (n, dims), or InvalidArgument that says which one is wrong and how."""
    vectors = np.asarray(vectors, dtype=np.float32)
    if vectors.ndim != 2 or vectors.shape[1] != dims:
        raise InvalidArgument(
            f"vectors of shape {vectors.shape} where (n, {dims}) is stored",
            hint="embed with the model that made the stored vectors, or re-embed them",
        )
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    # Written so that NaN, which compares false with everything, counts as wrong.
    wrong = np.flatnonzero(~(np.abs(lengths - 1.0) <= UNIT_TOLERANCE))
    if len(wrong):
        raise InvalidArgument(
            f"vector {int(wrong[0])} has length {float(lengths[wrong[0]])}, not 1",
            hint="vectors must be finite and of unit length",
        )
    return vectors
