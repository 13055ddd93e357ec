"""A vector index that other ones are held against: every vector in a dictionary, every score computed."""

from collections.abc import Collection, Sequence

import numpy as np

from palyra.core.errors import InvalidArgument
from palyra.core.ids import MemoryId
from palyra.domain.retrieval.vectors import Floats, unit_rows
from palyra.ports import Near


class ExactVectorIndex:
    def __init__(self, dims: int) -> None:
        self.dims = dims
        self._held: dict[str, dict[MemoryId, Floats]] = {}

    def put(self, principal: str, ids: Sequence[MemoryId], vectors: Floats) -> None:
        vectors = unit_rows(vectors, self.dims)
        if len(ids) != len(vectors):
            raise InvalidArgument(f"{len(ids)} ids for {len(vectors)} vectors", hint="pass one id for each vector")
        if len(set(ids)) != len(ids):
            raise InvalidArgument("an id is named twice in one put", hint="pass each id once, with its latest vector")
        self._held[principal] = self._of(principal) | dict(zip(ids, vectors, strict=True))

    def discard(self, principal: str, ids: Collection[MemoryId]) -> None:
        self._held[principal] = {one: vector for one, vector in self._of(principal).items() if one not in ids}

    def drop(self, principal: str) -> None:
        self._held.pop(principal, None)

    def top(self, principal: str, query: Floats, n: int, allowed: Collection[MemoryId] | None = None) -> Sequence[Near]:
        ids = [one for one in self._of(principal) if allowed is None or one in allowed]
        cosines = self.cosines(principal, query, ids)
        return [Near(ids[row], float(cosines[row])) for row in np.argsort(-cosines, kind="stable")[:n]]

    def cosines(self, principal: str, query: Floats, ids: Sequence[MemoryId]) -> Floats:
        [asked] = unit_rows(np.asarray(query, dtype=np.float32)[np.newaxis], self.dims)
        held, nothing = self._of(principal), np.zeros(self.dims, dtype=np.float32)
        rows = [held.get(one, nothing) for one in ids]
        found: Floats = np.array(rows, dtype=np.float32).reshape(len(rows), self.dims) @ asked
        return found

    def count(self, principal: str) -> int:
        return len(self._of(principal))

    def close(self) -> None:
        self._held.clear()

    def _of(self, principal: str) -> dict[MemoryId, Floats]:
        return self._held.get(principal, {})
