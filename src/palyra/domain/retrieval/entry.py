"""One memory item as the ranking sees it, and its fingerprint: everything the index takes from its text.

A fingerprint is stored beside the item, so that loading a principal's index analyses no text. Layout, little-endian:
version and signs (one byte each), number of content terms (two), number of codes n (four), n ascending codes (four),
n counts of one byte, zeros up to a multiple of four. A code is the CRC-32 of a term or of two neighbouring terms;
two terms sharing a code among the 100,000 of a large store are rare, and cost one wrong match among many right ones.
"""

import struct
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Final, NamedTuple, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from palyra.core.errors import InvalidArgument
from palyra.core.text import Remembered
from palyra.domain.retrieval.cues import signs
from palyra.domain.retrieval.terms import analyse, is_stop

Codes: TypeAlias = NDArray[np.uint32]

VERSION: Final = 1
_HEADER: Final = struct.Struct("<BBHI")


@dataclass(frozen=True, slots=True)
class Entry:
    key: int
    """unique among the items of a principal"""
    text: str
    """may be empty when a fingerprint is given"""
    speaker: str
    """a name, "user", "assistant", or "" when unknown"""
    thread: str
    """the conversation it was said in, "" when none. Neighbours exist only within one scope and thread."""
    scope: int
    """opaque code of who may see it"""
    at_ms: int
    trust: int
    """0 is nearest to the owner, 4 farthest"""


class Decoded(NamedTuple):
    """Many fingerprints as columns. `owner` says for each code which fingerprint it came from."""

    signs: NDArray[np.uint8]
    lengths: NDArray[np.float32]
    owner: NDArray[np.int64]
    codes: Codes
    counts: NDArray[np.uint8]


def encode(entry: Entry) -> bytes:
    return encode_terms(entry.text, analyse(entry.text))


def encode_terms(text: str, terms: list[str]) -> bytes:
    """For whoever has analysed the text already."""
    codes_of_terms = term_codes(terms)
    content = [code for term, code in zip(terms, codes_of_terms, strict=True) if not is_stop(term)]
    counts = Counter(codes_of_terms)
    counts.update(pair_code(a, b) for a, b in pairwise(content))
    codes = sorted(counts)
    amounts = bytes([min(counts[code], 255) for code in codes])
    return _fingerprint(signs(text, terms), len(content), array("I", codes).tobytes(), amounts)


def encode_many(texts: Sequence[str], terms: Sequence[list[str]]) -> list[bytes]:
    """`encode_terms` of each, in columns: for a batch a third of the price, for a single text ten times as much."""
    sizes = np.fromiter(map(len, terms), dtype=np.int64, count=len(terms))
    marked = np.fromiter(
        map(_MARKED_CODES.__getitem__, chain.from_iterable(terms)), dtype=np.uint64, count=int(sizes.sum())
    )
    owner = np.repeat(np.arange(len(terms), dtype=np.uint64), sizes)
    is_content = marked >> 32 == 0
    codes = marked & 0xFFFFFFFF
    content, content_owner = codes[is_content], owner[is_content]
    of_one_text = content_owner[:-1] == content_owner[1:]
    pairs, pair_owner = pair_codes(content[:-1], content[1:])[of_one_text], content_owner[1:][of_one_text]
    keys, counts = np.unique(
        np.concatenate((owner << 32 | codes, pair_owner << 32 | pairs)), return_counts=True
    )  # in order of text, then of code
    all_codes = (keys & 0xFFFFFFFF).astype("<u4").tobytes()
    amounts = np.minimum(counts, 255).astype(np.uint8).tobytes()
    ends = np.searchsorted(keys >> 32, np.arange(len(terms)), side="right").tolist()
    lengths = np.bincount(content_owner.astype(np.int64), minlength=len(terms)).tolist()
    return [
        _fingerprint(signs(text, some), length, all_codes[4 * start : 4 * end], amounts[start:end])
        for text, some, length, (start, end) in zip(texts, terms, lengths, pairwise([0, *ends]), strict=True)
    ]


def _fingerprint(found_signs: int, length: int, codes: bytes, amounts: bytes) -> bytes:
    n = len(amounts)
    return b"".join((_HEADER.pack(VERSION, found_signs, min(length, 0xFFFF), n), codes, amounts, bytes(-n % 4)))


def _marked_code(term: str) -> int:
    """The 33rd bit says that the term is a stop word."""
    return term_code(term) | is_stop(term) << 32


def term_codes(terms: Iterable[str]) -> list[int]:
    return list(map(_CODES.__getitem__, terms))


def term_code(term: str) -> int:
    return crc32(term.encode("utf-8", "surrogatepass"))


_CODES: Final = Remembered(term_code)
_MARKED_CODES: Final = Remembered(_marked_code)


def pair_code(first: int, second: int) -> int:
    """Two content terms in a row. Odd multipliers keep "a b" apart from "b a"."""
    return (first * 0x9E3779B1 + second * 0x85EBCA6B + 1) & 0xFFFFFFFF


def pair_codes(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Many pairs. What runs over 64 bits is cut off anyway."""
    return (first * np.uint64(0x9E3779B1) + second * np.uint64(0x85EBCA6B) + np.uint64(1)) & np.uint64(0xFFFFFFFF)


def is_current(fingerprint: bytes) -> bool:
    """Whether this version of the code wrote it; another one has to be made anew from the text."""
    return len(fingerprint) >= _HEADER.size and fingerprint[0] == VERSION


def decode(fingerprints: Sequence[bytes]) -> Decoded:
    """All at once: a loop over 100,000 fingerprints would cost more than everything else a load does."""
    joined = b"".join(fingerprints)
    sizes = np.fromiter(map(len, fingerprints), dtype=np.int64, count=len(fingerprints))
    if (sizes < _HEADER.size).any() or (sizes % 4).any():
        raise InvalidArgument("a fingerprint is cut short", hint="make it anew from the item's text")
    starts = np.cumsum(sizes) - sizes
    octets = np.frombuffer(joined, dtype=np.uint8)
    words = np.frombuffer(joined, dtype="<u4")
    n = words[starts // 4 + 1].astype(np.int64)
    if (octets[starts] != VERSION).any() or (sizes != _HEADER.size + 4 * n + n + -n % 4).any():
        raise InvalidArgument("a fingerprint of another version, or damaged", hint="make it anew from the item's text")
    owner = np.repeat(np.arange(len(fingerprints), dtype=np.int64), n)
    within = np.arange(len(owner), dtype=np.int64) - np.repeat(np.cumsum(n) - n, n)
    at = np.repeat(starts + _HEADER.size, n)
    lengths = octets[starts + 2].astype(np.float32) + octets[starts + 3].astype(np.float32) * np.float32(256)
    codes = words[at // 4 + within].astype(np.uint32, copy=False)
    return Decoded(octets[starts + 1], lengths, owner, codes, octets[at + 4 * np.repeat(n, n) + within])
