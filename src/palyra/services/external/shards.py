"""The servers a mirror is spread over, by principal; each behind a breaker, asked outside the event loop.

A principal lives on one server. It is settled there when its first item is mirrored, by rendezvous hashing, and stays
until somebody moves it: another server in the settings takes new principals and pulls none away by itself.
"""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from palyra.core.errors import Deadline, Exhausted, FailedPrecondition, Integrity, PalyraError, Unavailable
from palyra.ports import MirrorIndex
from palyra.services.external.breaker import Breaker

T = TypeVar("T")

log = logging.getLogger("palyra.external")

_AILING = (Unavailable, Deadline, Exhausted, FailedPrecondition, Integrity)


class Threads:
    """For calls that wait for one server: a long write keeps no search waiting, and no server another one's."""

    def __init__(self) -> None:
        self.searching = ThreadPoolExecutor(4, "palyra-external-search")
        self.writing = ThreadPoolExecutor(2, "palyra-external-write")

    def close(self) -> None:
        for pool in (self.searching, self.writing):
            pool.shutdown(wait=False, cancel_futures=True)


class Shard:
    def __init__(self, name: str, table: str, index: MirrorIndex) -> None:
        self.name = name
        self.table = table
        self.index = index
        self.breaker = Breaker()
        self.is_loading = True
        """its search structures may be missing: after a bulk, or after a process that was killed in one"""
        self._threads = Threads()

    @property
    def place(self) -> str:
        return f"{self.name}/{self.table}"

    def close(self) -> None:
        self.index.close()
        self._threads.close()

    async def ask(self, work: Callable[[MirrorIndex], T], *, at_once: bool = False) -> T:
        """Raises what the server fails with, and counts it. `at_once`: somebody waits for an answer."""
        threads = self._threads.searching if at_once else self._threads.writing
        try:
            made = await asyncio.get_running_loop().run_in_executor(threads, work, self.index)
        except _AILING as error:
            self.fail(error)
            raise
        except PalyraError:
            raise
        except Exception as error:  # a defect of an adapter must not end the follower
            failure = Unavailable(f"{self.name} failed: {type(error).__name__}: {error}")
            self.fail(failure)
            raise failure from error
        if not self.breaker.is_closed:
            log.warning("the external engine %s answers again", self.name)
        self.breaker.succeed()
        return made

    def fail(self, error: PalyraError) -> None:
        opened = self.breaker.opened
        self.breaker.fail(error)
        if self.breaker.opened > opened:
            log.warning(
                "the external engine %s does not answer, searches go on without it: %s",
                self.name,
                self.breaker.last_error,
            )


class Shards:
    def __init__(self, make: Callable[[str, str, int], MirrorIndex], names: tuple[str, ...]) -> None:
        """`make`: an index by name of the server, table and dims."""
        self._make = make
        self.names = names
        self._retired: list[Shard] = []
        self.by_name: Mapping[str, Shard] = {}

    def use(self, table: str, dims: int) -> None:
        """From now on, this table on every server."""
        self._retired += self.by_name.values()
        self.by_name = {name: Shard(name, table, self._make(name, table, dims)) for name in self.names}

    @property
    def asleep(self) -> list[str]:
        """Servers that are not to be asked now."""
        return [shard.name for shard in self.by_name.values() if not shard.breaker.is_closed]

    def at(self, place: str) -> Shard | None:
        name, _, table = place.partition("/")
        shard = self.by_name.get(name)
        return shard if shard is not None and shard.table == table else None

    def first_home(self, principal: str) -> str:
        return max(self.names, key=lambda name: hashlib.sha256(f"{name}\0{principal}".encode()).digest())

    def close(self) -> None:
        for shard in (*self._retired, *self.by_name.values()):
            shard.close()
