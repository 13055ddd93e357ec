"""How soon prompts that are due at the same moment are on the tape, and how soon they are answered (offline model).

    python bench/cron.py [--jobs 1000] [--json]

Goal: 1,000 jobs that are due at once have all begun within 5 seconds, with a real journal on a real disk.
`ratio` is the goal divided by what it took: above 1 is good. On a machine that is busy with other things, look at the
CPU seconds: they are what an idle core needs.
"""

import argparse
import asyncio
import json
import shutil
import tempfile
import time
from pathlib import Path

from palyra.app import App, build_app
from palyra.core.clock import ManualClock
from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.services.cron import firing, jobs
from palyra.services.cron.jobs import CronWish, Maker
from palyra.settings import load

GOAL_SECONDS = 5.0
ANA = Visibility("user:ana", None)
MAKER = Maker(Actor.USER, "the owner", ("read", "write"))


async def measure(root: Path, count: int) -> dict[str, float | int]:
    clock = ManualClock(int(time.time() * 1000))
    async with build_app(load({"daemon.data_dir": str(root)}, {}).settings, clock) as app:
        wishes = [CronWish(name=f"job-{n}", prompt="What is on my list for today?", every="1h") for n in range(count)]
        await asyncio.gather(*(jobs.create(app.cron, wish, ANA, MAKER) for wish in wishes))
        clock.advance(3_600_000)
        began, cpu_began = time.perf_counter(), time.process_time()
        begun = asyncio.create_task(_all_begun(app, count))
        longest_tick, done = 0.0, 0
        while done < count and time.perf_counter() - began < 300:
            tick = time.perf_counter()
            done += (await firing.fire_due(app.cron)).ended
            longest_tick = max(longest_tick, time.perf_counter() - tick)
            await asyncio.sleep(0.5)
        begun_at, cpu_at = await begun
        started_seconds = begun_at - began
        done_seconds = time.perf_counter() - began
        idle = time.perf_counter()
        for _ in range(100):
            await firing.fire_due(app.cron)
        idle_ms = (time.perf_counter() - idle) * 10
    return {
        "jobs": count,
        "started_seconds": round(started_seconds, 2),
        "started_cpu_seconds": round(cpu_at - cpu_began, 2),
        "goal_seconds": GOAL_SECONDS,
        "ratio": round(GOAL_SECONDS / started_seconds, 2),
        "answered": done,
        "answered_seconds": round(done_seconds, 2),
        "longest_tick_seconds": round(longest_tick, 2),
        "idle_tick_ms": round(idle_ms, 2),
    }


async def _all_begun(app: App, count: int) -> tuple[float, float]:
    """When the last of them was on the tape of its session: by the clock, and by what it cost this process."""
    while True:
        begun = await app.store.db.read(
            lambda tx: tx.execute("SELECT 1 FROM cron_runs WHERE begun_at_ms IS NOT NULL").fetchall()
        )
        if len(begun) >= count:
            return time.perf_counter(), time.process_time()
        await asyncio.sleep(0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="palyra-bench-"))
    try:
        result = asyncio.run(measure(root, given.jobs))
    finally:
        shutil.rmtree(root)
    if given.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:<22} {value}")


if __name__ == "__main__":
    main()
