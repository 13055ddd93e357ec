"""What in a sentence is nobody else's business, and of which kind: health, money, where somebody is and so on.

Fitted models over n-grams and, where there is an encoder, over what the sentence is about; numbers with check digits
speak for themselves. Talk about a topic in general, figures of speech and invented people are not sensitive.
"""

import re
from collections.abc import Collection, Sequence
from functools import cache

import numpy as np

from palyra.core.redact import Span, find_spans
from palyra.language.fitted import Array, Floats, Grams, Layers, Linear, probability, weights
from palyra.language.statements import Encode

_PACKAGE, _FILE = "palyra.language", "sensitive.npz"
KINDS = (
    "health", "identity_number", "address", "money", "belief", "sexuality", "criminal", "child", "location", "contact",
)  # fmt: skip
NUMBERS = {
    "pii.national_id": ("identity_number",),
    "pii.card": ("identity_number", "money"),
    "pii.iban": ("identity_number", "money"),
}
"""what the redactor proves by check digits"""
SCALE = 10.0
"""of a vector of length one, for the networks"""
POSSIBLE = 0.15
"""by its words alone; below, nobody asks what it is about"""
SENSITIVE, PLAINLY_SENSITIVE = 0.7, 0.85
"""from where on it is, with an encoder and without"""
_KIND_AT_LEAST = 0.3
_CHARS = 2_000
_DIGITS = re.compile(r"\d")
_NUMBER = re.compile(r"\d(?:[ ./-]?\d)*")
_SPANS = ("pii.national_id", "pii.card", "pii.iban", "pii.email", "pii.phone")


def without_digits(text: str) -> str:
    """A number's form is looked at, not which it is."""
    return _DIGITS.sub("0", text[:_CHARS])


def looks(text: str, spans: Sequence[Span] | None = None) -> Floats:
    """Numbers found, how long, and the sentence's form."""
    labels = [span.label for span in (find_spans(text) if spans is None else spans)]
    longest = max((len(_DIGITS.findall(run)) for run in _NUMBER.findall(text[:_CHARS])), default=0)
    is_question = text.rstrip().endswith(("?", "？"))
    return np.array(
        [*(float(label in labels) for label in _SPANS), min(longest, 16) / 16, float(longest >= 8), float(is_question)]
    )


class Sensing:
    """What was fitted, ready to be asked."""

    def __init__(self, held: dict[str, Array]) -> None:
        self._words, self._sense = Grams.of(held, "words"), Layers.of(held, "sense")
        self._plain, self._full = Linear.of(held, "plain"), Linear.of(held, "full")

    def sure(self, texts: Sequence[str], meaning: Floats | None) -> Floats:
        """How likely each is sensitive."""
        rows = np.column_stack(
            [np.stack([looks(t) for t in texts]), self._words.logits([without_digits(t) for t in texts])]
        )
        if meaning is None:
            return self._plain(rows)
        return self._full(np.column_stack([rows, self._sense(meaning)[:, 0]]))

    def is_open(self, text: str) -> bool:
        """Whether its words alone leave it open."""
        return self._by_words(text, find_spans(text))[1] >= POSSIBLE

    def kinds(self, text: str, encode: Encode | None, spans: Sequence[Span] | None = None) -> tuple[str, ...]:
        """In the order of `KINDS`; empty: nothing sensitive. The encoder is asked only where words leave it open."""
        spans = find_spans(text) if spans is None else spans
        proven = {kind for span in spans for kind in NUMBERS.get(span.label, ())}
        row, sure = self._by_words(text, spans)
        if sure < POSSIBLE:
            return _ordered(proven)
        if encode is None:
            return _ordered(proven or ({UNKNOWN} if sure >= PLAINLY_SENSITIVE else set()))
        is_sensitive, *by_kind = self._sense(encode([text[:_CHARS]]).astype(np.float64))[0]
        if self._full(np.append(row, is_sensitive))[0] < SENSITIVE:
            return _ordered(proven)
        shares = probability(np.array(by_kind))
        least = min(max(_KIND_AT_LEAST, float(shares.max()) / 2), float(shares.max()))
        return _ordered(proven.union(kind for kind, share in zip(KINDS, shares, strict=True) if share >= least))

    def _by_words(self, text: str, spans: Sequence[Span]) -> tuple[Floats, float]:
        row = np.append(looks(text, spans), self._words.logit(without_digits(text)))
        return row, float(self._plain(row)[0])


UNKNOWN = "personal"
"""which kind it is, words alone do not say"""


def _ordered(found: Collection[str]) -> tuple[str, ...]:
    return tuple(kind for kind in (*KINDS, UNKNOWN) if kind in found)


@cache
def sensing() -> Sensing:
    """Made when first asked for."""
    return Sensing(weights(_PACKAGE, _FILE))
