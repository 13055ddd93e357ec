"""One reader for every turn: which statements stand in it, and why the rest is left.

Fitted models decide what is worth keeping, where a statement begins and ends and of which kind it is; word tables help,
and nothing is written that was not said. All of it works without an encoder, a little worse.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from palyra.language.asking import agreement, is_excepted, proposal_ends
from palyra.language.dates import dated
from palyra.language.fitted import Array, Blend, Floats, Scale, Trees, probability, weights
from palyra.language.names.naming import named
from palyra.language.pieces import shape
from palyra.language.runs import WHOLE, Cut, best, cut, rows, runs, signs, stretches, within_items
from palyra.language.statements import WRITTEN_BPS, Encode, Kind, Role, Statement, ToldTurn
from palyra.language.words import lines, pattern
from palyra.language.wrappings import own_words

_PACKAGE, _FILE = "palyra.language", "reading.npz"
MOST_CHARACTERS = 20_000
"""of a person's own words in a turn; what comes after is left on the tape unread"""
REVIEW_BPS = {
    Kind.FACT: 7_500,
    Kind.DECISION: 7_500,
    Kind.CONSTRAINT: 7_500,
    Kind.PREFERENCE: 8_000,
    Kind.PROCEDURE: 8_500,
}
KINDS = tuple(Kind)
STANDING = (Kind.PREFERENCE, Kind.PROCEDURE, Kind.CONSTRAINT)
SCALES = {
    "short": {"given": (0.0, 0.36, 0.50, 1.0), "read": (0.0, 7_500.0, 9_000.0, 10_000.0)},
    "long": {"given": (0.0, 0.40, 0.50, 1.0), "read": (0.0, 7_500.0, 9_000.0, 10_000.0)},
}
ENCODED = 600
"""characters; of a longer text its beginning tells what it is about"""
AGREED_FLOOR = 0.3
"""how likely what a person agrees to must look as if she had said it"""
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Left:
    """A piece of a turn that stays on the tape."""

    text: str
    span: tuple[int, int]
    because: str
    """a word of `reasons`"""
    probability: float


@dataclass(frozen=True, slots=True)
class Reading:
    statements: tuple[Statement, ...]
    left: tuple[Left, ...]


def reasons() -> dict[str, str]:
    """Every word `because` may be, with what it means in plain English."""
    return dict(lines("reasons.txt")["reasons"])


def unmarked(text: str) -> str:
    """What a person makes bold says the same. In a longer text it is a heading or a label, and is looked at so."""
    return text.replace("**", "") if len(text) <= WHOLE else text


def to_encode(made: Cut, own: str) -> list[str]:
    """What stands for each piece: of a short turn the whole of it, so that it costs one text."""
    return [own] * len(made.pieces) if len(own) <= WHOLE else [text[:ENCODED] for text in made.texts]


def nearness(meaning: Floats) -> Floats:
    """How close in meaning each piece is to the one before."""
    return np.concatenate([[0.0], (meaning[1:] * meaning[:-1]).sum(axis=1)])


def joints(made: Cut, looks: Floats, near: Floats) -> Floats:
    """What is known of the joint before each piece; the first has none, and a row of zeros for it."""
    before = np.vstack([np.zeros((1, looks.shape[1])), looks[:-1]])
    edges = made.edges[: len(looks), None] == np.arange(5)[None, :]
    return np.column_stack([looks, before, edges.astype(float), near])


def meaning_of(meaning: Floats, made: Cut, first: int, last: int) -> Floats:
    """Of a run: the mean of its pieces, the longer the heavier, of length one."""
    sizes = np.array([p.end - p.start for p in made.pieces[first : last + 1]], dtype=np.float64)
    mean: Floats = sizes @ meaning[first : last + 1]
    return mean / max(float(np.linalg.norm(mean)), 1e-9)


class Models:
    """What was fitted, ready to be asked."""

    def __init__(self, held: dict[str, Array]) -> None:
        self.turn, self.piece, self.join = (Blend.of(held, name) for name in ("turn", "piece", "join"))
        self.runs = {True: Trees.of(held, "run.full"), False: Trees.of(held, "run.plain")}
        self.kinds = [Blend.of(held, f"kind.{kind}") for kind in KINDS]
        self.change = Blend.of(held, "change")
        self.scales = {name: Scale.of(held, f"scale.{name}") for name in ("short", "long")}


