"""Forks processes that condense a session, go back to a checkpoint or merge a branch, and die at a numbered point.

Lines on standard input: `DIRECTORY OPERATION POINT`; each is answered by `-9` if it died there, else by the number of
points it has. They are around each event that is projected, around the answers after a commit, and in between the
steps by which files follow.
"""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from chatting import ANA, Chat
from palyra.api import continuity as api
from palyra.api.call import owner
from palyra.domain.access import Access
from palyra.store import db, journal_store
from support import an_app

SETTINGS = {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash", "PALYRA_MEMORY_DEFAULT_PRINCIPAL": ANA}

OPERATIONS: dict[str, Callable[[Chat], Awaitable[Any]]] = {
    "compact": lambda chat: chat.do(api.apply, session="trip", request_id="r"),
    "restore": lambda chat: chat.do(api.restore, checkpoint="then", key="back", request_id="r"),
    "roll_back": lambda chat: chat.do(api.restore, checkpoint="then", in_place=True, request_id="r"),
    "merge": lambda chat: chat.do(api.merge, session="other", request_id="r"),
}


class Points:
    """Counts what is passed; the one that is meant is the last."""

    def __init__(self, last: int) -> None:
        self.passed = 0
        self._last = last

    def step(self, *_given: object) -> None:
        self.passed += 1
        if self.passed == self._last:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def stepping(*given: Any, **named: Any) -> Any:
            self.step()
            result = function(*given, **named)
            self.step()
            return result

        return stepping


async def operate(directory: Path, name: str, points: Points) -> None:
    async with an_app(directory, None, Access.OWN, **SETTINGS) as app:
        app.workspace.patience_seconds = 0.0
        app.workspace.on_step = points.step
        journal_store.project = points.around(journal_store.project)  # type: ignore[attr-defined]
        db._resolve = points.around(db._resolve)
        await OPERATIONS[name](Chat(app, owner(ANA)))


def _fork(directory: str, name: str, last: int) -> int:
    pid = os.fork()
    if pid == 0:
        points = Points(last)
        try:
            asyncio.run(operate(Path(directory), name, points))
            os.write(1, b"%d\n" % points.passed)
            os._exit(0)
        finally:
            os._exit(1)
    return pid


def main() -> None:
    gc.freeze()
    for line in sys.stdin:
        directory, name, last = line.split()
        _, status = os.waitpid(_fork(directory, name, int(last)), 0)
        code = os.waitstatus_to_exitcode(status)
        if code:
            os.write(1, b"%d\n" % code)


if __name__ == "__main__":
    main()
