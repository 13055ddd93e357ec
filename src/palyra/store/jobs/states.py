"""Who runs a job now, and when it is due next: bookkeeping beside the journal.

No events: a lease says something about a process, not about the state, and means nothing once that process is gone; a
replay must not bring it back. Jobs tick, and what ticks would fill the journal with nothing. Losing a row costs a run
that comes early. No row holds anybody's words: what a run failed with is told by its event, here is only the code.
"""

from dataclasses import dataclass
from typing import Any, cast

from palyra.store.connection import ReadTx, WriteTx

_COLUMNS = (
    "name, begun_at_ms, due_at_ms, slot_ms, failures, code, last_started_ms, last_took_ms, last_success_ms, last_items,"
    " attention, alarm"
)


@dataclass(frozen=True, slots=True)
class JobStateRow:
    name: str
    begun_at_ms: int | None = None
    """a run that has not ended: it goes on, or its process is dead"""
    due_at_ms: int | None = None
    slot_ms: int | None = None
    """of a schedule: the last one that was run"""
    failures: int = 0
    """in a row; a run that has not ended counts until it has"""
    code: str = ""
    """what the last run failed with; empty: it went well"""
    last_started_ms: int | None = None
    last_took_ms: int | None = None
    last_success_ms: int | None = None
    last_items: int = 0
    attention: str = ""
    alarm: bool = False


@dataclass(frozen=True, slots=True)
class Lease:
    name: str
    owner: str
    """made up by a process for itself"""
    now_ms: int
    until_ms: int
    begins: bool
    """a run is noted as begun, so that it is taken up again should its process die"""


def take_lease(tx: WriteTx, lease: Lease) -> bool:
    """False: another process has it, and its time is not up."""
    row = tx.execute("SELECT owner, until_ms FROM job_states WHERE name = ?", (lease.name,)).fetchone()
    if row is not None and row[0] not in ("", lease.owner) and cast("int", row[1]) > lease.now_ms:
        return False
    begun_at_ms = lease.now_ms if lease.begins else None
    tx.execute(
        "INSERT INTO job_states VALUES (?, ?, ?, ?, NULL, NULL, ?, '', NULL, NULL, NULL, 0, '', 0)"
        " ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until_ms = excluded.until_ms,"
        " begun_at_ms = excluded.begun_at_ms, failures = failures + excluded.failures",
        (lease.name, lease.owner, lease.until_ms, begun_at_ms, int(lease.begins)),
    )
    return True


def release_others(tx: WriteTx, owner: str) -> None:
    """For the process that has just become the owner of the data directory: nobody else is alive to hold a lease.

    That a run was begun stays on record, so that it is taken up."""
    tx.execute("UPDATE job_states SET owner = '', until_ms = 0 WHERE owner <> ?", (owner,))


def put_state(tx: WriteTx, row: JobStateRow, owner: str, until_ms: int) -> None:
    """How it stands after a run. An empty owner gives the lease back."""
    tx.execute(
        "INSERT OR REPLACE INTO job_states VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.name,
            owner,
            until_ms,
            row.begun_at_ms,
            row.due_at_ms,
            row.slot_ms,
            row.failures,
            row.code,
            row.last_started_ms,
            row.last_took_ms,
            row.last_success_ms,
            row.last_items,
            row.attention,
            row.alarm,
        ),
    )


def states(tx: ReadTx) -> dict[str, JobStateRow]:
    return {
        cast("str", row[0]): _to_state(row) for row in tx.execute(f"SELECT {_COLUMNS} FROM job_states ORDER BY name")
    }


def holders(tx: ReadTx) -> dict[str, str]:
    """Who has the lease of what."""
    rows = tx.execute("SELECT name, owner FROM job_states WHERE owner <> ''")
    return {cast("str", name): cast("str", owner) for name, owner in rows}


def _to_state(row: tuple[Any, ...]) -> JobStateRow:
    row = (*row[:-1], bool(row[-1]))
    return JobStateRow(*row)
