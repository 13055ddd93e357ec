"""Fits what replaces what: how much a statement sounds like a change, and which earlier one it is about.

python fitting/change.py --cases DIR            writes src/palyra/language/change.npz
python fitting/change.py --cases DIR --check    judges on folds by conversation and on the -dev cases
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from change_cases import New, additions, facts_apart, news_of, pairs_apart
from common import Encoder, arguments, data_card, folds, gram_rows, grams, linear, read_cases, trees, write
from palyra.language import change
from palyra.language.change import Changes
from palyra.language.fitted import hashed
from palyra.language.pieces import shape
from palyra.language.statements import Kind, Known
from palyra.language.wording import pairs

SHORT, LONG = "worth-train.jsonl", "worth-long-train.jsonl"
FACTS = "facts-dev.json"
TESTS = Path(__file__).parents[1] / "tests"
TARGET = Path(change.__file__).with_name("change.npz")
GRAMS = (1, 4)
GRAM_BUCKETS = 1 << 15
STEM_BUCKETS = 1 << 14


def rarity(news: Sequence[New]) -> tuple[np.ndarray, int]:
    texts = {text for new in news for text in (new.side.text, new.side.said)}
    counts = Counter(pairs.bucket(stem, STEM_BUCKETS) for text in texts for stem in pairs.seen(text).stems)
    held = np.zeros(STEM_BUCKETS, np.uint16)
    for at, count in counts.items():
        held[at] = count
    return held, len(texts)


class Sound:
    """How much words sound like a change: n-grams, shape and meaning."""

    def __init__(self, said: Sequence[str], sense: np.ndarray, label: np.ndarray) -> None:
        self.rows = gram_rows(said, hashed, *GRAMS, GRAM_BUCKETS)
        self.shapes = np.stack([shape(text, False) for text in said])
        self.sense, self.label = sense, label

    def fit(self, chosen: np.ndarray):
        label = self.label[chosen]
        by_grams = LogisticRegression(C=6.0, max_iter=400, solver="liblinear", class_weight=None).fit(
            self.rows[chosen], label
        )
        scaler, by_sense = scaled(self.sense[chosen], label, 0.003)
        return by_grams, scaler, by_sense

    def logits(self, fitted, chosen: np.ndarray) -> np.ndarray:
        by_grams, scaler, by_sense = fitted
        return np.column_stack(
            [
                by_grams.decision_function(self.rows[chosen]),
                by_sense.decision_function(scaler.transform(self.sense[chosen])),
            ]
        )

    def unseen(self, where: Sequence[np.ndarray], among: np.ndarray) -> np.ndarray:
        out = np.zeros((len(self.label), 2))
        for fold in where:
            if (fold & among).any():
                out[fold & among] = self.logits(self.fit(~fold & among), fold & among)
        return out


def scaled(rows: np.ndarray, label: np.ndarray, cost: float):
    scaler = StandardScaler().fit(rows)
    scaler.scale_ = np.maximum(scaler.scale_, 1e-3)
    return scaler, LogisticRegression(C=cost, max_iter=3000).fit(scaler.transform(rows), label)


class Table:
    """Every pair of a set of statements as rows."""

    def __init__(self, news: Sequence[New], encode: Callable[[Sequence[str]], np.ndarray], rare: pairs.Rarity) -> None:
        self.news = list(news)
        texts = sorted({t for n in news for s in (n.side, *n.earlier) for t in (s.text, s.said)})
        vector = dict(zip(texts, encode(texts).astype(np.float64), strict=True))
        rows, label, owner = [], [], []
        for number, new in enumerate(self.news):
            if not new.earlier:
                continue
            plain = pairs.compare(new.side, new.earlier, rare)
            olds = np.stack([vector[old.text] for old in new.earlier])
            rows.append(
                np.column_stack([plain, pairs.compare_meaning(vector[new.side.text], vector[new.side.said], olds)])
            )
            label += new.replaces
            owner += [number] * len(new.earlier)
        self.rows, self.label, self.owner = np.vstack(rows), np.array(label), np.array(owner)
        self.sense = np.stack([vector[n.side.said] for n in self.news])
        self.corrects = np.array([n.corrects for n in self.news])
        self.cases = [n.case for n in self.news]
        self.sound = Sound([n.side.said for n in self.news], self.sense, self.corrects)


def columns(table: Table, sounds: np.ndarray, meaning: bool) -> np.ndarray:
    own = sounds[table.owner]
    if meaning:
        return np.column_stack([table.rows, own])
    return np.column_stack([table.rows[:, : len(pairs.COLUMNS)], own[:, :1]])


def boosted() -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=160,
        learning_rate=0.05,
        max_leaf_nodes=10,
        min_samples_leaf=50,
        l2_regularization=5.0,
        max_features=0.5,
        random_state=7,
    )


def fit_pairs(rows: np.ndarray, label: np.ndarray):
    scaler, model = scaled(rows, label, 0.05)
    return scaler, model, boosted().fit(rows, label)


def judged(fitted, rows: np.ndarray) -> np.ndarray:
    scaler, model, boost = fitted
    return (model.predict_proba(scaler.transform(rows))[:, 1] + boost.predict_proba(rows)[:, 1]) / 2


def figures(table: Table, chosen: np.ndarray, probability: np.ndarray, floor: float) -> tuple[float, float]:
    """Corrections of something that held which found it, and wrong replacements per statement."""
    found = wanted = wrong = statements = 0
    by_owner: dict[int, list[int]] = {}
    for at in np.flatnonzero(chosen[table.owner]):
        by_owner.setdefault(table.owner[at], []).append(at)
    for number in np.flatnonzero(chosen):
        statements += 1
        ats = sorted(by_owner.get(number, []), key=lambda at: -probability[at])
        wanted += int(table.label[ats].sum()) if ats else 0
        for at in [at for at in ats if probability[at] >= floor][:2]:
            found += bool(table.label[at])
            wrong += not table.label[at]
    return found / max(1, wanted), wrong / max(1, statements)


def told(name: str, table: Table, chosen: np.ndarray, probability: np.ndarray) -> None:
    rows = chosen[table.owner]
    parts = [
        f"{floor}: {f:.2f}/{w:.3f}"
        for floor in (0.4, 0.5, 0.6, 0.7, 0.8)
        for f, w in [figures(table, chosen, probability, floor)]
    ]
    print(f"{name:34} AUC {roc_auc_score(table.label[rows], probability[rows]):.3f}  {'  '.join(parts)}", flush=True)


def kinds_unknown_too(rows: np.ndarray, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each pair twice, the second time as if nobody had said of which kind they are."""
    unknown = rows.copy()
    unknown[:, [pairs.COLUMNS.index("same_kind"), pairs.COLUMNS.index("other_kind")]] = 0
    return np.vstack([rows, unknown]), np.concatenate([label, label])


