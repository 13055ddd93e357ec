"""What took the place of what, and what contradicts what: read for those who ask what holds now."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from palyra.domain.memory import MemoryItem
from palyra.store.connection import ReadTx
from palyra.store.memory.items import fetch_item, item_columns, to_item
from palyra.store.visibility import Seer, visible_clause

CONFLICT = "conflict"
"""the relation of a link that nobody has settled"""
_LINKS = 16
"""from one statement to the one that holds: a longer chain is followed no further"""
_EARLIER = 4
"""of what a statement replaced, the newest are told"""


def successor_of(tx: ReadTx, item: MemoryItem, seer: Seer) -> MemoryItem | None:
    """The end of the chain from what was replaced to what holds; None if nobody here sees that."""
    for _ in range(_LINKS):
        if item.superseded_by is None:
            return item if item.closed_at_ms is None else None
        following = fetch_item(tx, item.superseded_by, seer)
        if following is None:
            return None
        item = following
    return None


def predecessors_of(tx: ReadTx, memory_ids: Sequence[str], seer: Seer) -> dict[str, tuple[MemoryItem, ...]]:
    """For each of these, what it replaced and what that had replaced before, nearest first."""
    where, bindings = visible_clause(seer, "i")
    rows = tx.execute(
        "WITH RECURSIVE chain(root, memory_id, depth) AS (SELECT value, value, 0 FROM json_each(?) UNION ALL"
        " SELECT chain.root, b.memory_id, depth + 1 FROM chain JOIN memory_items b INDEXED BY memory_items_by_successor"
        f" ON b.superseded_by = chain.memory_id WHERE b.closed_seq IS NULL AND depth < {_EARLIER})"
        f" SELECT chain.root, {item_columns('i')} FROM chain JOIN memory_items i ON i.memory_id = chain.memory_id"
        f" WHERE depth > 0 AND i.closed_seq IS NULL AND {where} ORDER BY depth, i.said_at_ms DESC, i.seq DESC",
        (json.dumps(list(memory_ids)), *bindings),
    )
    found: dict[str, list[MemoryItem]] = defaultdict(list)
    for root, *columns in rows:
        if len(found[cast("str", root)]) < _EARLIER:
            found[cast("str", root)].append(to_item(columns))
    return {root: tuple(items) for root, items in found.items()}


def conflicts_of(tx: ReadTx, memory_ids: Sequence[str], seer: Seer) -> dict[str, tuple[MemoryItem, ...]]:
    """For each of these, the items that contradict it and hold as well, newest first: nobody has settled it."""
    where, bindings = visible_clause(seer, "i")
    rows = tx.execute(
        "WITH asked(id) AS (SELECT value FROM json_each(?)), pairs(id, other) AS ("
        " SELECT memory_id, other_id FROM memory_links WHERE memory_id IN (SELECT id FROM asked)"
        f" AND relation = '{CONFLICT}' UNION SELECT other_id, memory_id FROM memory_links"
        f" WHERE other_id IN (SELECT id FROM asked) AND relation = '{CONFLICT}')"
        f" SELECT pairs.id, {item_columns('i')} FROM pairs JOIN memory_items i ON i.memory_id = pairs.other"
        f" WHERE i.closed_seq IS NULL AND i.superseded_seq IS NULL AND {where} ORDER BY i.said_at_ms DESC, i.seq DESC",
        (json.dumps(list(memory_ids)), *bindings),
    )
    found: dict[str, list[MemoryItem]] = defaultdict(list)
    for memory_id, *columns in rows:
        found[cast("str", memory_id)].append(to_item(columns))
    return {memory_id: tuple(items) for memory_id, items in found.items()}


@dataclass(frozen=True, slots=True)
class StandingConflict:
    """Two that contradict each other and both hold: the later said first."""

    seq: int
    """of the event that linked them"""
    newer: MemoryItem
    older: MemoryItem
    reasons: tuple[str, ...]


def open_conflicts(tx: ReadTx, seer: Seer, before_seq: int, limit: int) -> list[StandingConflict]:
    """Newest link first."""
    (one, own), (two, others) = visible_clause(seer, "a"), visible_clause(seer, "b")
    holds = " AND ".join(f"{i}.closed_seq IS NULL AND {i}.superseded_seq IS NULL" for i in "ab")
    rows = tx.execute(
        f"SELECT l.seq, l.reasons, {item_columns('a')}, {item_columns('b')} FROM memory_links l"
        " JOIN memory_items a ON a.memory_id = l.memory_id JOIN memory_items b ON b.memory_id = l.other_id"
        f" WHERE l.relation = '{CONFLICT}' AND l.seq < ? AND {holds} AND {one} AND {two} ORDER BY l.seq DESC LIMIT ?",
        (before_seq, *own, *others, limit),
    )
    found: list[StandingConflict] = []
    for seq, reasons, *columns in rows:
        half = len(columns) // 2
        pair = sorted((to_item(columns[:half]), to_item(columns[half:])), key=lambda item: (item.said_at_ms, item.seq))
        found.append(StandingConflict(cast("int", seq), pair[1], pair[0], tuple(json.loads(cast("str", reasons)))))
    return found


def linked_as(tx: ReadTx, memory_id: str, other_id: str) -> tuple[str, str, str] | None:
    """(memory id, other id, relation) of the link between two, whichever was linked to which."""
    row = tx.execute(
        "SELECT memory_id, other_id, relation FROM memory_links"
        " WHERE (memory_id = ?1 AND other_id = ?2) OR (memory_id = ?2 AND other_id = ?1) ORDER BY seq DESC",
        (memory_id, other_id),
    ).fetchone()
    return None if row is None else cast("tuple[str, str, str]", row)
