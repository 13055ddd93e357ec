"""How much a prompt costs: preparing it in process, next to a plain search and a bare append of the same run.

    python bench/prompt.py [--size 10000] [--prompts 200] [--json]

The goal is 60 ms at the 95th percentile with 10,000 memories. A prompt with memory holds a search and one durable
append, its receipt; so both are measured in turn with it, and it stands next to them as a ratio.
"""

import argparse
import asyncio
import json
import secrets
import statistics
import sys
import tempfile
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.search_latency import Texts

from palyra.app import App, build_app
from palyra.core.ids import RunId
from palyra.core.tokens import estimate_tokens
from palyra.domain.chat.conversation import Message, Text
from palyra.domain.journal import EventDraft, Origin
from palyra.domain.scope import Visibility
from palyra.ports import ModelInfo
from palyra.services.memory.ingest import ingest_many
from palyra.services.memory.search import SearchRequest, search
from palyra.services.prompt.context import HistoryTurn, PromptContext
from palyra.services.prompt.counting import TokenCounter
from palyra.services.prompt.prepare import prepare_model_provider_input
from palyra.settings import load

CALLER = Visibility("user:0", None, "session")
INFO = ModelInfo("openai", "bench", 128_000, 4_096, takes_images=True, takes_tools=True)
TURNS = 100


async def run(size: int, prompts: int) -> dict[str, object]:
    texts = Texts(7)
    with tempfile.TemporaryDirectory() as home:
        async with build_app(load({"daemon.data_dir": home}, {}).settings) as app:
            for start in range(0, size, 1_000):
                drafts = [texts.draft(number) for number in range(start, min(start + 1_000, size))]
                await ingest_many(app.memory, drafts, Visibility(CALLER.principal))
            await app.memory.follower.backfill()
            history = tuple(_turn(texts, number) for number in range(TURNS))
            count = TokenCounter(estimate_tokens)
            await _prepare(app, "anything", history, count)
            times: dict[str, list[float]] = {"append": [], "search": [], "prepare": [], "prepare_new": []}
            for _ in range(prompts):  # in turn, so that all meet the same machine
                await _measure(app, texts, history, count, times)
    medians = {name: statistics.median(values) for name, values in times.items()}
    return {
        "memories": size,
        "turns of history": TURNS,
        **{f"{name}_ms": _p50_p95(values) for name, values in times.items()},
        "prepare / search": round(medians["prepare"] / medians["search"], 2),
        "prepare / (search + append)": round(medians["prepare"] / (medians["search"] + medians["append"]), 2),
    }


async def _measure(
    app: App, texts: Texts, history: tuple[HistoryTurn, ...], count: TokenCounter, times: dict[str, list[float]]
) -> None:
    """`prepare` is the next turn of a conversation; `prepare_new` the first one, without history."""
    started = perf_counter()
    await app.journal.append(EventDraft("bench.said", {"text": texts.sentence()}, Origin("user:0")))
    times["append"].append((perf_counter() - started) * 1000)
    started = perf_counter()
    await search(app.memory, SearchRequest(texts.question()), CALLER)
    times["search"].append((perf_counter() - started) * 1000)
    for name, turns in (("prepare", history), ("prepare_new", ())):
        question = texts.question()
        started = perf_counter()
        await _prepare(app, question, turns, count)
        times[name].append((perf_counter() - started) * 1000)


async def _prepare(app: App, question: str, history: tuple[HistoryTurn, ...], count: TokenCounter) -> None:
    prepared = await prepare_model_provider_input(
        PromptContext(
            memory=app.memory,
            info=INFO,
            count=count,
            caller=CALLER,
            run_id=RunId("run"),
            question=question,
            asked_at_ms=1_700_000_000_000,
            boundary=secrets.token_hex(8),
            history=history,
        )
    )
    assert prepared.request.facts or question == "anything"


def _turn(texts: Texts, number: int) -> HistoryTurn:
    return HistoryTurn(
        RunId(f"run{number}"),
        (Message("user", (Text(texts.sentence(30)),)), Message("assistant", (Text(texts.sentence(200)),))),
    )


def _p50_p95(times: list[float]) -> str:
    ordered = sorted(times)
    return f"p50 {ordered[len(ordered) // 2]:.2f}  p95 {ordered[int(len(ordered) * 0.95)]:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--prompts", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    report = asyncio.run(run(given.size, given.prompts))
    if given.json:
        print(json.dumps(report))
        return
    for name, value in report.items():
        print(f"{name:<28} {value}")


if __name__ == "__main__":
    main()
