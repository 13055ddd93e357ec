"""Which events hold the text of what somebody wants destroyed, wherever it has travelled."""

import json
from collections.abc import Sequence
from typing import cast

from palyra.domain.chat.session import Session
from palyra.domain.chat.session_events import AttachmentAdded, SessionRenamed
from palyra.store.connection import ReadTx
from palyra.store.tiles.names import NAMED_EVENTS, session_name


def texts_of_runs(tx: ReadTx, run_ids: Sequence[str]) -> list[str]:
    sql = (
        "SELECT event_id FROM session_tape WHERE run_id IN (SELECT value FROM json_each(?)) AND payload IS NOT NULL"
        " ORDER BY seq"
    )
    return [cast("str", row[0]) for row in tx.execute(sql, (json.dumps(list(run_ids)),))]


def texts_of_session(tx: ReadTx, session: Session, *, whole: bool) -> list[str]:
    """Besides its tape: its titles; of the whole session also the files given in it, and what its checkpoints say."""
    sql = (
        f"SELECT e.event_id{NAMED_EVENTS}JOIN journal_payloads p ON p.seq = e.seq"
        " WHERE e.session_id = ? AND e.principal = ? AND e.kind IN (?, ?) ORDER BY e.seq"
    )
    kinds = (SessionRenamed.KIND, AttachmentAdded.KIND if whole else SessionRenamed.KIND)
    bindings = (session_name(session.session_id), session.session_id, session.principal, *kinds)
    found = [cast("str", row[0]) for row in tx.execute(sql, bindings)]
    marked = "SELECT event_id FROM session_checkpoints WHERE session_id = ? AND principal = ? ORDER BY seq"
    rows = tx.execute(marked, (session.session_id, session.principal)) if whole else ()
    return found + [cast("str", row[0]) for row in rows]


def said_in(tx: ReadTx, event_ids: Sequence[str], principal: str) -> list[str]:
    """Those of the events that are on that principal's tape and still have their text."""
    sql = (
        "SELECT event_id FROM session_tape WHERE event_id IN (SELECT value FROM json_each(?)) AND principal = ?"
        " AND payload IS NOT NULL ORDER BY seq"
    )
    return [cast("str", row[0]) for row in tx.execute(sql, (json.dumps(list(event_ids)), principal))]


def runs_with_events(tx: ReadTx, event_ids: Sequence[str], principal: str) -> list[str]:
    """The runs in which these events were said."""
    sql = (
        "SELECT DISTINCT run_id FROM session_tape WHERE event_id IN (SELECT value FROM json_each(?)) AND principal = ?"
        " ORDER BY run_id"
    )
    return [cast("str", row[0]) for row in tx.execute(sql, (json.dumps(list(event_ids)), principal))]


def quoting(tx: ReadTx, texts: Sequence[str], principal: str) -> list[str]:
    """What else on that principal's tape holds one of these texts word for word, such as answers."""
    found: list[str] = []
    for text in texts:
        if len(text) < _TELLING_CHARS:
            continue  # "yes" stands everywhere
        rows = tx.execute(
            "SELECT event_id FROM session_tape WHERE principal = ? AND instr(payload, ?) > 0 ORDER BY seq",
            (principal, json.dumps(text, ensure_ascii=False)[1:-1]),  # as it stands in a payload
        )
        found += [cast("str", row[0]) for row in rows]
    return found


_TELLING_CHARS = 12


def titles_from(tx: ReadTx, said: Sequence[str], principal: str) -> list[str]:
    """Titles we have made of one of these messages: a title is how a conversation began."""
    rows = tx.execute(
        "SELECT e.event_id FROM session_tape t JOIN sessions s ON s.session_id = t.session_id"
        " JOIN journal_events e ON e.seq = s.title_seq WHERE t.event_id IN (SELECT value FROM json_each(?))"
        " AND s.principal = ? AND s.titled_by_hand = 0 AND s.title <> '' AND t.seq ="
        " (SELECT min(seq) FROM session_tape f WHERE f.session_id = t.session_id AND f.type = t.type)",
        (json.dumps(list(said)), principal),
    )
    return [cast("str", row[0]) for row in rows]


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
    return items_made_from(tx, event_ids, principal) + held_from(tx, event_ids, principal)


def held_from(tx: ReadTx, event_ids: Sequence[str], principal: str) -> list[str]:
    """Candidates that wait for a decision and rest on one of these events."""
    held = tx.execute(
        "SELECT candidate_id FROM memory_candidates WHERE principal = ? AND state = 'needs_review'"
        " AND EXISTS (SELECT 1 FROM json_each(item, '$.provenance') p"
        "             WHERE p.value IN (SELECT value FROM json_each(?)))",
        (principal, json.dumps(list(event_ids))),
    )
    return [cast("str", row[0]) for row in held]
