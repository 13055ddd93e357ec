"""What would be given: of what is given how much bears on the question, of what is needed how much is given, how often
nothing is given where nothing bears on it, and how often what no longer holds is given.

python fitting/judge_bearing.py --cases DIR    the -dev cases, by the weights of the package
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from bearing_cases import IDEAL, RAW, REAL, Episode, episodes, read_episodes
from common import Encoder, arguments, read_cases
from palyra.language.bearing import FLOOR, Bearing

MOST = 3
DEV = ("worth-dev.jsonl", "worth-long-dev.jsonl")


def judged(given: Sequence[Episode], chances: Sequence[np.ndarray], floor: float, most: int = MOST) -> Counter[str]:
    n: Counter[str] = Counter()
    for e, chance in zip(given, chances, strict=True):
        got = [i for i in np.argsort(-chance, kind="stable")[:most] if chance[i] >= floor]
        n["given"] += len(got)
        n["right"] += sum(e.relevant[i] for i in got)
        n["need"] += e.needed
        if not e.about:
            n["empty"] += 1
            n["silent"] += not got
        n["stale"] += any(e.stale)
        n["stale_given"] += any(e.stale[i] for i in got)
    return n


def told(n: Counter[str]) -> str:
    shares = (n["right"] / max(1, n["given"]), n["right"] / max(1, n["need"]), n["silent"] / max(1, n["empty"]))
    return " / ".join(f"{s:.3f}" for s in shares) + f" stale {n['stale_given']}/{n['stale']}"


def figures(given: Sequence[Episode], chances: Sequence[np.ndarray], floors: Sequence[float]) -> None:
    """Precision / recall / silence by source and length of the messages."""
    by: dict[str, list[int]] = defaultdict(list)
    for n, e in enumerate(given):
        by[f"{e.source} {'long' if 'long' in e.group else 'short'}"].append(n)
    for name, where in by.items():
        for floor in floors:
            n = judged([given[i] for i in where], [chances[i] for i in where], floor)
            print(f"  {name:12} {floor:.2f}: {told(n)}")
    deciles(given, chances)


def deciles(given: Sequence[Episode], chances: Sequence[np.ndarray]) -> None:
    """Where the probability says p, how many bear on the question."""
    chance, true = np.concatenate(chances), np.concatenate([np.array(e.relevant, float) for e in given])
    at = np.minimum(9, (chance * 10).astype(int))
    parts = [
        f"{chance[at == n].mean():.2f}:{true[at == n].mean():.2f} ({int((at == n).sum())})"
        for n in range(10)
        if (at == n).any()
    ]
    print("  said:true (pairs)  " + "  ".join(parts))


def main() -> None:
    given = arguments(__doc__)
    encode = Encoder(given.vectors)
    cases = read_cases(given.cases, *DEV)
    made = [
        e
        for noise, name in ((IDEAL, "ideal"), (REAL, "real"), (RAW, "raw"))
        for e in episodes(cases, noise, name, encode)
    ]
    made += episodes(cases, REAL, "pooled", encode, others=8)
    made += read_episodes(cases, Encoder(None), "read")
    for name, weigher in (("with an encoder", Bearing(encode)), ("without", Bearing())):
        print(name)
        chances = [weigher.weigh(e.question, e.found, e.held) for e in made]
        figures(made, chances, (FLOOR - 0.1, FLOOR - 0.05, FLOOR, FLOOR + 0.05, FLOOR + 0.1))


if __name__ == "__main__":
    main()
