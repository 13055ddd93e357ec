"""Many daemons over several PostgreSQL servers, one of them each: real servers on loopback, and what follows.

    python bench/scale.py [--daemons 3] [--servers 3] [--principals 30] [--items 300] [--json]

Each daemon is an app with a data directory of its own, all in this process; the servers are real. Measured: what a
memory takes on each side, how the mirror is filled by all daemons at once, searches across all principals, and moving
a principal from one daemon to another. What is multiplied from these figures stands
under `extrapolated`, with what was assumed.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from time import perf_counter

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from bench.external import Topics, percentiles

from palyra.app import App, build_app
from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.services.external.runtime import ExternalRuntime
from palyra.services.memory import transfer
from palyra.services.memory.ingest import ingest_many
from palyra.services.memory.search import SearchRequest, search
from palyra.settings import Settings, load
from palyra.wire.from_domain.memory import to_wire
from postgres import Postgres, a_postgres

_SEARCHES = 300
_MILLION = 1_000_000


async def run(servers: list[Postgres], daemons: int, principals: int, items: int, home: Path) -> dict[str, object]:
    def given(n: int) -> Settings:
        dsn = servers[n % len(servers)].dsn
        environ = {"PALYRA_MEMORY_EXTERNAL_PROVIDER": "pgvector", "PALYRA_MEMORY_EXTERNAL_DSN": dsn}
        return load({"daemon.data_dir": str(home / f"d{n}")}, environ).settings

    async with AsyncExitStack() as stack:
        apps = [await stack.enter_async_context(build_app(given(n))) for n in range(daemons)]
        people = [Visibility(f"user:{number}") for number in range(principals)]
        home_of = {who: apps[number % daemons] for number, who in enumerate(people)}
        texts, total = Topics(7), principals * items
        started = perf_counter()
        for who in people:
            await ingest_many(home_of[who].memory, [texts.draft(n) for n in range(items)], who)
        await asyncio.gather(*(app.memory.follower.backfill() for app in apps))
        stored = perf_counter() - started
        started = perf_counter()
        await asyncio.gather(*(_external(app).rebuild() for app in apps))
        mirrored = perf_counter() - started
        report: dict[str, object] = {
            "daemons": daemons, "servers": len(servers), "principals": principals, "items": total,
            "load_average": os.getloadavg()[0], "stored_per_second": round(total / stored),
            "mirrored_per_second": round(total / mirrored),
            "rows_per_server": [_rows(server) for server in servers],
        }  # fmt: skip
        report["search_ms"] = await _searches(home_of, people, texts)
        report["degraded"] = sum([sum((await _external(app).status()).fallbacks.values()) for app in apps])
        report["drift"] = sum([(await _external(app).drift()).count for app in apps])
        report["move_to_another_daemon"] = await _move_daemon(apps[0], apps[-1], people[0], home)
        sizes = _sizes(apps, servers, total, home, daemons)
        report["bytes_per_memory"] = sizes
        report["extrapolated"] = _extrapolated(sizes)
        return report


async def _searches(home_of: dict[Visibility, App], people: list[Visibility], texts: Topics) -> dict[str, float]:
    times: list[float] = []
    for who in people:  # loads the index of each
        await search(home_of[who].memory, SearchRequest("anything"), who)
    for number in range(_SEARCHES):
        who, question = people[number % len(people)], texts.question()
        started = perf_counter()
        await search(home_of[who].memory, SearchRequest(question), who)
        times.append((perf_counter() - started) * 1_000)
    return percentiles(times)


async def _move_daemon(old: App, new: App, who: Visibility, home: Path) -> dict[str, float]:
    """Its memories as a file, taken in by the other daemon, embedded and mirrored there."""
    file = home / "moving.jsonl"
    started, lines = perf_counter(), 0
    with file.open("wb") as out:
        async for item in transfer.export(old.memory, who):
            out.write(msgspec.json.encode(to_wire(item)) + b"\n")
            lines += 1
    await transfer.import_(new.memory, file, who, Actor.USER, vouch=True, progress=lambda _done, _total: None)
    await new.memory.follower.backfill()
    await _external(new).catch_up()
    return {"items": lines, "seconds": round(perf_counter() - started, 2), "bytes": file.stat().st_size}


def _sizes(apps: list[App], servers: list[Postgres], total: int, home: Path, daemons: int) -> dict[str, int]:
    files = sum(file.stat().st_size for n in range(daemons) for file in (home / f"d{n}").rglob("*") if file.is_file())
    index = sum(app.memory.engine.memory_bytes() for app in apps)
    tables = sum(
        int(server.sql("SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class WHERE relkind = 'r'"
                       " AND relname LIKE 'palyra%'"))
        for server in servers
    )  # fmt: skip
    return {
        "data_directory": round(files / total),
        "index_in_memory": round(index / total),
        "postgres": round(tables / total),
    }


def _extrapolated(sizes: dict[str, int]) -> dict[str, object]:
    return {
        "assumed": "every figure grows with the number of memories; one copy of each server, no backups",
        "disk_gb_per_million": round(sizes["data_directory"] * _MILLION / 1e9, 2),
        "postgres_gb_per_million": round(sizes["postgres"] * _MILLION / 1e9, 2),
        "memory_gb_per_million_searched": round(sizes["index_in_memory"] * _MILLION / 1e9, 2),
    }


def _external(app: App) -> ExternalRuntime:
    _ = app.memory
    assert app.external is not None
    return app.external


def _rows(server: Postgres) -> int:
    tables = server.sql("SELECT relname FROM pg_class WHERE relkind = 'p' AND relname LIKE 'palyra%'").split()
    return sum(int(server.sql(f"SELECT count(*) FROM {table}")) for table in tables)  # noqa: S608 - our own names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemons", type=int, default=3)
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--principals", type=int, default=30)
    parser.add_argument("--items", type=int, default=300, help="of each principal")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with ExitStack() as stack, tempfile.TemporaryDirectory() as home:
        servers = [stack.enter_context(a_postgres(shared_buffers="64MB")) for _ in range(given.servers)]
        report = asyncio.run(run(servers, given.daemons, given.principals, given.items, Path(home)))
    if given.json:
        print(json.dumps(report))
        return
    for name, value in report.items():
        print(f"{name:<20} {value}")


if __name__ == "__main__":
    main()
