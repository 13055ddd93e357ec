"""Opens the data directory by itself, appends a few events, closes, and does it again until its input ends.

Each acknowledged event is a line on standard output, written after the append returned.
"""

import asyncio
import os
import random
import select
import sys
from pathlib import Path

from faults.ledger import append, settings_for, to_line
from palyra.app import build_app
from palyra.domain.access import Access
from palyra.store.upkeep import wal


async def _visit(directory: Path, who: int, first: int, count: int) -> None:
    async with build_app(settings_for(directory, checkpoint_every_events=50), access=Access.OWN) as app:
        for n in range(first, first + count, 2):
            for ack in await asyncio.gather(append(app, who, n), append(app, who, n + 1)):
                os.write(1, to_line(ack).encode())


def main(directory: str, who: str, first: str) -> None:
    wal.FOLD_PAGES = 20
    n, chance = int(first), random.Random(f"{who} {first}")
    while True:
        count = 2 * chance.randint(1, 6)
        asyncio.run(_visit(Path(directory), int(who), n, count))
        n += count
        if select.select([sys.stdin], [], [], chance.uniform(0.0, 0.03))[0]:
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
