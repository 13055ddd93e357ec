"""Counters of the journal and of the process, read when somebody asks for them."""

import resource
from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from palyra.app import App

_PAGE_BYTES = resource.getpagesize()


class AppCollector(Collector):
    def __init__(self, app: App) -> None:
        self._app = app

    def collect(self) -> Iterator[Metric]:
        db = self._app.store.db
        writes = db.metrics
        yield CounterMetricFamily("palyra_journal_writes", "Decisions written", writes.decisions)
        yield CounterMetricFamily("palyra_journal_write_failures", "Decisions that failed", writes.failures)
        yield CounterMetricFamily("palyra_journal_commits", "Commits", writes.commits)
        yield CounterMetricFamily("palyra_journal_over_budget", "Writes over the budget", writes.over_budget)
        yield GaugeMetricFamily("palyra_journal_queued", "Writes that wait", db.queued)
        yield GaugeMetricFamily("palyra_journal_size", "Events in the journal", self._app.store.chain.size)
        yield GaugeMetricFamily("palyra_journal_read_only", "1 after a failed sync", int(db.broken is not None))
        for share, name in ((0.5, "p50"), (0.99, "p99")):
            value = writes.percentile_ms(share)
            if value is not None:
                yield GaugeMetricFamily(f"palyra_journal_write_{name}_ms", "Hand-over to durable", value)
        yield GaugeMetricFamily("palyra_chat_active_runs", "Turns that are going on", self._app.active_runs)
        health = self._app.model_health
        is_open = health is not None and health.breaker != "closed"
        yield GaugeMetricFamily("palyra_chat_breaker_open", "1 while the model is not asked", int(is_open))
        yield GaugeMetricFamily("palyra_resident_bytes", "Memory of the daemon", resident_bytes())


def resident_bytes() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - a file of the kernel's
            return int(file.read().split()[1]) * _PAGE_BYTES
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
