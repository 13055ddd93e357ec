"""From the sum of all signs to what it says: how likely a hit bears on the question.

A curve that keeps the order and leaves nothing at nothing. Fitted by `fitting/score.py` to what the best eight hits of
each question of worth-train.jsonl (SHA-256 e3e9489a…) and worth-long-train.jsonl (8eaf9c4a…) are worth.
"""

from math import exp
from typing import Final

from palyra.domain.retrieval.query import Scored

SLOPE: Final = 10.11
MIDDLE: Final = 0.404
_NOTHING: Final = 1 / (1 + exp(SLOPE * MIDDLE))


def probability(total: float) -> float:
    return (1 / (1 + exp(SLOPE * (MIDDLE - total))) - _NOTHING) / (1 - _NOTHING)


def as_probability(hit: Scored) -> Scored:
    """Its parts shrink or grow with it, so that they still add up."""
    if hit.score <= 0:
        return hit
    score = probability(hit.score)
    share = score / hit.score
    return Scored(hit.key, score, {name: part * share for name, part in hit.parts.items()})
