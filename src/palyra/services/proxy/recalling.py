"""Which memories go into a request that passes through: recalled once a turn, the same bytes in each of its requests.

A model's server recognises a prompt by its beginning. So the block of a turn must not change while tools are run,
although a new recall would find something else or fence it with another boundary.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from palyra.core import limits
from palyra.core.errors import PalyraError
from palyra.core.hashing import sha256
from palyra.core.redact import redact_memory_text_for_output, redact_text
from palyra.core.text import normalise
from palyra.domain.recall import Answering, Chosen, Hit
from palyra.domain.scope import Visibility
from palyra.language.wrappings import own_text
from palyra.services.memory.context import Memory
from palyra.services.memory.recalling import recall
from palyra.services.memory.search import SearchRequest
from palyra.services.memory.sources.lines import still_stands
from palyra.services.proxy.asked import LastSaid
from palyra.store.memory.items import fetch_item

log = logging.getLogger("palyra.proxy")

_REMEMBERED = 1_024
_REMEMBERED_SECONDS = 600.0
_RECALL_SECONDS = 5.0
"""longer than that nobody's request waits for its memories"""


@dataclass(frozen=True, slots=True)
class ProxyRecall:
    block: str = ""
    chosen: tuple[Chosen, ...] = ()
    degraded: tuple[str, ...] = ()


class Recalls:
    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._turns: OrderedDict[tuple[Visibility, int, bytes], tuple[float, ProxyRecall]] = OrderedDict()

    async def of_turn(self, memory: Memory, asked: LastSaid, caller: Visibility) -> ProxyRecall:
        """Never raises: without memories a conversation still goes on."""
        await self.forget_old()
        turn = caller, asked.place, sha256(asked.text.encode())
        known = self._turns.get(turn)
        if known is not None and not asked.is_new and await _still_holds(memory, known[1], caller):
            return known[1]
        self._turns.pop(turn, None)
        found = await _recall(memory, asked.text, caller)
        self._turns[turn] = (self._now(), found)
        if len(self._turns) > _REMEMBERED:
            self._turns.popitem(last=False)
        return found

    async def forget_old(self) -> None:
        """Turns that are over by now; the oldest are the first."""
        while self._turns and next(iter(self._turns.values()))[0] <= self._now() - _REMEMBERED_SECONDS:
            self._turns.popitem(last=False)


async def _still_holds(memory: Memory, recalled: ProxyRecall, caller: Visibility) -> bool:
    """Nobody has corrected, forgotten or erased any of it meanwhile."""
    given = [entry.hit.item for entry in recalled.chosen if isinstance(entry.hit, Hit)]
    lines = [entry.hit for entry in recalled.chosen if not isinstance(entry.hit, Hit)]
    try:
        now = await memory.store.db.read(lambda tx: [fetch_item(tx, item.memory_id, caller) for item in given])
        stand = await memory.store.db.read(lambda tx: all(still_stands(tx, line, caller) for line in lines))
    except PalyraError:
        return False
    return stand and all(
        item is not None and item.seq == old.seq and item.closed_at_ms is None and item.superseded_by is None
        for item, old in zip(now, given, strict=True)
    )


async def _recall(memory: Memory, text: str, caller: Visibility) -> ProxyRecall:
    # What a client put around the person's words asks nothing; of a long text the end is usually the question.
    query = (own_text(text) or text).encode("utf-8", "replace")[-limits.QUERY_BYTES :].decode("utf-8", "ignore")
    if not normalise(query):
        return ProxyRecall()
    # No memory is as long as a very long text, and it takes a while to see what in one is secret.
    shown = redact_memory_text_for_output(normalise(text)) if len(text) <= limits.ITEM_BYTES else None

    def says_nothing_new(hit: Answering) -> bool:
        return redact_memory_text_for_output(hit.told.text) == shown

    try:
        async with asyncio.timeout(_RECALL_SECONDS):
            asked = SearchRequest(query, min_score=memory.auto_inject_min_score)
            found = await recall(memory, asked, caller, leave_out=says_nothing_new)
    except (PalyraError, TimeoutError) as error:
        log.warning("a request goes on without memories: %s", redact_text(str(error)).text)
        return ProxyRecall(degraded=("recall",))
    except Exception:  # a defect of ours must not take the model away
        log.exception("a request goes on without memories")
        return ProxyRecall(degraded=("recall",))
    return ProxyRecall(found.recall.block, found.recall.chosen, found.degraded)
