"""From the tape to memory: what the person said, so that it is found in another session tomorrow."""

import re

from palyra.core.errors import InvalidArgument, PalyraError, TooLarge
from palyra.core.hashing import sha256
from palyra.core.ids import EventId, MemoryId
from palyra.domain.chat.pieces import pieces
from palyra.domain.chat.session import Session
from palyra.domain.journal import Actor, RequestKey
from palyra.domain.memory import Draft, HeldForReview, MemorySource, Rejected
from palyra.domain.scope import ScopeKind, Visibility
from palyra.services.chat.parts import Remembered
from palyra.services.memory.context import Memory
from palyra.services.memory.ingest import ingest

_QUESTION = re.compile(r"[^.!。！…\n]*[?？؟;]+\s*")
_QUESTION_CHARS = 300


def is_only_a_question(text: str) -> bool:
    """Nothing in it tells anything: as a memory it would only be found by whoever asks the same again."""
    stripped = text.strip()
    if not stripped or len(stripped) > _QUESTION_CHARS or stripped[-1] not in "?？؟":
        return False
    return _QUESTION.sub("", stripped) == ""


async def remember_message(memory: Memory, session: Session, event_id: EventId, text: str, actor: Actor) -> Remembered:
    """Once per message, however often it is tried. What cannot be remembered is said, and stops nothing."""
    if is_only_a_question(text):
        return Remembered()
    return await _remember(memory, session, event_id, text, actor, MemorySource.USER_MESSAGE)


async def remember_result(memory: Memory, session: Session, event_id: EventId, text: str) -> Remembered:
    """What a tool brought from outside: it waits for a person like all text of that kind."""
    return await _remember(memory, session, event_id, text, Actor.PLUGIN, MemorySource.TOOL_RESULT)


async def _remember(
    memory: Memory, session: Session, event_id: EventId, text: str, actor: Actor, source: MemorySource
) -> Remembered:
    told, notice = frozenset[MemoryId](), None
    for number, piece in enumerate(pieces(text, memory.limits)):
        done = await _remember_piece(memory, session, event_id, piece, number, actor, source)
        told, notice = told | done.memory_ids, notice or done.notice
    return Remembered(told, notice)


async def _remember_piece(
    memory: Memory,
    session: Session,
    event_id: EventId,
    text: str,
    number: int,
    actor: Actor,
    source: MemorySource,
) -> Remembered:
    draft = Draft(text, source, thread=session.key, provenance=(event_id,))
    # Of the whole principal, or of its channel: the next session has to find it.
    kind = ScopeKind.PRINCIPAL if session.channel is None else ScopeKind.CHANNEL
    request = RequestKey(f"tape:{event_id}:{number}", sha256(event_id.encode()))
    try:
        done = await ingest(
            memory, draft, Visibility(session.principal, session.channel), actor, scope=kind, request=request
        )
    except (InvalidArgument, TooLarge) as error:
        return Remembered(notice=("not_remembered", error.message))
    except PalyraError as error:
        return Remembered(notice=("not_remembered", f"memory is not available: {error.message}"))
    match done.outcome:
        case HeldForReview(because=because):
            return Remembered(notice=("held_for_review", ", ".join(because)))
        case Rejected(reasons=reasons):
            return Remembered(notice=("not_remembered", ", ".join(reasons)))
        case outcome:
            return Remembered(frozenset({MemoryId(outcome.memory_id)}))