def across(table: Table, where: Sequence[np.ndarray], sounds: np.ndarray, meaning: bool) -> np.ndarray:
    rows = columns(table, sounds, meaning)
    out = np.zeros(len(table.label))
    for fold in where:
        held = fold[table.owner]
        out[held] = judged(fit_pairs(*kinds_unknown_too(rows[~held], table.label[~held])), rows[held])
    return out


def lived(news: Sequence[New], changes: Changes, show: bool = False) -> str:
    """The product's own decisions, one statement after the other: what it ends is not there for the next."""
    found = wanted = wrong = linked = statements = 0
    cases = sorted({n.case for n in news})
    for case in cases:
        held: dict[str, Known] = {}
        for new in (n for n in news if n.case == case):
            side, targets = new.side, {key for key, is_it in zip(new.keys, new.replaces, strict=True) if is_it}
            known = Known(new.key, side.text, side.said, new.turn, Kind(side.kind) if side.kind else None)
            links = changes.links(known, list(held.values()))
            statements += 1
            wanted += len(targets)
            gone = [link.key for link in links if link.relation == "replaces"]
            found += len(targets & set(gone))
            wrong += len(set(gone) - targets - {key for key in gone if key not in new.keys})
            linked += sum(link.relation == "conflicts" for link in links)
            if show:
                for link in links:
                    if link.relation != "conflicts" and link.key not in targets:
                        print("WRONG", link, "|", held[link.key].text, "<=", side.said)
                for key in targets - set(gone):
                    if key in held:
                        print("MISSED", held[key].text, "<=", side.said)
            before: list[str] = []
            for key in gone:
                old = held.pop(key)
                before += [old.text, *old.before]
            held[new.key] = replace(known, before=tuple(before[:3]))
    return f"replaced {found / max(1, wanted):.2f}, wrong {wrong / statements:.3f}, linked {linked / statements:.3f}"


