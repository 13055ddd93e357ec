"""Projections are disposable: drop them, replay the journal, and the state must be the same.

`rebuild` does it in place, in one transaction. `replayed_state` does it beside, in memory, to
find out whether the live tables are what the journal says.
"""

from collections.abc import Callable
from typing import Any, cast

import apsw

from palyra.domain.journal import Fault, Finding
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.journal import COLUMNS, FROM_EVENTS, to_record
from palyra.store.memory.search import index_pending
from palyra.store.projections import PROJECTORS, TABLES, clear, replay, row_seq, state_digest, table_rows
from palyra.store.tiles.names import rewrite_names
from palyra.store.upkeep.integrity import journal_size

_PROGRESS_EVERY = 5_000


def rebuild(tx: WriteTx, progress: Callable[[int], None] = lambda _seq: None) -> tuple[str, str]:
    """State digest before and after."""
    before = state_digest(tx)
    clear(tx)
    _replay_all(tx, tx, progress, index=True)
    while index_pending(tx):
        continue
    rewrite_names(tx, journal_size(tx))
    return before, state_digest(tx)


def find_drift(tx: ReadTx, progress: Callable[[int], None] = lambda _seq: None) -> tuple[str, list[Finding]]:
    """The live state digest, and the first row of each projection that the journal does not bear out."""
    live = state_digest(tx)
    connection = apsw.Connection(":memory:")  # no copy of anybody's text on another disk
    try:
        fresh = cast("WriteTx", connection)
        for table in TABLES:
            rows = tx.execute("SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL", (table,))
            for (sql,) in rows.fetchall():
                fresh.execute(cast("str", sql))
        connection.execute("BEGIN")
        _replay_all(tx, fresh, progress, index=False)
        if state_digest(fresh) == live:
            return live, []
        return live, [finding for table in TABLES for finding in _compare(tx, fresh, table)]
    finally:
        connection.close()


def _replay_all(source: ReadTx, target: WriteTx, progress: Callable[[int], None], *, index: bool) -> None:
    kinds = ", ".join(f"'{kind}'" for kind in PROJECTORS)  # our own constants
    after = 0
    while True:
        sql = f"SELECT {COLUMNS}{FROM_EVENTS}WHERE e.kind IN ({kinds}) AND e.seq > ? ORDER BY e.seq LIMIT ?"
        page = source.execute(sql, (after, _PROGRESS_EVERY)).fetchall()
        for row in page:
            replay(target, to_record(row), index=index)
        if len(page) < _PROGRESS_EVERY:
            return
        after = cast("int", page[-1][0])
        progress(after)


def _compare(live: ReadTx, fresh: ReadTx, table: str) -> list[Finding]:
    """The first row by key that differs, walking both tables side by side."""
    ours, theirs = table_rows(live, table), table_rows(fresh, table)
    have, want = next(ours, None), next(theirs, None)
    while have == want:
        if have is None:
            return []
        have, want = next(ours, None), next(theirs, None)
    if want is None or (have is not None and _key(have) < _key(want)):
        row, what = have, "stems from no event"
    elif have is None or _key(want) < _key(have):
        row, what = want, "is missing"
    else:
        row, what = want, "differs from its events"
    assert row is not None  # noqa: S101 - at least one of the two is there
    return [Finding(Fault.PROJECTION, row_seq(live, table, row), f"row {row[0]!r} of {table} {what}")]


def _key(row: tuple[object, ...]) -> tuple[bool, Any]:
    """Keys are integers or text; SQLite sorts integers first."""
    return isinstance(row[0], str), row[0]
