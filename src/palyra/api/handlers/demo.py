"""What the operations on the sample history do."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from palyra.api.call import Call
from palyra.api.handlers.binding import bind
from palyra.api.operating import demo as api
from palyra.app import App
from palyra.chat_wiring import build_chat, make_model
from palyra.core.clock import ManualClock
from palyra.domain.journal import Origin
from palyra.services.continuity.context import Continuity
from palyra.services.cron.context import Cron
from palyra.services.demo import loading
from palyra.services.demo.dated import DatedJournal
from palyra.services.demo.loading import Stage
from palyra.services.demo.removing import remove
from palyra.services.demo.standing import DemoState, Sample, check_ours, sample_of
from palyra.services.demo.story import PRINCIPAL, QUESTIONS
from palyra.services.erase import PrincipalGone
from palyra.services.journal import CheckpointPolicy
from palyra.services.learning.turns import TurnReader
from palyra.wire import demo as wire


async def _load(call: Call, _request: wire.LoadDemo) -> wire.DemoLoaded:
    app, begun = call.app, time.monotonic()
    async with app.changing_demo:
        sample = await _checked(app)
        if sample.state is not DemoState.LOADED:
            if sample.state is DemoState.PARTIAL:
                await _remove_all(call)
            async with _stage(app) as stage:
                await loading.load(stage, call.progress)
        there = await app.store.db.read(sample_of)
    return wire.DemoLoaded(
        principal=PRINCIPAL,
        events=there.events,
        session=QUESTIONS.key,
        repeated=sample.state is DemoState.LOADED,
        took_ms=round((time.monotonic() - begun) * 1000),
    )


async def _remove(call: Call, _request: wire.RemoveDemo) -> wire.DemoRemoved:
    async with call.app.changing_demo:
        await _checked(call.app)
        gone = await _remove_all(call)
    return wire.DemoRemoved(
        principal=PRINCIPAL,
        erased=gone.events,
        certificate=None if gone.proof is None else gone.proof.event.event_id,
        checkpoint=gone.checkpoint_note,
        untouched_copies=[*map(str, gone.untouched_copies), *gone.elsewhere],
    )


async def _status(call: Call, _request: wire.GetDemoStatus) -> wire.DemoStatus:
    sample = await call.app.store.db.read(sample_of)
    return wire.DemoStatus(state=sample.state.value, principal=PRINCIPAL, events=sample.events, session=QUESTIONS.key)


async def _checked(app: App) -> Sample:
    sample = await app.store.db.read(sample_of)
    check_ours(sample, app.settings.memory.default_principal)
    return sample


async def _remove_all(call: Call) -> PrincipalGone:
    app = call.app
    by = Origin(call.caller.principal, call.caller.actor)
    try:
        return await remove(app.workspace, app.workspace_folder(PRINCIPAL), app.tokens, by)
    finally:
        app.forget(PRINCIPAL)


@asynccontextmanager
async def _stage(app: App) -> AsyncIterator[Stage]:
    """Whatever is configured, the sample is made by what is in the house: it costs nothing.

    By its own clock it happened over some weeks."""
    settings = replace(app.settings, models=replace(app.settings.models, provider="offline"))
    clock = ManualClock(app.clock.now_ms())
    journal = DatedJournal(app.store, CheckpointPolicy(), clock)
    sessions = replace(  # it is read when a day of it is over
        app.sessions, journal=journal, clock=clock, reflects=True, on_queued=lambda: None
    )
    memory = replace(app.memory, journal=journal, clock=clock)
    workspace = replace(app.workspace, journal=journal, clock=clock)
    turns = TurnReader(sessions, memory, app.learning.policy, has_model=False)
    chat = build_chat(settings, sessions, memory, workspace, make_model(settings, clock), clock)
    learning = replace(app.learning, sessions=sessions, memory=memory, workspace=workspace, turns=turns, model=None)
    compactor = replace(app.compactor, continuity=Continuity(sessions, workspace), memory=memory, model=None)
    try:
        yield Stage(chat, compactor, learning, Cron(sessions, lambda: chat), app.extractor, clock)
    finally:
        await chat.close(0)


HANDLERS = (
    bind(api.load, _load),
    bind(api.remove, _remove),
    bind(api.status, _status),
)
