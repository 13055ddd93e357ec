"""Stops asking a server that fails again and again, and finds out now and then whether it is back.

Five failures in a row open it for 30 s, each failed trial doubles that up to 5 min. A call that says nothing about the
server (cancelled, or refused for what it asked) changes nothing, and ends a trial without a verdict.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from palyra.core.clock import Clock
from palyra.core.errors import Deadline, Integrity, Unavailable
from palyra.ports import ModelHealth

FAILURES = 5
FIRST_PAUSE_MS, LONGEST_PAUSE_MS = 30_000, 300_000


class Call:
    """One call through the breaker."""

    def __init__(self, breaker: "Breaker", is_trial: bool) -> None:
        self._breaker = breaker
        self.is_trial = is_trial

    def answered(self) -> None:
        """The server has begun to answer: after a trial others may ask again, but one more failure ends that."""
        if self.is_trial:
            self.is_trial = False
            self._breaker.close(failures=FAILURES - 1)

    def succeeded(self) -> None:
        self.is_trial = False
        self._breaker.succeed()


class Breaker:
    def __init__(self, clock: Clock, server: str) -> None:
        self._clock, self._server = clock, server
        self._failures = 0
        self._pause_ms = FIRST_PAUSE_MS
        self._open_until_ms: int | None = None
        self._is_trial_out = False
        self._last_error = ""

    @property
    def health(self) -> ModelHealth:
        return ModelHealth(self._state(), self._failures, self._last_error, self._open_until_ms)

    @contextmanager
    def call(self) -> Iterator[Call]:
        """Unavailable when the server is not to be asked now."""
        call = self._admit()
        try:
            yield call
        except (Unavailable, Deadline, Integrity) as error:
            self._fail(error.message, call.is_trial)
            raise
        finally:
            if call.is_trial:
                self._is_trial_out = False

    def _admit(self) -> Call:
        state = self._state()
        if state == "open" or self._is_trial_out:
            wait_ms = max((self._open_until_ms or 0) - self._clock.now_ms(), 1_000)
            raise Unavailable(
                f"the model server {self._server} is not asked for now: it failed {self._failures} times in a row",
                hint=f"try again in {-(-wait_ms // 1000)} s; its last failure: {self._last_error}",
                retry_after_ms=wait_ms,
            )
        self._is_trial_out = state == "half_open"
        return Call(self, self._is_trial_out)

    def _state(self) -> Literal["closed", "open", "half_open"]:
        if self._open_until_ms is None:
            return "closed"
        # A wall clock that was set back must not keep it open for longer than any pause is.
        remaining_ms = self._open_until_ms - self._clock.now_ms()
        return "open" if 0 < remaining_ms <= LONGEST_PAUSE_MS else "half_open"

    def _fail(self, message: str, is_trial: bool) -> None:
        self._last_error = message[:200]
        self._failures += 1
        # Calls that began before it opened and fail now say nothing new.
        if is_trial or (self._open_until_ms is None and self._failures >= FAILURES):
            self._open_until_ms = self._clock.now_ms() + self._pause_ms
            self._pause_ms = min(2 * self._pause_ms, LONGEST_PAUSE_MS)

    def close(self, failures: int) -> None:
        self._open_until_ms, self._failures, self._is_trial_out = None, failures, False

    def succeed(self) -> None:
        self.close(failures=0)
        self._pause_ms, self._last_error = FIRST_PAUSE_MS, ""
