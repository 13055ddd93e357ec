"""The sections of documents as the ranking of memory sees them: one index per principal, in memory, made when needed.

An index is a follower without a table. Every search first brings it up to the snapshot it reads in: sections of
revisions that are the newest of their document stay or come, all others go. Sections are cut, analysed and embedded
once in the life of a process; whoever erases drops the index, so that nothing of the text stays in memory.
"""

import threading
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from palyra.domain.retrieval.entry import Entry
from palyra.domain.retrieval.index import PrincipalIndex
from palyra.domain.retrieval.query import PROFILES, Query, Scored
from palyra.domain.scope import Visibility
from palyra.domain.workspace.sections import sections
from palyra.services.memory.asking import Question
from palyra.services.memory.shelf import Shelf
from palyra.store.connection import ReadTx
from palyra.store.workspace.records import documents_of, revision_with_seq
from palyra.store.workspace.search import MOST_SECTIONS, section_key

Vectors = npt.NDArray[np.float32]

_EVERYTHING = frozenset({0})
"""documents of a principal have one scope: there is nothing in an index that its principal must not see"""


class SectionIndex:
    """Of one principal, on the main line."""

    def __init__(self, identity: str, dims: int) -> None:
        self.identity = identity
        """of the model whose vectors it holds"""
        self._index = PrincipalIndex(dims)
        self._lock = threading.Lock()
        self._keys: dict[int, list[int]] = {}
        """seq of the revision -> keys of its sections"""
        self._bare: dict[int, str] = {}
        """key -> text of sections still without a vector"""

    def follow(self, tx: ReadTx, seer: Visibility) -> None:
        with self._lock:
            self._follow(tx, seer)

    def bare(self, limit: int | None) -> list[tuple[int, str]]:
        """Sections still without a vector: key and text."""
        with self._lock:
            return list(self._bare.items())[:limit]

    def put_vectors(self, keys: Sequence[int], vectors: Vectors) -> None:
        with self._lock:
            self._index.put_vectors(keys, vectors)
            for key in keys:
                self._bare.pop(key, None)

    def search(self, tx: ReadTx, seer: Visibility, question: Question, at_ms: int, limit: int) -> list[Scored]:
        with self._lock:
            self._follow(tx, seer)
            query = Query(question.text, question.vector(()), at_ms, _EVERYTHING, profile=PROFILES["workspace"])
            return self._index.search(query, limit)

    def memory_bytes(self) -> int:
        return self._index.memory_bytes() + 2 * sum(map(len, self._bare.values()))

    def _follow(self, tx: ReadTx, seer: Visibility) -> None:
        heads = {one.seq for one in documents_of(tx, seer) if not one.deleted}
        for seq in self._keys.keys() - heads:
            keys = self._keys.pop(seq)
            self._index.discard(keys)
            for key in keys:
                self._bare.pop(key, None)
        for seq in sorted(heads - self._keys.keys()):
            self._put(tx, seq, seer)

    def _put(self, tx: ReadTx, seq: int, seer: Visibility) -> None:
        one = revision_with_seq(tx, seq, seer)
        if one is None:
            return
        parts = sections(one.text or "")[:MOST_SECTIONS]
        entries = [
            Entry(section_key(seq, number), part.text, "", one.path, 0, one.at_ms, one.trust)
            for number, part in enumerate(parts)
        ]
        self._index.put(entries)
        self._keys[seq] = [entry.key for entry in entries]
        self._bare |= {entry.key: entry.text for entry in entries}


class SectionIndexes:
    def __init__(self) -> None:
        self._shelf: Shelf[SectionIndex] = Shelf()

    def of(self, principal: str, identity: str, dims: int) -> SectionIndex:
        """Made anew if another model serves by now."""
        found = self._shelf.of(principal, lambda: SectionIndex(identity, dims))
        if found.identity != identity:
            self._shelf.forget(principal)
            found = self._shelf.of(principal, lambda: SectionIndex(identity, dims))
        return found

    def held(self, principal: str) -> SectionIndex | None:
        return self._shelf.get(principal)

    def forget(self, principal: str) -> None:
        self._shelf.forget(principal)
