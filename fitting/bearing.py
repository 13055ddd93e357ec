"""Fits what bears on a question.

python fitting/bearing.py --cases DIR            writes src/palyra/language/bearing.npz
python fitting/bearing.py --cases DIR --check    judges on folds by conversation, and writes nothing
APART=language|kind python fitting/bearing.py --cases DIR --check    on languages, or kinds, that were not fitted on
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from bearing_cases import IDEAL, RAW, REAL, Episode, episodes
from bearing_facts import fact_cases
from bearing_plain import plain_memories
from common import Case, Encoder, arguments, data_card, folds, gram_rows, grams, linear, read_cases, trees, write
from judge_bearing import figures, judged, told
from palyra.language import bearing
from palyra.language.asking import RARE_BUCKETS, bucket
from palyra.language.fitted import hashed
from palyra.language.meeting import MOST_BEFORE, Asked, Meaning, asked, marked, meaning, pair_rows
from palyra.language.stems import stems

TRAIN = ("worth-train.jsonl", "worth-long-train.jsonl")
TARGET = Path(bearing.__file__).with_name("bearing.npz")
GRAMS = (1, 4)
AXES = 24


@dataclass
class Row:
    """An episode as the models see it."""

    episode: Episode
    ask: Asked
    sense: Meaning
    base: np.ndarray
    plain: np.ndarray
    """`base` without an encoder"""


class Common:
    """How rare each stem is in what people say; for a conversation of the cases, in what the others say."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._own = {case["id"]: self._buckets(case) for case in cases}
        self._heard = np.zeros(RARE_BUCKETS)
        for own in self._own.values():
            self._heard[own] += 1

    @staticmethod
    def _buckets(case: Case) -> list[int]:
        texts = [t["text"] for t in case["turns"] if t["role"] == "user"] + [q["text"] for q in case["questions"]]
        return sorted({bucket(stem) for text in texts for stem in stems(text)})

    def without(self, group: str | None = None) -> np.ndarray:
        heard, count = self._heard.copy(), len(self._own)
        if group in self._own:
            heard[self._own[group]] -= 1
            count -= 1
        return np.log((count + 1) / (heard + 1)) / np.log(count + 1)


def rows_of(given: Sequence[Episode], common: Common, encode: Encoder) -> list[Row]:
    made, rare = [], {group: common.without(group) for group in {e.group for e in given}}
    for e in given:
        ask = asked(e.question, e.held, rare[e.group])
        sense = meaning(e.question, e.found, encode)
        made.append(Row(e, ask, sense, pair_rows(ask, e.found, sense), pair_rows(ask, e.found, None)))
    return made


Fit = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[Callable[[np.ndarray], np.ndarray], dict[str, np.ndarray]]]


def straight(prefix: str, cost: float) -> Fit:
    def fit(x, y, w):
        scaler = StandardScaler().fit(x)
        scaler.scale_ = np.maximum(scaler.scale_, 1e-3)
        model = LogisticRegression(C=cost, max_iter=150).fit(scaler.transform(x), y, sample_weight=w)
        return lambda v: model.decision_function(scaler.transform(v)), linear(prefix, scaler, model)

    return fit


def boosted(prefix: str, rounds: int, leaves: int, least: int) -> Fit:
    def fit(x, y, w):
        model = HistGradientBoostingClassifier(
            max_iter=rounds,
            learning_rate=0.06,
            max_leaf_nodes=leaves,
            l2_regularization=5,
            min_samples_leaf=least,
            random_state=0,
        ).fit(x, y, sample_weight=w)
        return model.decision_function, trees(prefix, model)

    return fit


def both(prefix: str, cost: float, rounds: int, leaves: int, least: int) -> Fit:
    one, other = straight(f"{prefix}.straight", cost), boosted(f"{prefix}.trees", rounds, leaves, least)

    def fit(x, y, w):
        (first, some), (second, more) = one(x, y, w), other(x, y, w)
        return lambda v: (first(v) + second(v)) / 2, some | more

    return fit


def by_grams(x, y, w):
    model = LogisticRegression(C=4.0, max_iter=400, solver="liblinear").fit(x, y, sample_weight=w)
    return model.decision_function, grams("grams", model, *GRAMS)


