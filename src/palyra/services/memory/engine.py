"""The search engine's indexes: one per principal, in memory, loaded when first asked for.

An index is a follower. Every search first brings it up to the snapshot it reads in: new versions by seq, changed
ones by their history, vectors when some have been written since. The few items that are too new to have one are
embedded on the spot, if the model answers at once. Erasing drops the index of that principal, so that nothing of the
text stays in memory. FTS5 in the database answers when an index cannot.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from palyra.domain.retrieval.entry import VERSION, Entry, encode
from palyra.domain.retrieval.index import PrincipalIndex, least_shared
from palyra.domain.retrieval.query import PROFILES, Query, RetrievalSourceProfileKind, Scored
from palyra.domain.scope import Scope, Visibility
from palyra.services.memory.shelf import Shelf
from palyra.store.connection import ReadTx
from palyra.store.memory.follower import IndexRow, all_rows, changed_seqs, new_rows, rows_of, vectors_of
from palyra.store.memory.search import sharing_hits
from palyra.store.upkeep.integrity import journal_size

Vectors = npt.NDArray[np.float32]

EmbedNow: TypeAlias = Callable[[Sequence[str]], Sequence[bytes] | None]
"""texts of a few items to their vectors, as they are stored; None: not at once, or not at all"""

_PAGE = 4_096
_FEW = 64
"""new items are embedded for a search; more of them wait for the follower"""
MAY_LAG = 64
"""events that an index may be behind when it is asked for what a new text is like"""
_MAY_MISS = 8
"""of these, items of that principal"""


def _not_now(_texts: Sequence[str]) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to the index of one principal."""

    text: str
    embed: Callable[[Sequence[tuple[int, int]]], Vectors | None]
    """given where the text names speakers"""
    at_ms: int
    limit: int
    generation: int
    """of the engine before the snapshot was taken: vectors up to it are in the snapshot"""
    seqs: Sequence[int] | None = None
    """only these versions, open or not; None: every open one"""
    near: Sequence[int] | None = None
    """versions to compare by meaning, as a mirror elsewhere proposes; None: all of them"""
    past: bool = False
    """also what was replaced or closed: whoever asks decides what it stands for"""


class _Follower:
    """The index of one principal, and how far it has followed."""

    def __init__(self, dims: int) -> None:
        self.index = PrincipalIndex(dims)
        self.lock = threading.Lock()
        self.head = 0
        self.generation = -1
        self.codes: dict[tuple[str | None, str | None, bool], int] = {}
        self.unseen: dict[int, frozenset[str]] = {}
        """items that this process has written since, and their telling words"""
        self.bare: set[int] = set()
        """entries still without a vector"""
        self.fresh: dict[int, str] = {}
        """of these, a few new ones and their texts"""

    def code(self, row: IndexRow) -> int:
        return self.codes.setdefault((row.channel, row.session_id, bool(row.is_open)), len(self.codes))

    def visible(self, seer: Visibility, *, past: bool) -> frozenset[int]:
        places = {(channel, session) for channel in (None, seer.channel) for session in (None, seer.session_id)}
        states = (True, False) if past else (True,)
        wanted = ((channel, session, state) for channel, session in places for state in states)
        return frozenset(self.codes[key] for key in wanted if key in self.codes)

    def memory_bytes(self) -> int:
        return self.index.memory_bytes()


