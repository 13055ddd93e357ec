"""Loading the sample: the same use-cases that a person's own words go through, one after the other."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from palyra.core.errors import FailedPrecondition, Internal
from palyra.domain.access import Capability
from palyra.domain.chat.session import RunState, Session
from palyra.domain.events import DemoMarked, body_of
from palyra.domain.journal import Actor, Decision, EventDraft, Origin
from palyra.domain.learning.candidate import LearningState
from palyra.domain.learning.proposal import LearnedKind
from palyra.domain.memory import Change, ItemFilter
from palyra.domain.scope import Visibility
from palyra.services.attachments import Extractor, attach
from palyra.services.chat.engine import ChatEngine
from palyra.services.chat.parts import NewMessage, Speaker
from palyra.services.continuity import checkpoints, compaction
from palyra.services.continuity.planning import Compactor
from palyra.services.cron import jobs
from palyra.services.cron.context import Cron
from palyra.services.demo import story
from palyra.services.demo.story import PRINCIPAL, Conversation
from palyra.services.learning import looking, review
from palyra.services.learning.context import Learning
from palyra.services.learning.reflecting import reflect_due
from palyra.services.memory import ingest, lifecycle
from palyra.services.sessions.lifecycle import create, get
from palyra.services.sessions.transcripts import read_run
from palyra.services.workspace import changes
from palyra.services.workspace.changes import By
from palyra.store.connection import ReadTx
from palyra.store.upkeep.principals import count_events, demo_states, first_kind

HERE = Visibility(PRINCIPAL)
_BEGUN, _LOADED = "begun", "loaded"
_SPEAKER = Speaker(Actor.USER, frozenset({Capability.READ, Capability.WRITE}), PRINCIPAL)
_RUNS = 100


class DemoState(StrEnum):
    ABSENT = "absent"
    PARTIAL = "partial"
    """loading it was cut off"""
    LOADED = "loaded"
    FOREIGN = "foreign"
    """the principal has data that is not ours"""


@dataclass(frozen=True, slots=True)
class Sample:
    """How the sample stands."""

    state: DemoState
    events: int
    """that hold something"""


@dataclass(frozen=True, slots=True)
class Stage:
    """What the sample is made with: the real services, and models that are in the house."""

    chat: ChatEngine
    compactor: Compactor
    learning: Learning
    cron: Cron
    extractor: Extractor


def sample_of(tx: ReadTx) -> Sample:
    kind, states = first_kind(tx, PRINCIPAL), demo_states(tx, PRINCIPAL)
    if kind is None:
        return Sample(DemoState.ABSENT, 0)
    events = count_events(tx, PRINCIPAL)
    if kind != DemoMarked.KIND:  # the mark comes before everything else
        return Sample(DemoState.FOREIGN, events)
    return Sample(DemoState.LOADED if _LOADED in states else DemoState.PARTIAL, events)


def check_ours(sample: Sample, default_principal: str) -> None:
    """FailedPrecondition if somebody else's data is at stake."""
    if default_principal == PRINCIPAL:
        raise FailedPrecondition(
            f"{PRINCIPAL!r} is the owner of this installation (memory.default_principal), so the sample cannot use it",
            hint="choose another memory.default_principal",
        )
    if sample.state is DemoState.FOREIGN:
        raise FailedPrecondition(
            f"{PRINCIPAL!r} has {sample.events} events that are not the sample's; nothing was changed",
            hint=f"palyra journal list --principal {PRINCIPAL} shows them; the sample needs that name for itself",
        )


