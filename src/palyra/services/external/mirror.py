"""What all parts of the mirror work with, and one step of the follower: tell the servers what has changed.

A batch is entered in the ledger, sent, and confirmed. A crash anywhere costs one batch sent again; sending the same
again changes nothing. A server that fails keeps its items in the outbox and nobody else's.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from palyra.core.clock import Clock
from palyra.core.errors import PalyraError
from palyra.core.ids import MemoryId
from palyra.domain.retrieval.mirror import Marks
from palyra.domain.retrieval.vectors import UNIT_TOLERANCE
from palyra.ports import MirroredRow
from palyra.services.external.counters import Counters
from palyra.services.external.shards import Shard, Shards
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.external.ledger import Holding, confirm, enter, holdings, settle_in, strike_out
from palyra.store.external.outbox import Wanted, ready_batch, settle
from palyra.store.journal_store import JournalStore

BATCH = 256
BULK = 5_000
"""so many items at once are loaded without search structures, which are made afterwards"""


@dataclass(slots=True)
class Mirror:
    store: JournalStore
    clock: Clock
    shards: Shards
    marks: Marks
    identity: str
    dims: int
    homes: dict[str, str]
    """principal to server; only the follower changes it"""
    counters: Counters = field(default_factory=Counters)
    doubt: str = ""
    """why everything should be compared soon: what a server has may not be what we think"""

    def shard_of(self, principal: str) -> Shard | None:
        return self.shards.by_name.get(self.homes.get(principal, ""))


async def converge(mirror: Mirror, progress: Callable[[int], None] = lambda _settled: None) -> int:
    """Until nothing is ready, or nobody is there to be told; how many items are settled."""
    after, settled = (0, ""), 0
    while batch := await mirror.store.db.read(_next_batch(mirror, after)):
        after = (batch[-1].turn, batch[-1].memory_id)
        settled += await _tell(mirror, batch)
        progress(settled)
    return settled


def _next_batch(mirror: Mirror, after: tuple[int, str]) -> Callable[[ReadTx], list[Wanted]]:
    asleep = mirror.shards.asleep
    if len(asleep) == len(mirror.shards.names):
        return lambda _tx: []
    return lambda tx: ready_batch(tx, mirror.identity, after, BATCH, asleep)


class _Plan:
    """What a batch means for each server. An item may have to go from one and be put to another."""

    def __init__(self) -> None:
        self.rows: defaultdict[str, list[MirroredRow]] = defaultdict(list)
        """by place"""
        self.gone: defaultdict[str, list[Holding]] = defaultdict(list)
        self.moved: dict[str, str] = {}
        """principals that had no home yet"""


async def _tell(mirror: Mirror, batch: Sequence[Wanted]) -> int:
    ids = [one.memory_id for one in batch]
    held: defaultdict[str, list[Holding]] = defaultdict(list)
    for holding in await mirror.store.db.read(lambda tx: holdings(tx, ids)):
        held[holding.memory_id].append(holding)
    plan = _Plan()
    for one in batch:
        _plan_one(mirror, plan, one, held[one.memory_id])
    sent = [(row.id, place, row.principal) for place, rows in plan.rows.items() for row in rows]
    if sent or plan.moved:
        await mirror.store.db.submit(lambda tx: _begin(tx, sent, list(plan.moved.items())))
        mirror.homes.update(plan.moved)
    places = sorted({*plan.rows, *plan.gone})
    unsettled = set[str]().union(*await asyncio.gather(*(_tell_one(mirror, plan, place) for place in places)))
    done = [(one.memory_id, one.turn) for one in batch if one.memory_id not in unsettled]
    held_now = [
        (row.id, place, row.mark) for place, rows in plan.rows.items() for row in rows if row.id not in unsettled
    ]
    struck = [(h.memory_id, place) for place, gone in plan.gone.items() for h in gone if h.memory_id not in unsettled]

    def end(tx: WriteTx) -> None:
        confirm(tx, held_now)
        strike_out(tx, struck)
        settle(tx, done)

    await mirror.store.db.submit(end)
    mirror.counters.sent += len(held_now)
    mirror.counters.removed += len(struck)
    return len(done)


def _begin(tx: WriteTx, sent: Sequence[tuple[str, str, str]], moved: Sequence[tuple[str, str]]) -> None:
    settle_in(tx, moved)
    enter(tx, sent)


def _plan_one(mirror: Mirror, plan: _Plan, one: Wanted, held: Sequence[Holding]) -> None:
    """Places of servers or tables that are no longer used stay in the ledger: they cannot be told anything."""
    row, place = _row_of(mirror, plan, one)
    for holding in held:
        if holding.place != place and mirror.shards.at(holding.place) is not None:
            plan.gone[holding.place].append(holding)
    if row is not None and not any(h.place == place and h.mark == row.mark for h in held):
        plan.rows[place].append(row)


def _row_of(mirror: Mirror, plan: _Plan, one: Wanted) -> tuple[MirroredRow | None, str]:
    if one.principal is None or one.content_hash is None or one.vector is None:
        return None, ""
    if not _is_fit(one.vector, mirror.dims):
        mirror.counters.unfit += 1
        return None, ""
    name = one.shard if one.shard in mirror.shards.by_name else plan.moved.get(one.principal)
    if name is None:
        name = plan.moved[one.principal] = mirror.shards.first_home(one.principal)
    row = MirroredRow(
        mirror.marks.principal(one.principal),
        MemoryId(one.memory_id),
        mirror.marks.scope(one.channel, one.session_id),
        mirror.marks.content(one.content_hash, mirror.identity),
        one.vector,
    )
    return row, mirror.shards.by_name[name].place


async def _tell_one(mirror: Mirror, plan: _Plan, place: str) -> set[str]:
    """Ids that this server has not confirmed."""
    shard = mirror.shards.at(place)
    rows, gone = plan.rows.get(place, []), plan.gone.get(place, [])
    everything = {*(row.id for row in rows), *(holding.memory_id for holding in gone)}
    if shard is None or not shard.breaker.is_closed:
        return everything
    try:
        if gone:
            await shard.ask(lambda index: index.remove([(h.principal, MemoryId(h.memory_id)) for h in gone]))
        if rows:
            await shard.ask(lambda index: index.mirror(rows))
    except PalyraError as error:
        mirror.counters.write_failures += 1
        # It may have been done all the same, or be done late, after a removal that was confirmed.
        mirror.doubt = f"a write to {shard.name} ended without an answer: {error.code}"
        return everything
    return set()


def _is_fit(stored: bytes, dims: int) -> bool:
    """Whatever is in our table: one bad vector must not keep its whole batch from being taken."""
    vector = np.frombuffer(stored, np.float16).astype(np.float32)
    return len(vector) == dims and bool(abs(float(np.sqrt(vector @ vector)) - 1.0) <= UNIT_TOLERANCE * 2)