class SearchEngine:
    def __init__(self, identity: str, dims: int) -> None:
        self._identity = identity
        self._dims = dims
        self._lock = threading.Lock()
        self._followers: Shelf[_Follower] = Shelf()
        self._generation = 0
        self._embed_now: EmbedNow = _not_now

    # -- searching

    def search(self, tx: ReadTx, seer: Visibility, ask: Ask) -> list[Scored]:
        follower = self._follower(seer.principal)
        with follower.lock:
            self._catch_up(tx, seer.principal, follower)
            self._take_vectors(tx, follower, ask.generation)
            scopes = follower.visible(seer, past=ask.past or ask.seqs is not None)
            return follower.index.search(
                Query(
                    text=ask.text,
                    vector=ask.embed(follower.index.name_spans(ask.text, scopes)),
                    at_ms=ask.at_ms,
                    scopes=scopes,
                    only=None if ask.seqs is None else _only(ask.seqs),
                    profile=PROFILES[RetrievalSourceProfileKind.MEMORY],
                    near=ask.near,
                ),
                ask.limit,
            )

    def asked_vector(self, tx: ReadTx, seer: Visibility, ask: Ask) -> Vectors | None:
        """What the question is compared with, for whoever looks for candidates elsewhere."""
        follower = self._follower(seer.principal)
        with follower.lock:
            self._catch_up(tx, seer.principal, follower)
            self._take_vectors(tx, follower, ask.generation)
            scopes = follower.visible(seer, past=False)
            vector = ask.embed(follower.index.name_spans(ask.text, scopes))
            return None if vector is None else follower.index.compared(vector, scopes)

    def having(self, seer: Visibility, terms: Sequence[str]) -> tuple[int, list[int]]:
        """How many open items the seer sees, as far as the index has followed, and how many of them hold each term."""
        follower = self._follower(seer.principal)
        with follower.lock:
            return follower.index.having(terms, follower.visible(seer, past=False))

    def similar(self, tx: ReadTx, scope: Scope, terms: Sequence[str], limit: int) -> tuple[list[int], int]:
        """Seqs of items in sight of a scope that share telling words of a text, and up to which seq it has looked.

        Loads no index for the sake of one write."""
        seer = Visibility(scope.principal, scope.channel, scope.session_id)
        follower = self._followers.get(scope.principal)
        if follower is None:
            return sharing_hits(tx, terms, seer, limit, least_shared(len(set(terms)))), journal_size(tx)
        with follower.lock:
            self._catch_up(tx, scope.principal, follower)
            return follower.index.sharing(terms, follower.visible(seer, past=False), limit), follower.head

    def load(self, tx: ReadTx, principal: str) -> None:
        """For whoever is about to write many facts: each looks for its like, and FTS5 is slower the more there are."""
        follower = self._follower(principal)
        with follower.lock:
            self._catch_up(tx, principal, follower)

    def similar_now(self, scope: Scope, terms: Sequence[str], limit: int, size: int) -> tuple[list[int], int] | None:
        """The same without reading the database, if the index is nearly as far as the journal of that size.

        For writers, who look at the last few items themselves. None: ask `similar`."""
        follower = self._followers.get(scope.principal)
        if follower is None or len(follower.unseen) > _MAY_MISS or size - follower.head > MAY_LAG:
            return None
        if not follower.lock.acquire(blocking=False):
            return None
        try:
            seer = Visibility(scope.principal, scope.channel, scope.session_id)
            return follower.index.sharing(terms, follower.visible(seer, past=False), limit), follower.head
        finally:
            follower.lock.release()

    # -- following

    @property
    def generation(self) -> int:
        """How often vectors have been written. Read it before the snapshot you search in."""
        return self._generation

    def vectors_written(self) -> None:
        with self._lock:
            self._generation += 1

    def item_written(self, principal: str, seq: int, terms: Sequence[str]) -> None:
        """So that `similar_now` knows how much it would miss, and those who look at it themselves are quick."""
        follower = self._followers.get(principal)
        if follower is not None and len(follower.unseen) <= MAY_LAG:
            follower.unseen[seq] = frozenset(terms)

    def words_unseen(self, principal: str) -> Mapping[int, frozenset[str]]:
        """By seq, the telling words of some items that its index does not know yet."""
        follower = self._followers.get(principal)
        return {} if follower is None else follower.unseen

    def forget(self, principal: str | None = None) -> None:
        """Drops what is held in memory of one principal, or of all."""
        self._followers.forget(principal)

    def serve(self, identity: str, dims: int, embed_now: EmbedNow = _not_now) -> None:
        """From now on compares with vectors of that model."""
        with self._lock:
            self._embed_now = embed_now
            if identity != self._identity:
                self._identity, self._dims = identity, dims
                self._followers.forget()

    def memory_bytes(self) -> int:
        return self._followers.memory_bytes()

    def _follower(self, principal: str) -> _Follower:
        return self._followers.of(principal, lambda: _Follower(self._dims))

    def _catch_up(self, tx: ReadTx, principal: str, follower: _Follower) -> None:
        head = journal_size(tx)
        if head > follower.head:  # a reader with an older snapshot has nothing to add
            if follower.head:
                self._follow(tx, principal, follower)
            else:
                self._load(tx, principal, follower)
            follower.head = head
            follower.unseen = {}  # a new one: somebody may be reading the other

    def _take_vectors(self, tx: ReadTx, follower: _Follower, generation: int) -> None:
        """Those written since it last looked, for entries that have none yet."""
        if generation > follower.generation:
            for seqs in _pages(sorted(follower.bare)):
                self._put_vectors(follower, vectors_of(tx, self._identity, seqs))
            follower.generation = generation
        if 0 < len(follower.fresh) <= _FEW:
            vectors = self._embed_now(list(follower.fresh.values()))
            if vectors is not None:
                self._put_vectors(follower, list(zip(follower.fresh, vectors, strict=True)))

    def _load(self, tx: ReadTx, principal: str, follower: _Follower) -> None:
        after = ("", 0)
        while page := all_rows(tx, principal, self._identity, VERSION, after, _PAGE):
            self._put(follower, page)
            after = (page[-1].memory_id, page[-1].seq)

    def _follow(self, tx: ReadTx, principal: str, follower: _Follower) -> None:
        for seqs in _pages(changed_seqs(tx, principal, follower.head)):
            self._put(follower, rows_of(tx, principal, self._identity, VERSION, seqs))
        after = follower.head
        while page := new_rows(tx, principal, self._identity, VERSION, after, _PAGE):
            self._put(follower, page)
            after = page[-1].seq

    def _put(self, follower: _Follower, rows: Sequence[IndexRow]) -> None:
        entries = [
            Entry(row.seq, row.text, row.speaker, row.thread, follower.code(row), row.said_at_ms, row.trust)
            for row in rows
        ]
        follower.index.put(
            entries, [row.fingerprint or encode(entry) for row, entry in zip(rows, entries, strict=True)]
        )
        bare = [row for row in rows if row.vector is None]
        follower.bare.update(row.seq for row in bare)
        if len(bare) <= _FEW:
            follower.fresh.update((row.seq, row.text) for row in bare)
        self._put_vectors(follower, [(row.seq, row.vector) for row in rows if row.vector is not None])

    def _put_vectors(self, follower: _Follower, found: Sequence[tuple[int, bytes]]) -> None:
        if found:
            matrix = np.frombuffer(b"".join(vector for _, vector in found), np.float16).reshape(len(found), -1)
            follower.index.put_vectors([seq for seq, _ in found], matrix.astype(np.float32))
            for seq, _ in found:
                follower.bare.discard(seq)
                follower.fresh.pop(seq, None)


def _only(seqs: Sequence[int]) -> Callable[[npt.NDArray[np.int64]], npt.NDArray[np.bool_]]:
    wanted = np.array(seqs, np.int64)
    return lambda keys: np.isin(keys, wanted)


def _pages(seqs: Sequence[int]) -> list[Sequence[int]]:
    return [seqs[start : start + _PAGE] for start in range(0, len(seqs), _PAGE)]
