"""How surely a text would change what an agent does, or be expensive if it were false.

An order, a right, an address, an account, a tool to run, a claim about whose word counts: such a text is not refused,
but somebody should see it first. The words it is made of, in twelve languages (`data/steering.txt`), the shape of
what stands between them, its n-grams and, with an encoder, what it means were weighed offline; each sentence counts
by itself, so that nothing is hidden between harmless ones.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from palyra.language.fitted import Floats, Grams, Linear, weights
from palyra.language.statements import Encode
from palyra.language.words import pattern

FLOOR, PLAIN_FLOOR = 0.38, 0.4
"""at least this likely waits for a person; the second without an encoder"""

_PACKAGE, _FILE = "palyra.language", "steering.npz"
_TABLE = "steering.txt"
LISTS = (
    *((name, _TABLE) for name in ("order", "ought", "may", "skip", "agent", "rule", "send", "pay", "secret", "run")),
    *((name, _TABLE) for name in ("place", "tell", "guard", "owner", "own", "if")),
    ("now", "change.txt"),
    ("past", "past.txt"),
)
_FILE_ENDINGS = "md|txt|py|js|ts|tsx|rs|go|c|h|java|rb|sh|toml|yaml|yml|json|csv|sql|html|css|pdf|png|jpg|lock|cfg|ini"
SHAPES = tuple(
    re.compile(shape)
    for shape in (
        r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*",
        r"[a-z][a-z0-9+]{1,9}://\S",
        rf"(?<![\w@./-])(?:[a-z0-9-]+\.)+(?!(?:{_FILE_ENDINGS})\b)[a-z]{{2,12}}(?![\w(])",
        r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])",
        r"(?<!\d)(?:\+\d[\d ()/-]{6,}|\d{6,}|\d{2,4}(?:[ -]\d{2,4}){2,})(?!\d)|\b[a-z]{2}\d\d(?: ?\w{4}){2}",
        r"[$€£¥]\s?\d|\d\s?(?:[$€£¥]|euros?\b|dollars?\b|usd\b|eur\b|元|円|원|zł|kč)|\d ?(?:%|percent)",
        rf"(?:[\w.~-]*/)?[\w-]+\.(?:{_FILE_ENDINGS})\b|(?<!\w)[~.]?/[\w.-]+",
        r"(?:^|\s)--?[a-z][\w-]+|[|;&]\s?(?:ba)?sh\b|`[^`]+`|\b[a-z_]+=\S",
        r"[\"“”«»„「」『』‘’]",
        r"^[^.!?。]{0,40}:",
        r"[{}<>\[\]|]|[a-z0-9+/]{24,}={0,2}",
    )
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_LEAST_CHARS, _MOST_CHARS = 12, 1_000


class Weighed(NamedTuple):
    likely: float
    sentence: str
    """the one that says it most"""


def weigh(text: str, encode: Encode | None = None) -> Weighed:
    """Of a text of any length; an empty one is nothing to be wary of."""
    parts = sentences(text)
    if not parts:
        return Weighed(0.0, "")
    models = _models()
    seen = rows(parts, models.grams.logits(parts))
    if encode is None:
        likely = models.plain(seen)
    else:
        by_sense = models.sense.logit(np.asarray(encode(parts), dtype=np.float64))
        likely = models.full(np.column_stack([seen, by_sense]))
    most = int(likely.argmax())
    return Weighed(float(likely[most]), parts[most])


def steers(text: str, encode: Encode | None = None) -> bool:
    """Whether a person should see it before an agent is told it again."""
    return weigh(text, encode).likely >= (PLAIN_FLOOR if encode is None else FLOOR)


def sentences(text: str) -> list[str]:
    """Each by itself; what is too short to say anything goes with the next, what is too long in parts."""
    found, begun = list[str](), ""
    for part in _SENTENCE.split(text):
        begun = f"{begun} {part.strip()}".strip()
        if len(begun) >= _LEAST_CHARS:
            found += [begun[at : at + _MOST_CHARS] for at in range(0, len(begun), _MOST_CHARS)]
            begun = ""
    return [*found, begun] if begun else found


def signs(text: str) -> Floats:
    """The lists and the shapes a sentence has, each list with each other, and its length."""
    low = text.casefold()
    lists = [float(finds.search(low) is not None) for finds in _patterns()]
    shapes = [float(shape.search(low) is not None) for shape in SHAPES]
    pairs = [a * b for a, b in combinations([*lists, max(shapes[:5])], 2)]
    return np.array([*lists, *shapes, *pairs, min(len(low), 400) / 400])


def rows(parts: Sequence[str], by_grams: Floats) -> Floats:
    """One per sentence; what the n-grams say stands last."""
    return np.column_stack([np.stack([signs(part) for part in parts]), by_grams])


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(pattern(name, table) for name, table in LISTS)


class SteeringModels(NamedTuple):
    grams: Grams
    plain: Linear
    sense: Linear
    full: Linear


@cache
def _models() -> SteeringModels:
    held = weights(_PACKAGE, _FILE)
    return SteeringModels(Grams.of(held, "grams"), *(Linear.of(held, name) for name in ("plain", "sense", "full")))
