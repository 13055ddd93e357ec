"""What the mirror has lived through since the process began, and how it stands to what is promised of it."""

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

    def percentile_ms(self, share: float) -> float | None:
        ordered = sorted(self.query_ms)
        return round(ordered[min(int(len(ordered) * share), len(ordered) - 1)], 3) if ordered else None

    @property
    def fallback_share(self) -> float:
        return sum(self.fallbacks.values()) / self.searches if self.searches else 0.0


@dataclass(frozen=True, slots=True)
class Objective:
    name: str
    target: float
    value: float | None
    """None: nothing was measured yet"""
    unit: str
    is_met: bool


def objectives(counters: Counters, freshness_ms: int) -> tuple[Objective, ...]:
    p95 = counters.percentile_ms(0.95)
    tried = counters.reconciled + counters.reconcile_failures
    reconciled = counters.reconciled / tried if tried else None
    share = counters.fallback_share
    return (
        Objective("freshness", FRESHNESS_MS, freshness_ms, "ms", freshness_ms <= FRESHNESS_MS),
        Objective("query_p95", QUERY_P95_MS, p95, "ms", p95 is None or p95 <= QUERY_P95_MS),
        Objective("fallback_rate", FALLBACK_SHARE, round(share, 4), "share", share <= FALLBACK_SHARE),
        Objective(
            "reconcile_success", RECONCILE_SHARE, reconciled, "share",
            reconciled is None or reconciled >= RECONCILE_SHARE,
        ),
    )  # fmt: skip
