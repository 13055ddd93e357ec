"""What all parts of the mirror work with, and one step of the follower: tell the server what has changed.

A batch is entered in the ledger, sent, and confirmed. A crash anywhere costs one batch sent again; sending the same
again changes nothing. What a server that fails was to be told stays in the outbox.
"""

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
from palyra.services.external.server import MirrorServer
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.external.ledger import Holding, confirm, enter, holdings, strike_out
from palyra.store.external.outbox import WantedRow, ready_batch, settle
from palyra.store.journal_store import JournalStore

BATCH = 256
BULK = 5_000
"""so many items at once are loaded without search structures, which are made afterwards"""


@dataclass(slots=True)
class Mirror:
    store: JournalStore
    clock: Clock
    server: MirrorServer
    marks: Marks
    identity: str
    dims: int
    counters: Counters = field(default_factory=Counters)
    doubt: str = ""
    """why everything should be compared soon: what a server has may not be what we think"""


async def converge(mirror: Mirror, progress: Callable[[int], None] = lambda _settled: None) -> int:
    """Until nothing is ready, or nobody is there to be told; how many items are settled."""
    after, settled = (0, ""), 0
    while batch := await mirror.store.db.read(_next_batch(mirror, after)):
        after = (batch[-1].turn, batch[-1].memory_id)
        settled += await _tell(mirror, batch)
        progress(settled)
    return settled


def _next_batch(mirror: Mirror, after: tuple[int, str]) -> Callable[[ReadTx], list[WantedRow]]:
    if not mirror.server.breaker.is_closed:
        return lambda _tx: []
    return lambda tx: ready_batch(tx, mirror.identity, after, BATCH)


async def _tell(mirror: Mirror, batch: Sequence[WantedRow]) -> int:
    """Holdings at places that are no longer used stay in the ledger: they cannot be told anything."""
    place, ids = mirror.server.place, [one.memory_id for one in batch]
    held = {
        holding.memory_id: holding
        for holding in await mirror.store.db.read(lambda tx: holdings(tx, ids))
        if holding.place == place
    }
    rows: list[MirroredRow] = []
    gone: list[Holding] = []
    for one in batch:
        row, holding = _row_of(mirror, one), held.get(one.memory_id)
        if row is None and holding is not None:
            gone.append(holding)
        elif row is not None and (holding is None or holding.mark != row.mark):
            rows.append(row)
    sent = [(row.id, place, row.principal) for row in rows]
    if sent:
        await mirror.store.db.submit(lambda tx: enter(tx, sent))
    unsettled = await _tell_server(mirror, rows, gone)
    done = [(one.memory_id, one.turn) for one in batch if one.memory_id not in unsettled]
    held_now = [(row.id, place, row.mark) for row in rows if row.id not in unsettled]
    struck = [(holding.memory_id, place) for holding in gone if holding.memory_id not in unsettled]

    def end(tx: WriteTx) -> None:
        confirm(tx, held_now)
        strike_out(tx, struck)
        settle(tx, done)

    await mirror.store.db.submit(end)
    mirror.counters.sent += len(held_now)
    mirror.counters.removed += len(struck)
    return len(done)


def _row_of(mirror: Mirror, one: WantedRow) -> MirroredRow | None:
    if one.principal is None or one.content_hash is None or one.vector is None:
        return None
    if not _is_fit(one.vector, mirror.dims):
        mirror.counters.unfit += 1
        return None
    return MirroredRow(
        mirror.marks.principal(one.principal),
        MemoryId(one.memory_id),
        mirror.marks.scope(one.channel, one.session_id),
        mirror.marks.content(one.content_hash, mirror.identity),
        one.vector,
    )


async def _tell_server(mirror: Mirror, rows: Sequence[MirroredRow], gone: Sequence[Holding]) -> set[str]:
    """Ids that it has not confirmed."""
    server = mirror.server
    everything = {*(row.id for row in rows), *(holding.memory_id for holding in gone)}
    if not server.breaker.is_closed:
        return everything
    try:
        if gone:
            await server.ask(lambda index: index.remove([(h.principal, MemoryId(h.memory_id)) for h in gone]))
        if rows:
            await server.ask(lambda index: index.mirror(rows))
    except PalyraError as error:
        mirror.counters.write_failures += 1
        # It may have been done all the same, or be done late, after a removal that was confirmed.
        mirror.doubt = f"a write to {server.name} ended without an answer: {error.code}"
        return everything
    return set()


def _is_fit(stored: bytes, dims: int) -> bool:
    """Whatever is in our table: one bad vector must not keep its whole batch from being taken."""
    vector = np.frombuffer(stored, np.float16).astype(np.float32)
    return len(vector) == dims and bool(abs(float(np.sqrt(vector @ vector)) - 1.0) <= UNIT_TOLERANCE * 2)
