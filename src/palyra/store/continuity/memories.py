"""What memory holds for good, and what became of it between two points of the journal."""

from dataclasses import dataclass
from typing import cast

from palyra.core.ids import MemoryId
from palyra.domain.memory import MemorySource
from palyra.domain.scope import Visibility
from palyra.store.connection import ReadTx
from palyra.store.visibility import visible_clause


@dataclass(frozen=True, slots=True)
class MemoryChange:
    memory_id: MemoryId
    change: str
    """stored, updated, superseded or deleted"""
    text: str
    seq: int


def lasting_likenesses(tx: ReadTx, seer: Visibility) -> frozenset[str]:
    """Of what was remembered on purpose, not of what was merely said: `fingerprint(text)[:32]` of each.

    What was learned from a conversation is not counted: it is memory, and may still belong into a document."""
    where, bindings = visible_clause(seer)
    sql = f"SELECT lower(hex(likeness)) FROM memory_items WHERE closed_seq IS NULL AND source IN (?, ?) AND {where}"
    sql += " AND memory_id NOT IN (SELECT memory_id FROM learning_candidates WHERE memory_id IS NOT NULL)"
    rows = tx.execute(sql, (MemorySource.DURABLE_FACT.value, MemorySource.MANUAL.value, *bindings))
    return frozenset(cast("str", row[0]) for row in rows)


def memory_changes(tx: ReadTx, seer: Visibility, after_seq: int, until_seq: int, limit: int) -> list[MemoryChange]:
    """In the order they happened. An update closes one version and opens the next: it is told once."""
    where, bindings = visible_clause(seer)
    sql = (
        "SELECT memory_id, change, text, at_seq FROM ("
        " SELECT memory_id, CASE WHEN EXISTS (SELECT 1 FROM memory_items v WHERE v.memory_id = i.memory_id"
        "   AND v.seq < i.seq) THEN 'updated' ELSE 'stored' END AS change, text, seq AS at_seq, principal, channel,"
        "   session_id FROM memory_items i"
        " UNION ALL SELECT memory_id, 'superseded', text, superseded_seq, principal, channel, session_id"
        "   FROM memory_items WHERE superseded_seq IS NOT NULL"
        " UNION ALL SELECT memory_id, 'deleted', text, closed_seq, principal, channel, session_id FROM memory_items i"
        "   WHERE closed_seq IS NOT NULL AND NOT EXISTS"
        "   (SELECT 1 FROM memory_items v WHERE v.memory_id = i.memory_id AND v.seq > i.seq)"
        f") WHERE at_seq > ? AND at_seq <= ? AND {where} ORDER BY at_seq LIMIT ?"
    )
    rows = tx.execute(sql, (after_seq, until_seq, *bindings, limit))
    return [MemoryChange(*cast("tuple[MemoryId, str, str, int]", row)) for row in rows]
