"""All items of one principal, ready to be searched: words, vectors, and who said what after whom.

A search looks up the question's terms in the postings and its vector among the vectors, takes the best few hundred
of both and the turns next to the best, and scores only those. It is deterministic: the same items and question give
the same answer in the same order, whatever the order of writes was.

Statistics (how rare a term is, how long items are, what their vectors have in common) are taken over the visible
scopes alone, so that an entry of another scope changes nothing at all. `Query.only` narrows what may be returned, not
the statistics, and a neighbour it leaves out still lends its words.
"""

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Final

import numpy as np

from palyra.core.errors import InvalidArgument
from palyra.domain.retrieval.columns import NOBODY, Columns, Threads, fill
from palyra.domain.retrieval.entry import Entry, decode, encode, is_current
from palyra.domain.retrieval.lookup import Lookup, View
from palyra.domain.retrieval.nearest import NearestRows
from palyra.domain.retrieval.postings import Postings
from palyra.domain.retrieval.query import Query, Scored
from palyra.domain.retrieval.question import parse, word_spans
from palyra.domain.retrieval.rank import PARTS, Floats, QuestionAims, Rows, scored
from palyra.domain.retrieval.terms import analyse, is_stop
from palyra.domain.temporal import time_ranges

_PURGE_SHARE: Final = 4
_PURGE_ROWS: Final = 1024
_VIEWS: Final = 16
_DECIMALS: Final = 6
_NO_ONE: Final = frozenset[int]()
_USER: Final = frozenset({"user", "human", "me", "owner"})
_ASSISTANT: Final = frozenset({"assistant", "ai", "bot", "agent", "model", "system"})


