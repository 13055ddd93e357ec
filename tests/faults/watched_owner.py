"""Owns a directory, does one deed, lets another SQLite program look into the database, appends, and is killed.

The acknowledged events are lines on standard output.
"""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from faults.ledger import Ack, append, origin_of, settings_for, to_line
from palyra.app import App, build_app
from palyra.domain.access import Access
from palyra.services.erase import erase
from palyra.store.upkeep import wal

LOOK = """
import contextlib, sqlite3, sys
with contextlib.closing(sqlite3.connect(sys.argv[1])) as connection:
    connection.execute("SELECT count(*) FROM journal_events").fetchone()
"""


async def _erase(app: App, ack: Ack) -> None:
    await erase(app.store, app.journal, [ack.event_id], "asked for", origin_of(0))


async def _fold_wal(app: App, _ack: Ack) -> None:
    n = 10
    while not any(thread.name == "palyra-wal" for thread in threading.enumerate()):
        await append(app, 1, n)
        n += 1
    await asyncio.sleep(0.3)  # by now it has opened the database


async def _nothing(_app: App, _ack: Ack) -> None:
    return


DEEDS = {"nothing": _nothing, "erase": _erase, "fold": _fold_wal}


def _look(database: Path) -> None:
    subprocess.run([sys.executable, "-c", LOOK, str(database)], check=True)


async def _main(directory: Path, deed: str) -> None:
    wal.FOLD_PAGES = 20
    async with build_app(settings_for(directory), access=Access.OWN) as app:
        await DEEDS[deed](app, await append(app, 1, 1))
        sys.stdout.write(to_line(await append(app, 1, 2)))
        await asyncio.to_thread(_look, app.directory.database)
        sys.stdout.write(to_line(await append(app, 1, 3)))
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), sys.argv[2]))