def fitted(table: Table, sounds: np.ndarray, counts: np.ndarray, texts: int) -> dict[str, np.ndarray]:
    by_grams, scaler, by_sense = table.sound.fit(np.ones(len(table.news), bool))
    arrays = {"rarity.counts": counts, "rarity.texts": np.int64(texts)}
    arrays |= grams("sound.grams", by_grams, *GRAMS) | linear("sound.sense", scaler, by_sense)
    for name, meaning in (("full", True), ("plain", False)):
        scaler, model, boost = fit_pairs(*kinds_unknown_too(columns(table, sounds, meaning), table.label))
        arrays |= linear(f"{name}.linear", scaler, model) | trees(f"{name}.trees", boost)
    return arrays


def main() -> None:
    given = arguments(__doc__)
    encode = Encoder(given.vectors)
    short, long = (read_cases(given.cases, name) for name in (SHORT, LONG))
    bare = [*pairs_apart(TESTS / "domain/similarity_pairs.txt"), *pairs_apart(TESTS / "language/lookalike.txt")]
    bare += facts_apart(given.cases / FACTS)
    news = [*news_of(short), *additions(bare, "bare"), *news_of(long), *news_of(long, verbatim=True)]
    counts, texts = rarity(news)
    table = Table(news, encode, pairs.Rarity(counts, texts))
    where = folds(table.cases)
    sounds = table.sound.unseen(where, np.ones(len(news), bool))
    if not given.check:
        write(
            TARGET,
            fitted(table, sounds, counts, texts),
            data_card(given.cases, "fitting/change.py", (SHORT, LONG, FACTS)),
        )
        return
    verbatim = np.arange(len(news)) >= len(news) - len(news_of(long, verbatim=True))
    is_long = np.array([n.long for n in news])
    is_bare = np.array([n.kind_of_case == "bare" for n in news])
    groups = {"short": ~is_long & ~is_bare, "long, as ideal": is_long & ~verbatim, "long, as said": is_long & verbatim}
    for name, chosen in groups.items():
        grams_auc, sense_auc = (roc_auc_score(table.corrects[chosen], sounds[chosen, n]) for n in (0, 1))
        print(f"sounds like a change, {name}: n-grams {grams_auc:.3f}, meaning {sense_auc:.3f}")
    for meaning in (True, False):
        probability = across(table, where, sounds, meaning)
        wrong = [figures(table, is_bare, probability, floor)[1] for floor in (0.4, 0.55, 0.7)]
        print(f"bare statements that only add: wrong {wrong} at .4, .55, .7")
        for name, chosen in groups.items():
            told(f"{'with' if meaning else 'without'} encoder, {name}", table, chosen, probability)
    for name, kept_apart in (("language", [n.language for n in news]), ("kind", [n.kind_of_case for n in news])):
        apart = [np.array([one == other for other in kept_apart]) for one in sorted(set(kept_apart))]
        probability = across(table, apart, table.sound.unseen(apart, np.ones(len(news), bool)), True)
        for group, chosen in groups.items():
            told(f"each {name} kept apart, {group}", table, chosen, probability)
    for name in ("worth-dev.jsonl", "worth-long-dev.jsonl"):
        cases = read_cases(given.cases, name)
        encode(
            sorted({t for v in (False, True) for n in news_of(cases, verbatim=v) for t in (n.side.text, n.side.said)})
        )
        for verbatim in (False, True):
            for code in (encode, None):
                reached = lived(news_of(cases, verbatim=verbatim), Changes(code))
                how = f"as {'said' if verbatim else 'ideal'}, {'with' if code else 'without'} encoder"
                print(f"{name}, {how}: {reached}")


if __name__ == "__main__":
    main()
