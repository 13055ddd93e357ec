"""Stops asking a server that fails, and finds out by itself when it is back.

Three failures in a row open it. From then on no search waits for that server; the follower tries it, first after a
second, then less and less often up to 15 s. One good trial closes it: nobody's search is the guinea pig.
"""

import time
from typing import Literal

from palyra.core.errors import PalyraError
from palyra.core.redact import redact_text

FAILURES = 3
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 15.0


class Breaker:
    def __init__(self) -> None:
        self.failures = 0
        """in a row"""
        self.last_error = ""
        self.opened = 0
        """how often, since the process began"""
        self._pause_seconds = FIRST_PAUSE_SECONDS
        self._try_at: float | None = None

    @property
    def state(self) -> Literal["closed", "open", "half_open"]:
        if self._try_at is None:
            return "closed"
        return "half_open" if time.monotonic() >= self._try_at else "open"

    @property
    def is_closed(self) -> bool:
        return self._try_at is None

    @property
    def seconds_to_trial(self) -> float:
        return 0.0 if self._try_at is None else max(0.0, self._try_at - time.monotonic())

    def succeed(self) -> None:
        self.failures, self._try_at, self._pause_seconds, self.last_error = 0, None, FIRST_PAUSE_SECONDS, ""

    def fail(self, error: PalyraError) -> None:
        self.failures += 1
        self.last_error = redact_text(error.message).text[:300]
        if self._try_at is None and self.failures < FAILURES:
            return
        if self._try_at is None:
            self.opened += 1
        elif self.state == "open":
            return  # asked before it opened: says nothing new
        self._try_at = time.monotonic() + self._pause_seconds
        self._pause_seconds = min(2 * self._pause_seconds, LONGEST_PAUSE_SECONDS)
