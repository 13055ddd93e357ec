"""Texts that wait for a person's decision: the queue, and how its events become rows."""

import json
from collections.abc import Sequence
from typing import Any, cast

from palyra.core.ids import CandidateId, MemoryId
from palyra.domain.memory import Candidate, CandidateState
from palyra.domain.memory_events import MemoryDecided, MemoryHeld
from palyra.domain.scope import Scope
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.projector import Applied, Body, ErasedEvent, Projector
from palyra.store.tiles.names import NAMED_EVENTS, kind_name
from palyra.store.visibility import Seer, visible_clause

_COLUMNS = (
    "candidate_id, seq, principal, channel, session_id, item, text, because, state, held_at_ms, memory_id, event_id"
)


def fetch_candidate(tx: ReadTx, candidate_id: str, seer: Seer) -> Candidate | None:
    where, bindings = visible_clause(seer)
    row = tx.execute(
        f"SELECT {_COLUMNS} FROM memory_candidates WHERE candidate_id = ? AND {where}", (candidate_id, *bindings)
    ).fetchone()
    return None if row is None else _to_candidate(row)


def candidates_named(tx: ReadTx, ids: Sequence[str], seer: Seer) -> dict[str, Candidate]:
    where, bindings = visible_clause(seer)
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM memory_candidates WHERE candidate_id IN (SELECT value FROM json_each(?)) AND {where}",
        (json.dumps(list(ids)), *bindings),
    )
    return {one.candidate_id: one for one in map(_to_candidate, rows)}


def waiting_kinds(tx: ReadTx, seer: Seer) -> list[str]:
    """Of each text that waits, what in it is sensitive, as it is written down."""
    where, bindings = visible_clause(seer)
    rows = tx.execute(
        f"SELECT json_extract(item, '$.sensitivity') FROM memory_candidates WHERE state = 'needs_review' AND {where}",
        bindings,
    )
    return [cast("str", row[0]) for row in rows]


def list_candidates(
    tx: ReadTx, seer: Seer, state: CandidateState, after_seq: int = 0, limit: int = 50
) -> list[Candidate]:
    where, bindings = visible_clause(seer)
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM memory_candidates WHERE state = ? AND seq > ? AND {where} ORDER BY seq LIMIT ?",
        (state.value, after_seq, *bindings, limit),
    )
    return [_to_candidate(row) for row in rows]


def alike(tx: ReadTx, scope: Scope, likeness: str) -> Candidate | None:
    """The newest candidate in that very scope whose text says the same."""
    row = tx.execute(
        f"SELECT {_COLUMNS} FROM memory_candidates WHERE principal = ? AND likeness = ? AND channel IS ?"
        " AND session_id IS ? ORDER BY seq DESC LIMIT 1",
        (scope.principal, bytes.fromhex(likeness), scope.channel, scope.session_id),
    ).fetchone()
    return None if row is None else _to_candidate(row)


def candidate_exists(tx: ReadTx, candidate_id: str) -> bool:
    return tx.execute("SELECT 1 FROM memory_candidates WHERE candidate_id = ?", (candidate_id,)).fetchone() is not None


def events_of_candidate(tx: ReadTx, candidate_id: str, seer: Seer) -> list[str]:
    """The event that holds its text, and every decision about it: each holds a person's reason."""
    where, bindings = visible_clause(seer)
    found = tx.execute(
        f"SELECT event_id FROM memory_candidates WHERE candidate_id = ? AND {where}", (candidate_id, *bindings)
    ).fetchall()
    if not found:
        return []
    decided = tx.execute(
        f"SELECT e.event_id{NAMED_EVENTS}JOIN journal_payloads p ON p.seq = e.seq"
        " WHERE e.kind = ? AND CAST(p.payload AS TEXT) ->> 'candidate_id' = ? ORDER BY e.seq",
        (kind_name(MemoryDecided.KIND), MemoryDecided.KIND, candidate_id),
    ).fetchall()
    return [cast("str", event_id) for (event_id,) in (*found, *decided)]


def is_made_from(tx: ReadTx, memory_id: str, candidate_id: str, seer: Seer) -> bool:
    """Whether approving it made the item; else it was merged into one that was there before."""
    where, bindings = visible_clause(seer)
    sql = f"SELECT 1 FROM memory_items WHERE memory_id = ? AND candidate_id = ? AND {where}"
    return tx.execute(sql, (memory_id, candidate_id, *bindings)).fetchone() is not None


def candidates_of_item(tx: ReadTx, memory_id: str, seer: Seer) -> list[CandidateId]:
    """Those that became the item, or were merged into it."""
    where, bindings = visible_clause(seer)
    rows = tx.execute(
        f"SELECT candidate_id FROM memory_candidates WHERE memory_id = ? AND {where} ORDER BY seq",
        (memory_id, *bindings),
    )
    return [CandidateId(cast("str", candidate_id)) for (candidate_id,) in rows]


def _to_candidate(row: tuple[Any, ...]) -> Candidate:
    candidate_id, seq, principal, channel, session_id, item, text, because, state, held_at_ms, memory_id, _ = row
    return Candidate(
        CandidateId(candidate_id),
        seq,
        Scope(principal, channel, session_id),
        json.loads(item),
        text,
        tuple(json.loads(because)),
        CandidateState(state),
        held_at_ms,
        None if memory_id is None else MemoryId(memory_id),
    )


def _held(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    item = cast("dict[str, Any]", body["item"])
    tx.execute(
        "INSERT INTO memory_candidates VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'needs_review', ?, NULL, NULL, NULL)",
        (
            body["candidate_id"],
            event.seq,
            event.event_id,
            event.origin.principal,
            item.get("channel"),
            item.get("session_id"),
            json.dumps(item, ensure_ascii=False, sort_keys=True),
            item["text"],
            bytes.fromhex(item["likeness"]),
            json.dumps(body.get("because", [])),
            event.recorded_at_ms,
        ),
    )


def _decided(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    # One that waits again keeps the item it had become: whoever erases that item erases this text with it.
    tx.execute(
        "UPDATE memory_candidates SET state = ?, memory_id = coalesce(?, memory_id), decided_seq = ?, batch = ?"
        " WHERE candidate_id = ?",
        (body["decision"], body.get("memory_id"), event.seq, body.get("batch"), body["candidate_id"]),
    )


def _erase_candidate(tx: WriteTx, erased: ErasedEvent) -> None:
    tx.execute("DELETE FROM memory_candidates WHERE event_id = ?", (erased.event_id,))


_TABLES = ("memory_candidates",)

CANDIDATE_PROJECTORS: dict[str, Projector] = {
    MemoryHeld.KIND: Projector(_TABLES, _held, _erase_candidate, unit="palyra memory erase"),
    # Its reason goes with the candidate, whose own erasure removes the row.
    MemoryDecided.KIND: Projector(_TABLES, _decided, unit="palyra memory erase"),
}
