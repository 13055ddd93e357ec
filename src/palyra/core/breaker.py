"""Stops asking a server that fails again and again, and finds out now and then whether it is back.

So many failures in a row open it for a while, each failed trial doubles that up to a bound. A call that says nothing
about the server (cancelled, or refused for what it asked) changes nothing, and ends a trial without a verdict.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from palyra.core.clock import Clock
from palyra.core.errors import Deadline, Integrity, Unavailable


@dataclass(frozen=True, slots=True)
class Patience:
    failures: int
    """in a row, after which nothing is asked for a while"""
    first_pause_ms: int
    longest_pause_ms: int


class BreakerCall:
    """One call through the breaker."""

    def __init__(self, breaker: "Breaker", is_trial: bool) -> None:
        self._breaker = breaker
        self.is_trial = is_trial

    def answered(self) -> None:
        """The server has begun to answer: after a trial others may ask again, but one more failure ends that."""
        if self.is_trial:
            self.is_trial = False
            self._breaker.close(failures=self._breaker.patience.failures - 1)

    def succeeded(self) -> None:
        self.is_trial = False
        self._breaker.succeed()


class Breaker:
    def __init__(self, clock: Clock, server: str, patience: Patience) -> None:
        self._clock, self._server, self.patience = clock, server, patience
        self.failures = 0
        """in a row"""
        self.last_error = ""
        self.open_until_ms: int | None = None
        self._pause_ms = patience.first_pause_ms
        self._is_trial_out = False

    @property
    def state(self) -> Literal["closed", "open", "half_open"]:
        """closed: it is asked; open: it is not; half_open: one call may try."""
        if self.open_until_ms is None:
            return "closed"
        # A wall clock that was set back must not keep it open for longer than any pause is.
        return "open" if 0 < self.ms_to_trial <= self.patience.longest_pause_ms else "half_open"

    @property
    def is_closed(self) -> bool:
        return self.open_until_ms is None

    @property
    def ms_to_trial(self) -> int:
        return 0 if self.open_until_ms is None else max(0, self.open_until_ms - self._clock.now_ms())

    @contextmanager
    def call(self) -> Iterator[BreakerCall]:
        """Unavailable when the server is not to be asked now."""
        call = self._admit()
        try:
            yield call
        except (Unavailable, Deadline, Integrity) as error:
            self.fail(error.message[:200], is_trial=call.is_trial)
            raise
        finally:
            if call.is_trial:
                self._is_trial_out = False

    def _admit(self) -> BreakerCall:
        state = self.state
        if state == "open" or self._is_trial_out:
            wait_ms = max(self.ms_to_trial, 1_000)
            raise Unavailable(
                f"{self._server} is not asked for now: it failed {self.failures} times in a row",
                hint=f"try again in {-(-wait_ms // 1000)} s; its last failure: {self.last_error}",
                retry_after_ms=wait_ms,
            )
        self._is_trial_out = state == "half_open"
        return BreakerCall(self, self._is_trial_out)

    def fail(self, message: str, *, is_trial: bool) -> bool:
        """Whether this opened it. Calls that began before it opened and fail now say nothing new."""
        self.last_error = message
        self.failures += 1
        opens = self.is_closed and self.failures >= self.patience.failures
        if opens or is_trial:
            self.open_until_ms = self._clock.now_ms() + self._pause_ms
            self._pause_ms = min(2 * self._pause_ms, self.patience.longest_pause_ms)
        return opens

    def close(self, failures: int) -> None:
        self.open_until_ms, self.failures, self._is_trial_out = None, failures, False

    def succeed(self) -> None:
        self.close(failures=0)
        self._pause_ms, self.last_error = self.patience.first_pause_ms, ""
