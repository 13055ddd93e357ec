"""How memory events become rows.

An item is erased whole: all its events lose their payload in one transaction, so `erase` removes the item, and a
replay that meets only empty events makes none. Events without text (superseded, linked, deleted, recalled) are kept;
on an item that is not there they change nothing.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, cast

from palyra.core.hashing import Json
from palyra.domain.memory_events import (
    MemoryDeleted,
    MemoryLinked,
    MemoryMerged,
    MemoryRecalled,
    MemoryRefused,
    MemoryReinstated,
    MemoryRestored,
    MemoryStored,
    MemorySuperseded,
    MemoryUpdated,
)
from palyra.store.connection import WriteTx
from palyra.store.memory.search import forget
from palyra.store.projector import Applied, Body, ErasedEvent, Projector

_TABLES = ("memory_items", "memory_changes", "memory_links")
_INSERT = f"INSERT INTO memory_items VALUES ({', '.join('?' * 33)})"
_COPIED = (
    "memory_id, principal, channel, session_id, source, category, sensitivity, trust, confidence_bps, tags, speaker,"
    " thread, said_at_ms, provenance, valid_from_ms, valid_to_ms, supersedes, superseded_by, superseded_seq, pinned,"
    " expires_at_ms, created_at_ms, last_recalled_at_ms, recall_count, candidate_id"
)
"""what a new version of the text takes over from the one before it"""


def _stored(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is not None:
        tx.execute(_INSERT, _item_row(event, body))


def _store_all(tx: WriteTx, events: Sequence[tuple[Applied, Body]]) -> None:
    tx.executemany(_INSERT, [_item_row(event, body) for event, body in events if body is not None])


def _item_row(event: Applied, body: dict[str, Json]) -> tuple[object, ...]:
    get: Any = body.get
    text = get("text", "")
    at_ms = event.occurred_at_ms
    said_at_ms = get("said_at_ms", at_ms)
    return (
        event.seq, body["memory_id"], event.origin.principal, get("channel"), get("session_id"), body["source"],
        body["category"], body["sensitivity"], get("trust", 0), get("confidence_bps", 0), text,
        hashlib.sha256(text.encode()).digest(), bytes.fromhex(get("likeness", "")), _listed(get("tags")),
        get("speaker", ""), get("thread", ""), said_at_ms, _listed(get("provenance")),
        get("valid_from_ms", said_at_ms), get("valid_to_ms"), get("supersedes"), None, None,
        int(get("pinned", False)), get("expires_at_ms"), at_ms, at_ms, None, 0, get("candidate_id"), None, None,
        None,
    )  # fmt: skip


def _merged(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None or not _note(tx, event, cast("str", body["memory_id"])):
        return
    get: Any = body.get
    row = tx.execute(
        "SELECT seq, tags, provenance FROM memory_items WHERE memory_id = ? AND closed_seq IS NULL",
        (body["memory_id"],),
    ).fetchone()
    if row is None:
        return
    tx.execute(
        "UPDATE memory_items SET tags = ?, provenance = ?, confidence_bps = max(confidence_bps, ?), updated_at_ms = ?"
        " WHERE seq = ?",
        (
            _union(cast("str", row[1]), get("tags", [])),
            _union(cast("str", row[2]), get("provenance", [])),
            get("confidence_bps", 0),
            event.recorded_at_ms,
            row[0],
        ),
    )


def _updated(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None or not _note(tx, event, cast("str", body["memory_id"])):
        return
    row = tx.execute(
        "SELECT seq, pinned FROM memory_items WHERE memory_id = ? AND closed_seq IS NULL", (body["memory_id"],)
    ).fetchone()
    if row is None:
        return
    seq = cast("int", row[0])
    if "text" in body:
        text = cast("str", body["text"])
        tx.execute(
            f"INSERT INTO memory_items (seq, text, content_hash, likeness, updated_at_ms, {_COPIED})"
            f" SELECT ?, ?, ?, ?, ?, {_COPIED} FROM memory_items WHERE seq = ?",
            (
                event.seq,
                text,
                hashlib.sha256(text.encode()).digest(),
                bytes.fromhex(cast("str", body["likeness"])),
                event.recorded_at_ms,
                seq,
            ),
        )
        tx.execute(
            "UPDATE memory_items SET closed_seq = ?, closed_at_ms = ?, closed_why = 'updated' WHERE seq = ?",
            (event.seq, event.recorded_at_ms, seq),
        )
        seq = event.seq
    changes: dict[str, object] = {"updated_at_ms": event.recorded_at_ms}
    for name in ("category", "sensitivity", "confidence_bps", "source"):
        if name in body:
            changes[name] = body[name]
    if "tags" in body:
        changes["tags"] = json.dumps(body["tags"])
    if "pin" in body:
        changes["pinned"] = body["pin"]
    if "expires_at_ms" in body:
        changes["expires_at_ms"] = body["expires_at_ms"] or None
    columns = ", ".join(f"{name} = ?" for name in changes)  # our own column names
    tx.execute(f"UPDATE memory_items SET {columns} WHERE seq = ?", (*changes.values(), seq))


def _superseded(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None or not _note(tx, event, cast("str", body["memory_id"])):
        return
    tx.execute(
        "UPDATE memory_items SET superseded_by = ?, superseded_seq = ?, valid_to_ms = ?, updated_at_ms = ?"
        " WHERE memory_id = ? AND closed_seq IS NULL",
        (body["by"], event.seq, body["valid_to_ms"], event.recorded_at_ms, body["memory_id"]),
    )


def _reinstated(tx: WriteTx, event: Applied, body: Body) -> None:
    """A new version, so that as of the time between it is still superseded."""
    if body is None or not _note(tx, event, cast("str", body["memory_id"])):
        return
    row = tx.execute(
        "SELECT seq FROM memory_items WHERE memory_id = ? AND closed_seq IS NULL AND superseded_by = ?",
        (body["memory_id"], body["instead_of"]),
    ).fetchone()
    if row is None:
        return
    tx.execute(
        f"INSERT INTO memory_items (seq, text, content_hash, likeness, updated_at_ms, {_COPIED})"
        f" SELECT ?, text, content_hash, likeness, ?, {_COPIED} FROM memory_items WHERE seq = ?",
        (event.seq, event.recorded_at_ms, row[0]),
    )
    tx.execute(
        "UPDATE memory_items SET superseded_by = NULL, superseded_seq = NULL, valid_to_ms = NULL WHERE seq = ?",
        (event.seq,),
    )
    tx.execute(
        "UPDATE memory_items SET closed_seq = ?, closed_at_ms = ?, closed_why = 'reinstated' WHERE seq = ?",
        (event.seq, event.recorded_at_ms, row[0]),
    )


def _linked(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    ids = (cast("str", body["memory_id"]), cast("str", body["other_id"]))
    # Each keeps it in its history, also when the other is erased; the link itself takes two.
    noted = [_note(tx, event, memory_id) for memory_id in ids]
    if not all(noted):
        return
    tx.execute(
        "INSERT OR REPLACE INTO memory_links VALUES (?, ?, ?, ?, ?)",
        (*ids, body["relation"], json.dumps(body.get("reasons", [])), event.seq),
    )


def _deleted(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    for memory_id in cast("list[str]", body.get("memory_ids", [])):
        if _note(tx, event, memory_id):
            tx.execute(
                "UPDATE memory_items SET closed_seq = ?, closed_at_ms = ?, closed_why = ?"
                " WHERE memory_id = ? AND closed_seq IS NULL",
                (event.seq, event.recorded_at_ms, body["why"], memory_id),
            )


def _restored(tx: WriteTx, event: Applied, body: Body) -> None:
    """A new version, so that as of the time between there is none."""
    if body is None or not _note(tx, event, cast("str", body["memory_id"])):
        return
    last = tx.execute(
        "SELECT seq, closed_seq FROM memory_items WHERE memory_id = ? ORDER BY seq DESC LIMIT 1", (body["memory_id"],)
    ).fetchone()
    if last is not None and last[1] is not None:
        tx.execute(
            f"INSERT INTO memory_items (seq, text, content_hash, likeness, updated_at_ms, {_COPIED})"
            f" SELECT ?, text, content_hash, likeness, ?, {_COPIED} FROM memory_items WHERE seq = ?",
            (event.seq, event.recorded_at_ms, last[0]),
        )


def _recalled(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    for memory_id in cast("list[str]", body.get("chosen", [])):
        tx.execute(
            "UPDATE memory_items SET last_recalled_at_ms = ?, recall_count = recall_count + 1"
            " WHERE memory_id = ? AND closed_seq IS NULL AND principal = ?",
            (event.recorded_at_ms, memory_id, event.origin.principal),
        )


def _erase_item(tx: WriteTx, erased: ErasedEvent) -> None:
    sql = "SELECT memory_id FROM memory_items WHERE seq = ?1 UNION SELECT memory_id FROM memory_changes WHERE seq = ?1"
    rows = tx.execute(sql, (erased.seq,)).fetchall()
    for (memory_id,) in rows:
        seqs = tx.execute("SELECT seq FROM memory_items WHERE memory_id = ?", (memory_id,)).fetchall()
        tx.execute("DELETE FROM memory_items WHERE memory_id = ?", (memory_id,))
        tx.execute("DELETE FROM memory_links WHERE memory_id = ? OR other_id = ?", (memory_id, memory_id))
        tx.execute("DELETE FROM memory_changes WHERE memory_id = ?", (memory_id,))
        _forget(tx, [cast("int", seq) for (seq,) in seqs])


def _forget(tx: WriteTx, seqs: list[int]) -> None:
    # A replay beside the live database has the tables of the state and no indexes.
    if seqs and tx.execute("SELECT 1 FROM sqlite_schema WHERE name = 'memory_fts'").fetchone():
        forget(tx, seqs)


def _note(tx: WriteTx, event: Applied, memory_id: str) -> bool:
    """Adds the event to what changed the item; False when there is no such item."""
    if not _exists(tx, memory_id):
        return False
    tx.execute("INSERT INTO memory_changes VALUES (?, ?)", (memory_id, event.seq))
    return True


def _exists(tx: WriteTx, memory_id: str) -> bool:
    return tx.execute("SELECT 1 FROM memory_items WHERE memory_id = ?", (memory_id,)).fetchone() is not None


def _listed(names: list[str] | None) -> str:
    return json.dumps(names) if names else "[]"


def _union(stored: str, more: list[str]) -> str:
    return json.dumps(list(dict.fromkeys([*json.loads(stored), *more])))


_ITEM = "palyra memory erase"

ITEM_PROJECTORS: dict[str, Projector] = {
    MemoryStored.KIND: Projector(_TABLES, _stored, _erase_item, apply_all=_store_all, unit=_ITEM),
    MemoryMerged.KIND: Projector(_TABLES, _merged, _erase_item, unit=_ITEM),
    MemoryUpdated.KIND: Projector(_TABLES, _updated, _erase_item, unit=_ITEM),
    MemorySuperseded.KIND: Projector(_TABLES, _superseded, erasable=False),
    MemoryReinstated.KIND: Projector(_TABLES, _reinstated, erasable=False),
    MemoryLinked.KIND: Projector(_TABLES, _linked, erasable=False),
    MemoryDeleted.KIND: Projector(_TABLES, _deleted, erasable=False),
    MemoryRestored.KIND: Projector(_TABLES, _restored, erasable=False),
    MemoryRecalled.KIND: Projector(_TABLES, _recalled, erasable=False),
    MemoryRefused.KIND: Projector(erasable=False),
}
