"""What a score of search says: how likely a hit bears on the question, as a curve that keeps the order.

python fitting/score.py --cases DIR    prints the two numbers of `domain/retrieval/scale.py`, and how they fit -dev
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from bearing_cases import IDEAL, REAL, Episode, episodes
from common import arguments, data_card, read_cases
from palyra.domain.retrieval.entry import Entry
from palyra.domain.retrieval.index import PrincipalIndex
from palyra.domain.retrieval.query import Query
from palyra.providers.embeddings.local import LocalEmbedding

TRAIN = ("worth-train.jsonl", "worth-long-train.jsonl")
DEV = ("worth-dev.jsonl", "worth-long-dev.jsonl")
SHOWN = 8
_OTHERS = 8
_ROUNDS = 200


def pairs(given: list[Episode], model: LocalEmbedding) -> Iterator[tuple[float, bool]]:
    """Of every question the scores of the best hits, and whether each bears on it."""
    for one in given:
        index = PrincipalIndex(model.identity.dims)
        index.put([Entry(n, known.text, "", "", 0, known.said_at_ms, 0) for n, known in enumerate(one.found)])
        index.put_vectors(range(len(one.found)), model.embed([known.text for known in one.found], "document"))
        at_ms = max(known.said_at_ms for known in one.found)
        asked = Query(one.question, model.embed([one.question], "query")[0], at_ms, frozenset({0}))
        yield from ((hit.score, one.relevant[hit.key]) for hit in index.search(asked, SHOWN))


def fitted(scores: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Slope and middle of a logistic curve, by Newton's method."""
    rows, weights = np.column_stack([scores, np.ones(len(scores))]), np.zeros(2)
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(-rows @ weights))
        curve = rows.T @ (rows * (chance * (1 - chance))[:, None])
        weights += np.linalg.solve(curve, rows.T @ (true - chance))
    return weights


def main() -> None:
    given = arguments(__doc__)
    model = LocalEmbedding()
    both = []
    for files in (TRAIN, DEV):
        cases = read_cases(given.cases, *files)
        asked = episodes(cases, IDEAL, "ideal") + episodes(cases, REAL, "kept", others=_OTHERS)
        found = np.array(list(pairs(asked, model)), float)
        both.append(found)
    slope, middle = fitted(both[0][:, 0], both[0][:, 1])
    print(data_card(given.cases, "fitting/score.py", TRAIN))
    print(f"SLOPE {slope:.2f} MIDDLE {-middle / slope:.3f}, {len(both[0])} hits, {both[0][:, 1].mean():.3f} bear")
    for name, found in zip(("train", "dev"), both, strict=True):
        chance = 1 / (1 + np.exp(-(slope * found[:, 0] + middle)))
        at = np.minimum(9, (chance * 10).astype(int))
        said = [f"{chance[at == n].mean():.2f}:{found[at == n, 1].mean():.2f}" for n in range(10) if (at == n).any()]
        print(name, " ".join(said))


if __name__ == "__main__":
    main()
