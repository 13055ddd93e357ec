"""Every job of a serving process, in one table."""

from palyra.core import limits
from palyra.domain.jobs.rhythm import Every
from palyra.jobs import work
from palyra.jobs.spec import JobSpec, every, on_schedule
from palyra.settings import Settings

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_TICK_LEASE = _HOUR
"""a tick keeps its lease, and writes it anew when half of it is over"""


def _backfill_rhythm(settings: Settings) -> Every:
    return Every(settings.memory.embeddings.backfill_interval_minutes * 60_000)


JOBS = (
    JobSpec(
        "checkpoint", every(_MINUTE),
        budget_items=1, budget_seconds=30, lease_seconds=_TICK_LEASE, max_attempts=3,
        work=work.sign, journaled=False,
    ),
    JobSpec(
        # Soon after the start, too: a daemon that is restarted often still has to expire.
        "retention", every(5 * _MINUTE, first_seconds=_MINUTE),
        budget_items=10_000, budget_seconds=120, lease_seconds=240, max_attempts=3,
        work=work.retain,
    ),
    JobSpec(
        "embedding", _backfill_rhythm,
        budget_items=limits.BACKFILL_BATCH, budget_seconds=300, lease_seconds=600, max_attempts=3,
        work=work.backfill,
    ),
    JobSpec(
        "vacuum", on_schedule(lambda settings: settings.memory.retention.vacuum_schedule),
        budget_items=1, budget_seconds=_HOUR, lease_seconds=2 * _HOUR, max_attempts=1,
        work=work.vacuum,
    ),
    JobSpec(
        "verify", every(_DAY, first_seconds=10 * _MINUTE),
        budget_items=1, budget_seconds=2 * _HOUR, lease_seconds=3 * _HOUR, max_attempts=2,
        work=work.verify,
    ),
    JobSpec(
        "reflection", every(10),
        budget_items=16, budget_seconds=10 * _MINUTE, lease_seconds=_TICK_LEASE, max_attempts=5,
        work=work.reflect, wanted=lambda settings: settings.learning.enabled, journaled=False,
    ),
    JobSpec(
        "cron", every(1),
        budget_items=1, budget_seconds=_MINUTE, lease_seconds=_TICK_LEASE, max_attempts=3,
        work=work.fire, journaled=False,
    ),
    JobSpec(
        "compaction", every(_MINUTE),
        budget_items=4, budget_seconds=10 * _MINUTE, lease_seconds=_TICK_LEASE, max_attempts=3,
        work=work.condense, wanted=lambda settings: settings.compaction.auto, journaled=False,
    ),
    JobSpec(
        "external", every(_MINUTE),
        budget_items=1, budget_seconds=10 * _MINUTE, lease_seconds=_TICK_LEASE, max_attempts=3,
        work=work.mirror, wanted=lambda settings: settings.memory.external.provider != "off", journaled=False,
    ),
    JobSpec(
        "workspace", every(2),
        budget_items=1, budget_seconds=5 * _MINUTE, lease_seconds=_TICK_LEASE, max_attempts=3,
        work=work.sync_files, wanted=lambda settings: settings.workspace.sync_files, journaled=False,
    ),
)  # fmt: skip
