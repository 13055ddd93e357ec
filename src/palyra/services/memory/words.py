"""The follower of words: what was just stored gets its place in FTS5 and its fingerprint, many items at a time.

Nobody waits for it. A search in memory reads the text of what has no fingerprint yet, and whoever asks FTS5 looks
through what it does not know; so it may be late, and a kill costs nothing but the next pass.
"""

import asyncio
import logging
from contextlib import suppress

from palyra.core.errors import PalyraError
from palyra.store.journal_store import JournalStore
from palyra.store.memory.search import index_pending

_GATHER_SECONDS = 0.1
"""a commit after every single write would make the next write wait for it"""
_MANY = 32
"""items are not waited for any longer"""

log = logging.getLogger("palyra.memory")


class WordFollower:
    def __init__(self, store: JournalStore) -> None:
        self._store = store
        self._waiting = 0
        self._woken = asyncio.Event()
        self._many = asyncio.Event()

    def wake(self, items: int) -> None:
        """So many items were written."""
        self._waiting += items
        self._woken.set()
        if self._waiting >= _MANY:
            self._many.set()

    async def run(self) -> None:
        """For as long as the process lives; first what an earlier one has left."""
        while True:
            await self.catch_up()
            await self._woken.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(_GATHER_SECONDS):
                    await self._many.wait()

    async def finish(self) -> None:
        """Before a short-lived process ends."""
        if self._waiting:
            await self.catch_up()

    async def catch_up(self) -> None:
        """Never raises for the journal: searches go on without, and the next write tries again."""
        self._waiting = 0
        self._woken.clear()
        self._many.clear()
        try:
            while await self._store.db.submit(index_pending):
                continue
        except PalyraError as error:
            log.warning("new words wait to be indexed: %s", error.message)