def unseen(fit: Fit, x, y, w, where: Sequence[np.ndarray]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """What a model says of each row when it has not seen its conversation, and the model of all of them."""
    out = np.zeros(len(y))
    for fold in where:
        if fold.any():
            out[fold] = fit(x[~fold], y[~fold], w[~fold])[0](x[fold])
    return out, fit(x, y, w)[1]


def ridge_unseen(x, y, w, where: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The same for a ridge regression: sums once a fold; of what does not bear, a third counts thrice."""
    counts = (y > 0) | (np.random.default_rng(0).random(len(y)) < 1 / 3)
    w = np.where(y > 0, w, 3 * w).astype(np.float32)
    x1 = np.column_stack([x, np.ones(len(x), np.float32)])
    sums = []
    for fold in where:
        part, shares = x1[fold & counts], w[fold & counts]
        weighted = part * shares[:, None]
        sums.append((weighted.T @ part, weighted.T @ y[fold & counts].astype(np.float32)))
    gram, target = sum(g.astype(np.float64) for g, _ in sums), sum(t.astype(np.float64) for _, t in sums)

    def solved(gram: np.ndarray, target: np.ndarray) -> np.ndarray:
        total, mean = gram[-1, -1], gram[-1, :-1] / gram[-1, -1]
        centred = gram[:-1, :-1] - total * np.outer(mean, mean) + 1e-3 * total * np.eye(len(mean))
        return np.linalg.solve(centred, target[:-1] - mean * target[-1]).astype(np.float32)

    out = np.zeros(len(y))
    for fold, (g, t) in zip(where, sums, strict=True):
        out[fold] = x[fold] @ solved(gram - g, target - t)
    return out, solved(gram, target)


class Fitting:
    def __init__(self, rows: Sequence[Row], apart: str | None = None) -> None:
        """`apart`: what is never on both sides of a fold; a conversation never is."""
        self.rows = rows
        values = np.array([getattr(r.episode, apart or "group") for r in rows])
        self.where = [values == value for value in sorted(set(values))] if apart else folds(values.tolist())
        self.sizes = [len(r.base) for r in rows]
        self.pair_where = [np.repeat(f, self.sizes) for f in self.where]
        self.about_is = np.array([float(r.episode.about) for r in rows])
        self.bears = np.concatenate([np.array(r.episode.relevant, float) for r in rows])
        self.weight = np.array([r.episode.weight for r in rows])
        self.pair_weight = np.repeat(self.weight, self.sizes)
        self.arrays: dict[str, np.ndarray] = {}

    def split(self, values: np.ndarray) -> list[np.ndarray]:
        return np.split(values, np.cumsum(self.sizes)[:-1])

    def question(self) -> None:
        texts = gram_rows([marked(r.ask) for r in self.rows], hashed, *GRAMS)
        print("question", flush=True)
        self.by_words, found = unseen(by_grams, texts, self.about_is, self.weight, self.where)
        self.arrays |= found
        sense = np.stack([r.sense.question for r in self.rows])
        self.by_sense, found = unseen(straight("sense", 0.002), sense, self.about_is, self.weight, self.where)
        self.arrays |= found
        self.arrays["axes"] = axes = self.axes()
        x = np.concatenate([bearing.meeting_rows(r.sense, axes) for r in self.rows]).astype(np.float32)
        self.meets, self.arrays["meets"] = ridge_unseen(x, self.bears, self.pair_weight, self.pair_where)

    def axes(self) -> np.ndarray:
        """The directions in which questions and statements differ most."""
        texts = np.unique(np.concatenate([np.vstack([r.sense.question, r.sense.rows]) for r in self.rows]), axis=0)
        values, vectors = np.linalg.eigh(np.cov(texts.T))
        axes = vectors[:, np.argsort(-values)[:AXES]]
        return (axes * np.sign(axes.sum(axis=0))).astype(np.float32)

    def stages(self, name: str) -> np.ndarray:
        """The probability of each candidate when its conversation was not seen."""
        encoded = name == "full"
        base = [r.base if encoded else r.plain for r in self.rows]
        sense = self.by_sense if encoded else np.zeros(len(self.rows))
        meets = self.split(self.meets if encoded else np.zeros(len(self.bears)))
        x = np.stack(
            [
                bearing.about_row(r.ask, b, g, s)
                for r, b, g, s in zip(self.rows, base, self.by_words, sense, strict=True)
            ]
        )
        about, found = unseen(both(f"{name}.about", 0.05, 100, 8, 30), x, self.about_is, self.weight, self.where)
        self.arrays |= found
        print(f"{name} about: AUC {roc_auc_score(self.about_is, about):.4f}")
        x = np.concatenate([bearing.first_rows(b, m, a) for b, m, a in zip(base, meets, about, strict=True)])
        first, found = unseen(straight(f"{name}.first", 0.1), x, self.bears, self.pair_weight, self.pair_where)
        self.arrays |= found
        x = np.concatenate(
            [
                bearing.last_rows(r.ask, b, f, m, abouts)
                for r, b, f, m, *abouts in zip(
                    self.rows, base, self.split(first), meets, self.by_words, sense, about, strict=True
                )
            ]
        )
        last, found = unseen(both(f"{name}.last", 0.1, 90, 10, 40), x, self.bears, self.pair_weight, self.pair_where)
        self.arrays |= found
        print(f"{name} last: AUC {roc_auc_score(self.bears, last):.4f}")
        return self.scale(name, last)

    def scale(self, name: str, logits: np.ndarray) -> np.ndarray:
        """A monotone curve through what was reached unseen, in forty points."""
        points = np.unique(np.quantile(logits, np.linspace(0, 1, 400)))
        curve = IsotonicRegression(y_min=0.001, y_max=0.995, out_of_bounds="clip").fit(
            logits, self.bears, self.pair_weight
        )
        read = curve.predict(points)
        smooth = np.convolve(np.pad(read, 4, mode="edge"), np.ones(9) / 9, mode="valid")
        read = np.maximum.accumulate(smooth) + np.linspace(0, 1e-4, len(points))
        self.arrays |= {f"{name}.scale.given": points, f"{name}.scale.read": read}
        return np.interp(logits, points, read)


def training(cases: Sequence[Case], encode: Encoder) -> list[Episode]:
    unasked = [q["text"] for c in cases for q in c["questions"] if not q["relevant"] and c["language"] == "en"]
    return [
        *episodes(cases, IDEAL, "ideal"),
        *episodes(cases, REAL, "real"),
        *episodes(cases[1::6], RAW, "raw", encode),
        *episodes(cases[::5], REAL, "pooled", encode, others=8),
        *episodes(fact_cases(12, unasked), REAL, "facts", encode),
        *episodes(plain_memories(), IDEAL, "plain", encode, weight=0.5),
    ]


def main() -> None:
    given = arguments(__doc__)
    encode = Encoder(given.vectors)
    cases = read_cases(given.cases, *TRAIN)
    common = Common(cases)
    apart = os.environ.get("APART")
    made = episodes(cases, IDEAL, "ideal") if apart else training(cases, encode)
    encode(sorted({t for e in made for k in e.found for t in (e.question, k.text, *k.before[:MOST_BEFORE])}))
    rows = rows_of(made, common, encode)
    print(f"{len(rows)} questions, {sum(len(r.base) for r in rows)} pairs")
    fitting = Fitting(rows, apart)
    fitting.question()
    fitting.arrays["rare"] = common.without().astype(np.float16)
    for name in ("full", "plain"):
        chances = fitting.split(fitting.stages(name))
        figures([r.episode for r in rows], chances, (0.35, bearing.FLOOR, 0.45))
        for value in sorted({getattr(r.episode, apart) for r in rows}) if apart else ():
            of = [n for n, r in enumerate(rows) if getattr(r.episode, apart) == value]
            n = judged([rows[i].episode for i in of], [chances[i] for i in of], bearing.FLOOR)
            print(f"  {value:10} {told(n)}")
    if not given.check:
        write(TARGET, fitting.arrays, data_card(given.cases, "fitting/bearing.py", TRAIN))


if __name__ == "__main__":
    main()
