"""What a text looks like once nothing in it is invisible: one form for storing, comparing and searching.

Memory is read by people and by models, and the two must see the same. So characters that a model reads and a
person does not (controls, direction overrides, zero-width and tag characters) go, except where a script or an emoji
needs them to be drawn rightly. `hidden_characters` says which of them were there, before they are gone.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def normalise(text: str) -> str:
    """NFC, one kind of line break, nothing invisible, no outer white space; doing it twice changes nothing.

    Lone surrogates pass through unharmed: they are the caller's error, see `has_lone_surrogate`.
    """
    if text.isascii():
        return (text if text.isprintable() else _plain_ascii(text)).strip()
    for _ in range(_MAX_ROUNDS):
        cleaned = _cleaned(text)
        if cleaned == text:
            break
        text = cleaned
    return text


def hidden_characters(text: str) -> tuple[str, ...]:
    """Names of the ways in which `text`, as it arrived, hides something from its reader; sorted.

    Characters that common programs leave behind (soft hyphen, direction marks, a leading byte order mark, word breaks
    in Thai or Khmer) are removed all the same, but nobody is accused of them.
    """
    if text.isascii():
        return ("control",) if not text.isprintable() and _CONTROL.search(text) else ()
    if not _CHANGES.search(text):
        return ()
    if _CANCEL_TAG in text:
        text = _FLAG.sub("\U0001f3f4", text)
    return tuple([name for name, pattern in _TRICKS if pattern.search(text)])


def words_of(text: str) -> list[str]:
    """What `\\w+` finds, in order. Plain ASCII, which most text is, gets it at a quarter of the price."""
    if not text.isascii():
        return _WORD.findall(text)
    return text.encode().translate(_NO_WORD_TO_SPACE).decode().split()


_WORD = re.compile(r"\w+")
_NO_WORD_TO_SPACE = bytes(octet if _WORD.match(chr(octet)) else ord(" ") for octet in range(256))


def ascii_digits(octets: bytes) -> int:
    """How many."""
    return len(octets) - len(octets.translate(None, b"0123456789"))


class Remembered(dict[str, T]):
    """A function of words that remembers its answers, at half the price of `lru_cache`; none of words over `longest`.

    With `most` of them it forgets them all: they are soon back."""

    def __init__(self, work: Callable[[str], T], most: int = 65_536, longest: int | None = None) -> None:
        super().__init__()
        self._work = work
        self._most = most
        self._longest = longest

    def __missing__(self, word: str) -> T:
        answer = self._work(word)
        if self._longest is None or len(word) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[word] = answer
        return answer


def parse_table(text: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """The `key: rest` lines of each `[section]` of a word table, comments and empty lines left out."""
    found: dict[str, list[tuple[str, str]]] = {}
    section: list[tuple[str, str]] = []
    for line in text.splitlines():
        if line.startswith("[") and line.endswith("]"):
            section = found.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            key, _, rest = line.partition(":")
            section.append((key.strip(), rest.strip()))
    return {name: tuple(held) for name, held in found.items()}


def has_lone_surrogate(text: str) -> bool:
    """Whether `text` holds half a character, which no encoding can write."""
    return not text.isascii() and _SURROGATE.search(text) is not None


# Each round removes something that hid something else; honest text is done after the first.
_MAX_ROUNDS = 8

_SURROGATE = re.compile("[\ud800-\udfff]")
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")


def _plain_ascii(text: str) -> str:
    return _CONTROL.sub("", _BREAKS.sub("\n", text))


_TAG_FLAG = "\U0001f3f4\U000e0067\U000e0062(?:{})\U000e007f"  # England, Scotland, Wales are spelt in tag characters
_NATIONS = ("\U000e0065\U000e006e\U000e0067", "\U000e0073\U000e0063\U000e0074", "\U000e0077\U000e006c\U000e0073")
_FLAGS = _TAG_FLAG.format("|".join(_NATIONS))
_FLAG = re.compile(_FLAGS)
_CANCEL_TAG = "\U000e007f"

_BIDI = "\u202a-\u202e\u2066-\u2069"
_DIRECTION_MARKS = "\u061c\u200e\u200f\u206a-\u206f"
_ZERO_WIDTH = "\u034f\u180e\u200b\u2060-\u2065\ufeff"
_FILLERS = "\u115f\u1160\u17b4\u17b5\u3164\uffa0\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
_NO_CHARACTERS = "\ufdd0-\ufdef\ufff0-\ufffb\ufffe\uffff"
_TAGS = "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
_ALWAYS_OUT = re.compile(
    f"({_FLAGS})|[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad"
    f"{_BIDI}{_DIRECTION_MARKS}{_ZERO_WIDTH}{_FILLERS}{_NO_CHARACTERS}{_TAGS}]"
)

_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_EMOJI = "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
# One variation selector after what has variants. More of them in a row is how bytes are smuggled behind an emoji.
_VARIANTS = f"{_EMOJI}{_IDEOGRAPHS}\u1000-\u109f\u3000-\u303f\uaa60-\uaa7f\uff01\uff0c\uff0e\uff1a\uff1b\uff1f"
_STRAY_SELECTOR = re.compile(
    f"(?<![{_VARIANTS}])(?<![0-9#*](?=\ufe0f\u20e3))[\ufe00-\ufe0f]|(?<![{_IDEOGRAPHS}])[\U000e0100-\U000e01ef]"
    "|(?<![\u1800-\u18af])[\u180b-\u180d\u180f]"
)
# Scripts whose letters take another shape with a joiner or a non-joiner: Arabic to N'Ko, the Indic ones, Tibetan,
# Myanmar, Khmer, Mongolian, Balinese and its neighbours. A joiner may end a word there, so only what precedes counts.
_SHAPED = (
    "\u0600-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aad\u1b00-\u1c4f\ua840-\ua87f"
    "\ua980-\uaa7f\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff\U0001e900-\U0001e95f"
)
_STRAY_JOINER = re.compile(f"(?<![{_SHAPED}])(?:\u200c|(?<![{_EMOJI}\ufe0f])\u200d|\u200d(?![{_EMOJI}]))")

_CHANGES = re.compile(
    f"[\r\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    f"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0{_NO_CHARACTERS}\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


def _cleaned(text: str) -> str:
    text = _composed(text)
    if _CHANGES.search(text):
        text = _BREAKS.sub("\n", text)
        text = _ALWAYS_OUT.sub(r"\1", text)
        # Selectors before joiners: a joiner may lean on a selector, never the other way round.
        text = _STRAY_SELECTOR.sub("", text)
        text = _STRAY_JOINER.sub("", text)
    return text.strip()


# Composing sorts a run of marks by insertion, which is quadratic in its length. Living scripts stack a handful; the
# stream-safe format of Unicode allows 30. Longer runs are cut: loosely before composing, to the limit after it.
_MARKS, _MARKS_BEFORE = 30, 128
_PILE = re.compile(r"[^\w\s\x00-\x7f]{31,}")


def _composed(text: str) -> str:
    piled = _PILE.search(text) is not None
    if piled:
        text = _PILE.sub(lambda match: _cut_marks(match[0], _MARKS_BEFORE), text)
    text = unicodedata.normalize("NFC", text)
    return _PILE.sub(lambda match: _cut_marks(match[0], _MARKS), text) if piled else text


def _cut_marks(run: str, most: int) -> str:
    kept: list[str] = []
    marks = 0
    for character in run:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= most:
            kept.append(character)
    return "".join(kept)


_WORD_BREAKING = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer write no spaces between words
_TRICKS = (
    ("bidi_control", re.compile(f"[{_BIDI}]")),
    ("control", _CONTROL),
    ("invisible_filler", re.compile(f"[{_FILLERS}]")),
    ("tag_characters", re.compile(f"[{_TAGS}]")),
    ("variation_selectors", re.compile(f"[\ufe00-\ufe0f\U000e0100-\U000e01ef]{{2}}|{_STRAY_SELECTOR.pattern}")),
    (
        "zero_width",
        re.compile(f"(?<!^)\ufeff|[\u034f\u180e\u2060-\u2065]|(?<![{_WORD_BREAKING}])\u200b|{_STRAY_JOINER.pattern}"),
    ),
)
