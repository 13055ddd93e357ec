"""The default model: a table of 32,000 token vectors that comes with a package. No download, no key, no GPU.

A text is the sum of the vectors of its tokens, each token once, at unit length. The table's lengths are learned
weights already ("the" 1.6, "guitar" 17.9), so nothing has to be counted in the store, and a stored vector never
depends on what else is stored. Words that are frequent in one store only, such as the names of the people talking,
are weighed down in the query instead (`embed_weighted`).

The two files are read straight from the wordllama package, whose code is never imported, and must have the bytes
this version was measured with.
"""

import hashlib
import importlib.util
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from palyra.core.errors import Integrity, Unavailable
from palyra.core.text import Remembered
from palyra.domain.retrieval.vectors import Floats
from palyra.ports import EmbeddingIdentity, Role, WeightedSpan

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "wordllama"
TOKENS, DIMS = 32_000, 256
HEADER_BYTES = 96
PIECE_BYTES = 1 << 20
ROWS_AT_ONCE = 2_048
"""token vectors gathered at a time: 2 MiB, however long the texts"""
TEXTS_AT_ONCE = 256
KNOWN_WORDS, KNOWN_CHARACTERS = 20_000, 20
MARKS = "?.,!"
_WORD = re.compile(r"\S+")


class ModelFile(NamedTuple):
    path: str
    sha256: str


WEIGHTS = ModelFile(
    "weights/l2_supercat_256.safetensors", "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
)
TOKENIZER = ModelFile(
    "tokenizers/l2_supercat_tokenizer_config.json", "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"
)
REINSTALL = f"reinstall palyra so that {PACKAGE} has the version it names, or choose another embedding provider"


class LocalEmbedding:
    """Both roles are embedded alike. The files are read at the first call, not when it is made."""

    def __init__(self, directory: Path | None = None) -> None:
        self.identity = EmbeddingIdentity("wordllama-l2-supercat", DIMS, "1")
        self._directory = directory
        self._model: _Model | None = None
        self._loading = threading.Lock()

    def load(self) -> None:
        """What the first `embed` would do. Unavailable without the files, Integrity if they are not the known ones."""
        self._loaded()

    def embed(self, texts: Sequence[str], role: Role) -> Floats:  # noqa: ARG002 - the same for both
        model = self._loaded()
        if len(texts) <= TEXTS_AT_ONCE:
            return _unit(model.sums(texts))
        out = np.empty((len(texts), DIMS), dtype=np.float32)
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            out[start : start + TEXTS_AT_ONCE] = model.sums(texts[start : start + TEXTS_AT_ONCE])
        return _unit(out)

    def embed_weighted(self, query: str, spans: Sequence[WeightedSpan]) -> Floats:
        """A word, punctuation and all, weighs as the heaviest span that touches it; a repeated one as its heaviest."""
        if not spans:
            return _unit_one(self._loaded().sums([query])[0])
        heaviest: dict[str, float] = {}
        for word in _WORD.finditer(query):
            touching = (span.weight for span in spans if span.start < word.end() and word.start() < span.end)
            weight = max(touching, default=1.0)
            heaviest[word.group()] = max(weight, heaviest.get(word.group(), weight))
        return _unit_one(self._loaded().weighted_sum(heaviest))

    def close(self) -> None:
        """Gives the memory back; a later call loads again."""
        self._model = None

    def _loaded(self) -> "_Model":
        model = self._model
        if model is None:
            with self._loading:
                model = self._model
                if model is None:
                    model = self._model = _Model.read(self._directory or _package_directory())
        return model


