"""One operation on a data directory, for the strace test to kill in the middle: python -m faults.operations DIR NAME.

What is acknowledged is a line on standard output, written after the operation returned.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from faults.ledger import append, origin_of, settings_for, to_line
from palyra.app import Access, build_app
from palyra.core.clock import SystemClock
from palyra.services import backup
from palyra.services.erase import erase
from palyra.store.datadir import DataDir
from palyra.store.journal_store import StoreOptions

WHO = 5
"""the writer of the events appended under strace"""


class Inline(ThreadPoolExecutor):
    """Runs what `to_thread` is given in the main thread: strace counts calls per thread, and so all are counted."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - handed on to whoever waits
            future.set_exception(error)
        return future


async def _append(directory: Path) -> None:
    async with build_app(settings_for(directory), access=Access.OWN) as app:
        for n in range(1, 7, 2):
            for ack in await asyncio.gather(append(app, WHO, n), append(app, WHO, n + 1)):
                _say(to_line(ack))


async def _checkpoint(directory: Path) -> None:
    async with build_app(settings_for(directory), access=Access.OWN) as app:
        _, note = await app.journal.checkpoint()
        _say(f"{note}\n")


async def _erase(directory: Path) -> None:
    async with build_app(settings_for(directory), access=Access.OWN) as app:
        event = await app.journal.get("3")
        await erase(app.store, app.journal, [event.event_id], "asked for", origin_of(0))
        _say("erased\n")


async def _backup(directory: Path) -> None:
    async with build_app(settings_for(directory), access=Access.OWN) as app:
        await backup.create(app.store, directory / "backups" / "new", lambda _done, _total: None)
        _say("backed up\n")


async def _restore(directory: Path) -> None:
    source = directory.parent / "outside"
    await backup.restore(source, DataDir(directory), SystemClock(), StoreOptions(), replace=True)
    _say("restored\n")


OPERATIONS: dict[str, Callable[[Path], Awaitable[None]]] = {
    "create": _append,
    "append": _append,
    "checkpoint": _checkpoint,
    "erase": _erase,
    "backup": _backup,
    "restore": _restore,
}


def _say(text: str) -> None:
    os.write(1, text.encode())


async def _main(directory: Path, name: str) -> None:
    asyncio.get_running_loop().set_default_executor(Inline())
    await OPERATIONS[name](directory)


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), sys.argv[2]))
