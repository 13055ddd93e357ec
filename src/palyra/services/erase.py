"""Forgetting for good: the payload goes from every table, file and backup we own; the chain stays whole.

The erasure is itself an event, in the same transaction that destroys the payload. What follows (the log outside
the database, the WAL, the backups) is finished at the next opening if a crash comes between.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from palyra.core import limits
from palyra.core.errors import FailedPrecondition, Integrity, InvalidArgument, NotFound
from palyra.core.ids import EventId, parse_ulid
from palyra.domain.events import PayloadErased, PrincipalErased, body_of
from palyra.domain.journal import Decision, EventDraft, EventRecord, Origin
from palyra.services.journal import InclusionProof, JournalService
from palyra.store.connection import ReadTx
from palyra.store.erasures import erased_by
from palyra.store.journal import find_event
from palyra.store.journal_store import JournalStore
from palyra.store.projections import is_erasable, unit_of
from palyra.store.upkeep.erasure_log import mark_unfinished
from palyra.store.upkeep.principals import events_of_principal, open_run_of

_AT_ONCE = 2_000
"""events of a principal in one transaction: others write in between"""


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
    untouched_copies: tuple[Path, ...]
    """that may still hold the text: backups that could not be read; the database, until there is room to rewrite it"""
    proofs: tuple[InclusionProof, ...]
    checkpoint_note: str
    """empty without a signing key"""
    elsewhere: tuple[str, ...] = ()
    """what engines elsewhere have not confirmed yet: it is on a durable list, and tried again until they do"""


async def erase(
    store: JournalStore, journal: JournalService, event_ids: Sequence[str], reason: str, origin: Origin
) -> EraseReport:
    """Single events, by a person who knows the journal. What belongs to something larger is erased with all of it."""
    if not 1 <= len(event_ids) <= limits.ERASE_EVENTS:
        raise InvalidArgument(
            f"{len(event_ids)} event ids given; between 1 and {limits.ERASE_EVENTS} can be erased at once",
            hint="repeat the command with fewer ids",
        )

    def check(tx: ReadTx) -> None:
        for event_id in event_ids:
            record = find_event(tx, parse_ulid(event_id, "event id"))
            if record is not None and unit_of(record.kind):
                raise FailedPrecondition(
                    f"event {event_id} is a {record.kind} record, a part of something larger; nothing was erased",
                    hint=f"{unit_of(record.kind)} erases all of it",
                )

    await store.db.read(check)
    return await erase_events(store, journal, lambda _tx: event_ids, reason, origin)


async def erase_events(
    store: JournalStore,
    journal: JournalService,
    find: Callable[[ReadTx], Sequence[str]],
    reason: str,
    origin: Origin,
) -> EraseReport:
    """All of them in one transaction, which also finds them: what was written since anybody looked goes, too."""

    def decide(tx: ReadTx) -> Decision[tuple[EventRecord, ...]]:
        wanted = [parse_ulid(event_id, "event id") for event_id in dict.fromkeys(find(tx))]
        targets = tuple(_erasable(tx, event_id) for event_id in wanted)
        return Decision(tuple(_erasure(t, reason, origin) for t in targets if not t.is_erased), targets)

    await store.db.read(decide)  # a wrong id is an error before anything is begun
    async with journal.erasing, store.db.on_reserve():
        await asyncio.to_thread(mark_unfinished, store.directory)
        committed = await journal.commit(decide)
        note = await _signed(journal)  # first: what follows may take all the room there is
        leftover = await asyncio.to_thread(store.finish_erasures)
    proofs = tuple([await journal.prove_inclusion(receipt.event_id) for receipt in committed.receipts])
    known = await store.db.read(lambda tx: {t.seq: erased_by(tx, t.seq) for t in committed.outcome})
    erasures = tuple(Erasure(t.event_id, t.seq, known[t.seq], repeated=t.is_erased) for t in committed.outcome)
    return EraseReport(erasures, tuple(leftover), proofs, note, await journal.left_elsewhere())


@dataclass(frozen=True, slots=True)
class PrincipalGone:
    """The certificate of a whole principal: how many payloads were destroyed, and what says so."""

    principal: str
    events: int
    untouched_copies: tuple[Path, ...]
    """that may still hold the text: backups that could not be read; the database, until there is room to rewrite it"""
    proof: InclusionProof | None
    """of the event that says that all of it is gone; None: there was nothing"""
    checkpoint_note: str
    """empty without a signing key"""
    elsewhere: tuple[str, ...] = ()


async def erase_principal(
    store: JournalStore, journal: JournalService, principal: str, reason: str, origin: Origin
) -> PrincipalGone:
    """Everything of one principal, in every table and backup; whoever asks sees to its files and its tokens first.

    The first transaction takes whatever was made of the events; the payloads go with it, many at a time. Cut off in
    between, the same call goes on. FailedPrecondition, and nothing erased, while a turn of that principal goes on."""

    def decide(tx: ReadTx) -> Decision[tuple[EventRecord, ...]]:
        check_quiet(tx, principal)
        wanted = dict.fromkeys(events_of_principal(tx, principal, _AT_ONCE))
        targets = tuple(_sound(tx, event_id) for event_id in wanted)
        gone = EventDraft(PrincipalErased.KIND, body_of(PrincipalErased(principal, reason)), origin, PrincipalErased.V)
        # Its rows go before the payloads: then it does not matter which of them is erased together with which.
        drafts = (gone, *(_erasure(one, reason, origin) for one in targets)) if targets else ()
        return Decision(drafts, targets)

    count, first, leftover, note = 0, "", list[Path](), ""
    if (await store.db.read(decide)).events:
        async with journal.erasing, store.db.on_reserve():
            await asyncio.to_thread(mark_unfinished, store.directory)
            while (committed := await journal.commit(decide)).outcome:
                count += len(committed.outcome)
                first = first or committed.receipts[0].event_id
            note = await _signed(journal)
            leftover = await asyncio.to_thread(store.finish_erasures)
    proof = await journal.prove_inclusion(first) if first else None
    return PrincipalGone(principal, count, tuple(leftover), proof, note, await journal.left_elsewhere())


async def _signed(journal: JournalService) -> str:
    with suppress(FailedPrecondition):  # the key is missing: the text is gone all the same
        return (await journal.checkpoint())[1]
    return ""


async def finish_begun(store: JournalStore, journal: JournalService) -> None:
    """What an erasure had to leave for lack of room, once there is enough of it."""
    if store.db.broken is None and store.directory.unfinished_erasure.exists() and store.db.has_room_to_compact():
        async with journal.erasing:
            await asyncio.to_thread(store.finish_erasures)


def check_quiet(tx: ReadTx, principal: str) -> None:
    if (running := open_run_of(tx, principal)) is not None:
        raise FailedPrecondition(
            f"run {running} of {principal!r} is still going on; nothing was erased", hint="wait for it, or abort it"
        )


def _erasure(target: EventRecord, reason: str, origin: Origin) -> EventDraft:
    event = PayloadErased(target.event_id, target.seq, target.kind, reason)
    return EventDraft(PayloadErased.KIND, body_of(event), origin, PayloadErased.V)


def _erasable(tx: ReadTx, event_id: str) -> EventRecord:
    record = _sound(tx, event_id)
    if not is_erasable(record.kind):
        raise FailedPrecondition(
            f"event {event_id} is a {record.kind} record and holds no text to erase; nothing was erased",
            hint="erase the event that holds the text",
        )
    return record


def _sound(tx: ReadTx, event_id: str) -> EventRecord:
    record = find_event(tx, event_id)
    if record is None:
        raise NotFound(f"no event {event_id} in this journal; nothing was erased", hint="palyra journal list")
    if not record.is_erased and erased_by(tx, record.seq):
        raise Integrity(
            f"event {event_id} was erased before, and its payload has been put back by another program",
            hint="palyra journal verify; then restore a backup",
            seq=record.seq,
        )
    return record
