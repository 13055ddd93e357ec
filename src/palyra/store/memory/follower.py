"""What is computed from items and never replayed: vectors and fingerprints, and what they still lack.

A vector belongs to one version of one text: it carries the identity of the model and the hash of the content, and
counts as missing when either differs. It is written only while its item is there with that very text.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from palyra.store.connection import ReadTx, WriteTx


@dataclass(frozen=True, slots=True)
class IndexRow:
    """An item as the search engine needs it. For followers only: it carries no permission to be shown."""

    seq: int
    channel: str | None
    session_id: str | None
    is_open: bool
    text: str
    speaker: str
    thread: str
    said_at_ms: int
    trust: int
    content_hash: bytes
    fingerprint: bytes | None
    vector: bytes | None


_SELECT = (
    "SELECT i.seq, i.channel, i.session_id, i.closed_seq IS NULL AND i.superseded_seq IS NULL, i.text, i.speaker,"
    " i.thread, i.said_at_ms, i.trust, i.content_hash, f.fingerprint, v.vector FROM memory_items i"
    " LEFT JOIN memory_fingerprints f ON f.item_seq = i.seq AND f.version = ?"
    " LEFT JOIN memory_vectors v ON v.item_seq = i.seq AND v.identity = ? AND v.content_hash = i.content_hash"
)


def index_rows(
    tx: ReadTx, principal: str, identity: str, version: int, after_seq: int, limit: int, head: int
) -> list[IndexRow]:
    """A page of all versions of one principal, with what followers have of them."""
    rows = tx.execute(
        f"{_SELECT} WHERE i.principal = ? AND i.seq > ? AND i.seq <= ? ORDER BY i.seq LIMIT ?",
        (version, identity, principal, after_seq, head, limit),
    )
    return [_to_index_row(row) for row in rows]


def changed_seqs(tx: ReadTx, principal: str, after_seq: int) -> list[int]:
    """Older versions that something has happened to since."""
    rows = tx.execute(
        "SELECT DISTINCT i.seq FROM memory_history h JOIN memory_items i ON i.memory_id = h.memory_id"
        " WHERE h.seq > ? AND i.principal = ? AND i.seq <= ? ORDER BY i.seq",
        (after_seq, principal, after_seq),
    )
    return [cast("int", seq) for (seq,) in rows]


def rows_of(tx: ReadTx, principal: str, identity: str, version: int, seqs: Sequence[int]) -> list[IndexRow]:
    rows = tx.execute(
        f"{_SELECT} WHERE i.principal = ? AND i.seq IN (SELECT value FROM json_each(?)) ORDER BY i.seq",
        (version, identity, principal, json.dumps(list(seqs))),
    )
    return [_to_index_row(row) for row in rows]


def vectors_of(tx: ReadTx, identity: str, seqs: Sequence[int]) -> list[tuple[int, bytes]]:
    rows = tx.execute(
        "SELECT v.item_seq, v.vector FROM memory_vectors v JOIN memory_items i ON i.seq = v.item_seq"
        " AND i.content_hash = v.content_hash"
        " WHERE v.identity = ? AND v.item_seq IN (SELECT value FROM json_each(?))",
        (identity, json.dumps(list(seqs))),
    )
    return [cast("tuple[int, bytes]", row) for row in rows]


@dataclass(frozen=True, slots=True)
class PendingRow:
    seq: int
    text: str
    speaker: str
    thread: str
    said_at_ms: int
    trust: int
    content_hash: bytes
    has_fingerprint: bool


def pending_vectors(tx: ReadTx, identity: str, after_seq: int, limit: int, version: int) -> list[PendingRow]:
    """Open items without a sound vector of that identity, in order of seq."""
    rows = tx.execute(
        "SELECT i.seq, i.text, i.speaker, i.thread, i.said_at_ms, i.trust, i.content_hash, f.item_seq IS NOT NULL"
        " FROM memory_items i"
        " LEFT JOIN memory_vectors v ON v.item_seq = i.seq AND v.identity = ? AND v.content_hash = i.content_hash"
        " LEFT JOIN memory_fingerprints f ON f.item_seq = i.seq AND f.version = ?"
        " WHERE i.seq > ? AND i.closed_seq IS NULL AND v.item_seq IS NULL ORDER BY i.seq LIMIT ?",
        (identity, version, after_seq, limit),
    )
    return [PendingRow(*cast("tuple[int, str, str, str, int, int, bytes, bool]", row)) for row in rows]


def count_vectors(tx: ReadTx, identity: str) -> tuple[int, int]:
    """(open items with a sound vector of that identity, open items)"""
    row = tx.execute(
        "SELECT count(v.item_seq), count(*) FROM memory_items i"
        " LEFT JOIN memory_vectors v ON v.item_seq = i.seq AND v.identity = ? AND v.content_hash = i.content_hash"
        " WHERE i.closed_seq IS NULL",
        (identity,),
    ).fetchone()
    return cast("tuple[int, int]", row)


def vector_identities(tx: ReadTx) -> list[tuple[str, int]]:
    """(identity, vectors), most vectors first"""
    rows = tx.execute("SELECT identity, count(*) FROM memory_vectors GROUP BY identity ORDER BY 2 DESC, 1")
    return [cast("tuple[str, int]", row) for row in rows]


def put_vectors(tx: WriteTx, identity: str, rows: Sequence[tuple[int, bytes, bytes]]) -> None:
    """(seq, content hash, vector); only for items that are still there with that content."""
    for seq, content_hash, vector in rows:
        tx.execute(
            "INSERT OR REPLACE INTO memory_vectors SELECT seq, ?, content_hash, ? FROM memory_items"
            " WHERE seq = ? AND content_hash = ?",
            (identity, vector, seq, content_hash),
        )


def put_fingerprints(tx: WriteTx, version: int, rows: Sequence[tuple[int, bytes]]) -> None:
    for seq, fingerprint in rows:
        tx.execute(
            "INSERT OR REPLACE INTO memory_fingerprints SELECT seq, ?, ? FROM memory_items WHERE seq = ?",
            (version, fingerprint, seq),
        )


def drop_vectors(tx: WriteTx, identity: str, limit: int) -> int:
    """Removes vectors of an identity that is no longer used, some at a time; how many went."""
    seqs = tx.execute("SELECT item_seq FROM memory_vectors WHERE identity = ? LIMIT ?", (identity, limit)).fetchall()
    for (seq,) in seqs:
        tx.execute("DELETE FROM memory_vectors WHERE item_seq = ? AND identity = ?", (seq, identity))
    return len(seqs)


def _to_index_row(row: tuple[object, ...]) -> IndexRow:
    (seq, channel, session_id, is_open, *rest) = row
    return IndexRow(
        cast("int", seq), cast("str | None", channel), cast("str | None", session_id), bool(is_open),
        *cast("tuple[str, str, str, int, int, bytes, bytes | None, bytes | None]", tuple(rest)),
    )  # fmt: skip
