"""Comparing what the server has with what it should have, by content, and putting it right.

Both sides work out one number per range of ids over everything a row holds, vector included. Only where the numbers
differ are rows listed. What is on its way anyway is no drift.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from palyra.core.errors import FailedPrecondition
from palyra.core.ids import MemoryId
from palyra.domain.retrieval.mirror import principal_key, range_of, row_digest
from palyra.ports import ListedRow, RangeDigest
from palyra.services.external.mirror import Mirror, converge
from palyra.store.connection import WriteTx
from palyra.store.external.ledger import doubt, strike_out
from palyra.store.external.outbox import is_behind, note_changes, note_ids
from palyra.store.external.truth import MirroredItem, current_page, outbox_ids

_PAGE = 2_000
_LISTED = 10_000

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Drift:
    at_ms: int
    items: int
    """that should be mirrored"""
    rows: int = 0
    """that it has"""
    ranges: int = 0
    """that differ"""
    missing: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    extra: list[tuple[str, str]] = field(default_factory=list)
    """(principal as the server knows it, id)"""

    @property
    def count(self) -> int:
        return len(self.missing) + len(self.differing) + len(self.extra)


class _Ours:
    """What should be where, by range; with `ranges`, the rows of those, too."""

    def __init__(self, mirror: Mirror, ranges: set[int] | None = None) -> None:
        self._mirror = mirror
        self._ranges = ranges
        self._keys: dict[str, bytes] = {}
        self._scopes: dict[tuple[str | None, str | None], bytes] = {}
        self.items = 0
        self.sums: dict[int, RangeDigest] = {}
        self.rows: dict[tuple[bytes, str], int] = {}

    async def read(self, progress: Progress) -> None:
        after, mirror = "", self._mirror
        while page := await mirror.store.db.read(
            lambda tx, after=after: current_page(tx, mirror.identity, after, _PAGE)  # type: ignore[misc]
        ):
            await asyncio.to_thread(self._add, page)
            after = page[-1].memory_id
            self.items += len(page)
            progress("compared", self.items, self.items)

    def _add(self, page: Sequence[MirroredItem]) -> None:
        for item in page:
            number = range_of(item.memory_id)
            if self._ranges is not None and number not in self._ranges:
                continue
            key, digest = self._digest(item)
            count, whole = self.sums.get(number, RangeDigest(0, 0))
            self.sums[number] = RangeDigest(count + 1, whole ^ digest)
            if self._ranges is not None:
                self.rows[key, item.memory_id] = digest

    def _digest(self, item: MirroredItem) -> tuple[bytes, int]:
        marks = self._mirror.marks
        key = self._keys.get(item.principal)
        if key is None:
            key = self._keys[item.principal] = principal_key(marks.principal(item.principal))
        place = (item.channel, item.session_id)
        scope = self._scopes.get(place)
        if scope is None:
            scope = self._scopes[place] = marks.scope(*place)
        mark = marks.content(item.content_hash, self._mirror.identity)
        vector = np.frombuffer(item.vector, np.float16).astype(">f2").tobytes()
        return key, row_digest(key, item.memory_id, scope, mark, vector, self._mirror.dims)


async def find_drift(mirror: Mirror, progress: Progress = lambda _what, _done, _total: None) -> Drift:
    """Raises what the server fails with: what cannot be compared is not in order."""
    server = mirror.server
    if not server.breaker.is_closed:
        raise FailedPrecondition(
            f"{server.name} cannot be asked now", hint="palyra memory external status says why", asleep=1
        )
    ours = _Ours(mirror)
    await ours.read(progress)
    theirs = await server.ask(lambda index: index.digests())
    ranges = {number for number in {*ours.sums, *theirs} if ours.sums.get(number) != theirs.get(number)}
    drift = Drift(mirror.clock.now_ms(), ours.items, sum(one.rows for one in theirs.values()), len(ranges))
    if ranges:
        listed = _Ours(mirror, ranges)
        await listed.read(progress)
        _compare(drift, listed.rows, await server.ask(lambda index: index.listed(ranges)))
        await _leave_out_moving(mirror, drift)
    return drift


def _compare(drift: Drift, ours: dict[tuple[bytes, str], int], theirs: Sequence[ListedRow]) -> None:
    had = {(row.principal, row.id): row.digest for row in theirs}
    for (key, memory_id), digest in ours.items():
        there = had.pop((key, MemoryId(memory_id)), None)
        if there is None:
            drift.missing.append(memory_id)
        elif there != digest:
            drift.differing.append(memory_id)
    drift.extra = [(key.hex(), memory_id) for key, memory_id in had]


async def _leave_out_moving(mirror: Mirror, drift: Drift) -> None:
    """What was written while we looked is in the outbox, or goes there now."""
    while await mirror.store.db.read(is_behind):
        await mirror.store.db.submit(lambda tx: note_changes(tx, mirror.clock.now_ms()))
    ids = [*drift.missing, *drift.differing, *(memory_id for _, memory_id in drift.extra)]
    moving: set[str] = set()
    for start in range(0, len(ids), _LISTED):
        some = ids[start : start + _LISTED]
        moving |= await mirror.store.db.read(lambda tx, some=some: outbox_ids(tx, some))  # type: ignore[misc]
    drift.missing = [memory_id for memory_id in drift.missing if memory_id not in moving]
    drift.differing = [memory_id for memory_id in drift.differing if memory_id not in moving]
    drift.extra = [row for row in drift.extra if row[1] not in moving]


async def reconcile(mirror: Mirror, progress: Progress = lambda _what, _done, _total: None) -> tuple[Drift, Drift]:
    """The drift before and after. Sends what is missing or differs, removes what should not be there."""
    before = await find_drift(mirror, progress)
    await _put_right(mirror, before)
    if not before.count:
        return before, before
    total = before.count
    await converge(mirror, lambda settled: progress("settled", min(settled, total), total))
    return before, await find_drift(mirror, progress)


async def _put_right(mirror: Mirror, drift: Drift) -> None:
    server = mirror.server
    for start in range(0, len(drift.extra), _PAGE):
        extra = drift.extra[start : start + _PAGE]
        rows = [(principal, MemoryId(memory_id)) for principal, memory_id in extra]
        await server.ask(lambda index, rows=rows: index.remove(rows))  # type: ignore[misc]
        gone = [(memory_id, server.place) for _, memory_id in extra]
        await mirror.store.db.submit(lambda tx, gone=gone: strike_out(tx, gone))  # type: ignore[misc]
        mirror.counters.removed += len(extra)
    again = [*drift.missing, *drift.differing, *(memory_id for _, memory_id in drift.extra)]
    for start in range(0, len(again), _PAGE):
        await mirror.store.db.submit(_noting(mirror, server.place, again[start : start + _PAGE]))


def _noting(mirror: Mirror, place: str, ids: Collection[str]) -> Callable[[WriteTx], None]:
    def note(tx: WriteTx) -> None:
        doubt(tx, place, ids)
        note_ids(tx, ids, mirror.clock.now_ms())

    return note
