"""Where time comes from. Everything that needs it takes a Clock, so tests own time."""

import time
from dataclasses import dataclass
from typing import Protocol


class Clock(Protocol):
    def now_ms(self) -> int:
        """Wall clock, milliseconds since 1970."""


class SystemClock:
    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000


@dataclass(slots=True)
class ManualClock:
    """Stands still until told otherwise."""

    ms: int = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.ms

    def advance(self, ms: int) -> None:
        self.ms += ms
