"""Scores a few hundred candidates by everything that is known about them.

Each function turns columns of candidates into one sign of relevance. Nothing here is relative to the other
candidates: adding a candidate never changes the score of another one.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palyra.domain.retrieval.columns import Columns
from palyra.domain.retrieval.cues import Cues, Sign
from palyra.domain.retrieval.query import Weights

Floats: TypeAlias = NDArray[np.float32]
Rows: TypeAlias = NDArray[np.int64]

REACH: Final = 3
FADE: Final = 0.85
"""A neighbour k turns away lends FADE**k of what it says."""
DAY_MS: Final = 86_400_000
RECENCY_DAYS: Final = 30.0
UNSPACED_VECTOR: Final = 0.4
"""Static token vectors of English-first tables are far less good on scripts without spaces."""

_FADES: Final = np.array([FADE ** abs(k) for k in (0, *range(1, REACH + 1), *range(1, REACH + 1))], np.float32)

_TIME, _NUMBER, _ASKS, _STANDING = map(int, Sign)
"""as plain numbers: numpy takes ten times as long to learn what a flag is"""

PARTS: Final = ("lexical", "context", "phrase", "vector", "speaker", "time", "form", "recency", "trust")


@dataclass(slots=True)
class RowEvidence:
    """What a search found out before scoring. Arrays by row unless said otherwise; row 0 is all zeros."""

    saturation: Floats
    """(rows, terms): how much of a term an item has, 0..1"""
    weights: Floats
    """of the terms, adding up to 1"""
    phrase: Floats
    cosine: Floats
    coverage: Floats
    """by candidate: the weight of the terms found anywhere in its thread"""


@dataclass(frozen=True, slots=True)
class QuestionAims:
    """What the question is after, besides its words."""

    at_ms: int
    cues: Cues
    named: frozenset[int]
    """codes of the one speaker the question names"""
    unspaced: bool
    periods: tuple[tuple[int, int], ...] = ()
    """[start, end) in epoch ms of the times the question names"""


def scored(
    columns: Columns, roles: NDArray[np.int8], rows: Rows, asked: QuestionAims, evidence: RowEvidence, weights: Weights
) -> Floats:
    """(parts, candidates), in the order of PARTS."""
    ring = _ring(columns, rows)
    signs = columns.signs.take(rows)
    role = roles.take(columns.speaker.take(rows))
    assisted = role != 0
    parts = np.zeros((len(PARTS), len(rows)), np.float32)
    parts[0], parts[1] = _words(ring, assisted, evidence, weights)
    parts[1] += weights.thread * evidence.coverage
    parts[2] = weights.phrase * evidence.phrase.take(rows)
    parts[3], around = _vectors(columns, ring, assisted, asked, evidence, weights)
    parts[1] += around
    parts[4] = _speaker(columns, role, rows, asked, weights)
    at = columns.at_ms.take(rows)
    parts[5] = _time(at, signs, asked, weights)
    if asked.cues.asks_number:
        parts[6] += weights.number * ((signs & _NUMBER) != 0)
    if asked.cues.asks_advice:
        parts[6] += weights.standing * ((signs & _STANDING) != 0)
    # Between people a turn that asks tells little; a person's request to an assistant tells what they are up to.
    parts[6] -= weights.asking * (((signs & _ASKS) != 0) & ~assisted)
    parts[7] = _recency(at, asked, weights)
    parts[8] = weights.trust * (1.0 - columns.trust.take(rows) / np.float32(4))
    return parts


def _ring(columns: Columns, rows: Rows) -> NDArray[np.int64]:
    """(2 * REACH + 1, candidates): the rows themselves, then the ones before, then the ones after, nearest first."""
    ring = np.empty((2 * REACH + 1, len(rows)), np.int64)
    ring[0] = rows
    for first, chain in ((1, columns.before), (1 + REACH, columns.after)):
        ring[first] = chain.take(rows)
        for k in range(first + 1, first + REACH):
            ring[k] = chain.take(ring[k - 1])
    return ring


def _words(
    ring: NDArray[np.int64], assisted: NDArray[np.bool_], evidence: RowEvidence, weights: Weights
) -> tuple[Floats, Floats]:
    near = evidence.saturation.take(ring, axis=0)
    own = near[0] @ evidence.weights
    near *= _FADES[:, None, None]
    reached = near.max(axis=0) @ evidence.weights
    lexical = _either(assisted, weights.lexical_assisted, weights.lexical)
    nearby = _either(assisted, weights.nearby_assisted, weights.nearby)
    return lexical * own, nearby * (reached - own)


def _vectors(
    columns: Columns,
    ring: NDArray[np.int64],
    assisted: NDArray[np.bool_],
    asked: QuestionAims,
    evidence: RowEvidence,
    weights: Weights,
) -> tuple[Floats, Floats]:
    near = np.maximum(evidence.cosine.take(ring), 0)
    if asked.unspaced:
        near *= np.float32(UNSPACED_VECTOR)
    # The turn after a question is its answer, and the words asked about stand in the question.
    answered = near[1] * ((columns.signs.take(ring[1]) & _ASKS) != 0)
    around = (near * _FADES[:, None]).max(axis=0)
    context = _either(assisted, 0.0, weights.vector_context)
    return weights.vector * near[0], context * around + weights.answer * answered


def _either(assisted: NDArray[np.bool_], yes: float, no: float) -> Floats:
    """The weight of a turn of a person or their assistant, and of one between people."""
    return np.where(assisted, np.float32(yes), np.float32(no))


def _speaker(columns: Columns, role: NDArray[np.int8], rows: Rows, asked: QuestionAims, weights: Weights) -> Floats:
    part = np.float32(weights.role_of_assistant if asked.cues.of_assistant else weights.role) * role
    if asked.named:
        speakers = columns.speaker.take(rows)
        says = np.zeros(len(rows), np.bool_)
        for code in asked.named:
            says |= speakers == code
        part += np.where(says, np.float32(weights.speaker), np.float32(-weights.speaker))
    return part


def _time(at: NDArray[np.int64], signs: NDArray[np.uint8], asked: QuestionAims, weights: Weights) -> Floats:
    cues = asked.cues
    part = np.where(at > asked.at_ms, np.float32(-weights.later), np.float32(0))
    if cues.asks_when:
        part += np.float32(weights.when) * ((signs & _TIME) != 0)
    inside = _inside(at, asked)
    if inside is not None:
        part += np.float32(weights.period) * inside
    return part


def _inside(at: NDArray[np.int64], asked: QuestionAims) -> NDArray[np.bool_] | None:
    """Which candidates were said in a time the question names; None when it names none."""
    cues = asked.cues
    inside: NDArray[np.bool_] | None = None
    if cues.months or cues.years:
        # By the calendar and not by range: "in June" may be any June.
        months = at.astype("datetime64[ms]").astype("datetime64[M]").astype(np.int64)
        inside = np.ones(len(at), np.bool_)
        if cues.months:
            inside &= np.isin(months % 12 + 1, cues.months)
        if cues.years:
            inside &= np.isin(months // 12 + 1970, cues.years)
    for start_ms, end_ms in asked.periods:
        within = (at >= start_ms - DAY_MS) & (at < end_ms + DAY_MS)
        inside = within if inside is None else inside | within
    return inside


def _recency(at: NDArray[np.int64], asked: QuestionAims, weights: Weights) -> Floats:
    age_days = np.maximum(asked.at_ms - at, 0) / DAY_MS
    weight = weights.recency + (weights.latest if asked.cues.asks_latest else 0.0)
    return (weight / (1.0 + age_days / RECENCY_DAYS)).astype(np.float32)
