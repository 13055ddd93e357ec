"""What the mirror has lived through since the process began, and how it stands to what is promised of it.

Times and fallbacks are judged by the latest thousand searches, so that an outage is forgotten once it is over.
"""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Final

FRESHNESS_MS: Final = 60_000
QUERY_P95_MS: Final = 250.0
FALLBACK_SHARE: Final = 0.01
RECONCILE_SHARE: Final = 0.99
_KEPT: Final = 1_000


@dataclass(slots=True)
class Counters:
    searches: int = 0
    """that the engine was to take part in"""
    fallbacks: Counter[str] = field(default_factory=Counter)
    """by why the local index answered alone"""
    rejected: Counter[str] = field(default_factory=Counter)
    """proposals that were not believed, by why"""
    sent: int = 0
    removed: int = 0
    unfit: int = 0
    """vectors that no engine takes"""
    write_failures: int = 0
    reconciled: int = 0
    reconcile_failures: int = 0
    query_ms: deque[float] = field(default_factory=lambda: deque(maxlen=_KEPT))
    fell_back: deque[bool] = field(default_factory=lambda: deque(maxlen=_KEPT))

    def searched(self, why_alone: str) -> None:
        """`why_alone`: why the local index answered alone; empty if it did not."""
        self.searches += 1
        self.fell_back.append(bool(why_alone))
        if why_alone:
            self.fallbacks[why_alone] += 1

    def percentile_ms(self, share: float) -> float | None:
        ordered = sorted(self.query_ms)
        return round(ordered[min(int(len(ordered) * share), len(ordered) - 1)], 3) if ordered else None

    @property
    def fallback_share(self) -> float | None:
        return sum(self.fell_back) / len(self.fell_back) if self.fell_back else None


@dataclass(frozen=True, slots=True)
class Objective:
    name: str
    target: float
    value: float | None
    """None: nothing was measured yet"""
    unit: str
    is_floor: bool
    """the value is to be the target or more; else the target or less"""

    @property
    def is_met(self) -> bool:
        if self.value is None:
            return True
        return self.value >= self.target if self.is_floor else self.value <= self.target


def objectives(counters: Counters, freshness_ms: int) -> tuple[Objective, ...]:
    tried = counters.reconciled + counters.reconcile_failures
    reconciled = counters.reconciled / tried if tried else None
    return (
        Objective("freshness", FRESHNESS_MS, freshness_ms, "ms", is_floor=False),
        Objective("query_p95", QUERY_P95_MS, counters.percentile_ms(0.95), "ms", is_floor=False),
        Objective("fallback_rate", FALLBACK_SHARE, counters.fallback_share, "share", is_floor=False),
        Objective("reconcile_success", RECONCILE_SHARE, reconciled, "share", is_floor=True),
    )
