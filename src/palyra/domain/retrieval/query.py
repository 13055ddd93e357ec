"""What is asked, how the answer is scored, and the weights that say what counts how much."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palyra.core.errors import InvalidArgument

Filter: TypeAlias = Callable[[NDArray[np.int64]], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each sign of relevance adds to a score. Every sign is between 0 and 1, or -1 and 1.

    The score is the sum, cut at 0 and 1. It is absolute: no sign is taken relative to the other hits of a question,
    and the terms of a question share a weight of 1, so that a word nobody ever said lowers what can be reached.
    Measured on chats of four kinds, 5th to 95th percentile: an item asked for in its own words scores 0.5 to 1.0, one
    that answers a question 0.1 to 0.9 (the middle one 0.25 in Chinese, 0.4 to 0.8 in English), the best hit for a
    question about something else 0.05 to 0.45, for gibberish 0.05 to 0.3.

    Chosen by hand and a coarse search on these four kinds together; around this choice little changes.
    """

    lexical: float = 0.32
    """share of the question's terms that the item has, by rarity, saturating with repetition"""
    lexical_assisted: float = 0.42
    """the same for a turn of a person or their assistant. Such a turn stands for itself: it opens a matter and closes
    it, and the long answers beside it hold any word; between people what is meant is spread over several turns"""
    nearby: float = 0.27
    """what up to three turns before and after have of the terms the item lacks, fading with distance"""
    nearby_assisted: float = 0.2
    """the same beside a turn of a person or their assistant"""
    thread: float = 0.25
    """share of the terms that its thread has anywhere, less for long threads"""
    phrase: float = 0.055
    """share of the question's neighbouring terms that are neighbours in the item"""
    vector: float = 0.36
    """cosine, without what all items have in common"""
    vector_context: float = 0.135
    """best cosine up to three turns away, fading; between people only"""
    answer: float = 0.088
    """cosine of the turn before, if that is a question"""
    speaker: float = 0.072
    """said by the one the question names; the other way round for everybody else"""
    role: float = 0.08
    """said by the person rather than the assistant"""
    role_of_assistant: float = 0.027
    """the same for a question about what the assistant said"""
    period: float = 0.175
    """said in a month, year or time the question names"""
    when: float = 0.045
    """names a time, for a question that asks when"""
    later: float = 0.045
    """said after the moment the question is asked at; counts against"""
    number: float = 0.027
    """has a number, for a question that asks how many"""
    standing: float = 0.027
    """says what is always or never wanted, for a question that asks for advice"""
    asking: float = 0.04
    """is itself a question between people; counts against"""
    latest: float = 0.027
    """newness, for a question that asks for the current state"""
    recency: float = 0.001
    """newness, among equals"""
    trust: float = 0.01
    """nearness of its source to the owner"""


class RetrievalSourceProfileKind(StrEnum):
    """What is searched, and with which weights."""

    MEMORY = "memory"
    """statements"""
    TRANSCRIPT = "transcript"
    """what was said and read, word for word"""
    WORKSPACE = "workspace"
    """sections of documents"""
    CHECKPOINT = "checkpoint"
    """names, notes and tags of checkpoints"""
    COMPACTION = "compaction"
    """sentences of summaries"""


PROFILES: Final[dict[RetrievalSourceProfileKind, Weights]] = {
    RetrievalSourceProfileKind.MEMORY: Weights(),
    RetrievalSourceProfileKind.TRANSCRIPT: Weights(),
    RetrievalSourceProfileKind.WORKSPACE: Weights(thread=0.1),
    RetrievalSourceProfileKind.CHECKPOINT: Weights(recency=0.02),
    RetrievalSourceProfileKind.COMPACTION: Weights(),
}


def parse_profile(name: str) -> RetrievalSourceProfileKind:
    try:
        return RetrievalSourceProfileKind(name)
    except ValueError:
        known = ", ".join(RetrievalSourceProfileKind)
        raise InvalidArgument(f"unknown profile {name[:64]!r}", hint=f"use one of {known}") from None


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
    near: Sequence[int] | None = None
    """keys that somebody says are near by meaning: only these are compared by vector; None: all are"""


class Scored(NamedTuple):
    key: int
    score: float
    parts: dict[str, float]
    """what the score is made of; adds up to it"""

    @property
    def has_evidence(self) -> bool:
        """Something of the question is in it: being recent and trusted alone answers nothing."""
        return self.score - self.parts.get("trust", 0.0) - self.parts.get("recency", 0.0) > 1e-6
