"""From a question to a few hundred candidates, and what is known about them before they are scored.

Nothing is computed for all rows that the postings and vectors do not hand out anyway. Large arrays by row are kept
between searches and cleaned where they were written: allocating them anew would cost more than the search.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palyra.domain.retrieval.columns import Columns, Threads
from palyra.domain.retrieval.entry import pair_code, term_code
from palyra.domain.retrieval.nearest import NearestRows
from palyra.domain.retrieval.postings import Matches, Postings
from palyra.domain.retrieval.question import FRAME_TERMS, FRAME_WEIGHT, MAX_TERMS
from palyra.domain.retrieval.rank import Evidence, Floats, Rows
from palyra.domain.retrieval.vectors import Mask

K1: Final = 2.0
B: Final = 0.75
LEXICAL_CANDIDATES: Final = 160
VECTOR_CANDIDATES: Final = 128
NEIGHBOURS_OF: Final = 64
"""of the best by words and by vector, the turns before and after are candidates too"""
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
    ) -> tuple[Rows, Evidence]:
        """`sequence` are the question's terms in order, without the names of speakers.

        `likely`: rows to compare by vector, if somebody else has chosen them."""
        terms, weights, matches = self._terms(list(dict.fromkeys(sequence)), view)
        self._reserve(len(terms))
        size = self._columns.size
        counts = matches.counts.astype(np.float32)
        spread = np.float32(K1 * B / view.mean_length) * self._columns.length.take(matches.rows) + np.float32(
            K1 * (1 - B)
        )
        amount = counts / (counts + spread)
        cells = matches.rows.astype(np.int64) * len(terms) + matches.which
        self._saturation[cells] = amount
        self._written.append((self._saturation, cells))
        lexical = np.bincount(matches.rows, weights=weights.take(matches.which) * amount, minlength=size).astype(
            np.float64, copy=False
        )
        rows = self._candidates(vector, lexical, view, allowed, likely)
        evidence = Evidence(
            saturation=self._saturation[: size * len(terms)].reshape(size, len(terms)),
            weights=weights,
            phrase=self._phrase,
            cosine=self._cosine,
            coverage=np.zeros(0, np.float32),
        )
        self._pairs(sequence, dict(zip(terms, weights.tolist(), strict=True)), view)
        evidence.coverage = self._coverage(rows, matches, evidence)
        return rows, evidence

    def sharing(self, terms: list[str], view: View, least: int, limit: int) -> Rows:
        """Rows that hold at least so many of the terms, those with the rarest first."""
        terms, weights, matches = self._terms(terms, view)
        size = self._columns.size
        weight = np.bincount(matches.rows, weights=weights.take(matches.which), minlength=size)
        if least > 1:
            weight[np.bincount(matches.rows, minlength=size) < least] = 0.0
        rows = weight.nonzero()[0]
        if len(rows) > limit:
            rows = rows[np.argpartition(-weight[rows], limit - 1)[:limit]]
        return rows[np.argsort(-weight[rows], kind="stable")]

    def clean(self) -> None:
        for array, cells in self._written:
            array[cells] = 0.0
        self._written.clear()

    def memory_bytes(self) -> int:
        return self._saturation.nbytes + self._phrase.nbytes + self._cosine.nbytes + self._slot.nbytes

    def _terms(self, terms: list[str], view: View) -> tuple[list[str], Floats, Matches]:
        """The terms with their weights, which add up to 1, and where they stand."""
        matches = self._matches([term_code(term) for term in terms], view)
        df = np.bincount(matches.which, minlength=len(terms))
        weights = np.log1p((view.rows - df + 0.5) / (df + 0.5))
        framing = [i for i, term in enumerate(terms) if term in FRAME_TERMS]
        if len(framing) < len(terms):
            weights[framing] *= FRAME_WEIGHT
        if len(terms) > MAX_TERMS:
            # A term nobody said is the rarest of all, and finds nothing.
            keep = np.sort(np.argsort(-weights * (df > 0), kind="stable")[:MAX_TERMS])
            place = np.full(len(terms), -1)
            place[keep] = np.arange(len(keep))
            which = place[matches.which]
            kept = which >= 0
            matches = Matches(matches.rows[kept], matches.counts[kept], which[kept])
            terms, weights = [terms[i] for i in keep], weights[keep]
        return terms, (weights / max(float(weights.sum()), 1e-9)).astype(np.float32), matches

    def _matches(self, codes: list[int], view: View) -> Matches:
        matches = self._postings.find(np.array(codes, np.uint32))
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
        matches = self._matches([pair_code(term_code(a), term_code(b)) for a, b in pairs], view)
        worth = np.array([(weights[a] + weights[b]) / total for a, b in pairs], np.float32)
        np.add.at(self._phrase, matches.rows, worth[matches.which])
        self._written.append((self._phrase, matches.rows.astype(np.int64)))

    def _candidates(
        self, vector: Floats | None, lexical: NDArray[np.float64], view: View, allowed: Mask, likely: Rows | None
    ) -> Rows:
        worded = lexical.nonzero()[0]
        if not (view.is_all and allowed is view.mask):
            worded = worded[allowed[worded]]
        worded, best = _top(worded, lexical[worded], LEXICAL_CANDIDATES)
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
        beside = np.concatenate([self._columns.before[best], self._columns.after[best]])
        chosen.append(beside[allowed[beside]])
        rows = _distinct(np.concatenate(chosen))
        if vector is not None and len(self._vectors):
            unknown = rows[self._cosine[rows] == 0]
            self._cosine[unknown] = self._vectors.cosines(vector, unknown)
            self._written.append((self._cosine, unknown))
        return rows

    def _coverage(self, rows: Rows, matches: Matches, evidence: Evidence) -> Floats:
        """For each candidate the weight of the terms that its thread has anywhere, less for a long thread."""
        threads = self._columns.thread.take(rows)
        slot = self._slot
        slot[threads] = np.arange(1, len(rows) + 1)
        slot[0] = 0
        place = slot.take(threads)
        found = np.zeros((len(rows) + 1, len(evidence.weights)), np.float32)
        found[slot.take(self._columns.thread.take(matches.rows)), matches.which] = 1.0
        slot[threads] = 0
        share = np.minimum(np.float32(1), np.float32(THREAD_TURNS) / np.maximum(self._threads.turns[threads], 1))
        whole = (found @ evidence.weights)[place] * share
        alone = (threads == 0).nonzero()[0]
        if len(alone):
            whole[alone] = (evidence.saturation[rows[alone]] > 0) @ evidence.weights
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
        picked = np.argpartition(scores, len(rows) - n)[len(rows) - n :]
        rows, scores = rows[picked], scores[picked]
    if len(rows) <= NEIGHBOURS_OF:
        return rows, rows
    return rows, rows[np.argpartition(scores, len(rows) - NEIGHBOURS_OF)[len(rows) - NEIGHBOURS_OF :]]


def _distinct(rows: Rows) -> Rows:
    rows = np.sort(rows)
    fresh = np.ones(len(rows), np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=fresh[1:])
    return rows[fresh]
