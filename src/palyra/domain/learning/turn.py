"""A turn as the reader is given it: who said it, what was said before it, and what a program puts around its words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from palyra.core.ids import EventId
from palyra.domain.chat.session import Run, RunOrigin
from palyra.domain.chat.transcript import TranscriptKind, TranscriptMessage
from palyra.domain.compaction.tape import spoken
from palyra.domain.journal import Actor
from palyra.language.statements import Role, ToldTurn
from palyra.language.wrappings import blocks

NEIGHBOURS = 8
"""runs before it: for what "it" is, what was corrected, and what was done the same way again"""
_OFTEN = 2
"""turns before that brought the same"""
_ROLES = {TranscriptKind.USER: Role.USER, TranscriptKind.ASSISTANT: Role.ASSISTANT, TranscriptKind.TOOL: Role.TOOL}


@dataclass(frozen=True, slots=True)
class HeardTurn:
    """What a person, or an agent in their place, said in a run, and what was said before it."""

    event_id: EventId
    actor: Actor
    said: ToldTurn
    before: Sequence[ToldTurn]
    repeated: frozenset[str]
    """what a program puts around the words of every turn, found by repetition"""


def turns_in(told: Iterable[TranscriptMessage], run: Run) -> tuple[HeardTurn, ...]:
    """Of a run, from what was said in it and just before. More than one if messages were merged; none if a schedule
    asked: nobody says that."""
    if run.origin is RunOrigin.CRON:
        return ()
    said: list[ToldTurn] = []
    turns: list[HeardTurn] = []
    for message in told:
        role, text = _ROLES.get(message.kind), spoken(message)
        if role is None or not text.strip():
            continue
        one = ToldTurn(role, text, message.at_ms, message.details.get("speaker"))
        if role is Role.USER and message.run_id == run.run_id:
            actor = Actor(message.details.get("actor", run.actor.value))
            turns.append(HeardTurn(EventId(message.event_ids[0]), actor, one, tuple(said), _repeated(said)))
        said.append(one)
    return tuple(turns)


def _repeated(before: Sequence[ToldTurn]) -> frozenset[str]:
    often = Counter(block for one in before if one.role is Role.USER for block in blocks(one.text))
    return frozenset(block for block, times in often.items() if times >= _OFTEN)
