"""How likely each statement bears on a question.

Two things decide: whether the question is about the person's own world at all, which its words, its meaning and what
the memory covers of it tell together, and how well a statement meets it, by itself and beside the others. Both were
fitted offline. The probability is calibrated, so that one floor means the same for every question, with and without
an encoder.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from palyra.language.fitted import Array, Floats, Grams, Linear, Scale, Trees, weights
from palyra.language.held import Held
from palyra.language.meeting import (
    PAIR,
    QUESTION,
    Asked,
    Meaning,
    asked,
    beside_others,
    marked,
    meaning,
    pair_rows,
    question_row,
)
from palyra.language.statements import Encode, Known

__all__ = ["FLOOR", "Bearing", "Held"]

FLOOR = 0.42
"""at least this likely is given; fitted to be silent nine times of ten where nothing bears on the question"""

_RECALLED = 300
"""characters of what was said before"""
_PACKAGE, _FILE = "palyra.language", "bearing.npz"
_BEST = [PAIR.index(name) for name in ("topic_share", "cosine", "cosine_before", "grams_share", "rarity_share")]
_OF_QUESTION = [
    QUESTION.index(name)
    for name in (
        "shape_length",
        "shape_asks",
        "shape_request",
        "asks_general",
        "asks_own",
        "coverage_topic",
        "held_most",
        "missing_most",
        "missing",
        "stems",
        "names_known",
        "names_unknown",
        "count",
    )
]


class Bearing:
    """Weighs candidates against a question; holds nothing between calls."""

    def __init__(self, encode: Encode | None = None) -> None:
        self._encode = encode

    def weigh(self, question: str, found: Sequence[Known], held: Held, before: Sequence[str] = ()) -> Floats:
        """The probability, for each of `found`, that it bears on the question.

        `before`: what was said before it in the same conversation, oldest first; it helps a question that has no
        topic of its own ("and when is that?")."""
        if not found:
            return np.zeros(0)
        models = _models(self._encode is not None)
        ask = asked(question, held, models.rare)
        if before and not ask.has_topic:
            question = f"{before[-1][-_RECALLED:]} {question}"
            ask = asked(question, held, models.rare)
        sense = meaning(question, found, self._encode) if self._encode else None
        base = pair_rows(ask, found, sense)
        by_words = models.grams.logit(marked(ask))
        by_sense = float(models.sense.logit(sense.question)[0]) if sense else 0.0
        about = models.about.logit(about_row(ask, base, by_words, by_sense))[0]
        meets = meeting_rows(sense, models.axes) @ models.meets if sense else np.zeros(len(found))
        first = models.first.logit(first_rows(base, meets, about))
        rows = last_rows(ask, base, first, meets, (by_words, by_sense, about))
        return models.scale(models.last.logit(rows))


def about_row(ask: Asked, base: Floats, by_words: float, by_sense: float) -> Floats:
    """What tells whether the question is about what is kept."""
    cosines = np.sort(base[:, PAIR.index("cosine")])
    best = base[:, _BEST].max(axis=0)
    return np.concatenate([question_row(ask), (by_words, by_sense), best, (cosines[-2:].sum(),)])


def meeting_rows(sense: Meaning, axes: Floats) -> Floats:
    """Question and statement read together: where their meanings agree, what the statement is by itself, and, along
    the axes in which texts differ most, what kind of question goes with what kind of statement."""
    asks, states = sense.question @ axes, sense.rows @ axes
    crossed = (states[:, :, None] * asks).reshape(len(states), -1)
    return np.column_stack([10 * sense.rows * sense.question, sense.rows, 10 * crossed])


def first_rows(base: Floats, meets: Floats, about: float) -> Floats:
    return np.column_stack([base, meets, np.full(len(base), about)])


def last_rows(ask: Asked, base: Floats, first: Floats, meets: Floats, about: tuple[float, float, float]) -> Floats:
    """Everything about a candidate, with how it stands beside the others."""
    own = np.column_stack([first, meets])
    of_question = np.array([*about, *question_row(ask)[_OF_QUESTION]])
    return np.column_stack(
        [base, beside_others(base, own), own, np.broadcast_to(of_question, (len(base), len(of_question)))]
    )


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a straight model and of trees: each is wrong elsewhere."""

    straight: Linear
    trees: Trees

    def logit(self, rows: Floats) -> Floats:
        return (self.straight.logit(rows) + self.trees.logit(rows)) / 2


@dataclass(frozen=True, slots=True)
class _Models:
    rare: Array
    grams: Grams
    sense: Linear
    about: Mean
    axes: Floats
    meets: Floats
    first: Linear
    last: Mean
    scale: Scale


@cache
def _models(encoded: bool) -> _Models:
    held = weights(_PACKAGE, _FILE)
    name = "full" if encoded else "plain"

    def mean(part: str) -> Mean:
        return Mean(Linear.of(held, f"{name}.{part}.straight"), Trees.of(held, f"{name}.{part}.trees"))

    return _Models(
        held["rare"].astype(np.float64),
        Grams.of(held, "grams"),
        Linear.of(held, "sense"),
        mean("about"),
        held["axes"].astype(np.float64),
        held["meets"].astype(np.float64),
        Linear.of(held, f"{name}.first"),
        mean("last"),
        Scale.of(held, f"{name}.scale"),
    )