@cache
def _models() -> Models:
    return Models(weights(_PACKAGE, _FILE))


@dataclass(frozen=True, slots=True)
class _Seen:
    """A turn, cut, with what the models say of its runs."""

    cut: Cut
    after: bool
    meaning: Floats | None
    runs: Array
    sure: Floats


class Reader:
    """Reads finished turns; holds nothing between them."""

    def __init__(self, encode: Encode | None = None, models: Models | None = None) -> None:
        self._encode = encode
        self._models = models or _models()

    def read(self, turn: ToldTurn, before: Sequence[ToldTurn] = (), repeated: Container[str] = ()) -> Reading:
        """Statements in order of saying, each of at least the lowest threshold of review, and what was left."""
        if turn.role != Role.USER:
            span = (0, len(turn.text))
            return Reading((), (Left(turn.text[:_SHOWN], span, "others", 0.0),) if turn.text.strip() else ())
        own = own_words(turn.text, repeated)
        left = [Left(turn.text[a:b][:_SHOWN], (a, b), why, 0.0) for a, b, why in own.around]
        spans, beyond = _within(own.spans)
        left += [Left(turn.text[a:b][:_SHOWN], (a, b), "too_long", 0.0) for a, b in beyond]
        statements: list[Statement] = []
        speaker = None
        for part in stretches(turn.text, spans):
            made = cut(turn.text, part, speaker)
            if made.pieces:
                speaker = made.speaker
                together = "\n".join(turn.text[a:b] for a, b in part)
                found, rest = self._read(turn, made, together, before)
                statements += found
                left += rest
                if len(spans) == 1 and len(part) == 1:
                    statements += self._agreed(turn, made, before)
        return Reading(tuple(statements), tuple(sorted(left, key=lambda one: one.span)))

    def _read(
        self, turn: ToldTurn, made: Cut, own: str, before: Sequence[ToldTurn]
    ) -> tuple[list[Statement], list[Left]]:
        seen = self._look(made, own, before)
        chosen, left = self._choose(seen)
        statements = []
        for n in chosen:
            statement = self._statement(seen, n, turn, before)
            if statement.confidence_bps < REVIEW_BPS[statement.kind]:
                left.append(Left(statement.text, statement.spans[0], "below", statement.probability))
            else:
                statements.append(statement)
        return statements, left

    def _agreed(self, turn: ToldTurn, made: Cut, before: Sequence[ToldTurn]) -> list[Statement]:
        """What the assistant summed up or proposed and asked about, where the person says yes.

        What she says besides the yes is an exception: what speaks of the same is left out."""
        first, last = made.pieces[0].start if made.speaker is None else made.speaker[1], made.pieces[-1].end
        if not before or before[-1].role != Role.ASSISTANT:
            return []
        besides, asked = agreement(turn.text[first:last], before[-1].text), before[-1].text
        proposed = _proposed(asked) if besides is not None else None
        if besides is None or proposed is None or not proposed.pieces:
            return []
        seen = self._look(proposed, asked, ())
        found = []
        for n in best(seen.runs, seen.sure - AGREED_FLOOR, len(proposed.pieces)):
            statement = self._statement(seen, n, replace(turn, text=asked), before[:-1])
            if not is_excepted(statement.text, besides):
                bps = max(statement.confidence_bps, REVIEW_BPS[statement.kind])
                because = "" if bps >= WRITTEN_BPS else "unsure"
                spans = ((first, last),)
                found.append(
                    replace(statement, confidence_bps=bps, spans=spans, agreed=statement.spans, because=because)
                )
        return found

    def _look(self, made: Cut, own: str, before: Sequence[ToldTurn]) -> _Seen:
        after = bool(before) and before[-1].role == Role.ASSISTANT
        texts, own = [unmarked(text) for text in made.texts], unmarked(own)
        meaning, whole = None, None
        if self._encode:
            meaning = self._encode([unmarked(text) for text in to_encode(made, own)]).astype(np.float64)
            whole = meaning_of(meaning, made, 0, len(texts) - 1)[None, :]
        looks = signs(made, after)
        near = np.zeros(len(texts)) if meaning is None else nearness(meaning)
        keep = self._models.piece.logits(texts, looks, meaning)
        joined = self._models.join.logits(texts, joints(made, looks, near), meaning)
        joined[0] = -4.0
        turn = float(self._models.turn.logits([own], shape(own, after)[None, :], whole)[0])
        found = runs(made)
        sure = self._models.runs[meaning is not None](rows(made, found, looks, keep, joined, near, turn, after))
        return _Seen(made, after, meaning, found, sure)

    def _choose(self, seen: _Seen) -> tuple[list[int], list[Left]]:
        """The runs that tell the turn best: first those that are surely worth it, then, of what remains, the others."""
        scale, count = self._scale(seen), len(seen.cut.pieces)
        chosen: list[int] = []
        apart = within_items(seen.cut, seen.runs) if len(seen.runs) > 1 else np.ones(1, dtype=bool)
        free = np.ones(count, dtype=bool)
        for least in (scale.where(WRITTEN_BPS), scale.where(min(REVIEW_BPS.values()))):
            open_ = apart & np.array([bool(free[a : b + 1].all()) for a, b in seen.runs.tolist()])
            picked = best(seen.runs, np.where(open_, seen.sure - least, -1.0), count)
            for n in picked:
                free[seen.runs[n, 0] : seen.runs[n, 1] + 1] = False
            chosen += picked
        return sorted(chosen, key=lambda n: int(seen.runs[n, 0])), self._rest(seen, free)

    def _rest(self, seen: _Seen, free: Array) -> list[Left]:
        """What no statement was made of, by sentence."""
        found, first, made = [], None, seen.cut
        alone = {(int(a), int(b)): float(p) for (a, b), p in zip(seen.runs, seen.sure, strict=True)}
        for n in range(len(made.pieces)):
            if not free[n]:
                first = None
                continue
            first = n if first is None else first
            if n + 1 == len(made.pieces) or not free[n + 1] or made.edges[n + 1] >= 2:
                text = made.of(first, n)
                span = (made.pieces[first].start, made.pieces[n].end)
                sure = max((p for (a, b), p in alone.items() if first <= a and b <= n), default=0.0)
                found.append(Left(text[:_SHOWN], span, _reason(text), sure))
                first = None
        return found

    def _scale(self, seen: _Seen) -> Scale:
        return self._models.scales["short" if len(seen.runs) == 1 else "long"]

    def _statement(self, seen: _Seen, n: int, turn: ToldTurn, before: Sequence[ToldTurn]) -> Statement:
        first, last = (int(k) for k in seen.runs[n])
        text = seen.cut.told(first, last)
        looks = shape(text, seen.after)[None, :]
        meaning = None if seen.meaning is None else meaning_of(seen.meaning, seen.cut, first, last)[None, :]
        logits = np.array([model.logits([text], looks, meaning)[0] for model in self._models.kinds])
        shares = probability(logits) / probability(logits).sum()
        kind = KINDS[int(np.argmax(shares))]
        standing = float(sum(share for name, share in zip(KINDS, shares, strict=True) if name in STANDING))
        change = float(probability(self._models.change.logits([text], looks, meaning))[0])
        sure = float(seen.sure[n])
        bps = int(self._scale(seen)(sure))
        span = (seen.cut.pieces[first].start, seen.cut.pieces[last].end)
        because = "" if bps >= WRITTEN_BPS else "unsure"
        told = named(dated(text, turn.said_at_ms), turn.text[: span[0]], before)
        return Statement(told, kind, bps, sure, (span,), change, standing, because=because)


def _proposed(asked: str) -> Cut:
    """What the assistant proposed, as far as is looked at together: the end of what it said, the asking taken off."""
    end = proposal_ends(asked)
    spans = [(a, min(b, end)) for a, b in own_words(asked).spans if a < end]
    return cut(asked, (stretches(asked, spans) or [[]])[-1])


def _within(spans: Sequence[tuple[int, int]]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """As many of the person's own words as are read, and those beyond."""
    read: list[tuple[int, int]] = []
    beyond: list[tuple[int, int]] = []
    room = MOST_CHARACTERS
    for start, end in spans:
        middle = min(end, start + room)
        room -= middle - start
        if middle > start:
            read.append((start, middle))
        if end > middle:
            beyond.append((middle, end))
    return read, beyond


def _reason(text: str) -> str:
    low = text.casefold().strip()
    if low.endswith(("?", "？")):
        return "question"
    if pattern("greeting").match(low):
        return "greeting"
    if pattern("request").search(low):
        return "request"
    return "supposed" if pattern("supposed").search(low) else "passing"