async def load(stage: Stage, progress: Callable[[str, int, int], None]) -> None:
    """Writes all of it. Cut off, it leaves a part, which a new load must remove before it begins."""
    steps: Sequence[tuple[str, Callable[[Stage], Awaitable[None]]]] = (
        ("begin", _begin),
        ("notes", _tell_before),
        ("documents", _write_documents),
        ("the move", _talk_about_the_move),
        ("the project", _talk_about_larkspur),
        ("learning", _learn),
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
        return Decision((_mark(_BEGUN),), None)

    await stage.learning.journal.commit(decide)


async def _end(stage: Stage) -> None:
    await stage.learning.journal.commit(lambda _tx: Decision((_mark(_LOADED),), None))


def _mark(state: str) -> EventDraft:
    return EventDraft(DemoMarked.KIND, body_of(DemoMarked(state)), Origin(PRINCIPAL, Actor.SYSTEM), DemoMarked.V)


async def _tell_before(stage: Stage) -> None:
    memory = stage.learning.memory
    for draft in story.told_before(memory.clock.now_ms()):
        await ingest.ingest(memory, draft, HERE)
    for draft in story.HEARD_ELSEWHERE:
        await ingest.ingest(memory, draft, HERE, Actor.AGENT)
    words, text, reason = story.REWORDED
    items = await lifecycle.list_(memory, HERE, ItemFilter(), "", 100)
    [item] = [one for one in items if words in one.text]
    await lifecycle.update(memory, item.memory_id, Change(text=text, reason=reason), HERE, Actor.USER)


async def _write_documents(stage: Stage) -> None:
    workspace = stage.learning.workspace
    await changes.write(workspace, story.DOCUMENT, story.DOCUMENT_TEXT, By(HERE, Actor.USER))
    await changes.write(workspace, story.DOCUMENT, story.DOCUMENT_LATER, By(HERE, Actor.USER))
    await changes.write(workspace, story.PAGE, story.PAGE_TEXT, By(HERE, Actor.AGENT))
    await changes.pin(workspace, story.DOCUMENT, By(HERE, Actor.USER), pinned=True)


async def _talk_about_the_move(stage: Stage) -> None:
    session = await _talk(stage, story.MOVE)
    place = Visibility(PRINCIPAL, None, session.session_id)
    sessions = stage.learning.sessions
    added = await attach(sessions.store, sessions.journal, stage.extractor, story.BOX_LIST, story.BOX_LIST_DATA, place)
    await _say(stage, session, NewMessage(story.BOXES, (added.attachment_id,)))


async def _talk_about_larkspur(stage: Stage) -> None:
    session = await _talk(stage, story.LARKSPUR)
    continuity, (name, note) = stage.compactor.continuity, story.CHECKPOINT
    made = await checkpoints.create(continuity, session.key, HERE, Actor.USER, name, note, ("larkspur",))
    branch = story.BRANCH
    restored = await checkpoints.restore(continuity, made.checkpoint_id, HERE, Actor.USER, branch.key, branch.title)
    for text in branch.said:
        await _say(stage, restored.session, NewMessage(text))
    for text in story.LATER:
        await _say(stage, session, NewMessage(text))


async def _talk(stage: Stage, conversation: Conversation) -> Session:
    session = await create(stage.learning.sessions, HERE, Actor.USER, conversation.key, conversation.title)
    for text in conversation.said:
        await _say(stage, session, NewMessage(text))
    return await get(stage.learning.sessions, session.session_id, HERE)


async def _say(stage: Stage, session: Session, message: NewMessage) -> None:
    """Until the answer is on the tape."""
    begun = await stage.chat.send(session, message, _SPEAKER)
    async for _ in (await stage.chat.watch(begun.run_id, HERE)).items:
        pass
    run, _ = await read_run(stage.learning.sessions, begun.run_id, HERE)
    if run.state is not RunState.DONE:
        raise Internal(f"a turn of the sample is {run.state.value}: {run.error_code}")


async def _learn(stage: Stage) -> None:
    """Everything is read; one preference is taken in, what else is unsure waits."""
    learning = stage.learning
    await reflect_due(learning, _RUNS, at_once=True, seer=HERE)
    waiting = await looking.list_(learning, HERE, looking.WAITING, (LearnedKind.PREFERENCE,))
    for one in waiting:
        if story.PREFERENCE in one.text:
            verdict = review.Verdict(LearningState.APPROVED, reason="That is how I like it.")
            await review.decide(learning, one.candidate_id, verdict, HERE, Actor.USER)


async def _compact(stage: Stage) -> None:
    await compaction.apply(stage.compactor, story.MOVE.key, HERE, Actor.USER)


async def _schedule(stage: Stage) -> None:
    wish = jobs.Wish(story.CRON_NAME, story.CRON_PROMPT, story.CRON_TIME, enabled=False)
    maker = jobs.Maker(Actor.USER, PRINCIPAL, (Capability.READ.value,))
    await jobs.create(stage.cron, wish, HERE, maker)
