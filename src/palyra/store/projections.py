"""Which event changes which tables, in one table; replaying it, and a digest of the state it gives.

A kind of the product without an entry here fails a test.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import cast

import msgspec

from palyra.core.hashing import STATE_TAG, Json, field
from palyra.domain.events import DemoMarked, JournalRestored, Note, PayloadErased, PrincipalErased
from palyra.domain.journal import EventRecord
from palyra.store import erasures, notes
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.continuity.projector import CONTINUITY_PROJECTORS
from palyra.store.cron.projector import CRON_PROJECTORS
from palyra.store.jobs.projector import JOB_PROJECTORS
from palyra.store.learning.projector import LEARNING_PROJECTORS
from palyra.store.memory.candidates import CANDIDATE_PROJECTORS
from palyra.store.memory.projector import ITEM_PROJECTORS
from palyra.store.memory.search import clear_index
from palyra.store.projector import Applied, Body, ErasedEvent, Projector
from palyra.store.sessions.attachments import ATTACHMENT_PROJECTORS
from palyra.store.sessions.projector import SESSION_PROJECTORS
from palyra.store.sessions.search import clear_words
from palyra.store.tokens import ACCESS_PROJECTORS
from palyra.store.upkeep import principals
from palyra.store.workspace.projector import WORKSPACE_PROJECTORS
from palyra.store.workspace.search import clear_sections

PROJECTORS: dict[str, Projector] = {
    Note.KIND: notes.PROJECTOR,
    PayloadErased.KIND: erasures.PROJECTOR,
    PrincipalErased.KIND: principals.PROJECTOR,
    DemoMarked.KIND: Projector(unit="palyra demo --remove"),
    JournalRestored.KIND: Projector(erasable=False),
    **ITEM_PROJECTORS,
    **CANDIDATE_PROJECTORS,
    **ACCESS_PROJECTORS,
    **SESSION_PROJECTORS,
    **ATTACHMENT_PROJECTORS,
    **WORKSPACE_PROJECTORS,
    **CONTINUITY_PROJECTORS,
    **LEARNING_PROJECTORS,
    **CRON_PROJECTORS,
    **JOB_PROJECTORS,
}

TABLES: tuple[str, ...] = tuple(sorted({table for projector in PROJECTORS.values() for table in projector.tables}))

FOLLOWERS: tuple[str, ...] = ("memory_vectors", "memory_models", "memory_fingerprints")
"""Computed from projections and never replayed: no part of the state, but text can be read back from them."""

INDEXES: tuple[str, ...] = ("memory_fts", "session_fts", "workspace_fts")
"""Full-text indexes: written with the projection or right after it, rebuilt from it."""


def project(tx: WriteTx, event: Applied, body: Body, *, index: bool = True) -> None:
    projector = PROJECTORS.get(event.kind)
    if projector is None:
        return  # somebody else's kind: kept in the journal, projected to nothing
    projector.apply(tx, event, body)
    if index:
        projector.index(tx, event, body)
    if event.kind == PayloadErased.KIND and body is not None:
        erased = ErasedEvent(cast("str", body["event_id"]), cast("int", body["seq"]), event.seq)
        erase_projected(tx, cast("str", body["kind"]), erased)


def project_run(tx: WriteTx, kind: str, events: Sequence[tuple[Applied, Body]]) -> None:
    """Events of one kind that were written one after the other."""
    projector = PROJECTORS.get(kind)
    if projector is not None and projector.apply_all is not None and len(events) > 1:
        projector.apply_all(tx, events)
        return
    for event, body in events:
        project(tx, event, body)


def erase_projected(tx: WriteTx, kind: str, erased: ErasedEvent) -> None:
    if kind in PROJECTORS:
        PROJECTORS[kind].erase(tx, erased)


def is_erasable(kind: str) -> bool:
    return PROJECTORS[kind].erasable if kind in PROJECTORS else True


def unit_of(kind: str) -> str:
    return PROJECTORS[kind].unit if kind in PROJECTORS else ""


def replay(tx: WriteTx, record: EventRecord, *, index: bool = True) -> None:
    if record.kind not in PROJECTORS:
        return
    body = None if record.payload is None else cast("dict[str, Json]", msgspec.json.decode(record.payload))
    event = Applied(
        record.seq, record.event_id, record.kind, record.origin, record.occurred_at_ms, record.recorded_at_ms
    )
    project(tx, event, body, index=index)


def clear(tx: WriteTx) -> None:
    for table in TABLES:
        tx.execute(f"DELETE FROM {table}")
    clear_index(tx)
    clear_words(tx)
    clear_sections(tx)


def state_digest(tx: ReadTx) -> str:
    """One hash over every row of every projection, in key order."""
    digest = hashlib.sha256(STATE_TAG)
    for table in TABLES:
        digest.update(field(table.encode()))
        for row in table_rows(tx, table):
            digest.update(b"\x01" + b"".join(field(_bytes(value)) for value in row))
        digest.update(b"\x00")
    return digest.hexdigest()


def table_rows(tx: ReadTx, table: str) -> Iterator[tuple[object, ...]]:
    return iter(tx.execute(f"SELECT * FROM {table} ORDER BY 1"))


def row_seq(tx: ReadTx, table: str, row: tuple[object, ...]) -> int | None:
    """The event a projection row stems from: every projection has a `seq` column."""
    names = [cast("str", column[1]) for column in tx.execute(f"PRAGMA table_info({table})")]
    seq = row[names.index("seq")]
    return seq if isinstance(seq, int) else None


def _bytes(value: object) -> bytes | None:
    """Type and value, so that 1 and '1' differ."""
    match value:
        case None:
            return None
        case int():
            return b"i%d" % value
        case float():
            return b"f" + value.hex().encode()
        case str():
            return b"t" + value.encode("utf-8", "surrogateescape")
        case _:
            return b"b" + cast("bytes", value)
