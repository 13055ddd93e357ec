"""What a new statement is to those made before it: the same, what replaces them, or what does not go with them.

Three things decide. What is said in the same words or in other words for the same is merged, by rules that never take
two numbers, names or roles for one. The same frame with another value is the same attribute. And for all the ways in
which people say that something has changed there is a fitted model, of how much the words as they were said sound like
a change, and of which earlier statement they are about.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np

from palyra.language.fitted import Array, Floats, Grams, Linear, Trees, weights
from palyra.language.statements import Encode, Known
from palyra.language.wording import Relation as Wording
from palyra.language.wording import relate
from palyra.language.wording.frames import Frame, frame, is_marked
from palyra.language.wording.pairs import Rarity, StatementSide, compare, compare_meaning
from palyra.language.wording.same import same
from palyra.language.words import pattern

Relation: TypeAlias = Literal["same", "replaces", "conflicts"]

MOST = 64
"""earlier statements worth comparing, the newest if there are more"""
MOST_REPLACED = 2
"""by one statement: what is about more than that is about nothing in particular"""
REPLACES = 0.57
"""probability from which the older one no longer holds"""
REPLACES_AMONG_MANY = 0.75
"""the same for one of several things said in one message, where what is near is more often another thing"""
REPLACES_MORE = 0.9
"""the same where the older one is so long that it says other things, too, which would end with it"""
_ONE_THING_CHARS = 130
"""of a message that says little more than one thing"""
_SAYS_MORE_CHARS = 70
CONFLICTS = 0.4
"""from which somebody should look at both, if the words have anything of a change in them"""
_FRAME = 0.97
_MAY_BOTH = 0.5
_PACKAGE, _FILE, _TABLE = "palyra.language", "change.npz", "change.txt"
_VALUE_CHANGED = frozenset(
    ("number_changed", "unit_changed", "date_changed", "time_changed", "name_changed", "slot_changed")
)
_ALIKE_ELSEWHERE = frozenset(("roles_swapped", "question", "hedged", "code", "case_means_something"))


@dataclass(frozen=True, slots=True)
class Link:
    key: Any
    """of the earlier statement"""
    relation: Relation
    probability: float
    reasons: tuple[str, ...]
    """stable codes, most telling first"""


class Changes:
    """Compares statements; holds nothing between calls."""

    def __init__(self, encode: Encode | None = None) -> None:
        self._encode = encode

    def links(self, new: Known, earlier: Sequence[Known], change: float | None = None) -> tuple[Link, ...]:
        """Of the earlier statements those that are the same, replaced, or in conflict, the surest first.

        `change` is how likely the reader of the turn found it that the words as they were said change something."""
        earlier = sorted(earlier, key=lambda known: known.said_at_ms)[-MOST:]
        if not earlier:
            return ()
        fitted = self._probabilities(new, earlier, change)
        links = [link for old, p in zip(earlier, fitted, strict=True) if (link := _link(new, old, float(p)))]
        if not links and (back := _taken_back(new, earlier)):
            links = [back]
        links.sort(key=lambda link: -link.probability)
        replaced = 0
        for n, link in enumerate(links):
            replaced += link.relation == "replaces"
            if link.relation == "replaces" and replaced > MOST_REPLACED and link.probability < _FRAME:
                links[n] = Link(link.key, "conflicts", link.probability, link.reasons)
        return tuple(links)

    def _probabilities(self, new: Known, earlier: Sequence[Known], change: float | None) -> Floats:
        """For each earlier statement, that it no longer holds because of the new one."""
        model = _model()
        rows = compare(_side(new), [_side(old) for old in earlier], model.rarity)
        said = new.said or new.text
        sounds = [model.by_grams.logit(said[:2000])]
        if change is not None and 0 < change < 1:
            sounds[0] = max(sounds[0], math.log(change / (1 - change)))
        if self._encode is None:
            return model.plain(np.column_stack([rows, np.tile(sounds, (len(rows), 1))]))
        vectors = self._encode([new.text, said, *(old.text for old in earlier)]).astype(np.float64)
        sounds.append(float(model.by_sense.logit(vectors[1])[0]))
        meant = compare_meaning(vectors[0], vectors[1], vectors[2:])
        return model.full(np.column_stack([rows, meant, np.tile(sounds, (len(rows), 1))]))


def _link(new: Known, old: Known, fitted: float) -> Link | None:
    worded = relate(old.text, new.text)
    if worded.relation is Wording.SAME:
        return Link(old.key, "same", 1.0, worded.reasons)
    if worded.relation is Wording.DIFFERENT and same(old.text, new.text):
        return Link(old.key, "same", 1.0, ("other_words",))
    framed = frame(old.text, new.text)
    if worded.relation is Wording.CONFLICT and framed is not Frame.MANY:
        holds_one = worded.explicit or not _VALUE_CHANGED.isdisjoint(worded.reasons)
        return Link(old.key, "replaces" if holds_one else "conflicts", _FRAME, worded.reasons)
    if framed in (Frame.ONE, Frame.OVER):
        return Link(old.key, "replaces", _FRAME, ("said_over" if framed is Frame.OVER else "same_frame",))
    if framed is Frame.MANY:
        return Link(old.key, "conflicts", max(_MAY_BOTH, min(fitted, _FRAME)), ("same_frame",))
    if framed is Frame.OTHER or old.said_at_ms == new.said_at_ms or not _ALIKE_ELSEWHERE.isdisjoint(worded.reasons):
        return None
    sure = REPLACES
    if len(new.said) > _ONE_THING_CHARS:
        sure = REPLACES_MORE if len(old.text) > _SAYS_MORE_CHARS else REPLACES_AMONG_MANY
    if fitted >= sure or (fitted >= CONFLICTS and is_marked(old.text, new.said or new.text)):
        return Link(old.key, "replaces" if fitted >= sure else "conflicts", fitted, ("sounds_like_a_change",))
    return None


def _taken_back(new: Known, earlier: Sequence[Known]) -> Link | None:
    """ "Never mind, the first was right" is about what was replaced last, though it names nothing of it."""
    said = new.said or new.text
    if len(said) > 60 or not pattern("back", _TABLE).search(said.casefold()):
        return None
    changed = next((old for old in reversed(earlier) if old.before), None)
    return None if changed is None else Link(changed.key, "replaces", REPLACES, ("taken_back",))


def _side(known: Known) -> StatementSide:
    return StatementSide(known.text, known.said or known.text, known.before, known.kind)


@dataclass(frozen=True, slots=True)
class _Mean:
    """Logistic regression and boosted trees, each half."""

    linear: Linear
    trees: Trees

    @classmethod
    def of(cls, held: dict[str, Array], name: str) -> "_Mean":
        return cls(Linear.of(held, f"{name}.linear"), Trees.of(held, f"{name}.trees"))

    def __call__(self, rows: Floats) -> Floats:
        both: Floats = (self.linear(rows) + self.trees(rows)) / 2
        return both


@dataclass(frozen=True, slots=True)
class _ChangeModel:
    rarity: Rarity
    by_grams: Grams
    by_sense: Linear
    full: _Mean
    plain: _Mean


@cache
def _model() -> _ChangeModel:
    held = weights(_PACKAGE, _FILE)
    return _ChangeModel(
        Rarity(held["rarity.counts"], int(held["rarity.texts"])),
        Grams.of(held, "sound.grams"),
        Linear.of(held, "sound.sense"),
        _Mean.of(held, "full"),
        _Mean.of(held, "plain"),
    )
