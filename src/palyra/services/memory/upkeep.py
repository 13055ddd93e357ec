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
from palyra.store.connection import ReadTx
from palyra.store.memory.follower import count_vectors
from palyra.store.memory.items import fetch_item
from palyra.store.memory.usage import (
    Count,
    count_by,
    count_candidates,
    evictable,
    expired,
    last_upkeep,
    note_upkeep,
    principals,
)

_TASK, _DOUBT = "maintenance", "maintenance.doubt"
_JUMP_MS = 2 * DAY_MS
_MASS = 10
_CONFIRM_MS = 3_600_000
_PAGE = 500


@dataclass(frozen=True, slots=True)
class MaintenanceReport:
    at_ms: int
    expired: int
    evicted: int
    deferred: bool
    """the clock seems to have jumped: nothing was expired, and the next run after an hour decides"""


@dataclass(frozen=True, slots=True)
class MemoryStatus:
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


async def maintain(memory: Memory, *, sure: bool = False) -> MaintenanceReport:
    """Expires by TTL, then evicts by capacity, principal by principal. Safe to run at any time, and again.

    `sure` expires even after what looks like a jump of the clock.
    """
    now_ms = memory.clock.now_ms()
    policy = memory.retention
    before_ms = None if policy.ttl_days is None else now_ms - policy.ttl_days * DAY_MS
    deferred = not sure and await _looks_like_a_jump(memory, now_ms, before_ms)

    def due(item: MemoryItem) -> bool:
        if item.expires_at_ms is not None:
            return item.expires_at_ms <= now_ms
        return before_ms is not None and not item.pinned and item.created_at_ms < before_ms

    gone = 0
    while not deferred:
        batch = await memory.store.db.read(lambda tx: expired(tx, now_ms, before_ms, _PAGE))
        if not batch:
            break
        before = gone
        for principal in dict.fromkeys(name for name, _ in batch):
            ids = [memory_id for name, memory_id in batch if name == principal]
            gone += await _close(memory, principal, ids, "expired", due)
        if gone == before:
            break
    evicted = 0
    for principal, items, size in await memory.store.db.read(principals):
        evicted += await _evict(memory, principal, items, size)
    report = MaintenanceReport(now_ms, gone, evicted, deferred)
    await memory.store.db.submit(lambda tx: note_upkeep(tx, _TASK, now_ms, json.dumps(asdict(report))))
    return report


async def status(memory: Memory, caller: Visibility) -> MemoryStatus:
    def read(tx: ReadTx) -> MemoryStatus:
        by_scope = tuple(count_by(tx, caller, "scope"))
        done, total = count_vectors(tx, memory.follower.identity, caller)
        last = last_upkeep(tx, _TASK)
        return MemoryStatus(
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


async def _looks_like_a_jump(memory: Memory, now_ms: int, before_ms: int | None) -> bool:
    """Many items at once, after a long gap: a wrong clock, or a machine that was off. It is done an hour later."""

    def read(tx: ReadTx) -> tuple[int, int, int]:
        last = last_upkeep(tx, _TASK)
        doubt = last_upkeep(tx, _DOUBT)
        return (
            now_ms if last is None else last[0],
            -_JUMP_MS if doubt is None else doubt[0],
            len(expired(tx, now_ms, before_ms, _MASS + 1)),
        )

    last_ms, doubted_ms, due = await memory.store.db.read(read)
    if due <= _MASS:
        return False
    doubted_for_ms = now_ms - doubted_ms
    if 0 <= doubted_for_ms < _CONFIRM_MS:
        return True
    # An hour has passed on this clock and it still says so; or there was no gap to begin with.
    if _CONFIRM_MS <= doubted_for_ms < _JUMP_MS or now_ms - last_ms < _JUMP_MS:
        return False
    await memory.store.db.submit(lambda tx: note_upkeep(tx, _DOUBT, now_ms, ""))
    return True


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
