"""One operation on a data directory, for the strace test to kill in the middle of it.

This process forks a child per line `DIRECTORY NAME OUTPUT` on its standard input and answers `PID`; the child waits
for SIGUSR1, so that strace can be attached before it begins, and writes what was acknowledged to OUTPUT. When it has
ended, `EXIT_CODE` (negative for a signal) follows.
"""

import asyncio
import importlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from faults.ledger import append, origin_of, settings_for, to_line
from palyra.app import build_app
from palyra.core.clock import SystemClock
from palyra.domain.access import Access
from palyra.services import backup
from palyra.services.erase import erase
from palyra.store.datadir import DataDir
from palyra.store.journal_store import StoreOptions

WHO = 5
"""the writer of the events appended under strace"""
TARGET_SEQ = 3
"""the event erased under strace"""


class Inline(ThreadPoolExecutor):
    """Runs what `to_thread` is given in the main thread: strace counts calls per thread, so none hides the others."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - handed on to whoever waits
            future.set_exception(error)
        return future


def checkpoint_file(directory: Path) -> Path:
    """Where a journal keeps its checkpoints if it keeps them elsewhere."""
    return directory.with_name("signed.log")


async def _append(directory: Path) -> None:
    async with build_app(settings_for(directory), access=Access.OWN) as app:
        for n in range(1, 7, 2):
            for ack in await asyncio.gather(append(app, WHO, n), append(app, WHO, n + 1)):
                _say(to_line(ack))


async def _checkpoint(directory: Path) -> None:
    async with build_app(settings_for(directory), access=Access.OWN) as app:
        _, note = await app.journal.checkpoint()
        _say(note)


async def _erase(directory: Path) -> None:
    async with build_app(settings_for(directory), access=Access.OWN) as app:
        event = await app.journal.get(str(TARGET_SEQ))
        await erase(app.store, app.journal, [event.event_id], "asked for", origin_of(0))
        _say("erased")


async def _backup(directory: Path) -> None:
    async with build_app(settings_for(directory), access=Access.OWN) as app:
        await backup.create(app.store, directory / "backups" / "new", lambda _done, _total: None)
        _say("backed up")


async def _backup_while_erasing(directory: Path) -> None:
    """The erasure falls into the time between the copy and its coming into place."""
    loop = asyncio.get_running_loop()
    async with build_app(settings_for(directory), access=Access.OWN) as app:
        event = await app.journal.get(str(TARGET_SEQ))

        async def erase_it() -> None:
            await erase(app.store, app.journal, [event.event_id], "asked for", origin_of(0))
            _say("erased")

        def when_copied(done: int, total: int) -> None:
            if done == total:
                asyncio.run_coroutine_threadsafe(erase_it(), loop).result()

        await backup.create(app.store, directory / "backups" / "new", when_copied)


async def _restore(directory: Path) -> None:
    options = StoreOptions()
    await backup.restore(directory.with_name("outside"), DataDir(directory), SystemClock(), options, replace=True)
    _say("restored")


async def _restore_signed_elsewhere(directory: Path) -> None:
    options = StoreOptions(checkpoint_file=checkpoint_file(directory))
    await backup.restore(directory.with_name("outside"), DataDir(directory), SystemClock(), options, replace=True)
    _say("restored")


OPERATIONS: dict[str, Callable[[Path], Awaitable[None]]] = {
    "create": _append,
    "append": _append,
    "checkpoint": _checkpoint,
    "erase": _erase,
    "backup": _backup,
    "backup_while_erasing": _backup_while_erasing,
    "restore": _restore,
    "restore_signed_elsewhere": _restore_signed_elsewhere,
}


THREADED = frozenset({"backup_while_erasing"})
"""needs a thread that waits for the event loop"""


def _say(text: str) -> None:
    os.write(1, text.encode())


async def _operate(directory: Path, name: str) -> None:
    if name not in THREADED:
        asyncio.get_running_loop().set_default_executor(Inline())
    await OPERATIONS[name](directory)


def _run_child(directory: str, name: str, output: str) -> None:
    os.dup2(os.open(output, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), 1)
    signal.sigwait({signal.SIGUSR1})
    asyncio.run(_operate(Path(directory), name))


def main() -> None:
    importlib.import_module("cryptography.hazmat.primitives.asymmetric.ed25519")  # loaded late by the product itself
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            try:
                _run_child(*line.split())
                os._exit(0)
            finally:
                os._exit(1)
        os.write(1, b"%d\n" % pid)
        _, status = os.waitpid(pid, 0)
        os.write(1, b"%d\n" % os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
