"""Counters of the journal and of the process, read when somebody asks for them."""

import resource
from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from palyra.app import App

if TYPE_CHECKING:
    from palyra.services.external.status import MirrorStanding

_COUNTED = frozenset(
    {"searches", "fallbacks", "rejected", "sent", "removed", "write_failures", "reconciled", "reconcile_failures"}
)
_PAGE_BYTES = resource.getpagesize()


class AppCollector(Collector):
    def __init__(self, app: App) -> None:
        self._app = app

    def collect(self) -> Iterator[Metric]:
        db = self._app.store.db
        writes = db.metrics
        yield CounterMetricFamily("palyra_journal_writes", "Decisions written", writes.decisions)
        yield CounterMetricFamily("palyra_journal_write_failures", "Decisions that failed", writes.failures)
        missing = writes.receipts_missing
        yield CounterMetricFamily("palyra_recall_receipts_missing", "Recalls without a receipt in the journal", missing)
        yield CounterMetricFamily("palyra_journal_commits", "Commits", writes.commits)
        yield CounterMetricFamily("palyra_journal_over_budget", "Writes over the budget", writes.over_budget)
        yield GaugeMetricFamily("palyra_journal_queued", "Writes that wait", db.queued)
        yield GaugeMetricFamily("palyra_journal_size", "Events in the journal", self._app.store.chain.size)
        yield GaugeMetricFamily("palyra_journal_read_only", "1 while writes are refused", int(db.broken is not None))
        for share, name in ((0.5, "p50"), (0.99, "p99")):
            value = writes.percentile_ms(share)
            if value is not None:
                yield GaugeMetricFamily(f"palyra_journal_write_{name}_ms", "Hand-over to durable", value)
        yield GaugeMetricFamily("palyra_chat_active_runs", "Turns that are going on", self._app.active_runs)
        health = self._app.model_health
        is_open = health is not None and health.breaker != "closed"
        yield GaugeMetricFamily("palyra_chat_breaker_open", "1 while the model is not asked", int(is_open))
        yield from self._jobs()
        yield from self._external()
        yield GaugeMetricFamily("palyra_resident_bytes", "Memory of the daemon", resident_bytes())

    def _external(self) -> Iterator[Metric]:
        external = self._app.external
        if external is None:
            return
        for name, value in external.measures.items():
            counts = name in _COUNTED
            family: type[CounterMetricFamily | GaugeMetricFamily] = CounterMetricFamily if counts else GaugeMetricFamily
            yield family(f"palyra_external_{name}", "Of the mirror in an external engine", value)
        if (standing := external.standing) is not None:
            yield from _objectives(standing)

    def _jobs(self) -> Iterator[Metric]:
        by_job = ("job",)
        runs = CounterMetricFamily("palyra_job_runs", "Runs of a job", labels=by_job)
        failures = CounterMetricFamily("palyra_job_failures", "Runs that failed", labels=by_job)
        seconds = CounterMetricFamily("palyra_job_seconds", "Time spent in runs", labels=by_job)
        success = GaugeMetricFamily("palyra_job_last_success_seconds", "When a run went well", labels=by_job)
        failing = GaugeMetricFamily("palyra_job_failing", "1 if the last run failed or does not end", labels=by_job)
        paused = GaugeMetricFamily("palyra_job_paused", "1 while it is paused", labels=by_job)
        attention = GaugeMetricFamily("palyra_job_attention", "1: look at it; 2: something is broken", labels=by_job)
        for job in self._app.jobs.jobs():
            name = (job.name,)
            runs.add_metric(name, job.runs)
            failures.add_metric(name, job.failed_runs)
            seconds.add_metric(name, job.seconds)
            if job.last_success_ms is not None:
                success.add_metric(name, job.last_success_ms / 1_000)
            failing.add_metric(name, int(job.last_error is not None or job.is_stuck))
            paused.add_metric(name, int(job.paused_by is not None))
            attention.add_metric(name, 2 if job.alarm else int(bool(job.attention)))
        yield from (runs, failures, seconds, success, failing, paused, attention)


def _objectives(standing: "MirrorStanding") -> Iterator[Metric]:
    state = GaugeMetricFamily("palyra_external_state", "1 for the state the mirror is in", labels=("state",))
    for name in ("healthy", "filling", "degraded", "down"):
        state.add_metric((name,), int(standing.state == name))
    by_name = ("objective",)
    value = GaugeMetricFamily("palyra_external_objective_value", "ms or a share; none: not measured", labels=by_name)
    target = GaugeMetricFamily("palyra_external_objective_target", "What is promised", labels=by_name)
    met = GaugeMetricFamily("palyra_external_objective_met", "1 if it is kept", labels=by_name)
    for one in standing.objectives:
        if one.value is not None:
            value.add_metric((one.name,), one.value)
        target.add_metric((one.name,), one.target)
        met.add_metric((one.name,), int(one.is_met))
    yield from (state, value, target, met)


def resident_bytes() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - a file of the kernel's
            return int(file.read().split()[1]) * _PAGE_BYTES
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
