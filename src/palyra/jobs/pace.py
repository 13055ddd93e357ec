"""Time that cannot be set: what intervals are counted by."""

import asyncio
import time
from typing import Protocol


class Pace(Protocol):
    def monotonic(self) -> float: ...

    async def wait(self, woken: asyncio.Event, seconds: float | None) -> None:
        """Until somebody sets `woken`, or so long. None: for ever."""


class RealPace:
    def monotonic(self) -> float:
        return time.monotonic()

    async def wait(self, woken: asyncio.Event, seconds: float | None) -> None:
        try:
            async with asyncio.timeout(seconds):
                await woken.wait()
        except TimeoutError:
            return
