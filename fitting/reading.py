"""Fits the reader of turns: what is worth keeping, where a statement begins and ends, of which kind it is.

python fitting/reading.py --cases DIR            writes src/palyra/language/reading.npz
python fitting/judge_reading.py --cases DIR      says how good it is, also on folds by conversation
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from common import Encoder, arguments, data_card, folds, gram_rows, grams, linear, read_cases, trees, write
from palyra.language import reading
from palyra.language.fitted import hashed
from palyra.language.pieces import shape
from palyra.language.reading import KINDS, joints, nearness
from palyra.language.runs import rows, signs
from reading_cases import Turn, plain_cases, turns_of

TRAIN = ("worth-train.jsonl", "worth-long-train.jsonl")
TARGET = Path(reading.__file__).with_name("reading.npz")
GRAMS = (1, 4)
FOLDS = 3
BUCKETS, FEW_BUCKETS = 1 << 16, 1 << 14

Arrays = dict[str, np.ndarray]
Encode = Callable[[Sequence[str]], np.ndarray]


@dataclass
class Seen:
    """A blend that was fitted, and what it says of each row when it has not seen its conversation."""

    arrays: Arrays
    full: np.ndarray
    plain: np.ndarray


def gram_logits(texts: Sequence[str], label: np.ndarray, where: list[np.ndarray], cost: float, buckets: int):
    matrix = gram_rows(texts, hashed, *GRAMS, buckets)

    def fit(chosen: np.ndarray) -> LogisticRegression:
        return LogisticRegression(C=cost, max_iter=100, solver="liblinear").fit(matrix[chosen], label[chosen])

    out = np.zeros(len(texts))
    for fold in where:
        out[fold] = fit(~fold).decision_function(matrix[fold])
    return fit(np.ones(len(texts), bool)), out


def linear_logits(matrix: np.ndarray, label: np.ndarray, where: list[np.ndarray], cost: float):
    def fit(chosen: np.ndarray) -> tuple[StandardScaler, LogisticRegression]:
        scaler = StandardScaler().fit(matrix[chosen])
        scaler.scale_ = np.maximum(scaler.scale_, 1e-3)
        model = LogisticRegression(C=cost, max_iter=500)
        return scaler, model.fit(scaler.transform(matrix[chosen]), label[chosen])

    out = np.zeros(len(matrix))
    for fold in where:
        scaler, model = fit(~fold)
        out[fold] = model.decision_function(scaler.transform(matrix[fold]))
    return *fit(np.ones(len(matrix), bool)), out


def blend(
    prefix: str,
    texts: Sequence[str],
    label: np.ndarray,
    looks: np.ndarray,
    sense: np.ndarray,
    where: list[np.ndarray],
    buckets: int = FEW_BUCKETS,
    cost: float = 8.0,
) -> Seen:
    """N-grams and meaning, each by itself, then both beside the looks; with and without meaning."""
    where = [fold for fold in where if fold.any() and len(set(label[~fold])) == 2]
    gram_model, by_grams = gram_logits(texts, label, where, cost, buckets)
    scaler, model, by_sense = linear_logits(sense, label, where, 0.003)
    arrays = grams(f"{prefix}.grams", gram_model, *GRAMS) | linear(f"{prefix}.sense", scaler, model)
    seen = np.column_stack([looks, by_grams])
    scaler, model, plain = linear_logits(seen, label, where, 0.1)
    arrays |= linear(f"{prefix}.plain", scaler, model)
    scaler, model, full = linear_logits(np.column_stack([seen, by_sense]), label, where, 0.1)
    arrays |= linear(f"{prefix}.full", scaler, model)
    told = " ".join(
        f"{name} {roc_auc_score(label, values):.3f}"
        for name, values in (("grams", by_grams), ("sense", by_sense), ("plain", plain), ("full", full))
    )
    print(f"{prefix}: AUC {told}", flush=True)
    return Seen(arrays, full, plain)


@dataclass
class Looked:
    """The turns, their pieces and what is known of them before any model: looks, and meaning."""

    turns: list[Turn]
    after: list[int]
    """of each turn, where its pieces begin; one more at the end"""
    pieces: list[str]
    signs: np.ndarray
    sense: np.ndarray

    def part(self, n: int) -> slice:
        return slice(self.after[n], self.after[n + 1])


def looked(turns: list[Turn], encode: Encode) -> Looked:
    turns = [t for t in turns if t.cut.pieces]
    pieces = [p for t in turns for p in t.pieces]
    after = np.concatenate([[0], np.cumsum([len(t.cut.pieces) for t in turns])]).tolist()
    looks = np.vstack([signs(t.cut, t.after_assistant) for t in turns])
    asked = [text for t in turns for text in reading.to_encode(t.cut, t.own)]
    return Looked(turns, after, pieces, looks, encode(asked).astype(np.float64))


def fit(turns: list[Turn], encode: Encode) -> Arrays:
    look = looked(turns, encode)
    turns = look.turns
    where = folds([t.case for t in turns], FOLDS)
    texts = [t.own for t in turns]
    shapes = np.stack([shape(t.own, t.after_assistant) for t in turns])
    sense = np.stack(
        [reading.meaning_of(look.sense[look.part(n)], t.cut, 0, len(t.cut.pieces) - 1) for n, t in enumerate(turns)]
    )
    turn = blend("turn", texts, np.array([t.worth for t in turns]), shapes, sense, where, BUCKETS)
    of_piece = np.repeat(np.arange(len(turns)), np.diff(look.after))
    at = [fold[of_piece] for fold in where]
    piece = blend(
        "piece", look.pieces, np.concatenate([t.carries for t in turns]) > 0, look.signs, look.sense, at, BUCKETS
    )
    near = np.concatenate([nearness(look.sense[look.part(n)]) for n in range(len(turns))])
    join = fit_joints(look, near, at, of_piece)
    arrays = turn.arrays | piece.arrays | join.arrays
    for name in ("full", "plain"):
        arrays |= fit_runs(look, name, turn, piece, join, near if name == "full" else np.zeros_like(near), where)
    return arrays | fit_kinds(look)


def fit_joints(look: Looked, near: np.ndarray, at: list[np.ndarray], of_piece: np.ndarray) -> Seen:
    beside = np.vstack([joints(t.cut, look.signs[look.part(n)], near[look.part(n)]) for n, t in enumerate(look.turns)])
    first = np.zeros(len(look.pieces), bool)
    first[look.after[:-1]] = True
    used = ~first & np.array([t.long for t in look.turns])[of_piece]
    label = np.concatenate([t.joined for t in look.turns]) > 0
    texts = [p for p, u in zip(look.pieces, used, strict=True) if u]
    found = blend("join", texts, label[used], beside[used], look.sense[used], [fold[used] for fold in at])
    full, plain = np.full(len(used), -4.0), np.full(len(used), -4.0)
    full[used], plain[used] = found.full, found.plain
    return Seen(found.arrays, full, plain)


def fit_runs(
    look: Looked, name: str, turn: Seen, piece: Seen, join: Seen, near: np.ndarray, where: list[np.ndarray]
) -> Arrays:
    """Whether a run holds a statement of its turn; of short turns, whether the whole is worth keeping."""
    matrix, label, of_turn = [], [], []
    for n, t in enumerate(look.turns):
        part = look.part(n)
        found = t.runs
        if not t.long:
            found = np.array([[0, len(t.cut.pieces) - 1]])
        matrix.append(
            rows(
                t.cut, found, look.signs[part], getattr(piece, name)[part], getattr(join, name)[part], near[part],
                float(getattr(turn, name)[n]), t.after_assistant,
            )
        )  # fmt: skip
        label += [bool(h) for h in t.holds] if t.long else [t.worth]
        of_turn += [n] * len(found)
    rows_, labels, of = np.vstack(matrix), np.array(label), np.array(of_turn)
    out = np.zeros(len(labels))

    def models(chosen: np.ndarray) -> list[HistGradientBoostingClassifier]:
        return [
            HistGradientBoostingClassifier(
                max_iter=steps, learning_rate=rate, max_leaf_nodes=leaves, min_samples_leaf=30, l2_regularization=3.0,
                early_stopping=False, random_state=7,
            ).fit(rows_[chosen], labels[chosen])
            for leaves, steps, rate in ((12, 140, 0.07), (24, 200, 0.05))
        ]  # fmt: skip

    for fold in where:
        if fold[of].any():
            out[fold[of]] = sum(m.decision_function(rows_[fold[of]]) for m in models(~fold[of]))
    is_long = np.array([t.long for t in look.turns])[of]
    print(f"run {name}: {len(labels)} rows, AUC long {roc_auc_score(labels[is_long], out[is_long]):.3f}", end=" ")
    short = ~is_long
    print(f"short {roc_auc_score(labels[short], out[short]):.3f}" if short.any() else "", flush=True)
    return trees(f"run.{name}", *models(np.ones(len(labels), bool)))


def fit_kinds(look: Looked) -> Arrays:
    """Of which kind a statement is, and whether its words change something said before."""
    texts, sense, kind, changes, cases, looks = [], [], [], [], [], []
    for n, t in enumerate(look.turns):
        if t.long:
            held = [(r, g) for r, hs in zip(t.runs, t.holds, strict=True) for g in hs]
            tightest: dict[int, tuple[int, int]] = {}
            for (a, b), g in held:
                size = t.cut.pieces[b].end - t.cut.pieces[a].start
                old = tightest.get(g)
                if old is None or size < t.cut.pieces[old[1]].end - t.cut.pieces[old[0]].start:
                    tightest[g] = (int(a), int(b))
            chosen = [(r, t.gold[g]["kind"], bool(t.gold[g].get("replaces"))) for g, r in sorted(tightest.items())]
        elif t.worth:
            chosen = [((0, len(t.cut.pieces) - 1), t.keep, t.replaces)]
        else:
            chosen = []
        for (a, b), name, change in chosen:
            texts.append(t.cut.told(a, b))
            sense.append(reading.meaning_of(look.sense[look.part(n)], t.cut, a, b))
            looks.append(shape(texts[-1], t.after_assistant))
            kind.append(name)
            changes.append(change)
            cases.append(t.case)
    where, rows_, meaning = folds(cases, FOLDS), np.stack(looks), np.stack(sense)
    kinds, arrays, scores = np.array(kind), {}, {}
    for name in KINDS:
        found = blend(f"kind.{name}", texts, kinds == str(name), rows_, meaning, where)
        arrays |= found.arrays
        scores[name] = found.full
    best = np.array([str(name) for name in KINDS])[np.argmax(np.stack([scores[k] for k in KINDS], 1), 1)]
    alike = {"constraint": "preference"}
    right = [alike.get(a, a) == alike.get(b, b) for a, b in zip(best, kinds, strict=True)]
    print(f"kind: {np.mean(right):.3f} right of {len(kinds)}", flush=True)
    arrays |= blend("change", texts, np.array(changes), rows_, meaning, where).arrays
    return arrays


def scales() -> Arrays:
    return {f"scale.{k}.{p}": np.array(v) for k, points in reading.SCALES.items() for p, v in points.items()}


def main() -> None:
    given = arguments(__doc__)
    turns = turns_of(read_cases(given.cases, *TRAIN) + plain_cases())
    arrays = fit(turns, Encoder(given.vectors))
    if not given.check:
        write(TARGET, arrays | scales(), data_card(given.cases, "fitting/reading.py", TRAIN))


if __name__ == "__main__":
    main()
