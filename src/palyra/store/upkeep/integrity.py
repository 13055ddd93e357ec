"""What SQLite itself can say about the file."""

from typing import cast

from palyra.domain.journal import Fault, Finding
from palyra.store.connection import ReadTx


def journal_size(tx: ReadTx) -> int:
    row = tx.execute("SELECT coalesce(max(seq), 0) FROM journal_events").fetchone()
    return cast("int", row[0]) if row else 0


def check_pages(tx: ReadTx) -> list[Finding]:
    """Page structure and indexes; `quick_check` leaves out what the hash chain covers better."""
    # FTS5 checks itself by what this connection remembers of its segments from an earlier search, and calls those that
    # were merged since corrupt. Reading a row makes it look again.
    for (table,) in tx.execute("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'").fetchall():
        tx.execute(f"SELECT rowid FROM {table} LIMIT 1").fetchall()
    rows = tx.execute("PRAGMA quick_check(10)").fetchall()
    return [Finding(Fault.DATABASE, None, f"SQLite: {row[0]}") for row in rows if row[0] != "ok"]


def schema_version(tx: ReadTx) -> int:
    row = tx.execute("PRAGMA user_version").fetchone()
    return cast("int", row[0]) if row else 0


def missing_guards(tx: ReadTx) -> list[str]:
    """Append-only triggers that somebody has dropped."""
    have = {cast("str", row[0]) for row in tx.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")}
    return sorted(GUARDS - have)


GUARDS = frozenset(
    {
        "journal_events_no_update",
        "journal_events_no_delete",
        "journal_payloads_no_update",
        "journal_payloads_delete_needs_erasure",
        "journal_tree_no_update",
        "journal_tree_no_delete",
        "journal_checkpoints_no_update",
        "journal_checkpoints_no_delete",
        "journal_identity_no_update",
        "journal_identity_no_delete",
    }
)
