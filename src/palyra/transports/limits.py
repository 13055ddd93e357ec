"""How much one caller may ask for: so many requests a second, on all surfaces together."""

import math
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from palyra.api.call import Caller
from palyra.core.errors import Exhausted, Unauthenticated

_REMEMBERED = 10_000


class RateLimit:
    """A bucket of tokens per caller. `per_second` 0: no limit."""

    def __init__(self, per_second: int, burst: int, now: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = max(burst, per_second)
        self._now = now
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def identify(self, authenticated: Awaitable[Caller]) -> Caller:
        """Whoever it turns out to be, still to be admitted; those who turn out to be nobody share one bucket."""
        try:
            return await authenticated
        except Unauthenticated:
            self.admit("unauthenticated callers")
            raise

    def admit(self, caller: str) -> None:
        if not self._per_second:
            return
        now = self._now()
        left, then = self._buckets.pop(caller, (float(self._burst), now))
        left = min(self._burst, left + (now - then) * self._per_second)
        if left < 1:
            self._buckets[caller] = (left, now)
            raise Exhausted(
                f"{caller} asks more than {self._per_second} times a second",
                hint="slow down and repeat, or raise daemon.requests_per_second",
                retry_after_ms=math.ceil((1 - left) / self._per_second * 1000),
            )
        self._buckets[caller] = (left - 1, now)
        if len(self._buckets) > _REMEMBERED:
            self._buckets.popitem(last=False)
