"""What is asked, how the answer is scored, and the weights that say what counts how much."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Filter: TypeAlias = Callable[[NDArray[np.int64]], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each sign of relevance adds to a score, where 1 is certainty. Every sign is between 0 and 1 or -1 and 1.

    The score is their sum, cut at 0 and 1. It is absolute: no sign is taken relative to the other hits of a
    question. `lexical` is the share of the question's attainable BM25 that the item (and, fading, its neighbours)
    reaches, so that a word nobody ever said lowers it; `vector` is a cosine. An item that says nearly the same
    as the question reaches about 0.8, one that shares half of its words 0.4, an unrelated one stays below 0.2.
    """

    lexical: float = 0.32
    nearby: float = 0.27
    thread: float = 0.27
    phrase: float = 0.08
    vector: float = 0.34
    vector_context: float = 0.135
    answer: float = 0.088
    speaker: float = 0.072
    role: float = 0.072
    role_of_assistant: float = 0.027
    period: float = 0.175
    when: float = 0.045
    later: float = 0.045
    number: float = 0.027
    standing: float = 0.027
    asking: float = 0.04
    latest: float = 0.027
    recency: float = 0.001
    trust: float = 0.01


PROFILES: Final[dict[str, Weights]] = {
    "memory": Weights(),
    "transcript": Weights(),
    "workspace": Weights(thread=0.1),
    "checkpoint": Weights(recency=0.02),
    "compaction": Weights(),
}


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    vector: NDArray[np.float32] | None
    """of unit length; None searches by words alone"""
    at_ms: int
    scopes: frozenset[int]
    """only entries of these scopes are returned, or have any influence on what is returned"""
    only: Filter | None = None
    """keys to a mask: a further filter on what may be returned"""
    profile: Weights = field(default_factory=Weights)


@dataclass(frozen=True, slots=True)
class Scored:
    key: int
    score: float
    parts: dict[str, float]
    """what the score is made of; adds up to it"""
