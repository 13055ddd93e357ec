"""What a monitor is told about jobs."""

from pathlib import Path

from palyra.core.clock import ManualClock
from palyra.core.errors import Unavailable
from palyra.domain.journal import Actor, Origin
from palyra.jobs.spec import JobBudget, JobParts, JobReport, JobSpec, every
from palyra.transports.collect import AppCollector
from support import an_app, run


async def well(_parts: JobParts, _budget: JobBudget) -> JobReport:
    return JobReport(1)


async def fail(_parts: JobParts, _budget: JobBudget) -> JobReport:
    raise Unavailable("no model")


async def alarm(_parts: JobParts, _budget: JobBudget) -> JobReport:
    return JobReport(1, attention="the journal is damaged", alarm=True)


def test_every_job_has_its_runs_failures_time_and_last_success(tmp_path: Path) -> None:
    async def work() -> None:
        clock = ManualClock()
        async with an_app(tmp_path, clock) as app:
            by = Origin("user:ana", Actor.OPERATOR)
            for name, do in (("good", well), ("bad", fail), ("loud", alarm)):
                app.jobs.add(JobSpec(name, every(300), 1, 30, 60, 1, do))
                for _ in range(2):
                    await app.jobs.run_now(name, "the owner", by)
            await app.jobs.pause("good", "the owner", by)
            found = {
                (sample.name, sample.labels["job"]): sample.value
                for family in AppCollector(app).collect()
                for sample in family.samples
                if "job" in sample.labels
            }
            assert [found["palyra_job_runs_total", name] for name in ("good", "bad", "vacuum")] == [2, 2, 0]
            assert [found["palyra_job_failures_total", name] for name in ("good", "bad")] == [0, 2]
            assert found["palyra_job_seconds_total", "good"] >= 0
            assert found["palyra_job_last_success_seconds", "good"] == clock.ms / 1_000
            assert ("palyra_job_last_success_seconds", "bad") not in found
            assert [found["palyra_job_failing", name] for name in ("good", "bad")] == [0, 1]
            assert [found["palyra_job_paused", name] for name in ("good", "bad")] == [1, 0]
            assert [found["palyra_job_attention", name] for name in ("good", "loud")] == [0, 2]

    run(work())
