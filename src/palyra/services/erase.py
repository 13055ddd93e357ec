"""Forgetting for good: the payload goes from every table, file and backup we own; the chain stays whole.

The erasure is itself an event, in the same transaction that destroys the payload. What follows (the log outside
the database, the WAL, the backups) is finished at the next opening if a crash comes between.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from palyra.core import limits
from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound
from palyra.core.ids import EventId, parse_ulid
from palyra.domain.events import PayloadErased, body_of
from palyra.domain.journal import Decision, EventDraft, EventRecord, Origin
from palyra.services.journal import InclusionProof, JournalService
from palyra.store.backup import scrub_backups
from palyra.store.connection import ReadTx
from palyra.store.erasure_log import append_erasures
from palyra.store.erasures import erased_by
from palyra.store.journal import find_event
from palyra.store.journal_store import JournalStore
from palyra.store.projections import is_erasable


@dataclass(frozen=True, slots=True)
class Erasure:
    event_id: EventId
    seq: int
    erased_by: int
    repeated: bool


@dataclass(frozen=True, slots=True)
class EraseReport:
    """The certificate: what is gone, the events that say so, and a signed checkpoint that covers them."""

    erasures: tuple[Erasure, ...]
    backups_scrubbed: int
    proofs: tuple[InclusionProof, ...]
    checkpoint_note: str


async def erase(
    store: JournalStore, journal: JournalService, event_ids: Sequence[str], reason: str, origin: Origin
) -> EraseReport:
    if not 1 <= len(event_ids) <= limits.ERASE_EVENTS:
        raise InvalidArgument(
            f"{len(event_ids)} event ids given; between 1 and {limits.ERASE_EVENTS} can be erased at once",
            hint="repeat the command with fewer ids",
        )
    wanted = [parse_ulid(event_id, "event id") for event_id in dict.fromkeys(event_ids)]

    def decide(tx: ReadTx) -> Decision[tuple[EventRecord, ...]]:
        targets = tuple(_erasable(tx, event_id) for event_id in wanted)
        events = tuple(
            EventDraft(
                PayloadErased.KIND, body_of(PayloadErased(t.event_id, t.seq, t.kind, reason)), origin, PayloadErased.V
            )
            for t in targets
            if not t.is_erased
        )
        return Decision(events, targets)

    committed = await journal.commit(decide)
    fresh = [target for target in committed.outcome if not target.is_erased]
    if fresh:
        await asyncio.to_thread(append_erasures, store.directory.erasures, [target.event_id for target in fresh])
    scrubbed = await asyncio.to_thread(scrub_backups, store.directory)
    await asyncio.to_thread(store.db.fold_wal)
    _, note = await journal.checkpoint()
    proofs = tuple([await journal.prove_inclusion(receipt.event_id) for receipt in committed.receipts])
    known = await store.db.read(lambda tx: {t.seq: erased_by(tx, t.seq) for t in committed.outcome})
    erasures = tuple(Erasure(t.event_id, t.seq, known[t.seq], repeated=t.is_erased) for t in committed.outcome)
    return EraseReport(erasures, scrubbed, proofs, note)


def _erasable(tx: ReadTx, event_id: str) -> EventRecord:
    record = find_event(tx, event_id)
    if record is None:
        raise NotFound(f"no event {event_id} in this journal; nothing was erased", hint="palyra journal list")
    if not is_erasable(record.kind):
        raise FailedPrecondition(
            f"event {event_id} is a {record.kind} record and holds no text to erase; nothing was erased",
            hint="erase the event that holds the text",
        )
    return record
