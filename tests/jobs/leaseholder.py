"""A process that begins a job, says so, and never ends it: to be killed."""

import asyncio
import sys
from pathlib import Path

from jobs.pacing import OPERATOR, a_job, running
from palyra.jobs.spec import JobBudget, JobParts, JobReport


async def say_so(_parts: JobParts, _budget: JobBudget) -> JobReport:
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    await asyncio.Event().wait()
    return JobReport()


async def main(root: Path) -> None:
    async with running(root, a_job("long", say_so, 86_400), start=False) as (runner, _):
        await runner.run_now("long", "the owner", OPERATOR)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
