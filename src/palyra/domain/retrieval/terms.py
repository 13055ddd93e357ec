"""Text into index terms: what two spellings must share so that one finds the other.

Latin words are lowercased, stripped of accents and, when plain ASCII, reduced to their English stem. Scripts
written without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) become overlapping character pairs:
no dictionary, and every word of two characters stays findable. Every other script is kept as whole words.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

import Stemmer

from palyra.domain.retrieval.irregular import IRREGULAR

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

STOP_WORDS: Final = frozenset(
    [
        "a",
        "about",
        "above",
        "after",
        "again",
        "against",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "below",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "don",
        "down",
        "during",
        "each",
        "else",
        "ever",
        "few",
        "for",
        "from",
        "further",
        "get",
        "go",
        "got",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "hers",
        "herself",
        "him",
        "himself",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "itself",
        "just",
        "let",
        "like",
        "ll",
        "me",
        "more",
        "most",
        "much",
        "my",
        "myself",
        "nor",
        "no",
        "not",
        "now",
        "of",
        "off",
        "on",
        "once",
        "one",
        "only",
        "or",
        "other",
        "our",
        "ours",
        "ourselves",
        "out",
        "over",
        "own",
        "please",
        "re",
        "really",
        "s",
        "same",
        "she",
        "should",
        "so",
        "some",
        "such",
        "t",
        "than",
        "that",
        "the",
        "their",
        "theirs",
        "them",
        "themselves",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "until",
        "up",
        "us",
        "ve",
        "very",
        "was",
        "we",
        "well",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "yours",
        "yourself",
        "yourselves",
        "tell",
        "know",
        "say",
        "said",
        "many",
        "any",
        "may",
        "might",
        "must",
        "shall",
        "im",
        "ive",
        "id",
        "thing",
        "things",
        "since",
        "because",
        "someone",
        "something",
        "anyone",
        "anything",
        "didn",
        "doesn",
        "isn",
        "wasn",
        "weren",
        "hasn",
        "haven",
        "hadn",
        "won",
        "wouldn",
        "couldn",
        "shouldn",
        "aren",
        "ain",
        "dont",
        "doesnt",
        "didnt",
        "isnt",
        "wasnt",
        "cant",
        "wont",
        "thats",
        "whats",
        "lets",
    ]
)
_STOP_PAIRS: Final = frozenset(
    [
        "什么",
        "是什",
        "么？",
        "怎么",
        "怎样",
        "哪个",
        "哪里",
        "哪儿",
        "哪些",
        "哪家",
        "哪位",
        "为什",
        "多少",
        "几个",
        "是不",
        "不是",
        "是否",
        "可以",
        "这个",
        "那个",
        "这些",
        "那些",
        "我的",
        "你的",
        "他的",
        "她的",
        "我们",
        "你们",
        "他们",
        "她们",
        "来着",
        "么来",
        "啥来",
        "一下",
        "请问",
        "告诉",
        "诉我",
        "的是",
        "是啥",
        "是哪",
        "么名",
        "啥名",
        "叫什",
        "叫啥",
        "么呀",
        "么呢",
        "么啊",
        "时候",
        "什麼",
        "怎麼",
        "為什",
    ]
)


def analyse(text: str) -> list[str]:
    """Index terms in the order they are written. A term holds no white space and no quotes."""
    if text.isascii():
        return [_latin(word) for word in _ASCII.findall(text.lower())]
    terms: list[str] = []
    for token in _TOKEN.findall(_folded(text)):
        if _UNSPACED_START.match(token):
            terms.extend(_pairs(token))
        else:
            terms.append(_latin(token))
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


@lru_cache(maxsize=65_536)
def _latin(word: str) -> str:
    word = word.removesuffix("'s").replace("'", "").replace(",", "")[:_MAX_TERM_CHARS]
    # Snowball's English rules cut suffixes off German or Turkish words too: mostly harmless on ASCII,
    # because both sides are cut alike; a word with other letters is left alone.
    return _STEMMER.stemWord(IRREGULAR.get(word, word)) if word.isascii() else word


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


_STOP_TERMS: Final = frozenset(_latin(word) for word in STOP_WORDS) | STOP_WORDS | _STOP_PAIRS
