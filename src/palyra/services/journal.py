"""The journal as its users see it: append, read, follow, prove, sign."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from palyra.core import limits
from palyra.core.errors import InvalidArgument, NotFound, PalyraError
from palyra.core.ids import parse_ulid
from palyra.core.merkle import consistency_proof, inclusion_proof
from palyra.domain.journal import (
    RESERVED_NAMESPACES,
    Committed,
    Decision,
    EventDraft,
    EventFilter,
    EventRecord,
    Receipt,
    RequestKey,
)
from palyra.domain.signed_note import Checkpoint, VerifierKey
from palyra.store.checkpoints import last_checkpoint, read_verifier_key
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.journal import event_at, find_event, list_events
from palyra.store.journal_store import JournalStore, Once
from palyra.store.metrics import WriteMetrics
from palyra.store.tiles.tree import node_reader, root_at
from palyra.store.upkeep.integrity import journal_size
from palyra.store.upkeep.rebuild import rebuild

T = TypeVar("T")

_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class CheckpointPolicy:
    every_events: int = 1000
    every_minutes: int = 60


@dataclass(frozen=True, slots=True)
class InclusionProof:
    event: EventRecord
    size: int
    root: bytes
    path: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class ConsistencyProof:
    old_size: int
    old_root: bytes
    size: int
    root: bytes
    path: tuple[bytes, ...]


async def _nothing_elsewhere() -> tuple[str, ...]:
    return ()


def _page_and_head(tx: ReadTx, want: EventFilter, after_seq: int) -> tuple[list[EventRecord], int]:
    return list_events(tx, want, after_seq, limits.PAGE_EVENTS), journal_size(tx)


@dataclass(frozen=True, slots=True)
class JournalState:
    size: int
    root: bytes
    signed_size: int
    database_bytes: int
    wal_bytes: int
    queued: int
    writes: WriteMetrics
    """of this process"""
    refused: PalyraError | None
    """why writes are refused, if they are"""


class JournalService:
    def __init__(self, store: JournalStore, policy: CheckpointPolicy) -> None:
        self._store = store
        self._policy = policy
        self._last_signed = store.last_signed
        self._signing: asyncio.Task[None] | None = None
        self.erasing = asyncio.Lock()
        """one erasure at a time: its mark says whether the work is finished"""
        self.left_elsewhere: Callable[[], Awaitable[tuple[str, ...]]] = _nothing_elsewhere
        """after an erasure: which copies outside this directory are not confirmed to be gone"""

    # -- writing

    async def append(self, draft: EventDraft, request: RequestKey | None = None) -> Receipt:
        """Durable when it returns. Kinds that change the product's own state come from its own use-cases only."""
        if draft.kind.split(".")[0] in RESERVED_NAMESPACES:
            raise InvalidArgument(
                f"kind {draft.kind!r} is reserved for Palyra itself",
                hint=f"use note or a name of your own; reserved are {', '.join(sorted(RESERVED_NAMESPACES))}",
            )
        receipt = await self._store.append(self._store.prepare(draft), request)
        self._sign_later_if_due(receipt.seq)
        return receipt

    async def commit(
        self,
        decide: Callable[[ReadTx], Decision[T]],
        once: Once[T] | None = None,
        follow: Callable[[WriteTx, tuple[Receipt, ...]], None] | None = None,
    ) -> Committed[T]:
        """Decide, append, apply: the write path of every use-case."""
        committed = await self._store.commit(decide, once, follow)
        if committed.receipts:
            self._sign_later_if_due(committed.receipts[-1].seq)
        return committed

    async def checkpoint(self) -> tuple[Checkpoint, str]:
        made, note = await self._store.checkpoint()
        self._last_signed = made.size
        return made, note

    # -- reading

    async def get(self, reference: str) -> EventRecord:
        """By event id, or by seq."""

        def find(tx: ReadTx) -> EventRecord | None:
            if reference.isascii() and reference.isdigit() and len(reference) < 19:
                return event_at(tx, int(reference))
            return find_event(tx, parse_ulid(reference, "event id"))

        record = await self._store.db.read(find)
        if record is None:
            raise NotFound(f"no event {reference} in this journal", hint="palyra journal list")
        return record

    async def list(
        self, want: EventFilter, after_seq: int = 0, limit: int = 50, *, newest_first: bool = False
    ) -> list[EventRecord]:
        if not 1 <= limit <= limits.PAGE_EVENTS:
            raise InvalidArgument(f"limit {limit} is outside 1..{limits.PAGE_EVENTS}", hint="ask for smaller pages")
        return await self._store.db.read(lambda tx: list_events(tx, want, after_seq, limit, newest_first=newest_first))

    async def tail(self, want: EventFilter, after_seq: int, *, follow: bool) -> AsyncIterator[EventRecord]:
        """Events after `after_seq`, page by page; with `follow` also those still to come, from any process."""
        committed = self._store.listen()
        try:
            while True:
                committed.clear()
                page, head = await self._store.db.read(partial(_page_and_head, want=want, after_seq=after_seq))
                for record in page:
                    yield record
                # What does not match need not be looked at again.
                after_seq = page[-1].seq if len(page) == limits.PAGE_EVENTS else max(head, after_seq)
                if len(page) == limits.PAGE_EVENTS:
                    continue
                if not follow:
                    return
                try:
                    async with asyncio.timeout(_POLL_SECONDS):
                        await committed.wait()
                except TimeoutError:
                    continue  # another process may have written
        finally:
            self._store.unlisten(committed)

    async def head(self) -> tuple[int, bytes]:
        """Size and root."""

        def read(tx: ReadTx) -> tuple[int, bytes]:
            size = journal_size(tx)
            return size, root_at(tx, size)

        return await self._store.db.read(read)

    async def status(self) -> JournalState:
        size, root = await self.head()
        newest = await self._store.db.read(last_checkpoint)
        path, db = self._store.directory.database, self._store.db
        wal = path.with_name(path.name + "-wal")
        return JournalState(
            size,
            root,
            newest[0] if newest else 0,
            path.stat().st_size,
            wal.stat().st_size if wal.exists() else 0,
            db.queued,
            db.metrics,
            db.broken,
        )

    async def verifier_key(self) -> VerifierKey:
        return await self._store.db.read(read_verifier_key)

    async def rebuild(self, progress: Callable[[int], None]) -> tuple[str, str]:
        """Drops every projection and replays the journal, in one transaction. State digest before and after."""
        return await self._store.db.submit(lambda tx: rebuild(tx, progress))

    # -- proving

    async def prove_inclusion(self, reference: str) -> InclusionProof:
        record = await self.get(reference)
        size, root = await self.head()

        def read(tx: ReadTx) -> tuple[bytes, ...]:
            return tuple(inclusion_proof(record.seq - 1, size, node_reader(tx)))

        return InclusionProof(record, size, root, await self._store.db.read(read))

    async def prove_consistency(self, old_size: int) -> ConsistencyProof:
        size, root = await self.head()
        if not 1 <= old_size <= size:
            raise InvalidArgument(
                f"size {old_size} is outside 1..{size}", hint="give the size of an earlier checkpoint"
            )

        def read(tx: ReadTx) -> tuple[bytes, tuple[bytes, ...]]:
            return root_at(tx, old_size), tuple(consistency_proof(old_size, size, node_reader(tx)))

        old_root, path = await self._store.db.read(read)
        return ConsistencyProof(old_size, old_root, size, root, path)

    # -- signing by itself

    async def sign_if_due(self) -> None:
        """Every minute, and at the end of a short-lived process."""
        newest = await self._store.db.read(last_checkpoint)
        size, _ = await self.head()
        signed, at_ms = (newest[0], newest[1]) if newest else (0, 0)
        age_ms = self._store.clock.now_ms() - at_ms
        if size > signed and (
            size - signed >= self._policy.every_events or age_ms >= self._policy.every_minutes * 60_000
        ):
            await self.checkpoint()

    async def sign_quietly_if_due(self) -> None:
        try:
            await self.sign_if_due()
        except PalyraError:
            return  # a missing key or a full disk shows in doctor and in status, and stops no facts

    async def close(self) -> None:
        if self._signing is not None:
            await asyncio.gather(self._signing, return_exceptions=True)

    def _sign_later_if_due(self, seq: int) -> None:
        if seq - self._last_signed < self._policy.every_events or (self._signing and not self._signing.done()):
            return
        self._last_signed = seq
        self._signing = asyncio.get_running_loop().create_task(self._sign_quietly())

    async def _sign_quietly(self) -> None:
        """A missing key must not stop facts from being recorded; doctor and status report it."""
        try:
            await self.checkpoint()
        except PalyraError:
            return
