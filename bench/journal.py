"""How fast is a durable append, next to what the disk and raw apsw can do in the same run?

    python bench/journal.py [--json] [--events N] [--big N] [--dir DIR]

Ratios, not seconds: these numbers are taken side by side on the same disk, in interleaved rounds, because a
shared machine changes from minute to minute. `fdatasync` writes one 4 KiB page to a new, short file and waits for the
disk, `fdatasync_of_a_log` to one that grows, as a plain log does, and `fdatasync_of_a_commit` as many bytes as a commit
of one event; `raw` inserts the very same rows, already hashed, with
plain apsw into the same schema. The interpreter is set as the daemon sets it: cycles are looked for less often.
`taskset -c 0` before it shows what the event loop and the writer gain by not handing the interpreter from core to core.
"""

import argparse
import asyncio
import gc
import json
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import apsw

from palyra.core.clock import SystemClock
from palyra.daemon import COLLECT_AFTER
from palyra.domain.journal import EventDraft, Origin
from palyra.services.verify import verify_now
from palyra.store.connection import open_writer
from palyra.store.journal_store import JournalStore

ORIGIN = Origin("user:bench")
INSERT_EVENT = "INSERT INTO journal_events VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
INSERT_PAYLOAD = "INSERT INTO journal_payloads VALUES (?,?,?)"
GROUP = 64
PAGE = 4096
COMMIT_BYTES = 3 * (PAGE + 24)
"""what a commit of one event appends to the WAL: a frame for each of the three trees it touches"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--events", type=int, default=20_000, help="appends per round with 64 writers")
    parser.add_argument(
        "--big", type=int, default=1_000_000, help="journal size for growth, open and verify; 0 leaves it out"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dir", type=Path, default=Path.cwd(), help="which disk")
    options = parser.parse_args()
    gc.set_threshold(COLLECT_AFTER, 10, 10)
    root = Path(tempfile.mkdtemp(prefix="palyra-bench-", dir=options.dir))
    try:
        report = measure_appends(root, options.events, options.rounds)
        if options.big:
            report |= measure_growth(root, options.big)
    finally:
        shutil.rmtree(root)
    print(json.dumps(report, indent=2) if options.json else as_text(report))


def measure_appends(root: Path, events: int, rounds: int) -> dict[str, Any]:
    """One round of everything after the other, `rounds` times; medians over the rounds."""
    store = JournalStore.open_owner(root / "appends", SystemClock())
    run(append_all(store, 64, 4_000))  # the WAL reaches its working length
    samples: dict[str, list[dict[str, float]]] = {}
    ratios: list[dict[str, float]] = []
    try:
        for number in range(rounds):
            floor, log, same_bytes, one = alone(store, root)
            eight = run(append_all(store, 8, 4_000))
            many = run(append_all(store, 64, events))
            single, grouped, bulk = raw_inserts(store, root / f"raw-{number}", events)
            measured = {
                "fdatasync": floor,
                "fdatasync_of_a_log": log,
                "fdatasync_of_a_commit": same_bytes,
                "writers_1": one,
                "writers_8": eight,
                "writers_64": many,
            }
            measured |= {"raw_one_per_commit": single, "raw_groups_of_64": grouped, "raw_groups_executemany": bulk}
            for name, sample in measured.items():
                samples.setdefault(name, []).append(sample)
            ratios.append(
                {
                    "writers_64_vs_raw_groups": many["per_second"] / grouped["per_second"],
                    "writers_64_vs_raw_groups_executemany": many["per_second"] / bulk["per_second"],
                    "writers_64_vs_fdatasync_rate": many["per_second"] / floor["per_second"],
                    "writers_1_p50_vs_fdatasync": one["p50_ms"] / floor["p50_ms"],
                    "writers_1_p50_vs_fdatasync_of_a_log": one["p50_ms"] / log["p50_ms"],
                    "writers_1_p50_vs_fdatasync_of_a_commit": one["p50_ms"] / same_bytes["p50_ms"],
                    "writers_1_p50_vs_raw_one_per_commit": one["p50_ms"] / single["p50_ms"],
                }
            )
    finally:
        store.close()
    result: dict[str, Any] = {name: median(values) for name, values in samples.items()}
    result["ratios"] = median(ratios)
    result["ratios_by_round"] = [{name: round(value, 3) for name, value in ratio.items()} for ratio in ratios]
    return result


def measure_growth(root: Path, big: int) -> dict[str, Any]:
    """Does an append cost the same at ten thousand events and at a million? How long to open, how fast to verify?"""
    store = JournalStore.open_owner(root / "growth", SystemClock())
    run(append_all(store, 64, 10_000))
    small = run(append_all(store, 64, 10_000))
    fill(store, big - 20_000)
    large = run(append_all(store, 64, 10_000))
    store.close()
    started = time.perf_counter()
    store = JournalStore.open_owner(root / "growth", SystemClock())
    opened = time.perf_counter() - started
    started = time.perf_counter()
    report = verify_now(store, (), True, lambda _what, _done, _total: None)
    verified = time.perf_counter() - started
    store.close()
    assert report.ok, report.findings
    return {
        "growth": {
            "events": report.size,
            "per_second_at_10k": round(small["per_second"]),
            "per_second_at_end": round(large["per_second"]),
            "cost_ratio": round(small["per_second"] / large["per_second"], 3),
            "open_and_check_tail_ms": round(opened * 1000, 1),
            "verify_seconds": round(verified, 2),
            "verify_events_per_second": round(report.size / verified),
        }
    }


def run(work: Coroutine[Any, Any, dict[str, float]]) -> dict[str, float]:
    """Under uvloop where it is installed, as the daemon runs."""
    try:
        import uvloop  # noqa: PLC0415 - optional here
    except ImportError:
        return asyncio.run(work)
    return uvloop.run(work)


async def append_all(
    store: JournalStore, writers: int, events: int, latencies: list[float] | None = None
) -> dict[str, float]:
    latencies = [] if latencies is None else latencies

    async def writer(number: int) -> None:
        for i in range(events // writers):
            started = time.perf_counter()
            body: dict[str, Any] = {"text": f"writer {number} saw the build finish, all {i} checks green", "n": i}
            await store.append(store.prepare(EventDraft("bench.append", body, ORIGIN)))
            latencies.append(time.perf_counter() - started)

    started = time.perf_counter()
    await asyncio.gather(*(writer(number) for number in range(writers)))
    return summary(latencies, time.perf_counter() - started)


def alone(store: JournalStore, root: Path) -> tuple[dict[str, float], ...]:
    """The three floors and one writer in short turns, so that all four see the same disk."""
    floor: list[float] = []
    log: list[float] = []
    same_bytes: list[float] = []
    one: list[float] = []
    for _ in range(8):
        floor += fdatasync_floor(root / "floor", PAGE, os.O_TRUNC)
        log += fdatasync_floor(root / "log", PAGE, os.O_APPEND)
        same_bytes += fdatasync_floor(root / "floor", COMMIT_BYTES, os.O_TRUNC)
        run(append_all(store, 1, 80, one))
    return tuple(summary(times, sum(times)) for times in (floor, log, same_bytes, one))


def fdatasync_floor(path: Path, size: int, begin: int, rounds: int = 80) -> list[float]:
    latencies: list[float] = []
    file = os.open(path, os.O_CREAT | os.O_WRONLY | begin)
    data = os.urandom(size)
    for _ in range(rounds):
        started = time.perf_counter()
        os.write(file, data)
        os.fdatasync(file)
        latencies.append(time.perf_counter() - started)
    os.close(file)
    return latencies


def raw_inserts(
    store: JournalStore, path: Path, events: int
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """The rows the journal just wrote, inserted again by plain apsw: one per commit, then in groups of 64.

    The groups once with a statement per row, and once with two `executemany`, which is as fast as apsw can go.
    """
    rows = store.db.read_now(
        lambda tx: tx.execute("SELECT * FROM journal_events ORDER BY seq DESC LIMIT ?", (events,)).fetchall()
    )[::-1]
    payloads = store.db.read_now(
        lambda tx: tx.execute("SELECT * FROM journal_payloads ORDER BY seq DESC LIMIT ?", (events,)).fetchall()
    )[::-1]
    JournalStore.open_owner(path, SystemClock()).close()
    connection = open_writer(path / "palyra.db")
    connection.execute("PRAGMA wal_autocheckpoint = 1000")  # as SQLite does by itself: the journal folds its WAL, too
    alone, half = 300, events // 2
    single = timed_commits(connection, rows[:alone], payloads[:alone], 1, bulk=False)
    # The WAL is long enough by now to be overwritten rather than extended, as it is for the journal itself.
    grouped = timed_commits(connection, rows[alone:half], payloads[alone:half], GROUP, bulk=False)
    bulk = timed_commits(connection, rows[half:], payloads[half:], GROUP, bulk=True)
    connection.close()
    shutil.rmtree(path)
    return single, grouped, bulk


def timed_commits(
    connection: apsw.Connection, rows: list[tuple[Any, ...]], payloads: list[tuple[Any, ...]], group: int, *, bulk: bool
) -> dict[str, float]:
    latencies: list[float] = []
    for i in range(0, len(rows), group):
        started = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        if bulk:
            connection.executemany(INSERT_EVENT, rows[i : i + group])
            connection.executemany(INSERT_PAYLOAD, payloads[i : i + group])
        else:
            for row, payload in zip(rows[i : i + group], payloads[i : i + group], strict=True):
                connection.execute(INSERT_EVENT, row)
                connection.execute(INSERT_PAYLOAD, payload)
        connection.execute("COMMIT")
        latencies.append(time.perf_counter() - started)
    return summary(latencies, sum(latencies), len(rows))


def fill(store: JournalStore, events: int) -> None:
    """Bulk, to get to a size: thousands of events per decision, the same chain and the same rows."""
    body: dict[str, Any] = {"text": "one of very many events, so that there is something to walk over", "n": 1}
    prepared = store.prepare(EventDraft("bench.fill", body, ORIGIN))
    step = 5_000
    for _ in range(0, events, step):
        store.db.write_now(lambda tx: store.chain.append(tx, [prepared] * step))


def summary(latencies: list[float], elapsed: float, count: int | None = None) -> dict[str, float]:
    ordered = sorted(latencies)
    return {
        "per_second": (count or len(ordered)) / elapsed,
        "p50_ms": ordered[len(ordered) // 2] * 1000,
        "p99_ms": ordered[int(len(ordered) * 0.99)] * 1000,
    }


def median(values: list[dict[str, float]]) -> dict[str, float]:
    return {name: round(statistics.median(value[name] for value in values), 3) for name in values[0]}


def as_text(report: dict[str, Any]) -> str:
    lines = [f"{'':<24}{'per second':>12}{'p50 ms':>10}{'p99 ms':>10}"]
    lines += [
        f"{name:<24}{values['per_second']:>12,.0f}{values['p50_ms']:>10.2f}{values['p99_ms']:>10.2f}"
        for name, values in report.items()
        if isinstance(values, dict) and "p50_ms" in values
    ]
    for section in ("ratios", "growth"):
        lines += [f"{name:<44}{value:>12,}" for name, value in report.get(section, {}).items()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
