"""The server that holds the mirror, behind a breaker, asked outside the event loop."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from palyra.core.breaker import Breaker, Patience
from palyra.core.clock import SystemClock
from palyra.core.errors import Deadline, Exhausted, FailedPrecondition, Integrity, PalyraError, Unavailable
from palyra.core.redact import redact_text
from palyra.ports import MirrorIndex

T = TypeVar("T")

log = logging.getLogger("palyra.external")

PATIENCE = Patience(3, 1_000, 15_000)
"""then no search waits for it: the follower tries it, and nobody's search is the guinea pig"""

_AILING = (Unavailable, Deadline, Exhausted, FailedPrecondition, Integrity)


class ServerThreads:
    """For calls that wait for the server: a long write keeps no search waiting."""

    def __init__(self) -> None:
        self.searching = ThreadPoolExecutor(4, "palyra-external-search")
        self.writing = ThreadPoolExecutor(2, "palyra-external-write")

    def close(self) -> None:
        for pool in (self.searching, self.writing):
            pool.shutdown(wait=False, cancel_futures=True)


class MirrorServer:
    def __init__(self, name: str, make: Callable[[str, int], MirrorIndex], table: str, dims: int) -> None:
        """`make`: an index by table and dims."""
        self.name = name
        self.breaker = Breaker(SystemClock(), name, PATIENCE)
        self._make = make
        self._threads = ServerThreads()
        self._retired: list[MirrorIndex] = []
        self.is_loading = True
        """its search structures may be missing: after a bulk, or after a process that was killed in one"""
        self.table = table
        self.index = make(table, dims)

    @property
    def place(self) -> str:
        return f"{self.name}/{self.table}"

    def use(self, table: str, dims: int) -> None:
        """From now on, this table."""
        self._retired.append(self.index)
        self.table, self.index, self.is_loading = table, self._make(table, dims), True

    def close(self) -> None:
        for index in (*self._retired, self.index):
            index.close()
        self._threads.close()

    async def ask(self, work: Callable[[MirrorIndex], T], *, at_once: bool = False) -> T:
        """Raises what the server fails with, and counts it. `at_once`: somebody waits for an answer."""
        is_trial = self.breaker.state == "half_open"
        threads = self._threads.searching if at_once else self._threads.writing
        try:
            made = await asyncio.get_running_loop().run_in_executor(threads, work, self.index)
        except _AILING as error:
            self.fail(error, is_trial=is_trial)
            raise
        except PalyraError:
            raise
        except Exception as error:  # a defect of an adapter must not end the follower
            failure = Unavailable(f"{self.name} failed: {type(error).__name__}: {error}")
            self.fail(failure, is_trial=is_trial)
            raise failure from error
        if not self.breaker.is_closed:
            log.warning("the external engine %s answers again", self.name)
        self.breaker.succeed()
        return made

    def fail(self, error: PalyraError, *, is_trial: bool = False) -> None:
        if self.breaker.fail(redact_text(error.message).text[:300], is_trial=is_trial):
            log.warning(
                "the external engine %s does not answer, searches go on without it: %s",
                self.name,
                self.breaker.last_error,
            )