def least_shared(terms: int) -> int:
    """How many of a text's telling words another must have to be about the same thing."""
    return 1 if terms < 4 else min(4, max(2, terms * 2 // 5))


class PrincipalIndex:
    """Not thread-safe: one writer or reader at a time."""

    def __init__(self, dims: int) -> None:
        self._columns = Columns()
        self._threads = Threads(self._columns)
        self._postings = Postings()
        self._vectors = NearestRows(dims)
        self._lookup = Lookup(self._columns, self._threads, self._postings, self._vectors)
        self._rows: dict[int, int] = {}
        self._dead: list[int] = []
        self._speakers: dict[str, int] = {"": 0}
        self._roles = np.zeros(8, np.int8)
        self._names: dict[str, set[int]] = {}
        self._views: dict[frozenset[int], View] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def memory_bytes(self) -> int:
        parts = (self._columns, self._threads, self._postings, self._vectors, self._lookup)
        return sum(part.memory_bytes() for part in parts) + 120 * len(self._rows)

    def put(self, entries: Sequence[Entry], fingerprints: Sequence[bytes] | None = None) -> None:
        """Adds, or replaces what has the same key (its vector too: the text may have changed)."""
        latest = {entry.key: i for i, entry in enumerate(entries)}
        if len(latest) != len(entries):
            keep = sorted(latest.values())
            fingerprints = None if fingerprints is None else [fingerprints[i] for i in keep]
            entries = [entries[i] for i in keep]
        if not entries:
            return
        marks = [None] * len(entries) if fingerprints is None else fingerprints
        decoded = decode(
            [
                mark if mark is not None and is_current(mark) else encode(entry)
                for entry, mark in zip(entries, marks, strict=True)
            ]
        )
        self.discard(latest)
        columns = self._columns
        rows = columns.take(len(entries))
        fill(columns, rows, entries)
        columns.thread[rows] = [self._threads.code(entry.scope, entry.thread) for entry in entries]
        columns.speaker[rows] = [self._speaker(entry.speaker) for entry in entries]
        columns.signs[rows] = decoded.signs
        columns.length[rows] = decoded.lengths
        columns.before[rows] = columns.after[rows] = NOBODY
        columns.alive[rows] = True
        self._threads.link(rows)
        self._postings.add(decoded.codes, rows.astype(np.int32)[decoded.owner], decoded.counts)
        self._rows.update(zip([entry.key for entry in entries], rows.tolist(), strict=True))
        self._views.clear()

    def put_vectors(self, keys: Sequence[int], vectors: Floats) -> None:
        """Unit rows, one per key. Unknown keys are ignored: the item may have gone while it was embedded."""
        known = [i for i, key in enumerate(keys) if key in self._rows]
        if known:
            rows = np.array([self._rows[keys[i]] for i in known], np.int64)
            mine = vectors if len(known) == len(keys) else vectors[known]
            self._vectors.put(rows, mine, self._columns.scope[rows])

    def discard(self, keys: Iterable[int]) -> None:
        gone = [row for key in keys if (row := self._rows.pop(key, None)) is not None]
        if not gone:
            return
        for row in gone:
            self._threads.unlink(row)
        rows = np.array(gone, np.int64)
        self._columns.alive[rows] = False
        self._vectors.discard(rows)
        self._dead.extend(gone)
        self._views.clear()
        if len(self._dead) > max(_PURGE_ROWS, len(self._rows) // _PURGE_SHARE):
            self._postings.keep(self._columns.alive)
            self._columns.give_back(self._dead)
            self._dead = []

    def name_spans(self, text: str, scopes: frozenset[int]) -> list[tuple[int, int]]:
        """Where a question names a speaker. A static vector of the question should leave these words out: a name
        draws it to the turns that address that person, not to the ones where they speak."""
        view = self._view(scopes)
        names = frozenset(term for term in parse(text).terms if self._named(term, view))
        return word_spans(text, names) if names else []

    def search(self, query: Query, limit: int) -> list[Scored]:
        """Best first, at most `limit`; equal scores by newer time, then by higher key."""
        view = self._view(query.scopes)
        if view.rows == 0 or limit <= 0:
            return []
        if query.vector is not None:
            self._check(query.vector)
        allowed = view.mask
        if query.only is not None:
            allowed = allowed & query.only(self._columns.key[: self._columns.size])
        question = parse(query.text)
        naming = {term: who for term in dict.fromkeys(question.terms) if (who := self._named(term, view))}
        sequence = [term for term in question.terms if term not in naming] or question.terms
        named = next(iter(naming.values())) if len(naming) == 1 else _NO_ONE
        periods = tuple((found.start_ms, found.end_ms) for found in time_ranges(query.text, query.at_ms))
        asked = QuestionAims(query.at_ms, question.cues, named, question.unspaced, periods)
        try:
            rows, evidence = self._lookup.found(sequence, query.vector, view, allowed, self._rows_of(query.near))
            parts = scored(self._columns, self._roles, rows, asked, evidence, query.profile)
        finally:
            self._lookup.clean()
        return self._best(rows, parts, limit)

    def sharing(self, terms: Sequence[str], scopes: frozenset[int], limit: int) -> list[int]:
        """Keys of entries that share a text's telling words: where to look for what says the same or the opposite.

        Far cheaper than a search, and nothing is scored."""
        view = self._view(scopes)
        terms = list(dict.fromkeys(terms))
        if view.rows == 0 or not terms:
            return []
        rows = self._lookup.sharing(terms, view, least_shared(len(terms)), limit)
        keys: list[int] = self._columns.key[rows].tolist()
        return keys

    def having(self, terms: Sequence[str], scopes: frozenset[int]) -> tuple[int, list[int]]:
        """How many entries there are in these scopes, and in how many of them each term stands."""
        view = self._view(scopes)
        if not view.rows:
            return 0, [0] * len(terms)
        return view.rows, self._lookup.having(terms, view)

    def compared(self, vector: Floats, scopes: frozenset[int]) -> Floats:
        """What of a question's vector is compared with items of these scopes."""
        self._check(vector)
        return self._vectors.distinctive(vector, scopes)

    def _rows_of(self, keys: Sequence[int] | None) -> Rows | None:
        if keys is None:
            return None
        return np.array([row for key in keys if (row := self._rows.get(key)) is not None], np.int64)

    def _check(self, vector: Floats) -> None:
        if vector.shape != (self._vectors.dims,):
            raise InvalidArgument(
                f"a question's vector of shape {vector.shape} where {self._vectors.dims} numbers are stored",
                hint="embed with the model that made the stored vectors, or re-embed them",
            )
        if not isfinite(vector @ vector):
            raise InvalidArgument("a question's vector holds a number that is not finite", hint="embed it again")

    def _speaker(self, speaker: str) -> int:
        code = self._speakers.get(speaker)
        if code is not None:
            return code
        code = self._speakers[speaker] = len(self._speakers)
        if code >= len(self._roles):
            self._roles = np.concatenate([self._roles, np.zeros_like(self._roles)])
        words = set(speaker.lower().replace("_", " ").replace("-", " ").split())
        self._roles[code] = 1 if words & _USER else -1 if words & _ASSISTANT else 0
        if not self._roles[code]:
            for term in analyse(speaker):
                if not is_stop(term):
                    self._names.setdefault(term, set()).add(code)
        return code

    def _named(self, term: str, view: View) -> frozenset[int]:
        """Speakers of that name who said something visible."""
        codes = self._names.get(term)
        if codes is None:
            return _NO_ONE
        return frozenset(code for code in codes if code < len(view.heard) and view.heard[code])

    def _view(self, scopes: frozenset[int]) -> View:
        view = self._views.get(scopes)
        if view is None:
            columns = self._columns
            size = columns.size
            mask = np.zeros(size, np.bool_)
            for scope in scopes:  # few: `isin` would take fifteen times as long for one
                mask |= columns.scope[:size] == scope
            mask &= columns.alive[:size]
            rows = int(np.count_nonzero(mask))
            is_all = rows == size - 1
            seen = slice(1, None) if is_all else mask
            mean = float(columns.length[:size][seen].sum(dtype=np.float64)) / max(rows, 1)
            if len(self._views) >= _VIEWS:
                self._views.clear()
            heard = np.bincount(columns.speaker[:size][seen])
            view = self._views[scopes] = View(mask, rows, max(mean, 1.0), is_all, scopes, heard)
        return view

    def _best(self, rows: Rows, parts: Floats, limit: int) -> list[Scored]:
        columns = self._columns
        total = parts.sum(axis=0, dtype=np.float64)
        rounded = total.round(_DECIMALS)
        if len(rows) > limit:
            near = (rounded >= np.partition(rounded, len(rows) - limit)[len(rows) - limit]).nonzero()[0]
            rows, total, rounded, parts = (
                rows.take(near),
                total.take(near),
                rounded.take(near),
                parts.take(near, axis=1),
            )
        keys, at_ms = columns.key.take(rows).tolist(), columns.at_ms.take(rows).tolist()
        whole = zip(rounded.tolist(), at_ms, keys, total.tolist(), parts.T.tolist(), strict=True)
        # What comes after the keys never decides: they are unique.
        best = sorted(whole, reverse=True)[:limit]
        return [_scored(key, exact, dict(zip(PARTS, some, strict=True))) for _, _, key, exact, some in best]


def _scored(key: int, total: float, parts: dict[str, float]) -> Scored:
    """Cuts a score at 0 and 1 and shrinks what is too much, so that the parts still add up."""
    if 0.0 <= total <= 1.0:
        return Scored(key, total, parts)
    if total > 1.0:
        parts = {name: part / total for name, part in parts.items()}
    else:
        gained = sum(part for part in parts.values() if part > 0)
        lost = sum(part for part in parts.values() if part < 0)
        parts = {name: part if part > 0 else part * gained / -lost for name, part in parts.items()}
    return Scored(key, min(max(total, 0.0), 1.0), parts)
