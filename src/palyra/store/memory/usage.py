"""Counting and choosing for upkeep: usage per scope, what has expired, what has to go."""

from dataclasses import dataclass
from typing import cast

from palyra.core.ids import MemoryId
from palyra.domain.scope import Everyone
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.visibility import Seer, visible_clause


@dataclass(frozen=True, slots=True)
class Count:
    name: str
    items: int
    bytes: int


def count_by(tx: ReadTx, seer: Seer, column: str) -> list[Count]:
    """Open visible items by scope, source or category, most first."""
    expression = {
        "scope": "CASE WHEN session_id IS NOT NULL THEN 'session' WHEN channel IS NOT NULL THEN 'channel'"
        " ELSE 'principal' END",
        "source": "source",
        "category": "category",
        "trust": "trust",
    }[column]
    where, bindings = visible_clause(seer)
    rows = tx.execute(
        f"SELECT {expression}, count(*), total(length(CAST(text AS BLOB))) FROM memory_items"
        f" WHERE closed_seq IS NULL AND {where} GROUP BY 1 ORDER BY 2 DESC, 1",
        bindings,
    )
    return [Count(str(name), cast("int", items), int(cast("float", size))) for name, items, size in rows]


def count_candidates(tx: ReadTx, seer: Seer) -> int:
    where, bindings = visible_clause(seer)
    row = tx.execute(
        f"SELECT count(*) FROM memory_candidates WHERE state = 'needs_review' AND {where}", bindings
    ).fetchone()
    return cast("int", row[0]) if row else 0


def totals(tx: ReadTx) -> tuple[int, int]:
    """Open items and waiting candidates of everybody: two counts over indexes."""
    items = tx.execute("SELECT count(*) FROM memory_items WHERE closed_seq IS NULL").fetchone()
    return cast("int", items[0]) if items else 0, count_candidates(tx, Everyone())


def principals(tx: ReadTx) -> list[tuple[str, int, int]]:
    """(principal, open items, bytes of text). For upkeep."""
    rows = tx.execute(
        "SELECT principal, count(*), total(length(CAST(text AS BLOB))) FROM memory_items WHERE closed_seq IS NULL"
        " GROUP BY principal ORDER BY principal"
    )
    return [(cast("str", name), cast("int", items), int(cast("float", size))) for name, items, size in rows]


def expired(tx: ReadTx, now_ms: int, created_before_ms: int | None, limit: int) -> list[tuple[str, MemoryId]]:
    """(principal, id) of open items past their end. The general one spares what is pinned and what a person wrote."""
    rows = tx.execute(
        "SELECT principal, memory_id FROM memory_items WHERE closed_seq IS NULL AND expires_at_ms <= ?"
        " UNION ALL SELECT principal, memory_id FROM memory_items WHERE closed_seq IS NULL AND expires_at_ms IS NULL"
        " AND NOT pinned AND source <> 'manual' AND created_at_ms < ? LIMIT ?",
        (now_ms, -1 if created_before_ms is None else created_before_ms, limit),
    )
    return [(cast("str", principal), MemoryId(cast("str", memory_id))) for principal, memory_id in rows]


def evictable(tx: ReadTx, principal: str, limit: int) -> list[tuple[MemoryId, int]]:
    """(id, bytes) in the order they go: superseded first, then the least confident, oldest first; never pinned."""
    rows = tx.execute(
        "SELECT memory_id, length(CAST(text AS BLOB)) FROM memory_items WHERE principal = ? AND closed_seq IS NULL"
        " AND NOT pinned ORDER BY superseded_seq IS NULL, confidence_bps, created_at_ms, seq LIMIT ?",
        (principal, limit),
    )
    return [(MemoryId(cast("str", memory_id)), cast("int", size)) for memory_id, size in rows]


def note_upkeep(tx: WriteTx, task: str, at_ms: int, report: str) -> None:
    tx.execute("INSERT OR REPLACE INTO memory_upkeep VALUES (?, ?, ?)", (task, at_ms, report))


def last_upkeep(tx: ReadTx, task: str) -> tuple[int, str] | None:
    row = tx.execute("SELECT at_ms, report FROM memory_upkeep WHERE task = ?", (task,)).fetchone()
    return None if row is None else cast("tuple[int, str]", row)


def last_event_ms(tx: ReadTx) -> int | None:
    """What the clock said when the newest event was written."""
    row = tx.execute("SELECT recorded_at_ms FROM journal_events ORDER BY seq DESC LIMIT 1").fetchone()
    return None if row is None else cast("int", row[0])
