"""Loading the sample: the same use-cases that a person's own words go through, one after the other."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from palyra.core.clock import ManualClock
from palyra.core.errors import FailedPrecondition, Internal
from palyra.domain.access import Capability
from palyra.domain.chat.session import RunState, Session
from palyra.domain.events import DemoMarked, body_of
from palyra.domain.journal import Actor, Decision, EventDraft, Origin
from palyra.domain.memory import DAY_MS, Change, ItemFilter
from palyra.domain.scope import Visibility
from palyra.services.attachments import Extractor, attach
from palyra.services.chat.engine import ChatEngine
from palyra.services.chat.parts import NewMessage, Speaker
from palyra.services.continuity import checkpoints, compaction
from palyra.services.continuity.planning import Compactor
from palyra.services.cron import jobs
from palyra.services.cron.context import Cron
from palyra.services.demo import story
from palyra.services.demo.standing import BEGUN, COMPLETE, DemoState, sample_of
from palyra.services.demo.story import PRINCIPAL, Sitting
from palyra.services.learning.context import Learning
from palyra.services.learning.reflecting import reflect_due
from palyra.services.memory import ingest, lifecycle
from palyra.services.sessions.lifecycle import create
from palyra.services.sessions.transcripts import read_run
from palyra.services.workspace import changes
from palyra.services.workspace.changes import By
from palyra.store.connection import ReadTx

HERE = Visibility(PRINCIPAL)
_SPEAKER = Speaker(Actor.USER, frozenset({Capability.READ, Capability.WRITE}), PRINCIPAL)
_RUNS = 100
_PAUSE_MS = 120_000
"""between two things somebody says"""


@dataclass(frozen=True, slots=True)
class Stage:
    """What the sample is made with: the real services, and models that are in the house."""

    chat: ChatEngine
    compactor: Compactor
    learning: Learning
    cron: Cron
    extractor: Extractor
    clock: ManualClock
    """by which it happens; it ends where it begins: now"""

    @contextmanager
    def looking_back(self) -> Iterator[int]:
        """What is done within may set the clock back; gives the time it is."""
        now_ms = self.clock.ms
        try:
            yield now_ms
        finally:
            self.clock.ms = now_ms


async def load(stage: Stage, progress: Callable[[str, int, int], None]) -> None:
    """Writes all of it. Cut off, it leaves a part, which a new load must remove before it begins."""
    steps: Sequence[tuple[str, Callable[[Stage], Awaitable[None]]]] = (
        ("begin", _begin),
        ("notes", _tell_before),
        ("documents", _write_documents),
        ("the project", _talk_about_larkspur),
        ("the move", _talk_about_the_move),
        ("questions", _ask),
        ("compaction", _compact),
        ("schedule", _schedule),
        ("end", _end),
    )
    for done, (what, step) in enumerate(steps):
        progress(what, done, len(steps))
        await step(stage)
    progress("sample", len(steps), len(steps))


async def _begin(stage: Stage) -> None:
    def decide(tx: ReadTx) -> Decision[None]:
        sample = sample_of(tx)
        if sample.state is not DemoState.ABSENT:  # written meanwhile by somebody else
            raise FailedPrecondition(f"{PRINCIPAL!r} has data already", hint="palyra demo --status")
        return Decision((_mark(BEGUN),), None)

    await stage.learning.journal.commit(decide)


async def _end(stage: Stage) -> None:
    await stage.learning.journal.commit(lambda _tx: Decision((_mark(COMPLETE),), None))


def _mark(state: str) -> EventDraft:
    return EventDraft(DemoMarked.KIND, body_of(DemoMarked(state)), Origin(PRINCIPAL, Actor.SYSTEM), DemoMarked.V)


async def _tell_before(stage: Stage) -> None:
    memory = stage.learning.memory
    with stage.looking_back() as now_ms:
        for days, draft in story.TOLD_BEFORE:
            stage.clock.ms = now_ms - days * DAY_MS
            await ingest.ingest(memory, draft, HERE)
        for draft in story.HEARD_ELSEWHERE:
            await ingest.ingest(memory, draft, HERE, Actor.AGENT)
        words, text, reason = story.REWORDED
        items = await lifecycle.list_(memory, HERE, ItemFilter(), "", 100)
        [item] = [one for one in items if words in one.text]
        await lifecycle.update(memory, item.memory_id, Change(text=text, reason=reason), HERE, Actor.USER)


async def _write_documents(stage: Stage) -> None:
    workspace = stage.learning.workspace
    with stage.looking_back() as now_ms:
        for days, path, text, actor in story.DOCUMENTS:
            stage.clock.ms = now_ms - days * DAY_MS
            await changes.write(workspace, path, text, By(HERE, actor))
        await changes.pin(workspace, story.DOCUMENT, By(HERE, Actor.USER), pinned=True)


async def _talk_about_larkspur(stage: Stage) -> None:
    continuity, (name, note) = stage.compactor.continuity, story.CHECKPOINT
    with stage.looking_back() as now_ms:
        stage.clock.ms = now_ms - story.LARKSPUR.begun_days * DAY_MS
        session = await create(stage.learning.sessions, HERE, Actor.USER, story.LARKSPUR.key, story.LARKSPUR.title)
        for sitting in story.LARKSPUR.sittings:
            await _talk(stage, session, sitting, now_ms)
        made = await checkpoints.create(continuity, session.key, HERE, Actor.USER, name, note, ("larkspur",))
        branch = story.BRANCH
        restored = await checkpoints.restore(continuity, made.checkpoint_id, HERE, Actor.USER, branch.key, branch.title)
        for sitting in branch.sittings:
            await _talk(stage, restored.session, sitting, now_ms)
        await _talk(stage, session, story.LATER, now_ms)


async def _talk_about_the_move(stage: Stage) -> None:
    sessions = stage.learning.sessions
    with stage.looking_back() as now_ms:
        stage.clock.ms = now_ms - story.MOVE.begun_days * DAY_MS
        session = await create(sessions, HERE, Actor.USER, story.MOVE.key, story.MOVE.title)
        *before, last = story.MOVE.sittings
        for sitting in before:
            await _talk(stage, session, sitting, now_ms)
        place = Visibility(PRINCIPAL, None, session.session_id)
        added = await attach(
            sessions.store, sessions.journal, stage.extractor, story.BOX_LIST, story.BOX_LIST_DATA, place
        )
        await _say(stage, session, NewMessage(story.BOXES, (added.attachment_id,)))
        await _talk(stage, session, last, now_ms)


async def _ask(stage: Stage) -> None:
    with stage.looking_back() as now_ms:
        stage.clock.ms = now_ms - story.QUESTIONS.begun_days * DAY_MS
        asked = story.QUESTIONS
        session = await create(stage.learning.sessions, HERE, Actor.USER, asked.key, asked.title)
        for sitting in asked.sittings:
            await _talk(stage, session, sitting, now_ms)


async def _talk(stage: Stage, session: Session, sitting: Sitting, now_ms: int) -> None:
    """And what it tells is remembered on the same day."""
    stage.clock.ms = now_ms - sitting.days * DAY_MS
    for text in sitting.said:
        await _say(stage, session, NewMessage(text))
    await reflect_due(stage.learning, _RUNS, at_once=True, seer=HERE)


async def _say(stage: Stage, session: Session, message: NewMessage) -> None:
    """Until the answer is on the tape."""
    begun = await stage.chat.send(session, message, _SPEAKER)
    async for _ in (await stage.chat.watch(begun.run_id, HERE)).items:
        pass
    run, _ = await read_run(stage.learning.sessions, begun.run_id, HERE)
    if run.state is not RunState.DONE:
        raise Internal(f"a turn of the sample is {run.state.value}: {run.error_code}")
    stage.clock.advance(_PAUSE_MS)


async def _compact(stage: Stage) -> None:
    await compaction.apply(stage.compactor, story.MOVE.key, HERE, Actor.USER)


async def _schedule(stage: Stage) -> None:
    wish = jobs.CronWish(story.CRON_NAME, story.CRON_PROMPT, story.CRON_TIME, enabled=False)
    maker = jobs.Maker(Actor.USER, PRINCIPAL, (Capability.READ.value,))
    await jobs.create(stage.cron, wish, HERE, maker)
