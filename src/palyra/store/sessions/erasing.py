"""Which events hold the text of what somebody wants destroyed, wherever it has travelled."""

import json
from collections.abc import Sequence
from typing import cast

from palyra.domain.chat.session import Session
from palyra.domain.chat.session_events import AttachmentAdded, SessionRenamed
from palyra.store.connection import ReadTx


def texts_of_runs(tx: ReadTx, run_ids: Sequence[str]) -> list[str]:
    sql = (
        "SELECT event_id FROM session_tape WHERE run_id IN (SELECT value FROM json_each(?)) AND payload IS NOT NULL"
        " ORDER BY seq"
    )
    return [cast("str", row[0]) for row in tx.execute(sql, (json.dumps(list(run_ids)),))]


def texts_of_session(tx: ReadTx, session: Session, *, files: bool) -> list[str]:
    """Besides its tape: its titles, and the files that were given in it."""
    sql = (
        "SELECT event_id FROM journal_events e JOIN journal_payloads p ON p.seq = e.seq"
        " WHERE e.session_id = ? AND e.principal = ? AND e.kind IN (?, ?) ORDER BY e.seq"
    )
    kinds = (SessionRenamed.KIND, AttachmentAdded.KIND if files else SessionRenamed.KIND)
    return [cast("str", row[0]) for row in tx.execute(sql, (session.session_id, session.principal, *kinds))]


def said_in(tx: ReadTx, event_ids: Sequence[str], principal: str) -> list[str]:
    """Those of the events that are on that principal's tape and still have their text."""
    sql = (
        "SELECT event_id FROM session_tape WHERE event_id IN (SELECT value FROM json_each(?)) AND principal = ?"
        " AND payload IS NOT NULL ORDER BY seq"
    )
    return [cast("str", row[0]) for row in tx.execute(sql, (json.dumps(list(event_ids)), principal))]


def items_made_from(tx: ReadTx, event_ids: Sequence[str], principal: str, *, only_open: bool = False) -> list[str]:
    """Memories that were made from these events and from nothing else."""
    still = " AND closed_seq IS NULL" if only_open else ""
    items = tx.execute(
        f"SELECT DISTINCT memory_id FROM memory_items WHERE principal = ?{still}"
        " AND (source LIKE 'tape:%' OR source = 'durable_fact') AND provenance <> '[]'"
        " AND NOT EXISTS (SELECT 1 FROM json_each(provenance) p"
        "                 WHERE p.value NOT IN (SELECT value FROM json_each(?)))",
        (principal, json.dumps(list(event_ids))),
    )
    return [cast("str", row[0]) for row in items]


def memories_made_from(tx: ReadTx, event_ids: Sequence[str], principal: str) -> list[str]:
    """The same, and candidates that wait for a decision."""
    held = tx.execute(
        "SELECT candidate_id FROM memory_candidates WHERE principal = ? AND state = 'needs_review'"
        " AND EXISTS (SELECT 1 FROM json_each(item, '$.provenance') p"
        "             WHERE p.value IN (SELECT value FROM json_each(?)))",
        (principal, json.dumps(list(event_ids))),
    ).fetchall()
    return items_made_from(tx, event_ids, principal) + [cast("str", row[0]) for row in held]
