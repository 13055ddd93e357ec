"""One source of one principal as the ranking of memory sees it: in memory, made when first asked for.

An index is a follower without a table. Every search first brings it up to the snapshot it reads in. Texts are cut,
analysed and embedded once in the life of a process; whoever erases drops the index, so that nothing of the text stays.
"""

import threading
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from palyra.domain.retrieval.entry import Entry
from palyra.domain.retrieval.index import PrincipalIndex
from palyra.domain.retrieval.query import PROFILES, Query, RetrievalSourceProfileKind, Scored
from palyra.domain.scope import Visibility
from palyra.services.memory.asking import Question
from palyra.services.memory.shelf import Shelf
from palyra.services.memory.sources.source import Key, PassageSource, Record
from palyra.store.connection import ReadTx
from palyra.store.upkeep.integrity import journal_size

Vectors = npt.NDArray[np.float32]

_PIECE_BITS = 16
_MOST_PIECES = 1 << _PIECE_BITS
_AT_ONCE = 512


def key_of(seq: int, number: int) -> int:
    return seq << _PIECE_BITS | number


def seq_and_number(key: int) -> Key:
    return key >> _PIECE_BITS, key & (_MOST_PIECES - 1)


class SourceIndex:
    def __init__(self, source: PassageSource, kind: RetrievalSourceProfileKind, identity: str, dims: int) -> None:
        self.identity = identity
        """of the model whose vectors it holds"""
        self._source = source
        self._weights = PROFILES[kind]
        self._index = PrincipalIndex(dims)
        self._lock = threading.Lock()
        self._head = 0
        self._keys: dict[int, list[int]] = {}
        """seq of an event -> keys of its pieces"""
        self._bare: dict[int, str] = {}
        """key -> text of pieces still without a vector"""
        self._scopes: dict[str | None, int] = {}
        """by channel"""

    def follow(self, tx: ReadTx, principal: str) -> None:
        with self._lock:
            self._follow(tx, principal)

    def bare(self, limit: int | None) -> list[tuple[int, str]]:
        """Pieces still without a vector: key and text."""
        with self._lock:
            return list(islice(self._bare.items(), limit))

    def put_vectors(self, keys: Sequence[int], vectors: Vectors) -> None:
        with self._lock:
            self._index.put_vectors(keys, vectors)
            for key in keys:
                self._bare.pop(key, None)

    def search(self, tx: ReadTx, seer: Visibility, question: Question, at_ms: int, limit: int) -> list[Scored]:
        with self._lock:
            self._follow(tx, seer.principal)
            scopes = frozenset(self._scopes[channel] for channel in {None, seer.channel} if channel in self._scopes)
            vector = question.vector(self._index.name_spans(question.text, scopes))
            return self._index.search(Query(question.text, vector, at_ms, scopes, profile=self._weights), limit)

    def memory_bytes(self) -> int:
        return self._index.memory_bytes() + 2 * sum(map(len, self._bare.values()))

    def _follow(self, tx: ReadTx, principal: str) -> None:
        head = journal_size(tx)
        if head <= self._head:  # a reader with an older snapshot has nothing to add
            return
        for seq in list(self._source.gone(tx, principal, self._keys.keys())):
            keys = self._keys.pop(seq)
            self._index.discard(keys)
            for key in keys:
                self._bare.pop(key, None)
        new = iter(self._source.new(tx, principal, self._keys.keys(), self._head))
        while page := list(islice(new, _AT_ONCE)):
            self._put(page)
        self._head = head

    def _put(self, records: Iterable[Record]) -> None:
        entries: list[Entry] = []
        for one in records:
            scope = self._scopes.setdefault(one.channel, len(self._scopes))
            made = [
                Entry(key_of(one.seq, number), text, one.speaker, one.thread, scope, one.at_ms, one.trust)
                for number, text in enumerate(one.pieces[:_MOST_PIECES])
            ]
            self._keys[one.seq] = [entry.key for entry in made]
            entries += made
        self._index.put(entries)
        self._bare |= {entry.key: entry.text for entry in entries}


class SourceIndexes:
    def __init__(self) -> None:
        self._shelf: Shelf[SourceIndex] = Shelf()
        self._names: set[str] = set()
        """of the sources that were asked"""

    def of(
        self, source: PassageSource, kind: RetrievalSourceProfileKind, principal: str, identity: str, dims: int
    ) -> SourceIndex:
        """Made anew if another model serves by now."""

        def make() -> SourceIndex:
            return SourceIndex(source, kind, identity, dims)

        self._names.add(type(source).__name__)
        name = _name(source, principal)
        found = self._shelf.of(name, make)
        if found.identity != identity:
            self._shelf.forget(name)
            found = self._shelf.of(name, make)
        return found

    def held(self, source: PassageSource, principal: str) -> SourceIndex | None:
        return self._shelf.get(_name(source, principal))

    def forget(self, principal: str) -> None:
        """After erasing: nothing of the text stays in memory."""
        for name in self._names:
            self._shelf.forget(f"{name} {principal}")


def _name(source: PassageSource, principal: str) -> str:
    return f"{type(source).__name__} {principal}"
