"""How fast memory takes in: many items at a time, and one durable item next to what the disk can do.

    python bench/ingest.py [--items N] [--retains N] [--set DIR] [--dir DIR] [--json]

Bulk counts until everything is durable, chained, in both lexical indexes, and has its vector. Facts are compared with
what is there before, one by one, and each is durable by itself. A single retain stands
next to three floors of the same run, taken in turn so that all meet the same disk: an fdatasync of one page, one row
committed with plain apsw, and one journal append. Texts are those of `search_latency.py`, or real ones: the items of a
set in the format of `retrieval.py`. On a machine that others use, too, trust CPU time and ratios, not seconds.
"""

import argparse
import asyncio
import gc
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time

import apsw

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.search_latency import Texts, print_figures

from palyra.app import App, build_app
from palyra.daemon import COLLECT_AFTER
from palyra.domain.journal import EventDraft, Origin
from palyra.domain.memory import Draft, MemorySource
from palyra.domain.scope import Visibility
from palyra.services.memory.ingest import ingest, ingest_many
from palyra.services.memory.search import SearchRequest, search
from palyra.settings import load
from palyra.store.connection import open_writer

_ANA = Visibility("user:ana")
_BATCH = 1_000
_FACTS = 500
_ROUNDS = 5
_WARM_ITEMS = 1_000
_PAGE_BYTES = 4_096


async def run(root: Path, items: int, retains: int, texts: Iterator[Draft]) -> dict[str, object]:
    gc.set_threshold(COLLECT_AFTER, 10, 10)  # as the daemon does
    settings = load({"daemon.data_dir": str(root / "memory")}, {}).settings
    async with build_app(settings) as app:
        await _bulk(app, list(islice(texts, _WARM_ITEMS)))  # loads the model, meets the common words
        rounds = [await _bulk(app, list(islice(texts, items // _ROUNDS))) for _ in range(_ROUNDS)]
        facts = [await _bulk(app, [Draft(turn.text) for turn in islice(texts, _FACTS)]) for _ in range(_ROUNDS)]
        await search(app.memory, SearchRequest("anything"), _ANA)
        return {
            "bulk": _medians(rounds),
            "facts in bulk": _medians(facts),
            "one at a time": await _alone(app, root, retains),
        }


async def _bulk(app: App, drafts: list[Draft]) -> dict[str, float]:
    wall, cpu = perf_counter(), process_time()
    for start in range(0, len(drafts), _BATCH):
        await ingest_many(app.memory, drafts[start : start + _BATCH], _ANA)
    await app.memory.follower.finish()
    wall, cpu = perf_counter() - wall, process_time() - cpu
    assert (await app.memory.follower.backfill()).embedded == 0, "some items were left without a vector"
    return {
        "per_second": len(drafts) / wall,
        "per_cpu_second": len(drafts) / cpu,
        "cpu_us_per_item": cpu / len(drafts) * 1e6,
    }


async def _alone(app: App, root: Path, retains: int) -> dict[str, object]:
    """Each durable before the next, in turn with its floors."""
    texts, page = Texts(11), os.urandom(_PAGE_BYTES)
    file = os.open(root / "floor", os.O_CREAT | os.O_WRONLY, 0o600)
    raw = open_writer(root / "raw.db")
    raw.execute("CREATE TABLE log (seq INTEGER PRIMARY KEY, said TEXT NOT NULL) STRICT")
    times: dict[str, list[float]] = {"fdatasync": [], "apsw_append": [], "journal_append": [], "retain": []}
    cpu: dict[str, list[float]] = {"journal_append": [], "retain": []}
    for _ in range(retains):
        text = texts.sentence(12)
        started = perf_counter()
        os.write(file, page)
        os.fdatasync(file)
        synced = perf_counter()
        _append(raw, text)
        appended, cpu_at = perf_counter(), process_time()
        await app.journal.append(EventDraft("bench.said", {"text": text}, Origin(_ANA.principal)))
        journaled, cpu_journaled = perf_counter(), process_time()
        await ingest(app.memory, Draft(text), _ANA)
        done, cpu_done = perf_counter(), process_time()
        steps = (synced - started, appended - synced, journaled - appended, done - journaled)
        for of, step in zip(times.values(), steps, strict=True):
            of.append(step * 1000)
        cpu["journal_append"].append((cpu_journaled - cpu_at) * 1000)
        cpu["retain"].append((cpu_done - cpu_journaled) * 1000)
    raw.close()
    os.close(file)
    half = {name: statistics.median(of) for name, of in times.items()}
    return {
        "p50_ms": {name: round(value, 3) for name, value in half.items()},
        "cpu_p50_ms": {name: round(statistics.median(of), 3) for name, of in cpu.items()},
        "retain_vs_fdatasync": round(half["retain"] / half["fdatasync"], 2),
        "retain_vs_apsw_append": round(half["retain"] / half["apsw_append"], 2),
        "retain_vs_journal_append": round(half["retain"] / half["journal_append"], 2),
    }


def _append(raw: apsw.Connection, text: str) -> None:
    raw.execute("BEGIN IMMEDIATE")
    raw.execute("INSERT INTO log (said) VALUES (?)", (text,))
    raw.execute("COMMIT")


def _medians(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {name: round(statistics.median(one[name] for one in rounds), 1) for name in rounds[0]}


def _made_up() -> Iterator[Draft]:
    texts, number = Texts(7), 0
    while True:
        yield texts.draft(number)
        number += 1


def _of_a_set(directory: Path) -> Iterator[Draft]:
    """Its items in order, and again as turns of other conversations when there are no more."""
    items = [json.loads(line) for line in (directory / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    number = 0
    while True:
        for item in items:
            number += 1
            yield Draft(
                item["text"],
                MemorySource.USER_MESSAGE,
                speaker=item.get("speaker", ""),
                thread=f"thread{number // 40}",
                said_at_ms=1_700_000_000_000 + number * 60_000,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--retains", type=int, default=300)
    parser.add_argument("--set", type=Path, help="real texts instead of made-up ones")
    parser.add_argument("--dir", type=Path, help="which disk")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="palyra-bench-", dir=given.dir) as root:
        texts = _made_up() if given.set is None else _of_a_set(given.set)
        report = asyncio.run(run(Path(root), given.items, given.retains, texts))
    if given.json:
        print(json.dumps(report))
        return
    print_figures(report)


if __name__ == "__main__":
    main()
