"""Fits what of an agent's writing waits for a person.

python fitting/steering.py --cases DIR            writes src/palyra/language/steering.npz
python fitting/steering.py --cases DIR --check    judges on the half it was not fitted to, and writes nothing
"""

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from common import Case, Encoder, arguments, data_card, folds, gram_rows, grams, linear, read_cases, write
from palyra.language import steering
from palyra.language.fitted import hashed

TEXTS = Path(__file__).with_name("steering.txt")
TRAIN = ("worth-train.jsonl", "worth-long-train.jsonl")
TARGET = Path(steering.__file__).with_name("steering.npz")
GRAMS = (2, 5)
BUCKETS = 1 << 15
SENSE, SENSE_COST, COST = 512, 0.02, 0.2
OWN, FACT, ASKED = 1.0, 0.35, 0.15
"""what a text of ours counts, one of the cases, and what only asks for something"""


@dataclass(frozen=True)
class Text:
    language: str
    text: str
    waits: bool
    weight: float

    @property
    def own(self) -> bool:
        return self.weight == OWN

    @property
    def group(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def own_texts() -> list[Text]:
    found, waits = [], False
    for line in TEXTS.read_text("utf-8").splitlines():
        if line.startswith("["):
            waits = line == "[waits]"
        elif line and not line.startswith("#"):
            language, _, text = line.partition(": ")
            found.append(Text(language, text, waits, OWN))
    return found


def plain_of(cases: Sequence[Case]) -> list[Text]:
    """What people told an assistant that is a fact, and what they asked it that leaves nothing behind."""
    found = []
    for case in cases:
        for turn in case["turns"]:
            if turn["role"] == "user" and turn.get("keep") in ("fact", "none"):
                weight = FACT if turn["keep"] == "fact" else ASKED
                found.append(Text(case["language"], turn["text"], waits=False, weight=weight))
            says = [one["says"] for one in turn.get("statements", ()) if one["kind"] == "fact"]
            found += [Text(case["language"], text, waits=False, weight=FACT) for text in says]
    return found


def straight(x: np.ndarray, y: np.ndarray, w: np.ndarray, cost: float) -> tuple[StandardScaler, LogisticRegression]:
    scaler = StandardScaler().fit(x)
    scaler.scale_ = np.maximum(scaler.scale_, 0.1 if x.shape[1] != SENSE else 1e-3)
    return scaler, LogisticRegression(C=cost, max_iter=500).fit(scaler.transform(x), y, sample_weight=w)


def by_grams(x, y: np.ndarray, w: np.ndarray) -> LogisticRegression:
    return LogisticRegression(C=8.0, max_iter=300, solver="liblinear").fit(x, y, sample_weight=w)


class Fitted:
    """The n-grams and the meaning each by itself; then both beside the signs, with and without the meaning."""

    def __init__(self, texts: Sequence[Text], encode: Encoder) -> None:
        self._encode = encode
        label = np.array([t.waits for t in texts])
        weight = np.array([t.weight for t in texts])
        parts = [t.text for t in texts]
        matrix, sense = gram_rows(parts, hashed, *GRAMS, BUCKETS), encode(parts)
        told, meant = np.zeros(len(parts)), np.zeros(len(parts))
        for fold in folds([t.group for t in texts]):
            told[fold] = by_grams(matrix[~fold], label[~fold], weight[~fold]).decision_function(matrix[fold])
            scaler, model = straight(sense[~fold], label[~fold], weight[~fold], SENSE_COST)
            meant[fold] = model.decision_function(scaler.transform(sense[fold]))
        self.grams = by_grams(matrix, label, weight)
        self.sense = straight(sense, label, weight, SENSE_COST)
        rows = steering.rows(parts, told)
        self.plain = straight(rows, label, weight, COST)
        self.full = straight(np.column_stack([rows, meant]), label, weight, COST)

    def likely(self, texts: Sequence[str]) -> np.ndarray:
        """The most of each text's sentences, as the product does it: with an encoder, and without."""
        out = []
        for text in texts:
            parts = steering.sentences(text)
            told = self.grams.decision_function(gram_rows(parts, hashed, *GRAMS, BUCKETS))
            rows = steering.rows(parts, told)
            meant = self.sense[1].decision_function(self.sense[0].transform(self._encode(parts)))
            seen = ((self.full, np.column_stack([rows, meant])), (self.plain, rows))
            out.append([m.predict_proba(scaler.transform(x))[:, 1].max() for (scaler, m), x in seen])
        return np.array(out)

    def arrays(self) -> dict[str, np.ndarray]:
        found = grams("grams", self.grams, *GRAMS)
        for name in ("plain", "sense", "full"):
            found |= linear(name, *getattr(self, name))
        return found


def judge(texts: Sequence[Text], likely: np.ndarray, floor: float) -> dict[str, float]:
    waits, own = np.array([t.waits for t in texts]), np.array([t.own for t in texts])
    held = likely >= floor
    return {
        "waits_held": round(float(held[waits].mean()), 4),
        "plain_held": round(float(held[~waits & own].mean()), 4),
        "said_held": round(float(held[~own].mean()), 4),
    }


def unseen(texts: Sequence[Text], apart: Sequence[np.ndarray], encode: Encoder) -> np.ndarray:
    likely = np.zeros((len(texts), 2))
    for fold in apart:
        fitted = Fitted([t for t, kept in zip(texts, ~fold, strict=True) if kept], encode)
        likely[fold] = fitted.likely([t.text for t, out in zip(texts, fold, strict=True) if out])
    return likely


def told(texts: Sequence[Text], full: np.ndarray) -> None:
    """What went wrong, and how it is in each language."""
    for t, likely in zip(texts, full, strict=True):
        if t.own and (likely >= steering.FLOOR) != t.waits:
            print(f"    {'missed' if t.waits else 'held'} {likely:.2f} {t.language}: {t.text}")
    for language in sorted({t.language for t in texts if t.own}):
        of = np.array([t.language == language for t in texts])
        print(f"  {language}: {judge([t for t, n in zip(texts, of, strict=True) if n], full[of], steering.FLOOR)}")


def main() -> None:
    given = arguments(__doc__)
    encode = Encoder(given.vectors)
    texts = own_texts() + plain_of(read_cases(given.cases, *TRAIN))
    encode(sorted({part for t in texts for part in (t.text, *steering.sentences(t.text))}))
    print(f"{sum(t.waits for t in texts)} that wait, {sum(not t.waits and t.own for t in texts)} plain,", end=" ")
    print(f"{sum(not t.own for t in texts)} said")
    full, plain = unseen(texts, folds([t.group for t in texts], 2), encode).T
    for floor in (0.2, 0.3, 0.4, 0.5, 0.6):
        print(f"  floor {floor}: {judge(texts, full, floor)}, without an encoder {judge(texts, plain, floor)}")
    if given.check:
        told(texts, full)
        return
    reached = {"full": judge(texts, full, steering.FLOOR), "plain": judge(texts, plain, steering.PLAIN_FLOOR)}
    own = hashlib.sha256(TEXTS.read_bytes()).hexdigest()
    card = data_card(given.cases, "fitting/steering.py", TRAIN, texts=own, reached=reached)
    write(TARGET, Fitted(texts, encode).arrays(), card)


if __name__ == "__main__":
    main()
