"""Attachments: a row for each time a file was handed in, and its bytes once for each principal.

The bytes are no projection: they are not in the journal, so a replay leaves them alone. They go with the last row
that names them.
"""

import json
from collections.abc import Sequence
from typing import Any, cast

from palyra.domain.chat.attachments import StoredAttachment
from palyra.domain.chat.session_events import AttachmentAdded
from palyra.domain.scope import Scope, Visibility
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.projector import Applied, Body, ErasedEvent, Projector
from palyra.store.sessions.search import forget_words, index_words
from palyra.store.visibility import Seer, place_clause, visible_clause

_COLUMNS = (
    "seq, attachment_id, principal, channel, session_id, name, media_type, size_bytes, text, width, height, warnings,"
    " at_ms"
)
_READ = (
    f"SELECT {_COLUMNS}, (SELECT event_id FROM journal_events AS e WHERE e.seq = a.seq) FROM session_attachments AS a"
)


def fetch_attachment(tx: ReadTx, attachment_id: str, seer: Seer) -> StoredAttachment | None:
    """The newest that the caller may see."""
    where, bindings = visible_clause(seer, "a")
    sql = f"{_READ} WHERE a.attachment_id = ? AND {where} ORDER BY a.seq DESC LIMIT 1"
    row = tx.execute(sql, (attachment_id, *bindings)).fetchone()
    return None if row is None else _to_attachment(row)


def fetch_at(tx: ReadTx, attachment_id: str, place: Scope) -> StoredAttachment | None:
    """The newest that was handed in at this very place."""
    sql = (
        f"{_READ} WHERE a.attachment_id = ? AND a.principal = ? AND a.channel IS ? AND a.session_id IS ?"
        " ORDER BY a.seq DESC LIMIT 1"
    )
    row = tx.execute(sql, (attachment_id, place.principal, place.channel, place.session_id)).fetchone()
    return None if row is None else _to_attachment(row)


def attachments_at(tx: ReadTx, seqs: Sequence[int], seer: Visibility) -> dict[int, StoredAttachment]:
    """By seq, as transcripts are seen: from any session of their channel."""
    where, bindings = place_clause(seer, "a")
    sql = f"{_READ} WHERE a.seq IN (SELECT value FROM json_each(?)) AND {where}"
    found = [_to_attachment(row) for row in tx.execute(sql, (json.dumps(list(seqs)), *bindings))]
    return {attachment.seq: attachment for attachment in found}


def fetch_blob(tx: ReadTx, attachment_id: str, seer: Seer) -> bytes | None:
    """The bytes of an attachment that the caller may see."""
    where, bindings = visible_clause(seer, "a")
    row = tx.execute(
        "SELECT b.data FROM session_attachments AS a JOIN session_blobs AS b"
        f" ON b.principal = a.principal AND b.attachment_id = a.attachment_id WHERE a.attachment_id = ? AND {where}"
        " ORDER BY a.seq DESC LIMIT 1",
        (attachment_id, *bindings),
    ).fetchone()
    return None if row is None else cast("bytes", row[0])


def put_blob(tx: WriteTx, principal: str, attachment_id: str, data: bytes) -> None:
    """Once: the same bytes again change nothing, and mend those that were damaged."""
    tx.execute(
        "INSERT INTO session_blobs VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET data = excluded.data WHERE data <> excluded.data",
        (principal, attachment_id, data),
    )


def drop_unnamed_blobs(tx: WriteTx) -> None:
    """For a copy whose payloads were erased without its projections: keeps the bytes that a payload still names."""
    if _has_blobs(tx):
        tx.execute(
            "DELETE FROM session_blobs WHERE (principal, attachment_id) NOT IN"
            " (SELECT e.principal, CAST(p.payload AS TEXT) ->> 'attachment_id' FROM journal_events AS e"
            " JOIN journal_payloads AS p ON p.seq = e.seq WHERE e.kind = ?)",
            (AttachmentAdded.KIND,),
        )


def _to_attachment(row: tuple[Any, ...]) -> StoredAttachment:
    seq, attachment_id, principal, channel, session_id, name, media_type, size, text, width, height = row[:11]
    warnings, at_ms, event_id = row[11:]
    return StoredAttachment(
        attachment_id,
        seq,
        event_id,
        Scope(principal, channel, session_id),
        name,
        media_type,
        size,
        text,
        width,
        height,
        tuple(json.loads(warnings)),
        at_ms,
    )


def _added(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    origin, get = event.origin, cast("Any", body.get)
    tx.execute(
        f"INSERT INTO session_attachments ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            event.seq,
            body["attachment_id"],
            origin.principal,
            origin.channel,
            origin.session_id,
            body["name"],
            body["media_type"],
            body["size_bytes"],
            get("text", ""),
            get("width"),
            get("height"),
            json.dumps(get("warnings", [])),
            event.occurred_at_ms,
        ),
    )


def _index(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is not None:
        index_words(tx, event.seq, cast("str", body.get("text", "")))


def _erase(tx: WriteTx, erased: ErasedEvent) -> None:
    row = tx.execute("SELECT principal, attachment_id FROM session_attachments WHERE seq = ?", (erased.seq,)).fetchone()
    if row is None:
        return
    tx.execute("DELETE FROM session_attachments WHERE seq = ?", (erased.seq,))
    forget_words(tx, [erased.seq])
    named = "SELECT 1 FROM session_attachments WHERE principal = ? AND attachment_id = ?"
    if tx.execute(named, row).fetchone() is None and _has_blobs(tx):
        tx.execute("DELETE FROM session_blobs WHERE principal = ? AND attachment_id = ?", row)


def _has_blobs(tx: ReadTx) -> bool:
    """A replay beside the live database has the tables of the state alone; an old backup has none of these."""
    return tx.execute("SELECT 1 FROM sqlite_schema WHERE name = 'session_blobs'").fetchone() is not None


ATTACHMENT_PROJECTORS: dict[str, Projector] = {
    AttachmentAdded.KIND: Projector(("session_attachments",), _added, _erase, index=_index),
}
