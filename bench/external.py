"""A mirror in a real PostgreSQL with pgvector on loopback, next to the local index, in one run.

    python bench/external.py [--items 100000] [--queries 300] [--words-alone] [--json]

Starts its own server and stops it again. Recall is the share of the exact nearest that the engine proposes, over the
same vectors; the times of both kinds of search come from the same process, question by question in turn, with the
load of the machine beside them.

Texts are about one of two thousand topics each, as what people say is about something. With --words-alone they are
made-up words drawn at random: no text is near another then, the hardest case for a graph and none that people write.
"""

import argparse
import asyncio
import json
import os
import random
import re
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from time import perf_counter

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from bench.search_latency import Texts

from exact_index import ExactVectorIndex
from palyra.app import App, build_app
from palyra.core.ids import MemoryId
from palyra.domain.retrieval.vectors import Floats
from palyra.domain.scope import Visibility
from palyra.ports import EngineProposal, MirrorIndex
from palyra.providers.embeddings.table import EmbeddingOptions, make_provider
from palyra.services.external.runtime import ExternalRuntime
from palyra.services.memory.context import Memory
from palyra.services.memory.ingest import ingest_many
from palyra.services.memory.search import SearchRequest, search
from palyra.settings import load
from palyra.store.connection import ReadTx
from palyra.store.external.truth import MirroredItem, current_page
from postgres import Postgres, a_postgres

_BATCH = 1_000
_WORD = re.compile("\u2581[a-z]{3,}")
_TOPICS, _TOPIC_WORDS, _SAID_OF_TOPIC = 2_000, 30, 9
_ANA = Visibility("user:ana")


class Topics(Texts):
    """English words, each sentence about one topic: some of the words nearest to a random one, among usual ones.

    The words are those that the model's own tokenizer knows whole, so that each has a meaning for it."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(5)
        self._words = _english()
        self._weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(self._words))))
        provider = make_provider("local", EmbeddingOptions("", 0, "", ""))
        vectors = provider.embed(self._words, "document")
        seeds = self._random.choices(range(300, len(self._words)), k=_TOPICS)
        nearest = np.argpartition(-(vectors[seeds] @ vectors.T), _TOPIC_WORDS, axis=1)[:, :_TOPIC_WORDS]
        self._topics = [[self._words[place] for place in row] for row in nearest.tolist()]
        self._random.seed(seed)

    def sentence(self, words: int = 25) -> str:
        said = [*super().sentence(words - _SAID_OF_TOPIC).split(), *self._of_topic(_SAID_OF_TOPIC)]
        self._random.shuffle(said)
        return " ".join(said)

    def question(self) -> str:
        return "what about " + " ".join(self._of_topic(4)) + "?"

    def _of_topic(self, words: int) -> list[str]:
        return self._random.choices(self._random.choice(self._topics), k=words)


def _english() -> list[str]:
    """By how usual they are, as far as the order of the tokenizer's merges tells."""
    found = find_spec("wordllama")
    assert found is not None
    assert found.origin is not None
    file = Path(found.origin).parent / "tokenizers" / "l2_supercat_tokenizer_config.json"
    vocabulary: dict[str, int] = json.loads(file.read_text("utf-8"))["model"]["vocab"]
    words = sorted((number, token[1:]) for token, number in vocabulary.items() if _WORD.fullmatch(token))
    return [word for _, word in words]


