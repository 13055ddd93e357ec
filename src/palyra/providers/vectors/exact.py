"""The vector index inside the process: every vector of a principal in memory, and an exact answer.

Partitions are separate objects under separate locks: a search of one principal neither sees nor waits for another's.
"""

import threading
from collections.abc import Collection, Sequence

import numpy as np

from palyra.core.errors import InvalidArgument
from palyra.core.ids import MemoryId
from palyra.domain.retrieval.vectors import Floats, Mask, VectorBlock, unit_rows
from palyra.ports import Near


class ExactVectorIndex:
    def __init__(self, dims: int) -> None:
        self.dims = dims
        self._partitions: dict[str, _Partition] = {}
        self._lock = threading.Lock()

    def put(self, principal: str, ids: Sequence[MemoryId], vectors: Floats) -> None:
        vectors = unit_rows(vectors, self.dims)
        if len(ids) != len(vectors):
            raise InvalidArgument(f"{len(ids)} ids for {len(vectors)} vectors", hint="pass one id for each vector")
        if len(set(ids)) != len(ids):
            raise InvalidArgument("an id is named twice in one put", hint="pass each id once, with its latest vector")
        if not ids:
            return
        with self._lock:
            partition = self._partitions.setdefault(principal, _Partition(self.dims))
        partition.put(ids, vectors)

    def discard(self, principal: str, ids: Collection[MemoryId]) -> None:
        partition = self._partitions.get(principal)
        if partition is not None:
            partition.discard(ids)

    def drop(self, principal: str) -> None:
        with self._lock:
            self._partitions.pop(principal, None)

    def top(self, principal: str, query: Floats, n: int, allowed: Collection[MemoryId] | None = None) -> Sequence[Near]:
        query = _one(query, self.dims)
        partition = self._partitions.get(principal)
        return [] if partition is None else partition.top(query, n, allowed)

    def cosines(self, principal: str, query: Floats, ids: Sequence[MemoryId]) -> Floats:
        query = _one(query, self.dims)
        partition = self._partitions.get(principal)
        return np.zeros(len(ids), dtype=np.float32) if partition is None else partition.cosines(query, ids)

    def count(self, principal: str) -> int:
        partition = self._partitions.get(principal)
        return 0 if partition is None else partition.count()

    def close(self) -> None:
        with self._lock:
            self._partitions.clear()


class _Partition:
    """Ids to rows. A freed row is used again, so that memory follows what is stored and not what ever was."""

    def __init__(self, dims: int) -> None:
        self._block = VectorBlock(dims)
        self._rows: dict[MemoryId, int] = {}
        self._ids: list[MemoryId | None] = []
        self._free: list[int] = []
        self._lock = threading.Lock()

    def put(self, ids: Sequence[MemoryId], vectors: Floats) -> None:
        with self._lock:
            rows = [self._row(identifier) for identifier in ids]
            self._block.put(np.array(rows, dtype=np.int64), vectors)

    def discard(self, ids: Collection[MemoryId]) -> None:
        with self._lock:
            rows = [self._rows.pop(identifier) for identifier in dict.fromkeys(ids) if identifier in self._rows]
            self._block.discard(np.array(rows, dtype=np.int64))
            for row in rows:
                self._ids[row] = None
            self._free.extend(rows)

    def top(self, query: Floats, n: int, allowed: Collection[MemoryId] | None) -> list[Near]:
        with self._lock:
            mask: Mask | None = None
            if allowed is not None:
                mask = np.zeros(len(self._ids), dtype=np.bool_)
                mask[[row for identifier in allowed if (row := self._rows.get(identifier)) is not None]] = True
            rows, cosines = self._block.top(query, n, mask)
            found = ((self._ids[row], cosine) for row, cosine in zip(rows.tolist(), cosines.tolist(), strict=True))
            return [Near(identifier, cosine) for identifier, cosine in found if identifier is not None]

    def cosines(self, query: Floats, ids: Sequence[MemoryId]) -> Floats:
        with self._lock:
            rows = np.array([self._rows.get(identifier, -1) for identifier in ids], dtype=np.int64)
            return self._block.cosines(query, rows)

    def count(self) -> int:
        return len(self._rows)

    def _row(self, identifier: MemoryId) -> int:
        row = self._rows.get(identifier)
        if row is None:
            if self._free:
                row = self._free.pop()
                self._ids[row] = identifier
            else:
                row = len(self._ids)
                self._ids.append(identifier)
            self._rows[identifier] = row
        return row


def _one(query: Floats, dims: int) -> Floats:
    return unit_rows(np.asarray(query, dtype=np.float32)[np.newaxis], dims).reshape(dims)
