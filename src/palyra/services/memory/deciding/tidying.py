"""What older versions kept and today's reader would leave on the tape, and how anything taken out comes back."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from palyra.core.errors import FailedPrecondition, PermissionDenied
from palyra.core.ids import MemoryId
from palyra.domain.journal import Actor, Decision, Receipt, RequestKey, draft_of_event
from palyra.domain.memory import SOURCE_POLICY, ItemFilter, MemoryItem, MemorySource, Trust, is_person
from palyra.domain.memory_events import MemoryDeleted, MemoryRestored
from palyra.domain.scope import Visibility
from palyra.language.reading import Reader
from palyra.language.statements import Role, ToldTurn
from palyra.services.memory.context import Memory, origin_of
from palyra.services.memory.lifecycle import check_ids, visible_item
from palyra.services.memory.repeats import once
from palyra.store.connection import ReadTx
from palyra.store.memory.items import list_items, tidied_ids

TIDIED = "tidied"
_TAKEN_OUT = ("deleted", "purged", TIDIED)
_PAGE = 256
_AT_ONCE = 1_000
_SAID = ItemFilter(sources=(MemorySource.USER_MESSAGE,), trusts=(Trust.OWNER,))
_AS_IT_CAME_BPS = SOURCE_POLICY[MemorySource.USER_MESSAGE].confidence_bps
"""of a message that was kept whole; what was read out of one is as sure as its reader says"""


@dataclass(frozen=True, slots=True)
class LeftItem:
    item: MemoryItem
    because: str
    """a word of `language.reading.reasons`"""


async def left_today(
    memory: Memory, caller: Visibility, progress: Callable[[str, int, int], None] = lambda _what, _done, _all: None
) -> list[LeftItem]:
    """Whole messages that became memory, and out of which nothing would be kept now. Pinned ones stay."""
    reader, found = Reader(memory.encoder), list[LeftItem]()
    after, done = "", 0
    while page := await memory.store.db.read(partial(_page, memory=memory, caller=caller, after=after)):
        found += await asyncio.to_thread(_left, reader, page)
        after, done = page[-1].memory_id, done + len(page)
        progress("messages", done, 0)
    return found


def _page(tx: ReadTx, *, memory: Memory, caller: Visibility, after: str) -> list[MemoryItem]:
    return list_items(tx, caller, _SAID, memory.clock.now_ms(), after, _PAGE)


def _left(reader: Reader, items: Sequence[MemoryItem]) -> list[LeftItem]:
    found: list[LeftItem] = []
    for item in items:
        if item.pinned or item.confidence_bps != _AS_IT_CAME_BPS:
            continue
        reading = reader.read(ToldTurn(Role.USER, item.text, item.said_at_ms))
        if not reading.statements:
            found.append(LeftItem(item, reading.left[0].because if reading.left else "passing"))
    return found


async def tidy(memory: Memory, caller: Visibility, actor: Actor) -> list[LeftItem]:
    """Takes out what `left_today` lists, in one commit. `untidy` brings all of it back."""
    found = await left_today(memory, caller)
    ids = [one.item.memory_id for one in found]
    parts = [tuple(ids[start : start + _AT_ONCE]) for start in range(0, len(ids), _AT_ONCE)]
    drafts = tuple(draft_of_event(MemoryDeleted(part, TIDIED), origin_of(caller, actor)) for part in parts)
    if drafts:
        await memory.journal.commit(lambda _tx: Decision(drafts, None))
    return found


async def untidy(memory: Memory, caller: Visibility, actor: Actor) -> int:
    """How many are memory again."""
    check_brings_back(actor)

    def work(tx: ReadTx) -> Decision[int]:
        ids = tidied_ids(tx, caller, TIDIED)
        origin = origin_of(caller, actor)
        return Decision(tuple(draft_of_event(MemoryRestored(one), origin) for one in ids), len(ids))

    done = await memory.journal.commit(work)
    memory.follower.wake(done.outcome)
    return done.outcome


async def restore(
    memory: Memory, memory_ids: Sequence[str], caller: Visibility, actor: Actor, *, request: RequestKey | None = None
) -> Receipt:
    """What was taken out is memory again, all or none. Only a person takes back what was decided."""
    check_brings_back(actor)
    wanted = check_ids(memory_ids)

    def work(tx: ReadTx) -> Decision[None]:
        for memory_id in wanted:
            _check_taken_out(tx, memory_id, caller)
        origin = origin_of(caller, actor)
        return Decision(tuple(draft_of_event(MemoryRestored(one), origin) for one in wanted), None)

    committed = await memory.journal.commit(work, once(caller.principal, request, lambda _written: None))
    memory.follower.wake(len(wanted))
    return committed.receipts[0]


def check_brings_back(actor: Actor) -> None:
    if not is_person(actor):
        raise PermissionDenied(f"a person brings back what was taken out, not {actor.value}", hint="ask the owner")


def _check_taken_out(tx: ReadTx, memory_id: MemoryId, caller: Visibility) -> None:
    item = visible_item(tx, memory_id, caller)
    if item.closed_at_ms is None:
        raise FailedPrecondition(f"memory {memory_id} was not taken out", hint=f"palyra memory get {memory_id}")
    if item.closed_why not in _TAKEN_OUT:
        raise FailedPrecondition(
            f"memory {memory_id} is {item.closed_why}, not taken out by anybody",
            hint="say it again: palyra memory retain",
        )
