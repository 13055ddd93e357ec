"""Much to look at, made in the services and not by talking: a long conversation and many memories."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from palyra.core.ids import RunId
from palyra.domain.access import Access
from palyra.domain.chat.session import RunState, Session, TapeType
from palyra.domain.chat.session_events import RunCreated, RunMoved, TapeAppended
from palyra.domain.journal import Actor, Decision, EventBody, EventDraft, draft_of_event
from palyra.domain.memory import Draft, MemorySource
from palyra.domain.scope import Visibility
from palyra.services.memory.ingest import ingest_many
from palyra.services.sessions import lifecycle
from palyra.services.sessions.context import Sessions, origin_in
from support import an_app

_OWNER = Visibility("user:local")
_AT_ONCE = 100
_THEN_MS = 1_700_000_000_000


def fill(data_dir: Path, turns: int, memories: int) -> None:
    """A session called `long`, and memories of many words."""

    async def work() -> None:
        async with an_app(data_dir, None, Access.OWN, PALYRA_MEMORY_EMBEDDINGS_PROVIDER="hash") as app:
            session = await lifecycle.create(app.sessions, _OWNER, Actor.USER, "long", "A long conversation")
            for start in range(0, turns, _AT_ONCE):
                await _talk(app.sessions, session, range(start, min(start + _AT_ONCE, turns)))
            drafts = [_note(number) for number in range(memories)]
            await ingest_many(app.memory, drafts, _OWNER)
            await app.memory.follower.backfill()

    with ThreadPoolExecutor(1) as beside:  # Playwright's loop runs in this thread
        beside.submit(asyncio.run, work()).result()


async def _talk(sessions: Sessions, session: Session, numbers: range) -> None:
    drafts = [draft for number in numbers for draft in _turn(sessions, session, number)]
    await sessions.journal.commit(lambda _tx: Decision(tuple(drafts), None))


def _turn(sessions: Sessions, session: Session, number: int) -> list[EventDraft]:
    run_id = RunId(sessions.store.ids.next(sessions.clock.now_ms()))
    answer = f"Answer {number}: " + "a paragraph about **it**, of some length. " * (1 + number % 7)
    said: list[EventBody] = [
        RunCreated(run_id, session.session_id, RunState.ACCEPTED.value, "chat", None),
        TapeAppended(run_id, session.session_id, TapeType.USER_MESSAGE.value, {"text": f"Question number {number}"}),
        RunMoved(run_id, RunState.IN_PROGRESS.value, "offline", 0, 0, 0, ""),
        TapeAppended(
            run_id,
            session.session_id,
            TapeType.ASSISTANT_MESSAGE.value,
            {"offset": 0, "text": answer, "complete": True, "stop": "end"},
        ),
        RunMoved(run_id, RunState.DONE.value, "offline", 10, 20, 0, ""),
    ]
    return [draft_of_event(one, origin_in(session, Actor.AGENT, run_id)) for one in said]


_THINGS = ("harbour", "ferry", "garden", "library", "bakery", "orchard", "station", "museum")


def _note(number: int) -> Draft:
    thing = _THINGS[number % len(_THINGS)]
    text = f"Note {number}: the {thing} in street {number // 8} was painted in year {1900 + number % 120}"
    return Draft(text, MemorySource.USER_MESSAGE, said_at_ms=_THEN_MS + number * 60_000)
