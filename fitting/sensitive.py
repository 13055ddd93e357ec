"""Fits what finds the sensitive in a sentence, and of which kind it is, on the sentences of fitting/sensitive.

python fitting/sensitive.py --cases DIR [--vectors FILE] [--check]
    writes src/palyra/language/sensitive.npz, and judges sensitive-dev.jsonl with it
"""

import hashlib
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

from common import Encoder, arguments, data_card, gram_rows, grams, linear, read_cases, write
from palyra.language import sensitive
from palyra.language.fitted import hashed
from palyra.language.sensitive import KINDS, SCALE, Sensing, looks, without_digits
from sensitive_cases import FOLDER, Told, cases

TARGET = Path(sensitive.__file__).with_name("sensitive.npz")
GRAMS, BUCKETS = (1, 4), 1 << 15
FOLDS, MEMBERS, HIDDEN = 5, 5, 64
Arrays = dict[str, np.ndarray]
warnings.simplefilter("ignore", ConvergenceWarning)


def labels(told: Sequence[Told]) -> np.ndarray:
    """First whether anything is, then each kind."""
    return np.array([[bool(one.kinds), *(kind in one.kinds for kind in KINDS)] for one in told])


def networks(rows: np.ndarray, label: np.ndarray, members: int = MEMBERS) -> list[MLPClassifier]:
    return [
        MLPClassifier(
            (HIDDEN,), alpha=1.0, max_iter=45, learning_rate_init=0.002, batch_size=64, random_state=seed
        ).fit(rows * SCALE, label)
        for seed in range(members)
    ]


def outputs(models: Sequence[MLPClassifier], rows: np.ndarray) -> np.ndarray:
    total = 0
    for model in models:
        first, second = model.coefs_
        total = total + np.maximum(rows * SCALE @ first + model.intercepts_[0], 0) @ second + model.intercepts_[1]
    return total / len(models)


def layers(prefix: str, models: Sequence[MLPClassifier]) -> Arrays:
    """All networks side by side are one that is wider."""
    return {
        f"{prefix}.first": np.hstack([m.coefs_[0] * SCALE for m in models]).astype(np.float16),
        f"{prefix}.first_bias": np.hstack([m.intercepts_[0] for m in models]).astype(np.float32),
        f"{prefix}.second": (np.vstack([m.coefs_[1] for m in models]) / len(models)).astype(np.float16),
        f"{prefix}.second_bias": np.mean([m.intercepts_[1] for m in models], axis=0).astype(np.float32),
    }


def fit(told: Sequence[Told], encode: Encoder) -> Arrays:
    texts, label = [one.text for one in told], labels(told)
    is_any, fold = label[:, 0], np.random.RandomState(1).randint(0, FOLDS, len(told))
    meaning, matrix = encode(texts), gram_rows([without_digits(t) for t in texts], hashed, *GRAMS, BUCKETS)
    rows = np.stack([looks(text) for text in texts])

    def by_words(chosen: np.ndarray) -> LogisticRegression:
        return LogisticRegression(C=5.0, max_iter=3000).fit(matrix[chosen], is_any[chosen])

    told_by_words, told_by_sense = np.zeros(len(told)), np.zeros((len(told), len(KINDS) + 1))
    for n in range(FOLDS):
        out, rest = fold == n, fold != n
        told_by_words[out] = by_words(rest).decision_function(matrix[out])
        told_by_sense[out] = outputs(networks(meaning[rest], label[rest], 3), meaning[out])
    plain = np.column_stack([rows, told_by_words])
    full = np.column_stack([plain, told_by_sense[:, 0]])
    arrays: Arrays = {}
    for name, columns in (("plain", plain), ("full", full)):
        scaler = StandardScaler().fit(columns)
        scaled = scaler.transform(columns)
        out = np.zeros(len(told))
        for n in range(FOLDS):
            out[fold == n] = (
                LogisticRegression().fit(scaled[fold != n], is_any[fold != n]).decision_function(scaled[fold == n])
            )
        report(f"{name}, on folds", 1 / (1 + np.exp(-out)), is_any)
        arrays |= linear(name, scaler, LogisticRegression().fit(scaled, is_any))
    everything = np.ones(len(told), bool)
    arrays |= grams("words", by_words(everything), *GRAMS) | layers("sense", networks(meaning, label))
    return arrays


def report(name: str, sure: np.ndarray, truth: np.ndarray) -> None:
    points = [
        f"{at}: {np.mean(sure[truth] >= at):.2f}/{np.mean(sure[~truth] >= at):.2f}"
        for at in (0.15, 0.3, 0.5, 0.6, 0.7, 0.8)
    ]
    print(f"{name}: AUC {roc_auc_score(truth, sure):.3f}", *points, flush=True)


def judge(folder: Path, sensing: Sensing, encode: Encoder) -> None:
    """By the file's own answers: found, and called so although nothing is."""
    rows = read_cases(folder, "sensitive-dev.jsonl")
    texts, truth = [row["text"] for row in rows], np.array([bool(row["sensitivity"]) for row in rows])
    report("dev, with the encoder", sensing.sure(texts, encode(texts)), truth)
    report("dev, without", sensing.sure(texts, None), truth)
    for name, encoder in (("with", encode), ("without", None)):
        kinds = [sensing.kinds(text, encoder) for text in texts]
        hit = np.array([bool(found) for found in kinds])
        right = np.mean(
            [bool(set(k) & set(r["sensitivity"])) for k, r in zip(kinds, rows, strict=True) if k and r["sensitivity"]]
        )
        print(
            f"{name}: found {hit[truth].mean():.2f}, benign called sensitive {hit[~truth].mean():.2f},"
            f" a right kind {right:.2f}"
        )


def main() -> None:
    given = arguments(__doc__)
    told, encode = cases(given.cases), Encoder(given.vectors)
    arrays = fit(told, encode)
    if not given.check:
        own = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(FOLDER.iterdir())}
        write(TARGET, arrays, data_card(given.cases, "fitting/sensitive.py", ("worth-train.jsonl",), sentences=own))
    judge(given.cases, Sensing(arrays), encode)


if __name__ == "__main__":
    main()
