"""What the mirror is held against: the items and vectors of this database, read through visibility."""

import json
from collections.abc import Collection
from typing import NamedTuple, cast

from palyra.domain.scope import Visibility
from palyra.store.connection import ReadTx
from palyra.store.memory.follower import UNMINDED
from palyra.store.visibility import visible_clause

_FEW_PRINCIPALS = 8
_CURRENT = "i.closed_seq IS NULL AND i.superseded_seq IS NULL"
_MIRRORED = f"{_CURRENT} AND {UNMINDED}"


class KnownItem(NamedTuple):
    memory_id: str
    seq: int
    content_hash: bytes


def proposed(tx: ReadTx, seer: Visibility, ids: Collection[str]) -> dict[str, KnownItem]:
    """Of ids that somebody else proposed: current items that the seer sees."""
    where, bindings = visible_clause(seer, "i")
    rows = tx.execute(  # CROSS keeps the order: from the few ids to their items
        "SELECT i.memory_id, i.seq, i.content_hash FROM json_each(?) p"
        f" CROSS JOIN memory_items i ON i.memory_id = p.value AND {_CURRENT} AND {where}",
        (json.dumps(list(ids)), *bindings),
    )
    known = (KnownItem(*cast("tuple[str, int, bytes]", row)) for row in rows)
    return {one.memory_id: one for one in known}


def why_unseen(tx: ReadTx, seer: Visibility, ids: Collection[str]) -> dict[str, str]:
    """For counting what an engine proposed in vain: foreign, deleted or unknown. Says nothing to the seer."""
    if not ids:
        return {}
    wanted = json.dumps(list(ids))
    rows = tx.execute(
        "SELECT memory_id FROM memory_items WHERE memory_id IN (SELECT value FROM json_each(?))", (wanted,)
    )
    known = {memory_id for (memory_id,) in rows}
    where, bindings = visible_clause(seer, "i")
    seen = tx.execute(
        "SELECT DISTINCT i.memory_id FROM memory_items i WHERE i.memory_id IN (SELECT value FROM json_each(?))"
        f" AND {where}",
        (wanted, *bindings),
    )
    visible = {memory_id for (memory_id,) in seen}
    return {one: "unknown" if one not in known else "deleted" if one in visible else "foreign" for one in ids}


class Unmirrored(NamedTuple):
    seqs: list[int]
    """versions in sight that the engine was not told about yet"""
    ids: int
    """how many items it was not told about, those that ended included"""


def unmirrored(tx: ReadTx, seer: Visibility, limit: int) -> Unmirrored | None:
    """Those in the outbox, and those that came after the last event it was filled from; None if there are too many."""
    changed = tx.execute(
        "WITH m AS (SELECT watermark FROM external_mirror) SELECT memory_id FROM external_outbox"
        " UNION SELECT memory_id FROM memory_items WHERE seq > (SELECT watermark FROM m)"
        " UNION SELECT memory_id FROM memory_changes WHERE seq > (SELECT watermark FROM m) LIMIT ?",
        (_FEW_PRINCIPALS * limit + 1,),
    ).fetchall()
    if len(changed) > _FEW_PRINCIPALS * limit:
        return None
    if not changed:
        return Unmirrored([], 0)
    where, bindings = visible_clause(seer, "i")
    rows = tx.execute(
        "SELECT i.seq FROM json_each(?) c CROSS JOIN memory_items i ON i.memory_id = c.value"
        f" WHERE {_CURRENT} AND {where} LIMIT ?",
        (json.dumps([memory_id for (memory_id,) in changed]), *bindings, limit + 1),
    ).fetchall()
    return None if len(rows) > limit else Unmirrored([cast("int", seq) for (seq,) in rows], len(changed))


def count_current(tx: ReadTx, seer: Visibility, identity: str, limit: int) -> int:
    """How many current items in sight have a vector, counted up to `limit`."""
    where, bindings = visible_clause(seer, "i")
    row = tx.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM memory_items i JOIN memory_vectors v ON v.item_seq = i.seq"
        f" AND v.identity = ? AND v.content_hash = i.content_hash WHERE {_MIRRORED} AND {where} LIMIT ?)",
        (identity, *bindings, limit),
    ).fetchone()
    return cast("int", (row or (0,))[0])


class MirroredItem(NamedTuple):
    memory_id: str
    principal: str
    channel: str | None
    session_id: str | None
    content_hash: bytes
    vector: bytes


def current_page(tx: ReadTx, identity: str, after: str, limit: int) -> list[MirroredItem]:
    """Everything that belongs at an engine, in order of id, page by page."""
    rows = tx.execute(
        "SELECT i.memory_id, i.principal, i.channel, i.session_id, i.content_hash, v.vector"
        " FROM memory_items i INDEXED BY memory_items_by_id"
        " JOIN memory_vectors v ON v.item_seq = i.seq AND v.identity = ? AND v.content_hash = i.content_hash"
        f" WHERE i.memory_id > ? AND {_MIRRORED} ORDER BY i.memory_id LIMIT ?",
        (identity, after, limit),
    )
    return [MirroredItem(*cast("tuple[str, str, str, str, bytes, bytes]", row)) for row in rows]


def outbox_ids(tx: ReadTx, ids: Collection[str]) -> set[str]:
    """Which of these are on their way anyway."""
    rows = tx.execute(
        "SELECT memory_id FROM external_outbox WHERE memory_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return {cast("str", memory_id) for (memory_id,) in rows}
