"""The one queue of what waits for a person, held or learned: read, counted and chosen by what a row says."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from palyra.domain.learning.queue import Queued, Wanted
from palyra.domain.memory import Trust
from palyra.store.connection import ReadTx
from palyra.store.visibility import Seer, visible_clause

_COLUMNS = (
    "proposal_id, seq, queue, kind, text, stage, state, because, confidence_bps, trust, source, risks, provenance,"
    " at_ms, memory_id, document, batch, snoozed_until_ms"
)


@dataclass(frozen=True, slots=True)
class QueuePage:
    rows: tuple[Queued, ...]
    total: int
    """of all that is wanted, whatever the page"""
    put_off: int
    """of these, not shown before their time"""


def find_queued(tx: ReadTx, proposal_id: str, seer: Seer) -> Queued | None:
    where, bindings = visible_clause(seer)
    sql = f"SELECT {_COLUMNS} FROM proposals WHERE proposal_id = ? AND {where}"
    row = tx.execute(sql, (proposal_id, *bindings)).fetchone()
    return None if row is None else _to_queued(row)


def queue_page(tx: ReadTx, wanted: Wanted, seer: Seer, now_ms: int, after_seq: int, limit: int) -> QueuePage:
    """In the order in which they came."""
    rows, total, put_off = list[Queued](), 0, 0
    for one in wanted_of(tx, wanted, seer):
        if one.stage == "waiting" and one.snoozed_until_ms > now_ms and not wanted.put_off:
            put_off += 1
            continue
        total += 1
        if one.seq > after_seq and len(rows) < limit:
            rows.append(one)
    return QueuePage(tuple(rows), total, put_off)


def wanted_of(tx: ReadTx, wanted: Wanted, seer: Seer) -> Iterator[Queued]:
    where, bindings = visible_clause(seer)
    more, values = [where], list[Any](bindings)
    for column, value in (("stage", wanted.stage), ("kind", wanted.kind), ("source", wanted.source)):
        if value:
            more.append(f"{column} = ?")
            values.append(value)
    if wanted.trust is not None:
        more.append("trust = ?")
        values.append(int(wanted.trust))
    if wanted.batch:
        more.append("batch = ?")
        values.append(wanted.batch)
    if wanted.reason:
        more.append("EXISTS (SELECT 1 FROM json_each(because) WHERE value = ?)")
        values.append(wanted.reason)
    rows = tx.execute(f"SELECT {_COLUMNS} FROM proposals WHERE {' AND '.join(more)} ORDER BY seq", values)
    subject = wanted.subject.casefold()
    for row in rows:
        one = _to_queued(row)
        if subject in one.text.casefold():
            yield one


def _to_queued(row: tuple[Any, ...]) -> Queued:
    (
        proposal_id, seq, queue, kind, text, stage, state, because, confidence_bps, trust, source, risks, provenance,
        at_ms, memory_id, document, batch, snoozed_until_ms,
    ) = row  # fmt: skip
    return Queued(
        proposal_id=proposal_id,
        seq=seq,
        queue=queue,
        kind=kind,
        text=text,
        stage=stage,
        state=state,
        because=tuple(json.loads(because)),
        confidence_bps=confidence_bps,
        trust=Trust(trust),
        source=source,
        risks=tuple(json.loads(risks)),
        provenance=tuple(json.loads(provenance)),
        at_ms=at_ms,
        memory_id=memory_id,
        document=document,
        batch=batch or "",
        snoozed_until_ms=snoozed_until_ms,
    )
