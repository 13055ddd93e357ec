"""What tests of compactions and checkpoints share: a conversation with facts in it, and short ways to ask."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from chatting import ANA, Chat
from palyra.api import continuity as api
from palyra.api import workspace as documents
from palyra.core.hashing import Json
from palyra.core.ids import RunId
from palyra.domain.chat.session import RunOrigin, RunState, TapeType
from palyra.domain.chat.session_events import RunCreated, RunMoved, TapeAppended
from palyra.domain.journal import Actor, Decision, EventBody, EventDraft, draft_of_event
from palyra.domain.learning.events import ReflectionQueued
from palyra.domain.scope import Visibility
from palyra.services.continuity.condensed import condensed_part
from palyra.services.sessions.context import find_session, origin_in
from palyra.services.sessions.lifecycle import get
from palyra.store.connection import ReadTx

FACTS = (
    "My sister Ines lives in Porto.",
    "I prefer tea over coffee in the morning.",
    "I am allergic to peanuts.",
    "We decided to use SQLite for the trains project.",
    "My dentist appointment is on 12 May 2026.",
    "I work as a nurse at the Santa Maria hospital.",
)
FILLER = (
    "The weather was fine along the river today.",
    "Then I watched the boats for a while.",
    "There was a market with oranges and old books.",
    "A dog slept under the table next to mine.",
)


def turns(count: int) -> list[str]:
    """Facts first, small talk after."""
    talk = [f"{FILLER[n % len(FILLER)]} That was walk number {n}." for n in range(count - len(FACTS))]
    return [*FACTS, *talk][:count]


async def talk(chat: Chat, key: str, texts: list[str]) -> str:
    session = await chat.new(key)
    for text in texts:
        await chat.say(session, text)
    return session


async def compact(chat: Chat, session: str, **more: Any) -> Any:
    return await chat.do(api.apply, session=session, **more)


async def write(chat: Chat, path: str, text: str, **more: Any) -> Any:
    return await chat.do(documents.write, path=path, text=text, **more)


async def read(chat: Chat, path: str, **more: Any) -> str:
    found = await chat.do(documents.get, path=path, **more)
    return str(found.text)


async def record(
    chat: Chat, session: str, texts: Sequence[str], *, untrusted: bool = False, is_read: bool = True
) -> list[RunId]:
    """Turns straight to the tape, as a chat would leave them, without a model; read, or left unread."""
    where = await get(chat.app.sessions, session, Visibility(ANA))
    file = {"attachment_id": "0" * 64, "name": "a.txt", "media_type": "text/plain"}
    drafts: list[EventDraft] = []
    made: list[RunId] = []
    for text in texts:
        run_id = RunId(chat.app.store.ids.next())
        said: list[tuple[TapeType, dict[str, Json]]] = [(TapeType.USER_MESSAGE, {"text": text, "actor": "user"})]
        said += [(TapeType.ATTACHMENT, {**file})] if untrusted else []
        said.append((TapeType.ASSISTANT_MESSAGE, {"offset": 0, "text": "Noted.", "complete": True, "stop": "end"}))
        events: list[EventBody] = [
            RunCreated(run_id, where.session_id, RunState.ACCEPTED.value, RunOrigin.CHAT.value),
            *(TapeAppended(run_id, where.session_id, kind.value, payload) for kind, payload in said),
            RunMoved(run_id, RunState.IN_PROGRESS.value),
            RunMoved(run_id, RunState.DONE.value),
            *((ReflectionQueued(run_id, where.session_id),) if is_read and chat.app.sessions.reflects else ()),
        ]
        drafts += [draft_of_event(event, origin_in(where, Actor.USER, run_id)) for event in events]
        made.append(run_id)
    for start in range(0, len(drafts), 5_000):
        decision = Decision(tuple(drafts[start : start + 5_000]), None)
        await chat.app.journal.commit(partial(_decided, decision))
    await chat.app.turns.wait(made if is_read else [], 60)
    return made


def _decided(decision: Decision[None], _tx: ReadTx) -> Decision[None]:
    return decision


async def taped(chat: Chat, key: str, count: int = 12, **more: Any) -> str:
    session = await chat.new(key)
    await record(chat, session, turns(count), **more)
    return session


async def block_in_prompt(chat: Chat, session: str) -> str:
    def part(tx: ReadTx) -> str:
        found = condensed_part(tx, find_session(tx, session, Visibility(ANA)))
        return "" if found is None else found.text

    return await chat.app.store.db.read(part)
