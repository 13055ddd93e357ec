"""Deterministic vectors from hashed words: no model, no weights, the same on every machine and in every process.

Each word, and each run of three characters in it, adds plus or minus its weight to one of 64 places that its hash
chooses. Texts sharing words are near each other and nothing else is: it finds spelling, not meaning. For tests, and
for a machine on which the local model does not load.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from palyra.domain.retrieval.vectors import Floats
from palyra.ports import EmbeddingIdentity, Role

DIMS = 64
_WORD = re.compile(r"\w+")
_WORD_WEIGHT, _GRAM_WEIGHT = 2, 1


class HashMemoryEmbeddingProvider:
    """Both roles are embedded alike."""

    def __init__(self) -> None:
        self.identity = EmbeddingIdentity("hash", DIMS, "1")

    def embed(self, texts: Sequence[str], role: Role) -> Floats:  # noqa: ARG002 - the same for both
        out = np.zeros((len(texts), DIMS), dtype=np.float32)
        for row, text in enumerate(texts):
            for feature, weight in _features(text):
                place, sign = _place(feature)
                out[row, place] += sign * weight
        return _unit(out)

    def close(self) -> None:
        pass


def _features(text: str) -> Iterator[tuple[str, int]]:
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        yield word, _WORD_WEIGHT
        padded = f"^{word}$"
        for start in range(len(padded) - 2):
            yield padded[start : start + 3], _GRAM_WEIGHT


@lru_cache(maxsize=65_536)
def _place(feature: str) -> tuple[int, int]:
    # Built-in hash() is salted per process. A lone surrogate has no UTF-8 form: pass it through.
    digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8, person=b"palyra-embed").digest()
    return digest[0] % DIMS, 1 if digest[1] & 1 else -1


def _unit(sums: Floats) -> Floats:
    """A text without features, or whose features cancel out, gets the first axis: every text has a vector."""
    sums[~sums.any(axis=1), 0] = 1.0
    lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))
    sums /= lengths[:, np.newaxis]
    return sums
