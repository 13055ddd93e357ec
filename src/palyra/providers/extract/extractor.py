"""`FileExtractor`: reads files off the event loop, two at a time, each in a process of its own."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from palyra.core.errors import Exhausted
from palyra.domain.chat.attachments import Extracted, Sniffed, refused
from palyra.providers.extract.outcome import Unreadable
from palyra.providers.extract.sandbox import Sandbox

_AT_ONCE = 2
_WAITING = 16
"""each holds its whole file in memory"""


class FileExtractor:
    """Threads of its own: a slow file must not keep the threads that everything else shares."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_AT_ONCE, "extract")
        self._sandbox = Sandbox()
        self._waiting = 0

    async def extract(self, file: Sniffed, data: bytes) -> Extracted:
        """InvalidArgument with the reason if it cannot be read; Exhausted if too many wait already."""
        if self._waiting >= _WAITING:
            raise Exhausted(f"{self._waiting} attachments are waiting to be read", hint="try again in a minute")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, self._read, file, data)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """May be called twice. Whoever still waits gets a cancellation or an error."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._sandbox.close()

    def _read(self, file: Sniffed, data: bytes) -> Extracted:
        try:
            return self._sandbox.read(file.kind, data)
        except Unreadable as error:
            raise refused(file.name, error.why, error.hint) from None
