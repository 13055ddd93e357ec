"""What condensing keeps, what it costs, and whether its loss meter is honest.

    python bench/compaction.py [--cases FILE ...] [--join 7] [--turns 120 2000] [--json]

FILE: conversations whose statements are known (`worth-long-*.jsonl`), joined to long ones and handed over as finished
turns. Reported for each file: the statements that hold and stand in the summary (in one line; in all of it; in a line
not much longer than they are), its tokens for each of them and as a share of the turns', what it says of those that
were replaced, and of the statements in no place, how many stand in a turn that the meter calls in sight. Also: the time
to preview a session of so many turns that were read before.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections import Counter
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from palyra.api import chat, continuity, dispatch, memory
from palyra.api.call import Call, owner
from palyra.app import App, build_app
from palyra.core.tokens import estimate_tokens
from palyra.language.wording.weighty import weight_of
from palyra.settings import load

_AT_ONCE = 64
_ENDING = [("user", "ok"), ("assistant", "Fine.")] * 3
"""what stays word for word, so that all that is judged is condensed"""
Turn = dict[str, Any]


class Bench:
    def __init__(self, app: App) -> None:
        self._call = Call(app, owner("bench:compaction"))

    async def do(self, operation: Any, **fields: Any) -> Any:
        return await dispatch.run(self._call, operation, operation.request(**fields))

    async def tell(self, session: str, turns: list[Turn]) -> None:
        for start in range(0, len(turns), _AT_ONCE):
            await self.do(
                chat.add_turns, session=session, turns=[chat_turn(one) for one in turns[start : start + _AT_ONCE]],
                wait_ms=60_000, actor="user",
            )  # fmt: skip


def chat_turn(turn: Turn) -> Any:
    from palyra.wire.chat import HandedTurn  # noqa: PLC0415 - beside its only use

    return HandedTurn(role=turn["role"], text=turn["text"], said_at_ms=turn.get("at_ms"), turn_id=turn.get("id", ""))


def cases_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]


def joined(cases: list[dict[str, Any]]) -> tuple[list[Turn], list[dict[str, Any]]]:
    """The turns of some conversations one after the other, and their statements with the place of their turn."""
    turns: list[Turn] = []
    gold: list[dict[str, Any]] = []
    for case in cases:
        replaced = {
            name for turn in case["turns"] for s in turn.get("statements", ()) for name in s.get("replaces", ())
        }
        for turn in case["turns"]:
            at_ms = int(datetime.fromisoformat(turn["at"]).timestamp() * 1_000)
            for one in turn.get("statements", ()):
                is_gone = f"{turn['id']}.{one['id']}" in replaced
                gold += [{**one, "turn": turn["text"], "at_ms": at_ms, "gone": is_gone}]
            turns.append({**turn, "at_ms": at_ms, "id": f"{case['id']}.{turn['id']}"})
    last = turns[-1]["at_ms"]
    ending = [{"role": role, "text": text, "at_ms": last + n + 1} for n, (role, text) in enumerate(_ENDING)]
    return turns + ending, gold


def says(text: str, statement: dict[str, Any]) -> bool:
    low = text.casefold()
    return all(any(one in low for one in must.split("|")) for must in statement["must"])


async def judge(cases: list[dict[str, Any]], join: int) -> dict[str, float]:
    n: Counter[str] = Counter()
    took: list[float] = []
    for start in range(0, len(cases), join):
        with tempfile.TemporaryDirectory() as home:
            async with build_app(load({"daemon.data_dir": home}, {}).settings) as app:
                await _judge_one(Bench(app), cases[start : start + join], n, took)
    holding, placeless = max(1, n["holding"]), max(1, n["in no place"])
    return {
        "statements that hold": n["holding"],
        "in one line": round(n["line"] / holding, 3),
        "in the summary": round(n["whole"] / holding, 3),
        "in a short line": round(n["short"] / holding, 3),
        "replaced ones said": round(n["stale"] / max(1, n["replaced"]), 3),
        "tokens a statement": round(n["tokens"] / holding, 1),
        "characters a statement": round(n["chars"] / holding, 1),
        "of the turns' tokens": round(n["tokens"] / max(1, n["turn tokens"]), 3),
        "turns": n["turns"],
        "in sight": round(n["turns in sight"] / max(1, n["turns"]), 3),
        "in no place": n["in no place"],
        "of them in a turn in sight": round(n["hidden"] / placeless, 3),
        "grave ones among these": n["grave hidden"],
        "preview ms": round(1_000 * max(took)),
    }


async def _judge_one(bench: Bench, cases: list[dict[str, Any]], n: Counter[str], took: list[float]) -> None:
    turns, gold = joined(cases)
    await bench.tell("long", turns)
    started = perf_counter()
    seen = await bench.do(continuity.preview, session="long")
    took.append(perf_counter() - started)
    lines = [line for line in seen.summary.splitlines() if line]
    items = [one.text for one in (await bench.do(memory.list_, limit=500)).items]
    told = {" ".join(one.text.split()).removesuffix("…") for one in seen.loss.unseen}
    n["tokens"] += estimate_tokens(seen.summary)
    n["chars"] += len(seen.summary)
    n["turn tokens"] += sum(estimate_tokens(turn["text"]) for turn in turns)
    n["turns"] += seen.loss.turns
    n["turns in sight"] += seen.loss.turns_in_sight
    for one in gold:
        in_line = any(says(line, one) for line in lines)
        if one["gone"]:
            n["replaced"] += 1
            n["stale"] += in_line
            continue
        n["holding"] += 1
        n["line"] += in_line
        n["whole"] += says(seen.summary, one)
        n["short"] += any(says(line, one) and len(line) <= 2.5 * len(one["says"]) + 60 for line in lines)
        if not in_line and not any(says(text, one) for text in items):
            flat = " ".join(one["turn"].split())
            is_listed = any(flat.startswith(words) for words in told)
            n["in no place"] += 1
            n["hidden"] += not is_listed
            n["grave hidden"] += not is_listed and bool(weight_of(one["says"], one["at_ms"]))


_PLACES = ("Lisbon", "Porto", "Berlin", "Prague", "Osaka", "Nairobi", "Lima", "Oslo", "Turin", "Gdansk")
_THINGS = ("bicycle", "laptop", "garden", "guitar", "camera", "kitchen", "boat", "printer", "tent", "telescope")
_USER = (
    "I bought the {thing} in {place} for {number} euros.",
    "Thanks, that helps a lot!",
    "Can you compare the {thing} with the others?",
    "My {thing} is kept in {place} now, not at home.",
    "And what would that be in miles?",
)
_ANSWER = "Here is what matters about the {thing}. In {place} there are {number} shops for it, most open at nine."


async def measure_time(turns: int) -> dict[str, float]:
    dice = random.Random(7)
    told: list[Turn] = []
    for n in range(turns):
        words = {
            "thing": f"{dice.choice(_THINGS)} {dice.randint(1, 4_000)}",
            "place": dice.choice(_PLACES),
            "number": dice.randint(2, 4_000),
        }
        told.append({"role": "user", "text": dice.choice(_USER).format(**words), "id": f"u{n}"})
        told.append({"role": "assistant", "text": _ANSWER.format(**words), "id": f"a{n}"})
    with tempfile.TemporaryDirectory() as home:
        async with build_app(load({"daemon.data_dir": home}, {}).settings) as app:
            bench = Bench(app)
            started = perf_counter()
            await bench.tell("long", told)
            read_s = perf_counter() - started
            seconds: list[float] = []
            for _ in range(3):
                started = perf_counter()
                seen = await bench.do(continuity.preview, session="long")
                seconds.append(perf_counter() - started)
            started = perf_counter()
            await bench.do(continuity.apply, session="long", plan_id=seen.plan_id)
            apply_s = perf_counter() - started
    return {
        "turns": turns,
        "told and read s": round(read_s, 1),
        "preview s": round(sorted(seconds)[1], 3),
        "apply s": round(apply_s, 3),
        "tokens before": seen.tokens_before,
        "tokens after": seen.tokens_after,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, nargs="*", default=[], help="files of conversations")
    parser.add_argument("--join", type=int, default=7, help="conversations that make a long one")
    parser.add_argument("--turns", type=int, nargs="*", default=[120])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    for file in given.cases:
        if not file.is_file():
            sys.exit(f"error: there is no file {file}")
    report: dict[str, dict[str, float]] = {}
    for name, work in (
        *((file.name, judge(cases_of(file), given.join)) for file in given.cases),
        *((f"{turns} turns", measure_time(turns)) for turns in given.turns),
    ):
        report[name] = asyncio.run(work)
        if not given.json:
            print(f"{name:<24}" + "  ".join(f"{label} {value}" for label, value in report[name].items()), flush=True)
    if given.json:
        print(json.dumps(report, ensure_ascii=False))


if __name__ == "__main__":
    main()
