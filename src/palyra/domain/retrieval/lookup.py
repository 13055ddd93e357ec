"""From a question to a few hundred candidates, and what is known about them before they are scored.

Nothing is computed for all rows that the postings and vectors do not hand out anyway. Large arrays by row are kept
between searches and cleaned where they were written: allocating them anew would cost more than the search.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import log1p
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palyra.domain.retrieval.columns import Columns, Threads
from palyra.domain.retrieval.entry import pair_code, term_codes
from palyra.domain.retrieval.nearest import NearestRows
from palyra.domain.retrieval.postings import Matches, Postings
from palyra.domain.retrieval.question import FRAME_TERMS, FRAME_WEIGHT, MAX_TERMS
from palyra.domain.retrieval.rank import Floats, RowEvidence, Rows
from palyra.domain.retrieval.vectors import Mask

K1: Final = 2.0
B: Final = 0.75
LEXICAL_CANDIDATES: Final = 160
VECTOR_CANDIDATES: Final = 128
NEIGHBOURS_OF: Final = 64
"""of the best by words and by vector, the turns before and after are candidates too"""
_FEW_ROWS: Final = 1 << 15
"""With more, counting by row costs more than sorting the rows that were found."""
THREAD_TURNS: Final = 16
"""A longer thread contains a word by chance; its coverage counts less in proportion."""


class View(NamedTuple):
    """What the scopes of a question can see."""

    mask: Mask
    rows: int
    mean_length: float
    is_all: bool
    """no row is dead or hidden"""
    scopes: frozenset[int]
    heard: NDArray[np.int64]
    """by speaker code, how many of their items are visible"""


class Lookup:
    """Reads the parts of an index. One search at a time: `found`, then `clean`."""

    def __init__(self, columns: Columns, threads: Threads, postings: Postings, vectors: NearestRows) -> None:
        self._columns = columns
        self._threads = threads
        self._postings = postings
        self._vectors = vectors
        self._saturation = np.zeros(0, np.float32)
        self._phrase = np.zeros(0, np.float32)
        self._cosine = np.zeros(0, np.float32)
        self._slot = np.zeros(0, np.int32)
        self._written: list[tuple[NDArray[np.float32], NDArray[np.int64]]] = []

    def found(
        self, sequence: Sequence[str], vector: Floats | None, view: View, allowed: Mask, likely: Rows | None = None
    ) -> tuple[Rows, RowEvidence]:
        """`sequence` are the question's terms in order, without the names of speakers.

        `likely`: rows to compare by vector, if somebody else has chosen them."""
        terms, weights, matches = self._terms(list(dict.fromkeys(sequence)), view)
        self._reserve(len(terms))
        size = self._columns.size
        spread = self._columns.length.take(matches.rows) * (K1 * B / view.mean_length) + K1 * (1 - B)
        amount = matches.counts / (matches.counts + spread)
        cells = matches.rows * len(terms) + matches.which
        self._saturation[cells] = amount
        self._written.append((self._saturation, cells))
        saturation = self._saturation[: size * len(terms)].reshape(size, len(terms))
        worded = _held(matches.rows, 1)
        lexical = np.bincount(matches.rows, weights=weights.take(matches.which) * amount).take(worded)
        rows = self._candidates(vector, worded, lexical, view, allowed, likely)
        self._pairs(sequence, dict(zip(terms, weights.tolist(), strict=True)), view)
        coverage = self._coverage(rows, matches, saturation, weights)
        return rows, RowEvidence(saturation, weights, self._phrase, self._cosine, coverage)

    def sharing(self, terms: list[str], view: View, least: int, limit: int) -> Rows:
        """Rows that hold at least so many of the terms, those with the rarest first."""
        if self._columns.size <= _FEW_ROWS and self._postings.most_held(term_codes(terms)) < least:
            return np.zeros(0, np.int64)  # as for most new texts
        _, weights, matches = self._terms(terms, view)
        rows = _held(matches.rows, least)
        if not len(rows):
            return rows
        lacking = -np.bincount(matches.rows, weights=weights.take(matches.which)).take(rows)
        if len(rows) > limit:
            some = lacking.argpartition(limit - 1)[:limit]
            rows, lacking = rows.take(some), lacking.take(some)
        return rows.take(lacking.argsort(kind="stable"))

    def having(self, terms: Sequence[str], view: View) -> list[int]:
        """In how many rows each term stands."""
        found: list[int] = np.bincount(self._matches(term_codes(terms), view).which, minlength=len(terms)).tolist()
        return found

    def clean(self) -> None:
        for array, cells in self._written:
            array[cells] = 0.0
        self._written.clear()

    def memory_bytes(self) -> int:
        return self._saturation.nbytes + self._phrase.nbytes + self._cosine.nbytes + self._slot.nbytes

    def _terms(self, terms: list[str], view: View) -> tuple[list[str], Floats, Matches]:
        """The terms with their weights, which add up to 1, and where they stand."""
        matches = self._matches(term_codes(terms), view)
        # Plain numbers: for so few of them every call of numpy costs more than all the arithmetic.
        df: list[int] = np.bincount(matches.which, minlength=len(terms)).tolist()
        weights = [log1p((view.rows - n + 0.5) / (n + 0.5)) for n in df]
        framing = [i for i, term in enumerate(terms) if term in FRAME_TERMS]
        if len(framing) < len(terms):
            for i in framing:
                weights[i] *= FRAME_WEIGHT
        if len(terms) > MAX_TERMS:
            # A term nobody said is the rarest of all, and finds nothing.
            rarest = sorted(range(len(terms)), key=lambda i: -weights[i] if df[i] else 0.0)
            keep = sorted(rarest[:MAX_TERMS])
            place = np.full(len(terms), -1)
            place[keep] = np.arange(len(keep))
            which = place[matches.which]
            kept = which >= 0
            matches = Matches(matches.rows[kept], matches.counts[kept], which[kept])
            terms, weights = [terms[i] for i in keep], [weights[i] for i in keep]
        total = max(sum(weights), 1e-9)
        return terms, np.array([weight / total for weight in weights], np.float32), matches

    def _matches(self, codes: list[int], view: View) -> Matches:
        matches = self._postings.find(codes)
        if view.is_all:
            return matches
        seen = view.mask[matches.rows]
        return Matches(matches.rows[seen], matches.counts[seen], matches.which[seen])

    def _pairs(self, sequence: Sequence[str], weights: dict[str, float], view: View) -> None:
        """By row: the weight of the question's neighbouring term pairs that stand side by side in the item too."""
        pairs = [(a, b) for a, b in dict.fromkeys(pairwise(sequence)) if a in weights and b in weights]
        total = sum(weights[a] + weights[b] for a, b in pairs)
        if not total:
            return
        codes = dict(zip(sequence, term_codes(sequence), strict=True))
        matches = self._matches([pair_code(codes[a], codes[b]) for a, b in pairs], view)
        if not len(matches.rows):
            return
        worth = np.array([(weights[a] + weights[b]) / total for a, b in pairs], np.float32)
        np.add.at(self._phrase, matches.rows, worth.take(matches.which))
        self._written.append((self._phrase, matches.rows))

    def _candidates(
        self,
        vector: Floats | None,
        worded: Rows,
        lexical: NDArray[Any],
        view: View,
        allowed: Mask,
        likely: Rows | None,
    ) -> Rows:
        """`lexical`: how much of the question's words each of the `worded` rows has."""
        if not (view.is_all and allowed is view.mask):
            seen = allowed[worded]
            worded, lexical = worded[seen], lexical[seen]
        worded, best = _top(worded, lexical, LEXICAL_CANDIDATES)
        chosen, heads = [worded], [best]
        if vector is not None and len(self._vectors):
            vector = self._vectors.distinctive(vector, view.scopes)
            near, cosines = self._vectors.near(vector, allowed, likely)
            self._cosine[near] = cosines
            self._written.append((self._cosine, near))
            near, best = _top(near, cosines, VECTOR_CANDIDATES)
            chosen.append(near)
            heads.append(best)
        best = np.concatenate(heads)
        beside = np.concatenate([self._columns.before.take(best), self._columns.after.take(best)])
        chosen.append(beside[allowed.take(beside)])
        rows = _distinct(np.concatenate(chosen))
        if vector is not None and len(self._vectors):
            unknown = rows[self._cosine.take(rows) == 0]
            self._cosine[unknown] = self._vectors.cosines(vector, unknown)
            self._written.append((self._cosine, unknown))
        return rows

    def _coverage(self, rows: Rows, matches: Matches, saturation: Floats, weights: Floats) -> Floats:
        """For each candidate the weight of the terms that its thread has anywhere, less for a long thread."""
        threads = self._columns.thread.take(rows).astype(np.int64)
        slot = self._slot
        slot[threads] = np.arange(1, len(rows) + 1, dtype=np.int32)
        slot[0] = 0
        place = slot.take(threads)
        found = np.zeros((len(rows) + 1, len(weights)), np.float32)
        found[slot.take(self._columns.thread.take(matches.rows)), matches.which] = 1.0
        slot[threads] = 0
        share = THREAD_TURNS / np.maximum(self._threads.turns.take(threads), THREAD_TURNS)
        whole = (found @ weights).take(place) * share
        alone = (threads == 0).nonzero()[0]
        if len(alone):
            whole[alone] = (saturation[rows[alone]] > 0) @ weights
        return whole.astype(np.float32, copy=False)

    def _reserve(self, terms: int) -> None:
        rows = len(self._columns.key)
        if len(self._phrase) < rows:
            self._phrase = np.zeros(rows, np.float32)
            self._cosine = np.zeros(rows, np.float32)
        if len(self._saturation) < rows * terms:
            self._saturation = np.zeros(rows * terms, np.float32)
        if len(self._slot) < len(self._threads.last):
            self._slot = np.zeros(len(self._threads.last), np.int32)


def _top(rows: Rows, scores: NDArray[np.floating], n: int) -> tuple[Rows, Rows]:
    """The best `n` in no order, and the best few of them."""
    if len(rows) > n:
        picked = scores.argpartition(len(rows) - n)[len(rows) - n :]
        rows, scores = rows.take(picked), scores.take(picked)
    if len(rows) <= NEIGHBOURS_OF:
        return rows, rows
    return rows, rows.take(scores.argpartition(len(rows) - NEIGHBOURS_OF)[len(rows) - NEIGHBOURS_OF :])


def _held(rows: Rows, least: int) -> Rows:
    """Those that are there at least so many times, in ascending order."""
    # Stable: postings come as a few ascending runs, which merge in linear time.
    rows = np.sort(rows, kind="stable")
    more = least - 1
    if more:
        rows = rows[more:][rows[more:] == rows[: len(rows) - more]]
    return _fresh(rows)


def _distinct(rows: Rows) -> Rows:
    rows.sort()
    return _fresh(rows)


def _fresh(rows: Rows) -> Rows:
    """Of rows in ascending order, each once."""
    fresh = np.ones(len(rows), np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=fresh[1:])
    return rows[fresh]
