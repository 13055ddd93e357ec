"""The standing part of a prompt: what the owner wants in every answer, chosen when a session begins and frozen for it.

Nothing is kept for that: what held when the session began and still holds is the same in each of its prompts, so the
bytes before the conversation stay as they are. What was replaced, rejected or erased since is out at once; what is new
comes with the question it bears on.
"""

import asyncio
from collections.abc import Sequence

from palyra.core.redact import redact_memory_text_for_output as redact
from palyra.core.tokens import estimate_tokens
from palyra.domain.chat.fence import FenceKind, fence, stable_boundary
from palyra.domain.labels import Category, fits_channels
from palyra.domain.memory import ItemFilter, MemoryItem, MemorySource, Trust
from palyra.domain.prompt.question import flat
from palyra.domain.recall import shorten
from palyra.domain.scope import Visibility
from palyra.language.reading import Reader
from palyra.language.statements import Role, ToldTurn
from palyra.services.memory.context import Memory
from palyra.services.prompt.context import StandingPreference
from palyra.store.connection import ReadTx
from palyra.store.memory.items import list_items

STANDING_TOKENS = 600
_README_TOKENS = 400
"""of these, at most"""
_LOOKED_AT = 64
_SURE_ENOUGH = 0.85
"""nine of ten that are as sure do hold for every answer"""
_FROM_OWNER = "The person you work for has written this for you (README.md). Keep to it."
_SHORT_CHARS = 110
"""what is longer tells other things, too, which would stand in every prompt"""
_REMEMBERED = 4_096
_SURE: dict[str, float] = {}
"""by the hash of a text: how likely it holds for every answer"""
_HOLDS_ALWAYS = ItemFilter(categories=(Category.PREFERENCE, Category.CONSTRAINT), trusts=(Trust.OWNER,))


async def standing_preferences(
    memory: Memory, caller: Visibility, since_ms: int, beside: str = ""
) -> tuple[StandingPreference, ...]:
    """The owner's preferences and constraints that held at that moment and still do, surest first, within the budget.

    In the order in which they were said, so that one that goes changes nothing but its own line. `beside`: what stands
    there already."""
    now_ms = memory.clock.now_ms()

    def read(tx: ReadTx) -> list[MemoryItem]:
        found = list_items(tx, caller, _HOLDS_ALWAYS, now_ms, "", _LOOKED_AT, newest_first=True)
        return [item for item in found if caller.channel is None or fits_channels(item.sensitive)]

    held = [one for one in await memory.store.db.read(read) if one.created_at_ms <= since_ms]
    found = await asyncio.to_thread(_for_every_answer, memory, held) if held else []
    found.sort(key=lambda one: (not one.pinned, -one.confidence_bps, -one.said_at_ms))
    room, chosen = STANDING_TOKENS - estimate_tokens(beside), list[MemoryItem]()
    for one in found:
        room -= estimate_tokens(_line(one.text))
        if room < 0:
            break
        chosen.append(one)
    chosen.sort(key=lambda one: (one.said_at_ms, one.memory_id))
    return tuple(StandingPreference(one.memory_id, one.text) for one in chosen)


def _for_every_answer(memory: Memory, held: Sequence[MemoryItem]) -> list[MemoryItem]:
    """What a person made or approved is what it is called; of what was read out of a turn its reader has to be sure."""
    reader = Reader(memory.encoder)
    found: list[MemoryItem] = []
    for one in held:
        if one.source is MemorySource.USER_MESSAGE:
            if len(_SURE) > _REMEMBERED:
                _SURE.clear()
            if one.content_hash not in _SURE:
                read = reader.read(ToldTurn(Role.USER, one.text, one.said_at_ms)).statements
                _SURE[one.content_hash] = max((statement.standing for statement in read), default=0.0)
            if _SURE[one.content_hash] < _SURE_ENOUGH or len(one.text) > _SHORT_CHARS:
                continue
        found.append(one)
    return found


def forget() -> None:
    """After erasing: not even a number of a text stays."""
    _SURE.clear()


async def standing_part(memory: Memory, caller: Visibility, since_ms: int, readme: str = "") -> str:
    """The same for a prompt that is not ours, with what the owner's README.md says; empty: nothing stands."""
    first = f"{owners_instructions(readme)}\n" if readme else ""
    found = await standing_preferences(memory, caller, since_ms, first)
    return first + (fenced(found) if found else "")


def owners_instructions(readme: str) -> str:
    """README.md as what it is: the owner's instructions. As much of it as fits beside what stands."""
    return f"{_FROM_OWNER}\n{shorten(redact(readme).strip(), _README_TOKENS)}\n"


def fenced(preferences: tuple[StandingPreference, ...]) -> str:
    text = "".join(_line(one.text) for one in preferences)
    return fence(FenceKind.PREFERENCES, text.rstrip("\n"), stable_boundary(text))


def _line(text: str) -> str:
    return f"- {flat(redact(text))}\n"
