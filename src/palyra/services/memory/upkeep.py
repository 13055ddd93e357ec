"""Keeping memory in order: what has expired goes, what is over the limits goes, and the status says how it stands."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass

from palyra.core import limits
from palyra.core.errors import PalyraError
from palyra.core.ids import MemoryId
from palyra.domain.journal import Actor, Decision, Origin, draft_of_event
from palyra.domain.memory import DAY_MS, MemoryItem, RetentionPolicy
from palyra.domain.memory_events import MemoryDeleted
from palyra.domain.scope import Everyone, Visibility
from palyra.services.memory.context import Memory
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.memory.follower import count_vectors
from palyra.store.memory.items import fetch_item
from palyra.store.memory.usage import (
    Count,
    count_by,
    count_candidates,
    evictable,
    expired,
    last_event_ms,
    last_upkeep,
    note_upkeep,
    principals,
)

_TASK, _TRUSTED = "maintenance", "maintenance.trusted"
"""the last run, and the last one whose clock nobody had reason to doubt"""
_LEAP_MS = 2 * DAY_MS
_MASS = 10
_ABSURD_MS = 365 * DAY_MS
"""no machine is off for so long: then not a single item goes"""
_PAGE = 500


@dataclass(frozen=True, slots=True)
class MaintenanceReport:
    at_ms: int
    expired: int
    evicted: int
    deferred: bool
    """the clock seems to have leapt: nothing was expired, and nothing will be until a person is sure"""
    waiting: int = 0
    """items that wait for that person"""
    away_ms: int = 0
    """how far the clock has come since the last run that nobody doubted"""
    more: bool = False
    """it stopped before all was done"""


@dataclass(frozen=True, slots=True)
class MemoryCounts:
    """`palyra.memory.status`"""

    items: int
    bytes: int
    by_scope: tuple[Count, ...]
    by_source: tuple[Count, ...]
    by_category: tuple[Count, ...]
    waiting_for_review: int
    embedding_model: str
    serving_model: str
    vectors: int
    vectors_pending: int
    index_bytes: int
    """of the indexes loaded in this process"""
    retention: RetentionPolicy
    last_maintenance: MaintenanceReport | None
    embedding_error: PalyraError | None


async def maintain(
    memory: Memory, *, sure: bool = False, enough: Callable[[int], bool] = lambda _items: False
) -> MaintenanceReport:
    """Expires by TTL, then evicts by capacity, principal by principal. Safe to run at any time, and again.

    After what looks like a leap of the clock a mass of items waits, for however long, until somebody is `sure`.
    `enough(items)` is asked between two steps; what is left then is done by the next run.
    """
    now_ms = memory.clock.now_ms()
    policy = memory.retention
    before_ms = None if policy.ttl_days is None else now_ms - policy.ttl_days * DAY_MS
    away_ms, due_items = await _look_at_the_clock(memory, now_ms, before_ms)
    deferred = not sure and _is_doubtful(away_ms, due_items)
    gone, expiry_left = (0, False) if deferred else await _expire(memory, now_ms, before_ms, enough)
    evicted, eviction_left = 0, False
    for principal, items, size in await memory.store.db.read(principals):
        if enough(gone + evicted):
            eviction_left = True
            break
        evicted += await _evict(memory, principal, items, size)
    more = expiry_left or eviction_left
    report = MaintenanceReport(now_ms, gone, evicted, deferred, due_items if deferred else 0, away_ms, more)

    def note(tx: WriteTx) -> None:
        note_upkeep(tx, _TASK, now_ms, json.dumps(asdict(report)))
        if not deferred:
            note_upkeep(tx, _TRUSTED, now_ms, "")

    await memory.store.db.submit(note)
    return report


async def _expire(
    memory: Memory, now_ms: int, before_ms: int | None, enough: Callable[[int], bool]
) -> tuple[int, bool]:
    """(how many, whether any are left)"""

    def due(item: MemoryItem) -> bool:
        if item.expires_at_ms is not None:
            return item.expires_at_ms <= now_ms
        return before_ms is not None and not item.pinned and item.created_at_ms < before_ms

    gone = 0
    while batch := await memory.store.db.read(lambda tx: expired(tx, now_ms, before_ms, _PAGE)):
        if enough(gone):
            return gone, True
        before = gone
        for principal in dict.fromkeys(name for name, _ in batch):
            ids = [memory_id for name, memory_id in batch if name == principal]
            gone += await _close(memory, principal, ids, "expired", due)
        if gone == before:
            break
    return gone, False


async def status(memory: Memory, caller: Visibility) -> MemoryCounts:
    def read(tx: ReadTx) -> MemoryCounts:
        by_scope = tuple(count_by(tx, caller, "scope"))
        done, total = count_vectors(tx, memory.follower.identity, caller, sensitive=memory.follower.takes_sensitive)
        last = last_upkeep(tx, _TASK)
        return MemoryCounts(
            sum(count.items for count in by_scope),
            sum(count.bytes for count in by_scope),
            by_scope,
            tuple(count_by(tx, caller, "source")),
            tuple(count_by(tx, caller, "category")),
            count_candidates(tx, caller),
            memory.follower.identity,
            memory.follower.serving,
            done,
            total - done,
            memory.engine.memory_bytes(),
            memory.retention,
            None if last is None else MaintenanceReport(**json.loads(last[1])),
            memory.follower.last_error,
        )

    return await memory.store.db.read(read)


async def _look_at_the_clock(memory: Memory, now_ms: int, before_ms: int | None) -> tuple[int, int]:
    """How far it has come since it was last known to be right, and how many items are due by it, up to a page.

    The time of a run that is in doubt does not count: else the next run would trust it. Without any run the newest
    event tells the time."""

    def read(tx: ReadTx) -> tuple[int, int]:
        known = last_upkeep(tx, _TRUSTED) or last_upkeep(tx, _TASK)
        known_ms = last_event_ms(tx) if known is None else known[0]
        due_items = len(expired(tx, now_ms, before_ms, _PAGE))
        return (0 if known_ms is None else now_ms - known_ms), due_items

    return await memory.store.db.read(read)


def _is_doubtful(away_ms: int, due_items: int) -> bool:
    """Many at once after a long gap: a wrong clock, or a machine that was off. Only a person can tell."""
    return (away_ms >= _LEAP_MS and due_items > _MASS) or (away_ms >= _ABSURD_MS and due_items > 0)


async def _evict(memory: Memory, principal: str, items: int, size: int) -> int:
    policy = memory.retention
    over_items = 0 if policy.max_entries is None else max(0, items - policy.max_entries)
    over_bytes = 0 if policy.max_bytes is None else max(0, size - policy.max_bytes)
    evicted = 0
    while over_items > 0 or over_bytes > 0:
        chosen: list[MemoryId] = []
        for memory_id, item_bytes in await memory.store.db.read(lambda tx: evictable(tx, principal, _PAGE)):
            if over_items <= 0 and over_bytes <= 0:
                break
            chosen.append(memory_id)
            over_items -= 1
            over_bytes -= item_bytes
        if not chosen:
            break  # the rest is pinned
        closed = await _close(memory, principal, chosen, "evicted", lambda item: not item.pinned)
        evicted += closed
        if not closed:
            break
    return evicted


async def _close(
    memory: Memory, principal: str, ids: list[MemoryId], why: str, due: Callable[[MemoryItem], bool]
) -> int:
    origin = Origin(principal, Actor.SYSTEM)

    def work(tx: ReadTx) -> Decision[int]:
        # Looked at again where it is written: somebody may have pinned, extended or deleted it since.
        found = [fetch_item(tx, memory_id, Everyone()) for memory_id in ids[: limits.BULK_ITEMS]]
        gone = [item.memory_id for item in found if item is not None and item.closed_at_ms is None and due(item)]
        events = (draft_of_event(MemoryDeleted(tuple(gone), why), origin),) if gone else ()
        return Decision(events, len(gone))

    return (await memory.journal.commit(work)).outcome
