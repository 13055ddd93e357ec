"""Weights that were fitted offline, and the kinds of model they make. Numpy is all it takes.

A file of weights is an .npz beside the module that uses it. Arrays are named `<model>.<part>`; `card` is JSON that
names the script, the SHA-256 of the data it was fitted to, and what it reached. Scripts in fitting/ write these files,
and give the same again.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]

_SPACES = re.compile(r"\s+")


@cache
def weights(package: str, name: str) -> dict[str, Array]:
    """The arrays of a file that lies in `package`."""
    with np.load(BytesIO((files(package) / name).read_bytes()), allow_pickle=False) as held:
        return {part: held[part] for part in held.files}


def card(package: str, name: str) -> dict[str, Any]:
    """What the weights were fitted to, by what."""
    told: dict[str, Any] = json.loads(str(weights(package, name)["card"]))
    return told


def probability(logit: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(logit, -40, 40)))


@dataclass(frozen=True, slots=True)
class Linear:
    """Logistic regression over columns brought to one scale."""

    mean: Floats
    scale: Floats
    weights: Floats
    bias: float

    @classmethod
    def of(cls, held: dict[str, Array], model: str) -> "Linear":
        mean, scale, by_column = (held[f"{model}.{part}"].astype(np.float64) for part in ("mean", "scale", "weights"))
        return cls(mean, scale, by_column, float(held[f"{model}.bias"]))

    def logit(self, rows: Floats) -> Floats:
        scaled: Floats = (np.atleast_2d(rows) - self.mean) / self.scale
        return scaled @ self.weights + self.bias

    def __call__(self, rows: Floats) -> Floats:
        return probability(self.logit(rows))


@dataclass(frozen=True, slots=True)
class Trees:
    """Boosted trees, every node of every tree in one set of arrays; a leaf has itself as both children."""

    roots: Array
    column: Array
    threshold: Floats
    left: Array
    right: Array
    value: Floats
    bias: float
    depth: int

    @classmethod
    def of(cls, held: dict[str, Array], model: str) -> "Trees":
        roots, column, left, right = (
            held[f"{model}.{p}"].astype(np.intp) for p in ("roots", "column", "left", "right")
        )
        threshold, value = (held[f"{model}.{p}"].astype(np.float64) for p in ("threshold", "value"))
        bias, depth = float(held[f"{model}.bias"]), int(held[f"{model}.depth"])
        return cls(roots, column, threshold, left, right, value, bias, depth)

    def logit(self, rows: Floats) -> Floats:
        rows = np.atleast_2d(rows)
        at = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        own = np.arange(len(rows))[:, None]
        for _ in range(self.depth):
            at = np.where(rows[own, self.column[at]] <= self.threshold[at], self.left[at], self.right[at])
        total: Floats = self.value[at].sum(axis=1) + self.bias
        return total

    def __call__(self, rows: Floats) -> Floats:
        return probability(self.logit(rows))


@dataclass(frozen=True, slots=True)
class Grams:
    """Logistic regression over the character n-grams of a text, each hashed into one of as many weights as there are.

    A text counts as a vector of length one, so long and short texts compare."""

    weights: Array
    bias: float
    shortest: int
    longest: int

    @classmethod
    def of(cls, held: dict[str, Array], model: str) -> "Grams":
        shortest, longest = (int(n) for n in held[f"{model}.lengths"])
        return cls(held[f"{model}.weights"], float(held[f"{model}.bias"]), shortest, longest)

    def logit(self, text: str) -> float:
        return float(self.logits([text])[0])

    def logits(self, texts: Sequence[str]) -> Floats:
        if not texts:
            return np.zeros(0)
        of_text, buckets, shares = hashed_all(texts, self.shortest, self.longest, len(self.weights))
        weighed = self.weights[buckets].astype(np.float64) * shares
        summed: Floats = np.bincount(of_text, weighed, minlength=len(texts)).astype(np.float64)
        return summed + self.bias


def hashed(text: str, shortest: int, longest: int, buckets: int) -> tuple[Array, Floats]:
    """Which buckets the n-grams of a text fall into, and the share of each: 1 + log(times), scaled to length one."""
    _, where, shares = hashed_all([text], shortest, longest, buckets)
    return where, shares


def hashed_all(texts: Sequence[str], shortest: int, longest: int, buckets: int) -> tuple[Array, Array, Floats]:
    """`hashed` of many texts at once: of which text, which bucket, which share."""
    padded = [f" {_SPACES.sub(' ', text).strip().casefold()} " for text in texts]
    octets, starts, of_text = _octets(padded)
    found: list[Array] = []
    state = np.full(len(of_text), 0xFFFFFFFF, dtype=np.uint32)
    for length in range(1, longest + 1):
        count = len(of_text) - length + 1
        if count <= 0:
            break
        # The checksum of each n-gram goes on from that of the n-gram that is one character shorter.
        state, first, size = state[:count], starts[length - 1 : -1], np.diff(starts[length - 1 :])
        for place in range(int(size.max())):
            longer = size > place
            octet = octets[np.where(longer, first + place, 0)]
            state = np.where(longer, _CHECKSUMS[(state ^ octet) & 0xFF] ^ (state >> 8), state)
        if length >= shortest:
            within = of_text[:count] == of_text[length - 1 :]
            bucket = ((state ^ 0xFFFFFFFF) % buckets).astype(np.int64)
            found.append((of_text[:count] * buckets + bucket)[within])
    key, times = np.unique(np.concatenate(found), return_counts=True)
    text, shares = key // buckets, 1 + np.log(times)
    shares /= np.sqrt(np.bincount(text, shares**2))[text]
    return text, (key % buckets).astype(np.intp), shares


def _octets(texts: Sequence[str]) -> tuple[Array, Array, Array]:
    """The bytes of all texts, where each character begins among them, with the end, and of which text it is."""
    raw = [text.encode("utf-8", "replace") for text in texts]
    octets = np.frombuffer(b"".join(raw), dtype=np.uint8)
    of_text = np.repeat(np.arange(len(raw)), [len(part) for part in raw])
    starts = np.flatnonzero((octets & 0xC0) != 0x80)
    return octets.astype(np.uint32), np.append(starts, len(octets)), of_text[starts]


def _checksums() -> Array:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(0xEDB88320), table >> 1).astype(np.uint32)
    return table


_CHECKSUMS = _checksums()


@dataclass(frozen=True, slots=True)
class Blend:
    """A text by its n-grams, by a row of numbers and, with an encoder, by its meaning, weighed together."""

    grams: Grams
    sense: Linear
    full: Linear
    plain: Linear

    @classmethod
    def of(cls, held: dict[str, Array], model: str) -> "Blend":
        sense, full, plain = (Linear.of(held, f"{model}.{part}") for part in ("sense", "full", "plain"))
        return cls(Grams.of(held, f"{model}.grams"), sense, full, plain)

    def logits(self, texts: Sequence[str], rows: Floats, meaning: Floats | None) -> Floats:
        seen = np.column_stack([rows, self.grams.logits(texts)])
        if meaning is None:
            return self.plain.logit(seen)
        return self.full.logit(np.column_stack([seen, self.sense.logit(meaning)]))


@dataclass(frozen=True, slots=True)
class Layers:
    """Small networks side by side, averaged: one hidden layer, several answers."""

    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats

    @classmethod
    def of(cls, held: dict[str, Array], model: str) -> "Layers":
        parts = ("first", "first_bias", "second", "second_bias")
        return cls(*(held[f"{model}.{part}"].astype(np.float64) for part in parts))

    def __call__(self, rows: Floats) -> Floats:
        found: Floats = np.maximum(np.atleast_2d(rows) @ self.first + self.first_bias, 0) @ self.second
        return found + self.second_bias


@dataclass(frozen=True, slots=True)
class Scale:
    """A fitted, monotone scale: straight lines between points."""

    given: Floats
    read: Floats

    @classmethod
    def of(cls, held: dict[str, Array], model: str) -> "Scale":
        return cls(held[f"{model}.given"].astype(np.float64), held[f"{model}.read"].astype(np.float64))

    def __call__(self, values: Floats | float) -> Floats:
        return np.asarray(np.interp(values, self.given, self.read), dtype=np.float64)

    def where(self, read: float) -> float:
        """What reads so."""
        return float(np.interp(read, self.read, self.given))
