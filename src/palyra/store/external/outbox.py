"""The outbox: which items an external engine has still to be told about, and how far the journal was looked through.

Nothing is written here when an item changes: the journal itself is followed, so that no writer waits and nothing is
lost while the mirror is off. An id leaves the outbox when what the engine has was confirmed after the id was noted.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple, cast

from palyra.domain.events import JournalRestored, PayloadErased
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.memory.follower import UNMINDED
from palyra.store.upkeep.integrity import journal_size

EVENTS_AT_ONCE = 20_000
_QUIET_EVENTS = 1_000
_KINDS = (PayloadErased.KIND, JournalRestored.KIND)
_TOUCHED = (
    "SELECT memory_id FROM memory_items WHERE seq > ?1 AND seq <= ?2"
    " UNION ALL SELECT memory_id FROM memory_changes WHERE seq > ?1 AND seq <= ?2"
)
"""items that were made or changed by events of that stretch"""


@dataclass(frozen=True, slots=True)
class MirrorState:
    key: bytes
    watermark: int
    """every event up to it has been looked at"""
    identity: str
    """of the model whose vectors are mirrored"""
    recheck: bool
    """the journal went back in time, or the engine did: compare everything"""


def read_mirror(tx: ReadTx) -> MirrorState | None:
    row = tx.execute("SELECT key, watermark, identity, recheck FROM external_mirror").fetchone()
    if row is None:
        return None
    key, watermark, identity, recheck = cast("tuple[bytes, int, str, int]", row)
    return MirrorState(key, watermark, identity, bool(recheck))


def begin_mirror(tx: WriteTx, key: bytes, identity: str) -> MirrorState:
    """A key is made once and kept: whatever is at an engine was marked with it."""
    tx.execute("INSERT OR IGNORE INTO external_mirror VALUES (1, ?, 0, 0, ?, 0)", (key, identity))
    state = read_mirror(tx)
    assert state is not None  # noqa: S101 - written above
    return state


def use_identity(tx: WriteTx, identity: str, now_ms: int) -> None:
    """Vectors of another model: everything has to be sent anew."""
    tx.execute("UPDATE external_mirror SET identity = ?", (identity,))
    note_all(tx, now_ms)


def want_recheck(tx: WriteTx, *, wanted: bool) -> None:
    tx.execute("UPDATE external_mirror SET recheck = ?", (int(wanted),))


def is_behind(tx: ReadTx) -> bool:
    """Whether `note_changes` has anything to do. Events that say nothing about memories can wait for some more."""
    state = read_mirror(tx)
    if state is None:
        return False
    after, head = state.watermark, journal_size(tx)
    return (
        head - after > _QUIET_EVENTS
        or tx.execute(f"SELECT 1 FROM ({_TOUCHED}) LIMIT 1", (after, head)).fetchone() is not None
        or bool(_happened(tx, after, head))
    )


def note_changes(tx: WriteTx, now_ms: int) -> bool:
    """Looks at the next events; True if there are more."""
    state = read_mirror(tx)
    assert state is not None  # noqa: S101 - begun before anything is noted
    head = journal_size(tx)
    after, until = state.watermark, min(head, state.watermark + EVENTS_AT_ONCE)
    tx.execute(
        f"INSERT INTO external_outbox SELECT DISTINCT memory_id, ?3, ?4 FROM ({_TOUCHED}) WHERE true"
        " ON CONFLICT (memory_id) DO UPDATE SET turn = excluded.turn",
        (after, until, _turn(tx), now_ms),
    )
    kinds = _happened(tx, after, until)
    if kinds:  # an erased item has no history any more: only the ledger still knows its id
        note_orphans(tx, now_ms)
    recheck = state.recheck or JournalRestored.KIND in kinds
    tx.execute("UPDATE external_mirror SET watermark = ?, recheck = ?", (until, int(recheck)))
    return until < head


def _turn(tx: WriteTx) -> int:
    """Another one each time: who was noted again after it was read is not done."""
    row = tx.execute("UPDATE external_mirror SET turn = turn + 1 RETURNING turn").fetchone()
    assert row is not None  # noqa: S101 - begun before anything is noted
    return cast("int", row[0])


def _happened(tx: ReadTx, after: int, until: int) -> set[str]:
    """Which of `_KINDS` did."""
    sql = "SELECT DISTINCT kind FROM journal_events WHERE kind IN (?, ?) AND seq > ? AND seq <= ?"
    return {cast("str", kind) for (kind,) in tx.execute(sql, (*_KINDS, after, until))}


def note_orphans(tx: WriteTx, now_ms: int) -> None:
    tx.execute(
        "INSERT INTO external_outbox SELECT DISTINCT memory_id, ?, ? FROM external_ledger l"
        " WHERE NOT EXISTS (SELECT 1 FROM memory_items i WHERE i.memory_id = l.memory_id)"
        " ON CONFLICT (memory_id) DO UPDATE SET turn = excluded.turn",
        (_turn(tx), now_ms),
    )


def note_ids(tx: WriteTx, ids: Collection[str], now_ms: int) -> None:
    tx.execute(
        "INSERT INTO external_outbox SELECT value, ?, ? FROM json_each(?) WHERE TRUE"
        " ON CONFLICT (memory_id) DO UPDATE SET turn = excluded.turn",
        (_turn(tx), now_ms, json.dumps(list(ids))),
    )


def note_all(tx: WriteTx, now_ms: int) -> None:
    """Every item there is, and every id an engine may hold."""
    for of in ("memory_items WHERE closed_seq IS NULL", "external_ledger WHERE TRUE"):
        tx.execute(
            f"INSERT INTO external_outbox SELECT DISTINCT memory_id, ?, ? FROM {of}"
            " ON CONFLICT (memory_id) DO UPDATE SET turn = excluded.turn",
            (_turn(tx), now_ms),
        )


class WantedRow(NamedTuple):
    """An item as an engine should have it; without a seq: it should not."""

    memory_id: str
    turn: int
    seq: int | None
    principal: str | None
    channel: str | None
    session_id: str | None
    content_hash: bytes | None
    vector: bytes | None


def ready_batch(tx: ReadTx, identity: str, after: tuple[int, str], limit: int) -> list[WantedRow]:
    """Items whose vector is there, or that have to go, in the order they were noted."""
    rows = tx.execute(
        "SELECT o.memory_id, o.turn, i.seq, i.principal, i.channel, i.session_id, i.content_hash, v.vector"
        " FROM external_outbox o"
        " LEFT JOIN memory_items i ON i.memory_id = o.memory_id AND i.closed_seq IS NULL AND i.superseded_seq IS NULL"
        f" AND {UNMINDED}"
        " LEFT JOIN memory_vectors v ON v.item_seq = i.seq AND v.identity = ?1 AND v.content_hash = i.content_hash"
        " WHERE (o.turn, o.memory_id) > (?2, ?3) AND (i.seq IS NULL OR v.item_seq IS NOT NULL)"
        " ORDER BY o.turn, o.memory_id LIMIT ?4",
        (identity, *after, limit),
    )
    return [WantedRow(*cast("tuple[str, int, int, str, str, str, bytes, bytes]", row)) for row in rows]


def settle(tx: WriteTx, done: Collection[tuple[str, int]]) -> None:
    """(id, turn) that the engine has confirmed; what was noted again meanwhile stays."""
    for memory_id, turn in done:
        tx.execute("DELETE FROM external_outbox WHERE memory_id = ? AND turn = ?", (memory_id, turn))


class Backlog(NamedTuple):
    items: int
    oldest_at_ms: int | None
    unread_events: int


def backlog(tx: ReadTx) -> Backlog:
    items, oldest = cast(
        "tuple[int, int | None]", tx.execute("SELECT count(*), min(noted_at_ms) FROM external_outbox").fetchone()
    )
    state = read_mirror(tx)
    return Backlog(items, oldest, 0 if state is None else journal_size(tx) - state.watermark)
