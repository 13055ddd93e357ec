"""How the daemon holds up: many clients at once, one client alone, its start, and a command beside it.

    python bench/load.py [--clients 64] [--seconds 10] [--mix 95/5,50/50] [--surface http,grpc] [--items 10000] [--json]

Everything is measured on a real `palyra serve` over a directory with `--items` memories of `--principals`. Each load
run has a daemon of its own; its clients ask again as soon as they have an answer, so that with more clients than the
daemon has cores the times are mostly queueing. Searches of one client stand next to the same searches in process, in
turn, so that what the daemon adds is a difference within one run. `journal` is what the daemon says about its own
writes: from hand-over to durable, with synchronous=FULL.
"""

import argparse
import asyncio
import json
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.load_clients import HttpAsker, Plan, Speech, Tally, meet_at, run_clients
from bench.load_daemon import Daemon, Watch
from bench.search_latency import Texts

from palyra.app import build_app
from palyra.domain.access import Access
from palyra.domain.scope import Visibility
from palyra.services.memory.ingest import ingest_many
from palyra.services.memory.search import SearchRequest, search
from palyra.settings import load

_BATCH = 1_000
_ALONE = 300
_STARTS = 5
_COMMANDS = 10
GOALS = {
    "ready_seconds": ("<", 1.5),
    "idle_rss_mb": ("<", 300.0),
    "http_overhead_p50_ms": ("<", 3.0),
    "command_p50_ms": ("<", 250.0),
    "fairness": (">", 1 / 3),
    "errors": ("<", 1),
    "journal_p99_ms": ("<", 25.0),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=64, help="connections at once")
    parser.add_argument("--processes", type=int, default=2, help="that the clients are spread over")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each load run")
    parser.add_argument("--mix", default="95/5,50/50", help="searches/retains in percent")
    parser.add_argument("--surface", default="http,grpc")
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--principals", type=int, default=64)
    parser.add_argument("--dir", type=Path, help="which disk; the default is that of temporary files")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="palyra-load-", dir=given.dir) as scratch:
        report = Bench(Path(scratch), given).run()
    print(json.dumps(report, indent=2) if given.json else as_text(report))


