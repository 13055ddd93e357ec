"""What tests of scheduled prompts share: a model that does as it is told, and time that is moved by hand."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from palyra.app import App
from palyra.core.clock import Clock, ManualClock
from palyra.core.errors import Unavailable
from palyra.domain.access import Access
from palyra.domain.chat.conversation import ChatEvent, ChatRequest
from palyra.domain.cron.job import CronRun
from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.providers.models.offline import OfflineModel, _words
from palyra.services.cron import firing, jobs
from palyra.services.cron.firing import FireReport
from palyra.services.cron.jobs import CronWish, Maker
from support import an_app

ANA = Visibility("user:ana", None)
MAKER = Maker(Actor.USER, "the owner", ("read", "write"))
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
START = 1_700_000_000_000 // DAY * DAY


class ObedientModel(OfflineModel):
    """Hangs on prompts with "hang" until `go_on`, fails on those with "fail" until `mend`, answers the others."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[str] = Counter()
        self.broken = True
        self.going_on = asyncio.Event()

    def go_on(self) -> None:
        self.going_on.set()

    async def _stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        prompt = _words(request.messages[-1])
        self.asked[prompt] += 1
        if "fail" in prompt and self.broken:
            raise Unavailable("the model is out", hint="wait")
        if "hang" in prompt:
            await self.going_on.wait()
        async for event in super()._stream(request):
            yield event


class Scheduled:
    """One app with its clock, for one caller."""

    def __init__(self, app: App, clock: ManualClock, model: ObedientModel) -> None:
        self.app, self.clock, self.model = app, clock, model
        self.cron = app.cron

    async def create(self, **wish: Any) -> str:
        wish = {"prompt": "What is new?", **wish}
        return (await jobs.create(self.cron, CronWish(**wish), ANA, MAKER)).job.job_id

    async def tick(self, advance_ms: int = 0) -> FireReport:
        """Moves the clock and lets happen what is due, up to its end; but for turns that hang."""
        self.clock.advance(advance_ms)
        report = await firing.fire_due(self.cron)
        await self.rest()
        return report

    async def rest(self) -> None:
        desk = self.cron.desk
        for _ in range(2_000):
            tasks = [*desk.starting.values(), *desk.aborting.values(), *filter(None, [desk.driving])]
            hanging = 0 if self.model.going_on.is_set() else sum(n for p, n in self.model.asked.items() if "hang" in p)
            if all(task.done() for task in tasks) and self.app.active_runs <= hanging:
                return
            await asyncio.sleep(0.005)

    async def runs(self, job: str | None = None) -> list[CronRun]:
        """Oldest slot first."""
        found = await jobs.history(self.cron, job, ANA, 0, 500)
        return sorted((run for run, _ in found), key=lambda run: (run.slot_ms, run.seq))

    async def states(self, job: str | None = None) -> list[tuple[int, str]]:
        """Minutes since the start, and what became of that slot."""
        return [((run.slot_ms - START) // MINUTE, run.state.value) for run in await self.runs(job)]


@asynccontextmanager
async def a_schedule(root: Path, clock: Clock | None = None, access: Access = Access.OWN) -> AsyncIterator[Scheduled]:
    time = clock if isinstance(clock, ManualClock) else ManualClock(START)
    environ = {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash", "PALYRA_DAEMON_DRAIN_SECONDS": "1"}
    async with an_app(root / "data", time, access, **environ) as app:
        model = ObedientModel()
        app._model = model
        yield Scheduled(app, time, model)
