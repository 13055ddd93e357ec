"""kill -9 at random, of the process and of its engine: after a comparison nothing differs, and nothing wrong was seen.

`make test` runs a few cycles over some hundred items; the full run is --external-cycles 50 --external-items 100000.
"""

import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from faults.children import running
from mirroring import a_mirrored_app, rows
from postgres import a_postgres
from support import run, verify_directory


@pytest.mark.timeout(7_200)
def test_kills_of_process_and_engine_leave_no_drift_and_show_nothing_wrong(
    tmp_path: Path, request: pytest.FixtureRequest, tally: Callable[[str], None]
) -> None:
    cycles: int = request.config.getoption("--external-cycles")
    items: int = request.config.getoption("--external-items")
    chance, seen = random.Random(9), Counter[str]()
    with a_postgres() as server:
        with running("mirrorer", tmp_path, server.dsn, 0, items) as filling:
            assert filling.stdout is not None
            assert filling.stdout.readline() == "open\n"
        assert rows(server) > items * 0.9
        for number in range(1, cycles + 1):
            with running("mirrorer", tmp_path, server.dsn, number, 0) as child:
                assert child.stdout is not None
                assert child.stdout.readline() == "open\n"
                time.sleep(chance.uniform(0.2, 1.5))
                if number % 2:
                    server.kill()
                    time.sleep(chance.uniform(0.0, 1.0))
                    server.start()
                    time.sleep(chance.uniform(0.5, 2.0))
                child.kill()
                told = child.stdout.read()
            seen.update(line.strip() for line in told.splitlines())
        assert not [line for line in seen if line.startswith("wrong")], seen

        async def settle() -> tuple[int, int, int]:
            async with a_mirrored_app(tmp_path, server) as (app, external):
                await app.memory.follower.backfill()
                before, after = await external.reconcile()
                return before.count, after.count, after.items

        before, after, mirrored = run(settle())
        assert after == 0
        assert rows(server) == mirrored
    if cycles <= 10:
        assert verify_directory(tmp_path).ok
    searches = sum(count for line, count in seen.items() if line.startswith("searched"))
    tally(
        f"external engine: {cycles} kills of the process, {(cycles + 1) // 2} of the engine, {mirrored} items;"
        f" {searches} searches ({seen['searched external']} without it), 0 wrong; drift {before}, then {after}"
    )
