"""The same judgement where nothing was fitted: third-person facts that contradict each other, and turns of long chats.

python fitting/judge_elsewhere.py --cases DIR    with facts-dev.json in it, and ../retrieval/*-dev beside it
"""

import datetime
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from bearing_cases import CANDIDATES, Stems
from common import Encoder, arguments
from judge_bearing import MOST
from palyra.language.bearing import FLOOR, Bearing
from palyra.language.statements import Kind, Known

MINUTE_MS = 60_000
SETS = ("locomo-dev", "zh-dev", "lme-dev", "beam-dev")
QUESTIONS = 40
"""of a set, evenly; the long ones take long"""


def facts(folder: Path, encode: Encoder, weigher: Bearing, linked: bool) -> None:
    case = json.loads((folder / "facts-dev.json").read_text("utf-8"))
    older: dict[int, int] = {new: old for old, new in case["pairs"]}
    texts, gone = case["facts"], {old for old, _ in case["pairs"]} if linked else set()
    memory = []
    for n, text in enumerate(texts):
        if n not in gone:
            before, at = [], n
            while linked and at in older:
                at = older[at]
                before.append(texts[at])
            memory.append(Known(n, text, text, n * MINUTE_MS, Kind.FACT, tuple(before)))
    held, n = Stems(memory), Counter[str]()
    vectors = encode([k.text for k in memory])
    for q in case["questions"]:
        found = [memory[i] for i in held.best(q["text"], CANDIDATES, vectors @ encode([q["text"]])[0])]
        chance = weigher.weigh(q["text"], found, held)
        got = [found[i].key for i in np.argsort(-chance, kind="stable")[:MOST] if chance[i] >= FLOOR]
        kind = "changed" if q["outdated"] else "unchanged"
        n[kind] += 1
        n[f"{kind}_given"] += q["newest"] in got
        n[f"{kind}_first"] += got[:1] == [q["newest"]]
        n["outdated_given"] += bool(set(q["outdated"]) & set(got))
        n["lines"] += len(got)
    for kind in ("changed", "unchanged"):
        print(f"  {kind} given {n[f'{kind}_given'] / n[kind]:.2f} first {n[f'{kind}_first'] / n[kind]:.2f}", end="")
    print(f"  outdated given {n['outdated_given'] / n['changed']:.2f}, lines a question {n['lines'] / 100:.2f}")


def when(text: str) -> int:
    digits = [int(part) for part in re.findall(r"\d+", text)]
    if len(digits) < 3:
        return 0
    return int(datetime.datetime(*digits[:5], tzinfo=datetime.UTC).timestamp() * 1000)  # type: ignore[misc, arg-type]


def chats(folder: Path, encode: Encoder, weigher: Bearing) -> None:
    by: dict[str, list[Known]] = defaultdict(list)
    for line in (folder / "items.jsonl").read_text("utf-8").splitlines():
        item = json.loads(line)
        text = f"{item['speaker']}: {item['text']}" if item["speaker"] not in ("user", "") else item["text"]
        by[item["conversation"]].append(Known(item["id"], text[:600], text, when(item["at"])))
    asked = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    asked = asked[:: max(1, len(asked) // QUESTIONS)]
    kept = {name: Stems(memory) for name, memory in by.items() if name in {q["conversation"] for q in asked}}
    brought = [
        (q, [by[q["conversation"]][i] for i in kept[q["conversation"]].best(q["text"], CANDIDATES)]) for q in asked
    ]
    encode([text for q, found in brought for text in (q["text"], *(k.text for k in found))])
    n = Counter[str]()
    for q, found in brought:
        there = {k.key for k in found} & set(q["relevant"])
        if there:
            chance = weigher.weigh(q["text"], found, kept[q["conversation"]])
            got = [found[i].key for i in np.argsort(-chance, kind="stable")[:MOST] if chance[i] >= FLOOR]
            n["questions"] += 1
            n["silent"] += not got
            n["right"] += bool(there & set(got))
            n["first"] += bool(found[int(np.argmax(chance))].key in there)
            n["high"] += float(chance.max()) >= 0.2
    of = max(1, n["questions"])
    shares = ("silent", "right", "first", "high")
    print(f"  {folder.name} ({of} with evidence among {CANDIDATES})", *(f"{s} {n[s] / of:.2f}" for s in shares))


def main() -> None:
    given = arguments(__doc__)
    encode = Encoder(given.vectors)
    for name, weigher in (("with an encoder", Bearing(encode)), ("without", Bearing())):
        print(name)
        for linked in (True, False):
            facts(given.cases, encode, weigher, linked)
        for part in SETS:
            chats(given.cases.parent / "retrieval" / part, encode, weigher)


if __name__ == "__main__":
    main()
