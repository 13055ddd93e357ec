"""The words by which a text gives itself away as addressed to the agent, read from `language/data/risks.txt`.

A *window* is a head word followed, within a few words, by one word of each set it needs. A *phrase* is sought as it
stands, and only when its rarest word occurs. A *shape* is a pattern behind a literal. Nothing here backtracks over
more than a bounded stretch, so hostile text costs what its length costs.
"""

import binascii
import re
from base64 import b64decode
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from palyra.language.words import fragments, groups, lines, words

_TABLE = "risks.txt"


@dataclass(frozen=True, slots=True)
class Window:
    code: str
    needs: tuple[frozenset[str], ...]
    within: int  # words after the head
    as_order: bool  # the head must open the text or follow a word that introduces an order


def _windows() -> dict[str, tuple[Window, ...]]:
    """By head word."""
    lists = {name: frozenset(held) for name, held in groups("lists", _TABLE).items()}
    found: dict[str, tuple[Window, ...]] = {}
    for section, as_order in (("windows", False), ("windows_of_orders", True)):
        for code, rest in lines(_TABLE)[section]:
            within, heads, *needs = rest.split()
            window = Window(code, tuple(lists[name] for name in needs), int(within), as_order)
            for head in lists[heads]:
                found[head] = (*found.get(head, ()), window)
    return found


def _phrases() -> dict[str, tuple[tuple[str, str], ...]]:
    """The phrases to seek, with their risk, by the rarest word of each."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for code, rest in lines(_TABLE)["phrases"]:
        word, _, phrase = rest.partition(" | ")
        found[word] = (*found.get(word, ()), (code, phrase))
    return found


def _shapes() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    rows = ((code, *rest.partition(" =>")) for code, rest in lines(_TABLE)["shapes"])
    return tuple(
        (code, needle, re.compile(re.escape(needle) + fragments(behind.removeprefix(" "), _TABLE)))
        for code, needle, _, behind in rows
    )


BEFORE_AN_ORDER = frozenset(groups("lists", _TABLE)["before_an_order"])
WINDOWS = _windows()
PHRASES = _phrases()
RISK_WORDS = frozenset(WINDOWS) | frozenset(PHRASES)
SHAPES = _shapes()
"""risk, the literal the pattern begins with, the pattern (on lower-cased text)"""
SHAPE_SIGNS = re.compile(r'[<[#"]')
SHAPE_WORDS = words("shape_words", _TABLE)
"""no shape without one of these signs or words"""

UNSPACED_SCRIPT = re.compile("[\u0900-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
UNSPACED_RISKS = tuple(
    (code, re.compile("|".join(pattern for _, pattern in rows)))
    for code, rows in groupby(lines(_TABLE)["unspaced"], itemgetter(0))
)

# --- text inside text ------------------------------------------------------------------------------------------------

_LONG_RUN = 40
_RUN = re.compile(rf"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{{{_LONG_RUN},4096}}+={{0,2}}")
_BITS = re.compile(r"(?:[01]{6,8} ){6}")
_MORSE = re.compile(r"(?<![.-])(?:[.-]{1,6}[ /]{1,3}){12}")
_ESCAPES = re.compile(r"(?:\\x[0-9A-Fa-f]{2}){8}|(?:\\u[0-9A-Fa-f]{4}){6}")
_LETTERS = re.compile(rb"[A-Za-z ,.'!?\n-]")
_MOST_RUNS = 8


def holds_encoded_text(text: str) -> bool:
    """Whether words are hidden in base64, hex, bits or Morse. Keys and digests decode to noise and do not count."""
    if (
        ("01" in text and _BITS.search(text))
        or (" -" in text and " ." in text and _MORSE.search(text))
        or ("\\" in text and _ESCAPES.search(text))
    ):
        return True
    if max(map(len, text.split()), default=0) < _LONG_RUN:
        return False
    return any(_reads_as_text(match[0]) for match, _ in zip(_RUN.finditer(text), range(_MOST_RUNS), strict=False))


def _reads_as_text(run: str) -> bool:
    decoded = [
        _from_hex(run),
        b"" if run.startswith("eyJ") else _from_base64(run),
    ]  # eyJ: a signed token, not a message
    return any(len(raw) >= 16 and len(_LETTERS.findall(raw)) > 0.9 * len(raw) for raw in decoded)


def _from_hex(run: str) -> bytes:
    try:
        return bytes.fromhex(run)
    except ValueError:
        return b""


def _from_base64(run: str) -> bytes:
    try:
        return b64decode(run[: len(run) // 4 * 4])
    except binascii.Error:
        return b""
