"""Text into index terms: what two spellings must share so that one finds the other.

Latin words are lowercased, stripped of accents and, when plain ASCII, reduced to their English stem. Scripts
written without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) become overlapping character pairs:
no dictionary, and every word of two characters stays findable. Every other script is kept as whole words.
"""

import re
import unicodedata
from typing import Final

import Stemmer

from palyra.core.text import Remembered, ascii_digits
from palyra.language.words import by_word, words

_STEMMER: Final = Stemmer.Stemmer("english", 0)

_UNSPACED: Final = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff"  # kana and iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U000323af"
)
_ASCII: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)*(?![0-9a-z])|[a-z0-9]+(?:'[a-z]+)*")
# Combining marks are not \w, yet inside a word of an Indic script they are its vowels.
_TOKEN: Final = re.compile(
    rf"[{_UNSPACED}]+|[0-9]+(?:[.,][0-9]+)*(?![0-9a-z])|(?:(?![_{_UNSPACED}])[\w\u0900-\u0dff])+(?:'[a-z]+)*"
)
_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_UNSPACED_START: Final = re.compile(f"[{_UNSPACED}]")
_MAX_TERM_CHARS: Final = 64
"""A longer run is data (a hash, base64): its beginning is enough to find it, and postings stay small."""

TABLE: Final = "retrieval.txt"
"""of `language/data`: the words this package knows"""
_BASES: Final = by_word("forms", TABLE)
"""form to base, both before stemming"""


def analyse(text: str) -> list[str]:
    """Index terms in the order they are written. A term holds no white space and no quotes."""
    if text.isascii():
        return list(map(_LATIN.__getitem__, _ascii_words(text.lower())))
    terms: list[str] = []
    for token in _TOKEN.findall(_folded(text)):
        if _UNSPACED_START.match(token):
            terms.extend(_pairs(token))
        else:
            terms.append(_LATIN[token])
    return terms


def query_terms(text: str) -> list[str]:
    """The terms of a question that can tell one item from another: all of them when every one is a stop word."""
    terms = analyse(text)
    return [term for term in terms if not is_stop(term)] or terms


def is_stop(term: str) -> bool:
    return term in _STOP_TERMS


def _folded(text: str) -> str:
    # A lone surrogate cannot be normalised into anything a term may hold, nor written to a database.
    text = text.encode("utf-8", "ignore").decode("utf-8")
    decomposed = unicodedata.normalize("NFKD", text.lower().replace("\u2019", "'"))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed)).lower()


def _ascii_words(low: str) -> list[str]:
    """What `_ASCII` finds. Without digits, which most text is, cutting at everything else is all there is to do."""
    octets = low.encode()
    if ascii_digits(octets):
        return _ASCII.findall(low)
    words = octets.translate(_NO_LETTER_TO_SPACE).decode().split()
    if "'" in low:
        return [one for word in words for one in (_ASCII.findall(word) if "'" in word else (word,))]
    return words


_NO_LETTER_TO_SPACE: Final = bytes(octet if chr(octet) in "'abcdefghijklmnopqrstuvwxyz" else 32 for octet in range(256))


def _latin(word: str) -> str:
    word = word.removesuffix("'s").replace("'", "").replace(",", "")[:_MAX_TERM_CHARS]
    # Snowball's English rules cut suffixes off German or Turkish words too: mostly harmless on ASCII,
    # because both sides are cut alike; a word with other letters is left alone.
    return _STEMMER.stemWord(_BASES.get(word, word)) if word.isascii() else word


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


_LATIN: Final = Remembered(_latin)
_STOP_WORDS: Final = words("stop_words", TABLE)
_STOP_TERMS: Final = frozenset(map(_latin, _STOP_WORDS)) | _STOP_WORDS | words("stop_pairs", TABLE)