async def run(server: Postgres, items: int, queries: int, home: str, kind: type[Texts]) -> dict[str, object]:
    environ = {"PALYRA_MEMORY_EXTERNAL_PROVIDER": "pgvector", "PALYRA_MEMORY_EXTERNAL_DSN": server.dsn}
    texts = kind(7)
    async with build_app(load({"daemon.data_dir": home}, environ).settings) as app:
        mirrored = app.memory
        external = app.external
        assert external is not None
        local = Memory(*(getattr(mirrored, name) for name in list(Memory.__slots__)[:-1]))
        async with external._working:
            for start in range(0, items, _BATCH):
                await ingest_many(local, [texts.draft(n) for n in range(start, min(start + _BATCH, items))], _ANA)
            await local.follower.backfill()
        report: dict[str, object] = {"items": items, "queries": queries, "load_average": os.getloadavg()[0]}
        print(f"{items} items are stored; mirroring them", file=sys.stderr)
        started = perf_counter()
        await external.rebuild()
        seconds = perf_counter() - started
        report["rebuild_seconds"] = round(seconds, 1)
        report["rows_per_second"] = round(items / seconds)
        started = perf_counter()
        drift = await external.drift()
        report["drift"] = {"count": drift.count, "seconds": round(perf_counter() - started, 2)}
        questions = [texts.question() for _ in range(queries)]
        report["search_ms"] = await _timed(local, mirrored, questions)
        report["same_top_8"] = await _same(local, mirrored, questions[:100])
        report["recall"] = await _recall(app, external, kind(11), min(queries, 200))
        status = await external.status()
        report["engine_ms"] = {"p50": status.query_p50_ms, "p95": status.query_p95_ms}
        report["fallbacks"], report["rejected"] = status.fallbacks, status.rejected
        if isinstance(server, Postgres):
            report["table_mb"] = round(int(server.sql("SELECT pg_database_size('postgres')")) / 1e6)
        return report


async def _timed(local: Memory, mirrored: Memory, questions: list[str]) -> dict[str, object]:
    times: dict[str, list[float]] = {"local": [], "external": []}
    degraded = 0
    for memory in (local, mirrored):
        await search(memory, SearchRequest("anything"), _ANA)
    for question in questions:
        for name, memory in (("local", local), ("external", mirrored)):
            started = perf_counter()
            found = await search(memory, SearchRequest(question), _ANA)
            times[name].append((perf_counter() - started) * 1_000)
            degraded += bool(found.degraded)
    return {**{name: percentiles(some) for name, some in times.items()}, "degraded": degraded}


async def _same(local: Memory, mirrored: Memory, questions: list[str]) -> float:
    """The share of the local index's eight best that are among the eight best with the mirror."""
    shared = total = 0
    for question in questions:
        ours, theirs = [
            {hit.item.memory_id for hit in (await search(memory, SearchRequest(question), _ANA)).hits}
            for memory in (local, mirrored)
        ]
        shared += len(ours & theirs)
        total += len(ours)
    return round(shared / max(total, 1), 4)


def _page(tx: ReadTx, identity: str, after: str) -> list[MirroredItem]:
    return current_page(tx, identity, after, 4_000)


def _nearest(index: MirrorIndex, principal: str, query: Floats, scopes: Sequence[bytes]) -> Sequence[EngineProposal]:
    return index.nearest(principal, query, 256, scopes)


async def _recall(app: App, external: ExternalRuntime, texts: Texts, queries: int) -> dict[str, float]:
    """Against brute force over the same vectors, with vectors of questions that are not in the store."""
    mirror = await external._opened()
    exact, after = ExactVectorIndex(mirror.dims), ""
    while page := await app.store.db.read(partial(_page, identity=mirror.identity, after=after)):
        raw = np.frombuffer(b"".join(item.vector for item in page), np.float16).reshape(len(page), -1)
        vectors = raw.astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        exact.put(_ANA.principal, [MemoryId(item.memory_id) for item in page], vectors)
        after = page[-1].memory_id
    asked = await app.memory.follower.embed([texts.question() for _ in range(queries)])
    scopes = [mirror.marks.scope(None, None)]
    principal = mirror.marks.principal(_ANA.principal)
    sums = dict.fromkeys((10, 64, 128), 0.0)
    for query in asked:
        found = await mirror.server.ask(partial(_nearest, principal=principal, query=query, scopes=scopes))
        ids = [one.id for one in sorted(found, key=lambda one: -one.cosine)]
        for n in sums:
            wanted = {near.id for near in exact.top(_ANA.principal, query, n)}
            sums[n] += len(wanted & set(ids)) / n
    return {f"at_{n}": round(total / queries, 4) for n, total in sums.items()}


def percentiles(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {"p50": round(ordered[len(ordered) // 2], 2), "p95": round(ordered[int(len(ordered) * 0.95)], 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--words-alone", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with a_postgres() as server, tempfile.TemporaryDirectory() as home:
        kind = Texts if given.words_alone else Topics
        report = asyncio.run(run(server, given.items, given.queries, home, kind))
    if given.json:
        print(json.dumps(report))
        return
    for name, value in report.items():
        print(f"{name:<18} {value}")


if __name__ == "__main__":
    main()
