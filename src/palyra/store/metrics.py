"""What the 25 ms write budget costs, counted where it is spent. Constant memory, no locks: one thread writes."""

import math
from bisect import bisect_left
from dataclasses import dataclass, field

_BOUNDS_MS = tuple(round(0.05 * 1.25**i, 4) for i in range(56))  # 0.05 ms to ~10 s, 25 % apart


@dataclass(slots=True)
class WriteMetrics:
    """Latency runs from hand-over to durable: what the caller waited for."""

    budget_ms: float = 25.0
    decisions: int = 0
    failures: int = 0
    commits: int = 0
    over_budget: int = 0
    max_ms: float = 0.0
    receipts_missing: int = 0
    """recalls that were answered while nothing could be written"""
    buckets: list[int] = field(default_factory=lambda: [0] * (len(_BOUNDS_MS) + 1))

    def observe(self, latency_ms: float, decisions: int) -> None:
        """One commit of so many decisions. The one that waited longest stands for all: never better than it was."""
        self.decisions += decisions
        self.commits += 1
        self.buckets[bisect_left(_BOUNDS_MS, latency_ms)] += decisions
        if latency_ms > self.budget_ms:
            self.over_budget += decisions
        self.max_ms = max(self.max_ms, latency_ms)

    def percentile_ms(self, share: float) -> float | None:
        """Upper bound of the bucket that holds the given share; None before the first write."""
        if not self.decisions:
            return None
        wanted, seen = math.ceil(self.decisions * share), 0
        for bound, count in zip((*_BOUNDS_MS, math.inf), self.buckets, strict=True):
            seen += count
            if seen >= wanted:
                return min(bound, round(self.max_ms, 4))
        return self.max_ms