class Bench:
    def __init__(self, scratch: Path, given: argparse.Namespace) -> None:
        self._home = scratch / "data"
        self._log = scratch / "daemon.log"
        self._given = given
        self._surfaces: list[str] = given.surface.split(",")
        self._principals = [f"user:{number}" for number in range(given.principals)]

    def run(self) -> dict[str, Any]:
        report: dict[str, Any] = {"preload_seconds": round(asyncio.run(self._preload()), 1)}
        report |= self._starts()
        daemon = self._start()
        try:
            tokens = [daemon.token(principal) for principal in self._principals]
            report |= asyncio.run(self._alone(daemon, tokens[0]))
            report |= self._commands()
        finally:
            daemon.stop()
        report["load"] = {
            f"{surface} {mix}": self._load(surface, mix, tokens)
            for surface in self._surfaces
            for mix in self._given.mix.split(",")
        }
        log = self._log.read_text()
        report["log"] = {"lines": log.count("\n"), "locked": log.count("locked"), "broke": log.count("request.broke")}
        return report

    def _start(self) -> Daemon:
        return Daemon(self._home, self._log, with_grpc="grpc" in self._surfaces)

    async def _preload(self) -> float:
        texts, started = Texts(7), time.perf_counter()
        each = self._given.items // len(self._principals)
        async with build_app(load({"daemon.data_dir": str(self._home)}, {}).settings) as app:
            for principal in self._principals:
                for done in range(0, each, _BATCH):
                    drafts = [texts.draft(number) for number in range(done, min(done + _BATCH, each))]
                    await ingest_many(app.memory, drafts, Visibility(principal))
            await app.memory.follower.backfill()
        return time.perf_counter() - started

    def _starts(self) -> dict[str, Any]:
        seconds: list[float] = []
        cpu_seconds: list[float] = []
        for _ in range(_STARTS):
            daemon = self._start()
            seconds.append(daemon.ready_seconds)
            cpu_seconds.append(daemon.ready_cpu_seconds)
            time.sleep(0.5)
            idle_rss_mb = daemon.rss_mb
            daemon.stop()
        return {
            "ready_seconds": round(statistics.median(seconds), 2),
            "ready_seconds_slowest": round(max(seconds), 2),
            "ready_cpu_seconds": round(statistics.median(cpu_seconds), 2),
            "idle_rss_mb": idle_rss_mb,
        }

    async def _alone(self, daemon: Daemon, token: str) -> dict[str, Any]:
        """One client, one search after the other, each of them also in this process, from the same files."""
        principal, speech = Visibility(self._principals[0]), Speech(3)
        over_http: list[float] = []
        in_process: list[float] = []
        differences: list[float] = []
        settings = load({"daemon.data_dir": str(self._home)}, {}).settings
        async with build_app(settings, access=Access.READ) as app:
            asker = await HttpAsker.connect(daemon.http, token)
            for number in range(-20, _ALONE):
                query = speech.question()
                started = time.perf_counter()
                trouble = await asker.search(query)
                between = time.perf_counter()
                await search(app.memory, SearchRequest(query), principal)
                ended = time.perf_counter()
                assert trouble is None, trouble
                if number >= 0:  # the first ones load
                    over_http.append((between - started) * 1000)
                    in_process.append((ended - between) * 1000)
                    differences.append(over_http[-1] - in_process[-1])
            await asker.close()
        return {
            "search_http_ms": percentiles(over_http),
            "search_in_process_ms": percentiles(in_process),
            "http_overhead_p50_ms": round(statistics.median(differences), 2),
        }

    def _commands(self) -> dict[str, Any]:
        speech, times_ms = Speech(4), []
        for _ in range(_COMMANDS):
            asked = [speech.question(), "--principal", self._principals[0], "--data-dir", str(self._home), "--json"]
            started = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-m", "palyra", "memory", "search", *asked], capture_output=True, check=True
            )
            times_ms.append((time.perf_counter() - started) * 1000)
            assert json.loads(done.stdout)["hits"], "a search that finds nothing proves nothing"
        return {"command_p50_ms": round(statistics.median(times_ms)), "command_slowest_ms": round(max(times_ms))}

    def _load(self, surface: str, mix: str, tokens: list[str]) -> dict[str, Any]:
        given, daemon = self._given, self._start()
        try:
            plans, spawn = self._plans(daemon, surface, mix, tokens), multiprocessing.get_context("spawn")
            barrier = spawn.Barrier(len(plans) + 1)
            with ProcessPoolExecutor(len(plans), spawn, meet_at, (barrier,)) as pool:
                running = [pool.submit(run_clients, plan) for plan in plans]
                barrier.wait(120)
                cpu_seconds = daemon.cpu_seconds
                watch = Watch(daemon, min(10.0, given.seconds / 4))
                tally = Tally()
                for part in running:
                    tally.add(part.result())
            rss_mb = watch.end()
            journal = daemon.call("GET", "/v1/journal/status")["writes"]
            return summary(tally, given.seconds, daemon.cpu_seconds - cpu_seconds, rss_mb, journal)
        finally:
            daemon.stop()

    def _plans(self, daemon: Daemon, surface: str, mix: str, tokens: list[str]) -> list[Plan]:
        given = self._given
        address = daemon.http if surface == "http" else daemon.grpc
        reads, writes = map(float, mix.split("/"))
        clients = [tokens[number % len(tokens)] for number in range(given.clients)]
        processes = min(given.processes, given.clients)
        return [
            Plan(
                surface, address, tuple(clients[part::processes]), time.monotonic_ns() + part,
                writes / (reads + writes), given.seconds,
            )
            for part in range(processes)
        ]  # fmt: skip


def summary(
    tally: Tally, seconds: float, cpu_seconds: float, rss_mb: list[float], journal: dict[str, Any]
) -> dict[str, Any]:
    answered = sum(tally.per_client)
    return {
        "per_second": round(answered / seconds, 1),
        "read_ms": percentiles(tally.read_ms),
        "write_ms": percentiles(tally.write_ms),
        "errors": sum(tally.errors.values()),
        "errors_by_code": dict(tally.errors),
        "fairness": round(min(tally.per_client) / statistics.median(tally.per_client), 2),
        "cpu_ms_per_request": round(cpu_seconds / answered * 1000, 2),
        "daemon_cpu_share": round(cpu_seconds / seconds, 2),
        "rss_mb": rss_mb,
        "journal_p50_ms": journal["p50_ms"],
        "journal_p99_ms": journal["p99_ms"],
        "journal_failures": journal["failures"],
        "writes_per_commit": round(journal["writes"] / max(1, journal["commits"]), 1),
    }


def percentiles(times_ms: list[float]) -> dict[str, float]:
    if not times_ms:
        return {}
    ordered = sorted(times_ms)
    return {name: round(ordered[int(len(ordered) * share)], 2) for name, share in _SHARES.items()}


_SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


def as_text(report: dict[str, Any]) -> str:
    lines = [_line(name, value) for name, value in report.items() if name != "load"]
    for run, figures in report["load"].items():
        lines += ["", run, *(_line(name, value) for name, value in figures.items())]
    return "\n".join(lines)


def _line(name: str, value: Any) -> str:
    shown = "  ".join(f"{key} {part}" for key, part in value.items()) if isinstance(value, dict) else str(value)
    if name not in GOALS:
        return f"  {name:<24}{shown}"
    sign, bound = GOALS[name]
    met = value < bound if sign == "<" else value >= bound
    return f"  {name:<24}{shown:<12}{'good' if met else 'MISSED'}: goal {sign} {bound:.3g}"


if __name__ == "__main__":
    main()
