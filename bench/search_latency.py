"""How fast memory takes in and finds: bulk ingest, one durable retain, hybrid search at several sizes, and memory.

    python bench/search_latency.py [--sizes 1000,10000,100000] [--principals 100] [--json]

Texts are made from a seeded vocabulary with the word frequencies of ordinary language, about 25 words each. Every
figure that depends on the disk stands next to a floor of the same run: a bare journal append, and FTS5 alone.
"""

import argparse
import asyncio
import gc
import json
import random
import resource
import statistics
import tempfile
from collections.abc import Awaitable, Callable
from itertools import accumulate
from time import perf_counter, process_time

from palyra.app import App, build_app
from palyra.daemon import COLLECT_AFTER
from palyra.domain.journal import EventDraft, Origin
from palyra.domain.memory import Draft, MemorySource
from palyra.domain.retrieval.terms import query_terms
from palyra.domain.scope import Visibility
from palyra.services.memory.ingest import ingest, ingest_many
from palyra.services.memory.search import SearchRequest, search
from palyra.settings import load
from palyra.store.memory.search import lexical_hits

_SYLLABLES = "ba be bi bo da de di do fa fi ga go ha hi ka ke ki ko la le li lo ma me mi mo na ne no pa po ra re ri ro"
_VOCABULARY = 30_000
_BATCH = 1_000
_QUERIES = 300
_RETAINS = 200
_START_MS = 1_700_000_000_000


class Texts:
    """Sentences of a made-up language: Zipf's law over the vocabulary, a few stop words, ten speakers' threads."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        syllables = _SYLLABLES.split()
        words = {"".join(self._random.choices(syllables, k=self._random.randint(2, 4))) for _ in range(_VOCABULARY)}
        self._words = ["the", "and", "to", "of", "a", "in", "is", *sorted(words)]
        self._weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(self._words))))

    def sentence(self, words: int = 25) -> str:
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=words))

    def draft(self, number: int) -> Draft:
        return Draft(
            self.sentence(),
            MemorySource.USER_MESSAGE,
            speaker=f"speaker{number % 2}",
            thread=f"thread{number // 40}",
            said_at_ms=_START_MS + number * 60_000,
        )

    def question(self) -> str:
        return "what about " + " ".join(self._random.sample(self._words[200:8_000], 5)) + "?"


async def run(sizes: list[int], principals: int) -> dict[str, object]:
    gc.set_threshold(COLLECT_AFTER, 10, 10)  # as the daemon does
    texts = Texts(7)
    report: dict[str, object] = {}
    for size in sizes:
        report[f"{size} items, one principal"] = await _measure(texts, size, 1)
    if principals > 1:
        report[f"{max(sizes)} items, {principals} principals"] = await _measure(texts, max(sizes), principals)
    report["one retain"] = await _retains(texts)
    return report


async def _measure(texts: Texts, size: int, principals: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as home:
        async with build_app(load({"daemon.data_dir": home}, {}).settings) as app:
            callers = [Visibility(f"user:{number}") for number in range(principals)]
            wall, cpu = await _fill(app, texts, size, callers)
            before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            started = perf_counter()
            for caller in callers:
                await search(app.memory, SearchRequest("anything"), caller)
            load_ms = (perf_counter() - started) * 1000
            asked = [(texts.question(), callers[number % principals]) for number in range(_QUERIES)]

            async def ask(number: int) -> None:
                await search(app.memory, SearchRequest(asked[number][0]), asked[number][1])

            times = await _timed(ask, _QUERIES)
            again = await _timed(ask, _QUERIES)

            async def ask_fts(number: int) -> None:
                await app.store.db.read(
                    lambda tx: lexical_hits(tx, query_terms(asked[number][0]), asked[number][1], 24)
                )

            return {
                "ingest_per_second": round(size / wall),
                "ingest_per_cpu_second": round(size / cpu),
                "load_ms": round(load_ms),
                "search_ms": _percentiles(times),
                "search_again_ms": _percentiles(again),
                "fts5_alone_ms": _percentiles(await _timed(ask_fts, 50)),
                "index_mb_per_100k": round(app.memory.engine.memory_bytes() / size * 100_000 / 1e6, 1),
                "rss_growth_mb": round((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib) / 1024, 1),
            }


async def _fill(app: App, texts: Texts, size: int, callers: list[Visibility]) -> tuple[float, float]:
    """Wall and CPU seconds until everything is durable, in both indexes, and has its vector."""
    each = size // len(callers)
    batches = [
        (caller, [texts.draft(number) for number in range(start, min(start + _BATCH, each))])
        for caller in callers
        for start in range(0, each, _BATCH)
    ]
    wall, cpu = perf_counter(), process_time()
    for caller, drafts in batches:
        await ingest_many(app.memory, drafts, caller)
    await app.memory.follower.backfill()
    return perf_counter() - wall, process_time() - cpu


async def _retains(texts: Texts) -> dict[str, object]:
    """One memory at a time, each durable before the next, next to one journal append at a time."""
    with tempfile.TemporaryDirectory() as home:
        async with build_app(load({"daemon.data_dir": home}, {}).settings) as app:
            caller = Visibility("user:0")
            await _fill(app, texts, 1_000, [caller])
            await search(app.memory, SearchRequest("anything"), caller)
            drafts = [Draft(texts.sentence(12)) for _ in range(_RETAINS)]

            appends: list[float] = []
            retains: list[float] = []
            for draft in drafts:  # in turn, so that both meet the same disk
                started = perf_counter()
                await app.journal.append(EventDraft("bench.said", {"text": draft.text}, Origin("user:0")))
                between = perf_counter()
                await ingest(app.memory, draft, caller)
                appends.append((between - started) * 1000)
                retains.append((perf_counter() - between) * 1000)
            return {
                "append_ms": _percentiles(appends),
                "retain_ms": _percentiles(retains),
                "ratio_p50": round(statistics.median(retains) / statistics.median(appends), 2),
            }


async def _timed(work: Callable[[int], Awaitable[None]], count: int) -> list[float]:
    times: list[float] = []
    for number in range(count):
        started = perf_counter()
        await work(number)
        times.append((perf_counter() - started) * 1000)
    return times


def _percentiles(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {"p50": round(ordered[len(ordered) // 2], 3), "p95": round(ordered[int(len(ordered) * 0.95)], 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--principals", type=int, default=100, help="1: only one principal")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    report = asyncio.run(run([int(size) for size in given.sizes.split(",")], given.principals))
    if given.json:
        print(json.dumps(report))
        return
    print_figures(report)


def print_figures(report: dict[str, object]) -> None:
    for name, figures in report.items():
        print(name)
        assert isinstance(figures, dict)
        for key, value in figures.items():
            print(f"  {key:<26} {value}")


if __name__ == "__main__":
    main()
