"""The ledger: every id that an external engine may hold, and at which place. A place is a server and a table on it.

An id is entered before it is sent and struck out after its removal was confirmed. So whatever crashes when, an id
that an engine holds can be taken away from it; what an erasure leaves behind there is on this durable list.
"""

import json
from collections.abc import Collection
from typing import NamedTuple, cast

from palyra.store.connection import ReadTx, WriteTx


class Holding(NamedTuple):
    memory_id: str
    place: str
    principal: str
    """as the engine knows it"""
    mark: bytes | None
    """None: sent, and not confirmed"""


def holdings(tx: ReadTx, ids: Collection[str]) -> list[Holding]:
    rows = tx.execute(
        "SELECT memory_id, place, principal, mark FROM external_ledger"
        " WHERE memory_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return [Holding(*cast("tuple[str, str, str, bytes | None]", row)) for row in rows]


def enter(tx: WriteTx, sent: Collection[tuple[str, str, str]]) -> None:
    """(id, place, principal) about to be sent."""
    for memory_id, place, principal in sent:
        tx.execute(
            "INSERT INTO external_ledger VALUES (?, ?, ?, NULL) ON CONFLICT DO UPDATE SET mark = NULL",
            (memory_id, place, principal),
        )


def confirm(tx: WriteTx, held: Collection[tuple[str, str, bytes]]) -> None:
    """(id, place, mark) that the engine said it has."""
    for memory_id, place, mark in held:
        tx.execute(
            "UPDATE external_ledger SET mark = ? WHERE memory_id = ? AND place = ?",
            (mark, memory_id, place),
        )


def strike_out(tx: WriteTx, gone: Collection[tuple[str, str]]) -> None:
    """(id, place) that the engine said it no longer has."""
    for memory_id, place in gone:
        tx.execute("DELETE FROM external_ledger WHERE memory_id = ? AND place = ?", (memory_id, place))


def strike_out_place(tx: WriteTx, place: str) -> None:
    tx.execute("DELETE FROM external_ledger WHERE place = ?", (place,))


def doubt(tx: WriteTx, place: str, ids: Collection[str]) -> None:
    """What was confirmed there turned out not to be so."""
    tx.execute(
        "UPDATE external_ledger SET mark = NULL WHERE place = ? AND memory_id IN (SELECT value FROM json_each(?))",
        (place, json.dumps(list(ids))),
    )


def places(tx: ReadTx) -> dict[str, int]:
    """How many ids each place may hold."""
    rows = tx.execute("SELECT place, count(*) FROM external_ledger GROUP BY place ORDER BY place")
    return {cast("str", place): cast("int", count) for place, count in rows}


def orphans(tx: ReadTx) -> dict[str, int]:
    """How many ids of erased items each place may still hold."""
    rows = tx.execute(
        "SELECT place, count(*) FROM external_ledger l"
        " WHERE NOT EXISTS (SELECT 1 FROM memory_items i WHERE i.memory_id = l.memory_id) GROUP BY place ORDER BY place"
    )
    return {cast("str", place): cast("int", count) for place, count in rows}


def count_principals(tx: ReadTx, place: str) -> int:
    row = tx.execute("SELECT count(DISTINCT principal) FROM external_ledger WHERE place = ?", (place,)).fetchone()
    return cast("int", (row or (0,))[0])


def forget_homes(tx: WriteTx) -> bool:
    """Whether an earlier version had spread principals over servers; from now on they are all on one."""
    return bool(tx.execute("DELETE FROM external_homes RETURNING principal").fetchall())
