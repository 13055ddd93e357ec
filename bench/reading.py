"""How long reading a turn takes: processor time, the median of many turns, with the encoder and without.

    python bench/reading.py [--turns 60] [--json]

The goals are 8 ms for a turn of at most 300 characters, 60 ms for 2,000, 300 ms for 100 KB of pasted log. Every turn is
new to the encoder, which remembers what it was asked before; one thread, as in the daemon.
"""

import argparse
import json
import os
import random
import statistics

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy
from time import process_time

from palyra.language.reading import Reader
from palyra.language.statements import Encode, Role, ToldTurn
from palyra.providers.encoder import LocalEncoder

SAID_AT_MS = 1_770_000_000_000
GOALS_MS = {"short": 8, "long": 60, "log": 300}
_WHO = ("my sister Ines", "Callum", "the landlord", "our dentist", "Priya from ops", "the neighbour", "my aunt", "Jana")
_DOES = ("moves to {} on Friday", "is allergic to {}", "pays {} a month", "keeps the spare key to {}", "never eats {}")
_WHAT = ("the harbour flat", "peanuts", "Ghent", "the blue van", "number 14", "staging", "the third shelf", "oat milk")
_FILLER = ("anyway", "um, so", "can you make me a list of that", "what do you think?", "oh and also", "I laughed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    encoder = LocalEncoder()
    encoder.load()
    encode: Encode = encoder
    figures: dict[str, dict[str, float]] = {}
    for name, reader in (("with the encoder", Reader(encode)), ("without", Reader())):
        reader.read(ToldTurn(Role.USER, "warm up", SAID_AT_MS))
        dice = random.Random(7 if name == "without" else 8)
        figures[name] = {
            "short": _median(reader, [_prose(dice, 300) for _ in range(given.turns)]),
            "long": _median(reader, [_prose(dice, 2_000) for _ in range(given.turns // 3)]),
            "log": _median(reader, [_log(dice, 100_000) for _ in range(max(3, given.turns // 12))]),
        }
    if given.json:
        print(json.dumps(figures))
        return
    for name, measured in figures.items():
        told = ", ".join(f"{kind} {ms:.1f} ms (goal {GOALS_MS[kind]})" for kind, ms in measured.items())
        print(f"{name}: {told}")


def _median(reader: Reader, texts: list[str]) -> float:
    took = []
    for text in texts:
        began = process_time()
        reader.read(ToldTurn(Role.USER, text, SAID_AT_MS))
        took.append(1_000 * (process_time() - began))
    return round(statistics.median(took), 2)


def _prose(dice: random.Random, size: int) -> str:
    text = ""
    while True:
        told = f"{dice.choice(_WHO)} {dice.choice(_DOES).format(dice.choice(_WHAT))} {dice.randrange(1_000)}"
        part = f"{dice.choice(_FILLER)}, {told}. " if dice.random() < 0.5 else f"{told}. "
        if len(text) + len(part) > size:
            return text
        text += part


def _log(dice: random.Random, size: int) -> str:
    lines = ["why does this happen since Monday"]
    while len(lines) * 62 < size:
        seconds = f"{dice.randrange(60):02d}.{dice.randrange(1_000):03d}"
        lines.append(f"2026-02-02 08:14:{seconds} INFO worker[{dice.randrange(9_999)}] took job {dice.randrange(9**9)}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
