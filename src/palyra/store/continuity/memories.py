"""What memory holds for good, and what became of it between two points of the journal."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from palyra.core.ids import MemoryId
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


def replaced_items(tx: ReadTx, principal: str, item_ids: Sequence[str]) -> frozenset[str]:
    """Of the items of documents, those whose statement was replaced, and that no other memory says."""
    same = (
        "SELECT 1 FROM memory_items WHERE principal = ?1 AND closed_seq IS NULL AND likeness >= unhex(j.value)"
        " AND likeness <= unhex(j.value || 'ffffffffffffffff')"
    )
    rows = tx.execute(
        f"SELECT j.value FROM json_each(?2) j WHERE EXISTS ({same} AND superseded_by IS NOT NULL)"
        f" AND NOT EXISTS ({same} AND superseded_by IS NULL)",
        (principal, json.dumps([one for one in item_ids if _ITEM_ID.fullmatch(one)])),
    )
    return frozenset(cast("str", row[0]) for row in rows)


_ITEM_ID = re.compile("[0-9a-f]{16}")


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