class _Model:
    """The table, in float32 because converting float16 costs more than reading it, and the tokenizer."""

    def __init__(self, table: Floats, words: Remembered[Sequence[int]]) -> None:
        self._table = table
        self._words = words

    @classmethod
    def read(cls, directory: Path) -> "_Model":
        from tokenizers import Tokenizer  # noqa: PLC0415 - a command that embeds nothing should not wait for it

        tokenizer = Tokenizer.from_str(b"".join(_read(directory, TOKENIZER)).decode("utf-8"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return cls(_read_table(directory), _token_ids(tokenizer))

    def sums(self, texts: Sequence[str]) -> Floats:
        ids_of = self._words.__getitem__
        ids = [list(dict.fromkeys(chain.from_iterable(map(ids_of, text.split())))) for text in texts]
        return sum_rows(self._table, ids)

    def weighted_sum(self, weights: Mapping[str, float]) -> Floats:
        heaviest: dict[int, float] = {}
        for word, weight in weights.items():
            for token in self._words[word]:
                heaviest[token] = max(weight, heaviest.get(token, weight))
        tokens = sorted(heaviest)
        return np.array([heaviest[token] for token in tokens], dtype=np.float32) @ self._table[tokens]


def _token_ids(tokenizer: "Tokenizer") -> Remembered[Sequence[int]]:
    """By word. Few words make up most text, and looking one up costs a hundredth of tokenizing it. (One by one: the
    tokenizer's batches wait for threads of their own, too long for a few words.)

    Long words are not kept: they repeat least, and a key or a token that slipped into a text is one."""

    def encode(word: str) -> tuple[int, ...]:
        return tuple(tokenizer.encode(_encodable(word), add_special_tokens=False).ids)

    marks = {mark: encode(f"a{mark}")[1:] for mark in MARKS}

    def ids(word: str) -> Sequence[int]:
        # No token of this table holds a letter and then a mark, so the last word of a question is one we know.
        if word[-1] in marks and word[-2:-1].isalpha():
            return (*known[word[:-1]], *marks[word[-1]])
        return encode(word)

    known = Remembered(ids, KNOWN_WORDS, KNOWN_CHARACTERS)
    return known


def sum_rows(table: Floats, ids: Sequence[Sequence[int]]) -> Floats:
    """For each list of ids the sum of their rows, added up in order: the rest of the batch changes no bit of it.

    Text by text: what a text gathers stays in the processor's cache until it is added up."""
    out = np.zeros((len(ids), table.shape[1]), dtype=np.float32)
    for some, total in zip(ids, out, strict=True):
        for start in range(0, len(some), ROWS_AT_ONCE):
            rows = table.take(some[start : start + ROWS_AT_ONCE], axis=0)
            rows[0] += total
            np.add.reduce(rows, axis=0, out=total)
    return out


def _unit(sums: Floats) -> Floats:
    """A text without a token gets the first axis: every text has a vector."""
    lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))
    if not lengths.all():
        empty = lengths == 0.0
        sums[empty, 0] = lengths[empty] = 1.0
    sums /= lengths[:, np.newaxis]
    return sums


def _unit_one(total: Floats) -> Floats:
    """For a question, at a quarter of the price; up to the rounding of its length it is the same."""
    length = sqrt(float(total @ total))
    if not length:
        total[0] = length = 1.0
    total /= length
    return total


def _encodable(text: str) -> str:
    """Lone surrogates, which no UTF-8 has, become question marks; every character keeps its place."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _package_directory() -> Path:
    """`find_spec` of a top-level name finds the package without running any of it."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise Unavailable(f"the package {PACKAGE}, which holds the local model's weights, is missing", hint=REINSTALL)
    return Path(spec.submodule_search_locations[0])


def _read(directory: Path, file: ModelFile) -> Iterator[bytes]:
    """Pieces of the file; Integrity after the last one if they are not the known bytes, so use none before the end.

    Hashes what is handed out, not what was there earlier: 10 ms for 16 MB, once per process."""
    path, digest = directory / file.path, hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while piece := stream.read(PIECE_BYTES):
                digest.update(piece)
                yield piece
    except OSError as error:
        raise Unavailable(f"the local model's {path.name} cannot be read: {error.strerror}", hint=REINSTALL) from error
    if digest.hexdigest() != file.sha256:
        raise Integrity(
            f"the local model's {path.name} has SHA-256 {digest.hexdigest()[:16]}…, not {file.sha256[:16]}…",
            hint=REINSTALL,
        )


def _read_table(directory: Path) -> Floats:
    """Converted piece by piece: the file and the table are never both in memory."""
    numbers = np.zeros(HEADER_BYTES // 2 + TOKENS * DIMS, dtype=np.float32)
    place = 0
    for piece in _read(directory, WEIGHTS):
        some = np.frombuffer(piece[: len(piece) // 2 * 2], dtype="<f2")[: len(numbers) - place]
        numbers[place : place + len(some)] = some
        place += len(some)
    return numbers[HEADER_BYTES // 2 :].reshape(TOKENS, DIMS)
