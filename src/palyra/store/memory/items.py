"""Reading memory items. Every function that returns text takes the one who is looking."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from palyra.core.ids import MemoryId
from palyra.domain.labels import Category, read_kinds
from palyra.domain.memory import AsOf, ItemFilter, MemoryItem, MemorySource, Trust
from palyra.domain.scope import Scope
from palyra.store.connection import ReadTx
from palyra.store.visibility import Seer, visible_clause

_COLUMNS = (
    "seq, memory_id, principal, channel, session_id, source, category, sensitivity, trust, confidence_bps, text,"
    " content_hash, tags, speaker, thread, said_at_ms, provenance, valid_from_ms, valid_to_ms, supersedes,"
    " superseded_by, pinned, expires_at_ms, created_at_ms, updated_at_ms, last_recalled_at_ms, recall_count,"
    " closed_at_ms, closed_why"
)


def item_columns(alias: str) -> str:
    """What `to_item` reads, of a table under another name."""
    return ", ".join(f"{alias}.{column}" for column in _COLUMNS.split(", "))


_ALIKE_ALL = (
    f"SELECT {_COLUMNS} FROM memory_items WHERE principal = ? AND likeness = ? AND closed_seq IS NULL"
    " AND channel IS ? AND session_id IS ? AND superseded_seq IS NULL"
)
_ALIKE = f"{_ALIKE_ALL} LIMIT 8"


def fetch_item(tx: ReadTx, memory_id: str, seer: Seer) -> MemoryItem | None:
    """The open version, or else the last one."""
    where, bindings = visible_clause(seer)
    row = tx.execute(
        f"SELECT {_COLUMNS} FROM memory_items WHERE memory_id = ? AND {where} ORDER BY seq DESC LIMIT 1",
        (memory_id, *bindings),
    ).fetchone()
    return None if row is None else to_item(row)


def items_named(tx: ReadTx, ids: Sequence[str], seer: Seer) -> dict[str, MemoryItem]:
    """Of each the newest version."""
    where, bindings = visible_clause(seer)
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM memory_items WHERE memory_id IN (SELECT value FROM json_each(?)) AND {where}"
        " ORDER BY seq",
        (json.dumps(list(ids)), *bindings),
    )
    return {item.memory_id: item for item in map(to_item, rows)}


def item_exists(tx: ReadTx, memory_id: str) -> bool:
    """Whether anybody has it: tells a foreign item from none."""
    return tx.execute("SELECT 1 FROM memory_items WHERE memory_id = ?", (memory_id,)).fetchone() is not None


def texts_of(tx: ReadTx, wanted: str, seer: Seer) -> list[str]:
    """What an item says and ever said, and the candidates that became part of it, whichever of them is named."""
    where, bindings = visible_clause(seer)
    sql = (
        "WITH wanted(id) AS (SELECT ?1 UNION SELECT memory_id FROM memory_candidates WHERE candidate_id = ?1)"
        f" SELECT text FROM memory_items WHERE memory_id IN (SELECT id FROM wanted) AND {where}"
        " UNION SELECT text FROM memory_candidates"
        f" WHERE (candidate_id = ?1 OR memory_id IN (SELECT id FROM wanted)) AND {where}"
    )
    return [cast("str", row[0]) for row in tx.execute(sql, (wanted, *bindings, *bindings))]


def fetch_seqs(tx: ReadTx, seqs: Sequence[int], seer: Seer) -> dict[int, MemoryItem]:
    """Versions by the seq of their event; what the seer may not see is not there."""
    where, bindings = visible_clause(seer)
    rows = tx.execute(  # by key: an index on the principal would walk all that is theirs
        f"SELECT {_COLUMNS} FROM memory_items NOT INDEXED WHERE seq IN (SELECT value FROM json_each(?)) AND {where}",
        (json.dumps(list(seqs)), *bindings),
    )
    return {item.seq: item for item in map(to_item, rows)}


def list_items(
    tx: ReadTx, seer: Seer, want: ItemFilter, now_ms: int, after: str, limit: int, *, newest_first: bool = False
) -> list[MemoryItem]:
    """Open items in the order of their ids, which is the order they were made in, or the other way round."""
    sign, order, start = ("<", "DESC", after or "~") if newest_first else (">", "ASC", after)
    where, bindings = visible_clause(seer)
    conditions, more = filter_clause(want, now_ms)
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM memory_items WHERE memory_id {sign} ? AND closed_seq IS NULL"
        f" AND {where} AND {conditions} ORDER BY memory_id {order} LIMIT ?",
        (start, *bindings, *more, limit),
    )
    return [to_item(row) for row in rows]


def sensitive_items(tx: ReadTx, seer: Seer, after_seq: int, limit: int) -> list[MemoryItem]:
    """Those of the open and current ones that hold anything sensitive, in order of seq."""
    where, bindings = visible_clause(seer)
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM memory_items WHERE seq > ? AND sensitivity <> 'public' AND closed_seq IS NULL"
        f" AND superseded_seq IS NULL AND {where} ORDER BY seq LIMIT ?",
        (after_seq, *bindings, limit),
    )
    return [to_item(row) for row in rows]


def matching_seqs(tx: ReadTx, seer: Seer, want: ItemFilter, now_ms: int, as_of: AsOf | None) -> list[int]:
    """All versions that a filtered or as-of search may return."""
    where, bindings = visible_clause(seer)
    conditions, more = matching_clause(want, now_ms, as_of)
    rows = tx.execute(f"SELECT seq FROM memory_items WHERE {where} AND {conditions}", (*bindings, *more))
    return [cast("int", seq) for (seq,) in rows]


def matching_clause(want: ItemFilter, now_ms: int, as_of: AsOf | None) -> tuple[str, list[object]]:
    """Over columns of `memory_items`, by that name."""
    conditions, bindings = filter_clause(want, now_ms, current=as_of is None)
    then, moments = as_of_clause(as_of)
    return f"{conditions} AND {then}", [*bindings, *moments]


def filter_clause(want: ItemFilter, now_ms: int, *, current: bool = True) -> tuple[str, list[object]]:
    conditions, bindings = ["TRUE"], cast("list[object]", [])
    if want.tags:
        conditions.append(
            "(SELECT count(DISTINCT t.value) FROM json_each(tags) t WHERE t.value IN (SELECT value FROM json_each(?)))"
            " = ?"
        )
        bindings += [json.dumps(want.tags), len(set(want.tags))]
    if want.sources:
        conditions.append("source IN (SELECT value FROM json_each(?))")
        bindings.append(json.dumps([source.value for source in want.sources]))
    if want.categories:
        conditions.append("category IN (SELECT value FROM json_each(?))")
        bindings.append(json.dumps([category.value for category in want.categories]))
    if want.trusts:
        conditions.append("trust IN (SELECT value FROM json_each(?))")
        bindings.append(json.dumps([trust.value for trust in want.trusts]))
    if current and not want.include_past:
        conditions.append("superseded_seq IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ?)")
        conditions.append("(valid_to_ms IS NULL OR valid_to_ms > ?)")
        bindings += [now_ms, now_ms]
    return " AND ".join(conditions), bindings


def as_of_clause(as_of: AsOf | None) -> tuple[str, list[object]]:
    """Without one: the open versions."""
    if as_of is None:
        return "closed_seq IS NULL", []
    if as_of.seq is not None:
        return (
            "seq <= ? AND (closed_seq IS NULL OR closed_seq > ?) AND (superseded_seq IS NULL OR superseded_seq > ?)",
            [as_of.seq] * 3,
        )
    # Of an item itself we go by the time it speaks of; of its later versions and its end, by when they were written.
    # A version begins when the one before it was closed: its own `updated_at_ms` moves on with every later change.
    then = (
        "valid_from_ms <= ? AND coalesce((SELECT v.closed_at_ms FROM memory_items v"
        " WHERE v.memory_id = memory_items.memory_id AND v.closed_seq = memory_items.seq), 0) <= ?"
        " AND (closed_at_ms IS NULL OR closed_at_ms > ?) AND (valid_to_ms IS NULL OR valid_to_ms > ?)"
        " AND (expires_at_ms IS NULL OR expires_at_ms > ?)"
    )
    return then, [as_of.at_ms] * 5


def tidied_ids(tx: ReadTx, seer: Seer, why: str) -> list[MemoryId]:
    """Of items that were closed for that reason and are closed still."""
    where, bindings = visible_clause(seer, "i")
    rows = tx.execute(
        f"SELECT i.memory_id FROM memory_items i WHERE i.closed_why = ? AND {where} AND NOT EXISTS"
        " (SELECT 1 FROM memory_items n WHERE n.memory_id = i.memory_id AND n.seq > i.seq) ORDER BY i.seq",
        (why, *bindings),
    )
    return [MemoryId(cast("str", row[0])) for row in rows]


def alike_items(tx: ReadTx, scope: Scope, likeness: str) -> list[MemoryItem]:
    """Open items in that very scope whose text says the same, oldest first."""
    rows = tx.execute(_ALIKE, (scope.principal, bytes.fromhex(likeness), scope.channel, scope.session_id)).fetchall()
    return sorted(map(to_item, rows), key=lambda item: item.seq)


def known_likenesses(tx: ReadTx, principal: str, likenesses: Sequence[str]) -> set[str]:
    """Of these, the ones that any open item of the principal has: of a whole batch in one statement."""
    rows = tx.execute(
        "SELECT lower(hex(likeness)) FROM memory_items WHERE principal = ? AND closed_seq IS NULL"
        " AND likeness IN (SELECT unhex(value) FROM json_each(?))",
        (principal, json.dumps(likenesses)),
    )
    return {cast("str", likeness) for (likeness,) in rows}


def items_replaced_by(tx: ReadTx, memory_id: str, seer: Seer) -> list[MemoryId]:
    where, bindings = visible_clause(seer)
    rows = tx.execute(
        f"SELECT memory_id FROM memory_items WHERE superseded_by = ? AND closed_seq IS NULL AND {where} ORDER BY seq",
        (memory_id, *bindings),
    )
    return [MemoryId(cast("str", row[0])) for row in rows]


def replaced_texts(tx: ReadTx, ids: Sequence[MemoryId], seer: Seer) -> dict[MemoryId, tuple[str, ...]]:
    """What the items have replaced says, newest first; of items that replaced nothing there is no entry."""
    where, bindings = visible_clause(seer)
    rows = tx.execute(
        "SELECT superseded_by, text FROM memory_items WHERE superseded_by IN (SELECT value FROM json_each(?))"
        f" AND closed_seq IS NULL AND {where} ORDER BY seq DESC",
        (json.dumps(ids), *bindings),
    )
    found: dict[MemoryId, tuple[str, ...]] = {}
    for by, text in rows:
        found[MemoryId(cast("str", by))] = (*found.get(MemoryId(cast("str", by)), ()), cast("str", text))
    return found


def same_turns(
    tx: ReadTx, scope: Scope, likeness: str, thread: str, speaker: str, said_at_ms: int | None
) -> list[MemoryItem]:
    """Of those alike, the ones said at that very moment of that conversation."""
    rows = tx.execute(
        f"{_ALIKE_ALL} AND said_at_ms = ? AND thread = ? AND speaker = ? LIMIT 1",
        (scope.principal, bytes.fromhex(likeness), scope.channel, scope.session_id, said_at_ms, thread, speaker),
    )
    return [to_item(row) for row in rows]


def texts_since(tx: ReadTx, scope: Scope, after_seq: int, limit: int) -> list[tuple[int, str]]:
    """(seq, text) of open items made in that very scope after a seq, newest first."""
    rows = tx.execute(
        "SELECT seq, text FROM memory_items WHERE +principal = ? AND seq > ? AND closed_seq IS NULL"
        " AND channel IS ? AND session_id IS ? AND superseded_seq IS NULL ORDER BY seq DESC LIMIT ?",
        (scope.principal, after_seq, scope.channel, scope.session_id, limit),
    )
    return [cast("tuple[int, str]", row) for row in rows]


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    seq: int
    event_id: str
    kind: str


def history_of(tx: ReadTx, memory_id: str) -> list[HistoryEntry]:
    """Oldest first. Ask for the item itself first: this holds no text, but it says that the item exists."""
    sql = (
        "SELECT seq, event_id, kind FROM journal_events WHERE seq IN (SELECT seq FROM memory_items WHERE memory_id = ?1"
        " UNION SELECT seq FROM memory_changes WHERE memory_id = ?1) ORDER BY seq"
    )
    rows = tx.execute(sql, (memory_id,))
    return [HistoryEntry(*cast("tuple[int, str, str]", row)) for row in rows]


def links_of(tx: ReadTx, memory_id: str) -> list[tuple[MemoryId, tuple[str, ...]]]:
    """(the other item, why they contradict each other)"""
    rows = tx.execute(
        "SELECT other_id, reasons FROM memory_links WHERE memory_id = ?1 AND relation = 'conflict'"
        " UNION SELECT memory_id, reasons FROM memory_links WHERE other_id = ?1 AND relation = 'conflict'",
        (memory_id,),
    )
    return [(MemoryId(cast("str", other)), tuple(json.loads(cast("str", reasons)))) for other, reasons in rows]


def open_ids(tx: ReadTx, seer: Seer, limit: int, *, channel: str | None, session_id: str | None) -> list[MemoryId]:
    """Ids of visible open items; with a channel or session, only those scoped to it."""
    where, bindings = visible_clause(seer)
    rows = tx.execute(
        f"SELECT memory_id FROM memory_items WHERE closed_seq IS NULL AND {where}"
        " AND (? IS NULL OR channel IS ?) AND (? IS NULL OR session_id IS ?) ORDER BY seq LIMIT ?",
        (*bindings, channel, channel, session_id, session_id, limit),
    )
    return [MemoryId(cast("str", memory_id)) for (memory_id,) in rows]


# Looking a value up costs a tenth of asking the enumeration for it.
_SOURCES = {one.value: one for one in MemorySource}
_CATEGORIES = {one.value: one for one in Category}
_TRUSTS = {one.value: one for one in Trust}


def to_item(row: Iterable[Any]) -> MemoryItem:
    (seq, memory_id, principal, channel, session_id, source, category, sensitivity, trust, confidence_bps, text,
     content_hash, tags, speaker, thread, said_at_ms, provenance, valid_from_ms, valid_to_ms, supersedes,
     superseded_by, pinned, expires_at_ms, created_at_ms, updated_at_ms, last_recalled_at_ms, recall_count,
     closed_at_ms, closed_why) = row  # fmt: skip
    return MemoryItem(
        seq, memory_id, Scope(principal, channel, session_id), _SOURCES[source], _CATEGORIES[category],
        read_kinds(sensitivity), _TRUSTS[trust], confidence_bps, text, content_hash.hex(), _names(tags), speaker,
        thread, said_at_ms, _names(provenance), valid_from_ms, valid_to_ms, supersedes, superseded_by, bool(pinned),
        expires_at_ms, created_at_ms, updated_at_ms, last_recalled_at_ms, recall_count, closed_at_ms, closed_why,
    )  # fmt: skip


def _names(stored: str) -> tuple[str, ...]:
    return () if stored == "[]" else tuple(json.loads(stored))
