"""A text as the stems that bearing and coverage are counted by: what two spellings of a word share, in any language.

Words written with blanks are reduced to their first five letters without accents; scripts without blanks, and Korean
with its endings, become overlapping pairs of characters.
"""

import re
import unicodedata
from functools import lru_cache

STEM_LETTERS = 5

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff"
_TOKEN = re.compile(rf"[{_UNSPACED}]+|(?:(?![_{_UNSPACED}])\w)+")
_UNSPACED_START = re.compile(f"[{_UNSPACED}]")
_ACCENTS = re.compile("[\u0300-\u036f]")


def stems(text: str) -> tuple[str, ...]:
    """Each once, in the order they are written."""
    return tuple(dict.fromkeys(stem for word in words(text) for stem in stems_of(word)))


def words(text: str) -> list[str]:
    """As they are written: words, and whole runs of scripts without blanks."""
    return _TOKEN.findall(text)


@lru_cache(maxsize=16_384)
def stems_of(word: str) -> tuple[str, ...]:
    """One stem, or the pairs of a run."""
    low = folded(word)
    if not _UNSPACED_START.match(low):
        return (low if low[:1].isdigit() else low[:STEM_LETTERS],)
    return (low,) if len(low) == 1 else tuple(low[i : i + 2] for i in range(len(low) - 1))


def folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.encode("utf-8", "ignore").decode().lower().replace("\u2019", "'"))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", plain))
