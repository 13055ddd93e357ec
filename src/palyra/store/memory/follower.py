"""What is computed from items and never replayed: vectors and fingerprints, and what they still lack.

A vector belongs to one version of one text: it carries the identity of the model and the hash of the content, and
counts as missing when either differs. It is written only while its item is there with that very text.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from palyra.domain.labels import POLICY
from palyra.domain.scope import Everyone
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.visibility import Seer, visible_clause

EVERYONE = Everyone()


@dataclass(frozen=True, slots=True)
class IndexRow:
    """An item as the search engine needs it. For followers only: it carries no permission to be shown."""

    seq: int
    memory_id: str
    channel: str | None
    session_id: str | None
    is_open: int
    text: str
    speaker: str
    thread: str
    said_at_ms: int
    trust: int
    content_hash: bytes
    fingerprint: bytes | None
    vector: bytes | None


_SELECT = (
    "SELECT i.seq, i.memory_id, i.channel, i.session_id, i.closed_seq IS NULL AND i.superseded_seq IS NULL, i.text,"
    " i.speaker, i.thread, i.said_at_ms, i.trust, i.content_hash, f.fingerprint, v.vector FROM memory_items i"
    " LEFT JOIN memory_fingerprints f ON f.item_seq = i.seq AND f.version = ?"
    " LEFT JOIN memory_vectors v ON v.item_seq = i.seq AND v.identity = ? AND v.content_hash = i.content_hash"
)


def all_rows(
    tx: ReadTx, principal: str, identity: str, version: int, after: tuple[str, int], limit: int
) -> list[IndexRow]:
    """A page of all versions of one principal, in order of (memory id, seq), with what followers have of them."""
    rows = tx.execute(
        f"{_SELECT} WHERE i.principal = ? AND (i.memory_id, i.seq) > (?, ?) ORDER BY i.memory_id, i.seq LIMIT ?",
        (version, identity, principal, *after, limit),
    )
    return [_to_index_row(row) for row in rows]


def new_rows(tx: ReadTx, principal: str, identity: str, version: int, after_seq: int, limit: int) -> list[IndexRow]:
    """A page of the versions made since, in order of seq. By the journal's order: there are few of them."""
    rows = tx.execute(
        f"{_SELECT} WHERE +i.principal = ? AND i.seq > ? ORDER BY i.seq LIMIT ?",
        (version, identity, principal, after_seq, limit),
    )
    return [_to_index_row(row) for row in rows]


def changed_seqs(tx: ReadTx, principal: str, after_seq: int) -> list[int]:
    """Older versions that something has happened to since."""
    rows = tx.execute(  # CROSS keeps the order: from the few events to their items
        "SELECT DISTINCT i.seq FROM memory_changes h CROSS JOIN memory_items i ON i.memory_id = h.memory_id"
        " WHERE h.seq > ? AND +i.principal = ? AND i.seq <= ? ORDER BY i.seq",
        (after_seq, principal, after_seq),
    )
    return [cast("int", seq) for (seq,) in rows]


def rows_of(tx: ReadTx, principal: str, identity: str, version: int, seqs: Sequence[int]) -> list[IndexRow]:
    rows = tx.execute(
        f"{_SELECT} WHERE +i.principal = ? AND i.seq IN (SELECT value FROM json_each(?)) ORDER BY i.seq",
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
    content_hash: bytes


_LEAVING = ("public", *(kind for kind, rule in POLICY.items() if rule.may_leave))
UNMINDED = "i.sensitivity IN ({})".format(", ".join(map("'{}'".format, _LEAVING)))
"""what a model or an engine elsewhere may be told: what is nobody's secret, and what is masked in its very text"""


def pending_vectors(
    tx: ReadTx, identity: str, after_seq: int, limit: int, *, sensitive: bool = True
) -> list[PendingRow]:
    """Open items without a sound vector of that identity, in order of seq; not `sensitive`: only what nobody minds."""
    rows = tx.execute(
        "SELECT i.seq, i.text, i.content_hash FROM memory_items i"
        " LEFT JOIN memory_vectors v ON v.item_seq = i.seq AND v.identity = ? AND v.content_hash = i.content_hash"
        " WHERE i.seq > ? AND i.closed_seq IS NULL AND v.item_seq IS NULL"
        f" AND (? OR {UNMINDED}) ORDER BY i.seq LIMIT ?",
        (identity, after_seq, sensitive, limit),
    )
    return [PendingRow(*cast("tuple[int, str, bytes]", row)) for row in rows]


def count_vectors(tx: ReadTx, identity: str, seer: Seer = EVERYONE, *, sensitive: bool = True) -> tuple[int, int]:
    """(open items with a sound vector of that identity, open items); not `sensitive`: only what nobody minds"""
    where, bindings = visible_clause(seer, "i")
    row = tx.execute(
        "SELECT count(v.item_seq), count(*) FROM memory_items i"
        " LEFT JOIN memory_vectors v ON v.item_seq = i.seq AND v.identity = ? AND v.content_hash = i.content_hash"
        f" WHERE i.closed_seq IS NULL AND {where} AND (? OR {UNMINDED})",
        (identity, *bindings, sensitive),
    ).fetchone()
    return cast("tuple[int, int]", row)


def vector_identities(tx: ReadTx) -> list[str]:
    """Models that have vectors here."""
    return [cast("str", identity) for (identity,) in tx.execute("SELECT identity FROM memory_models ORDER BY 1")]


def name_model(tx: WriteTx, identity: str, at_ms: int) -> None:
    """Before its first vector."""
    tx.execute("INSERT OR IGNORE INTO memory_models VALUES (?, ?)", (identity, at_ms))


def put_vectors(tx: WriteTx, identity: str, rows: Sequence[tuple[int, bytes, bytes]], at_ms: int) -> None:
    """`write_vectors` for a model that may be new."""
    name_model(tx, identity, at_ms)
    write_vectors(tx, identity, rows)


def write_vectors(tx: WriteTx, identity: str, rows: Sequence[tuple[int, bytes, bytes]]) -> None:
    """(seq, content hash, vector); only for items that are still there with that content.

    Asked first, then written: an INSERT from a SELECT copies every page before it changes it, at four times the price.
    """
    is_there = "SELECT 1 FROM memory_items WHERE seq = ? AND content_hash = ?"
    tx.executemany(
        "INSERT OR REPLACE INTO memory_vectors VALUES (?, ?, ?, ?)",
        [
            (seq, identity, content_hash, vector)
            for seq, content_hash, vector in rows
            if tx.execute(is_there, (seq, content_hash)).fetchone() is not None
        ],
    )


def drop_vectors(tx: WriteTx, identity: str, limit: int) -> int:
    """Removes vectors of an identity that is no longer used, some at a time; how many went."""
    seqs = tx.execute("SELECT item_seq FROM memory_vectors WHERE identity = ? LIMIT ?", (identity, limit)).fetchall()
    for (seq,) in seqs:
        tx.execute("DELETE FROM memory_vectors WHERE item_seq = ? AND identity = ?", (seq, identity))
    if len(seqs) < limit:
        tx.execute("DELETE FROM memory_models WHERE identity = ?", (identity,))
    return len(seqs)


def _to_index_row(row: tuple[object, ...]) -> IndexRow:
    return IndexRow(*cast("tuple[Any, ...]", row))
