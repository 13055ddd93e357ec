"""Which ids begin so: for a person who types the first characters of one."""

from typing import NamedTuple

from palyra.store.connection import ReadTx


class _IdPlace(NamedTuple):
    table: str
    id_column: str
    of_a_principal: bool = True
    name_column: str = ""
    """a name of one's own, which may stand for the id"""


_PLACES = {
    "event": _IdPlace("journal_events", "event_id", of_a_principal=False),
    "memory": _IdPlace("memory_items", "memory_id"),
    "candidate": _IdPlace("memory_candidates", "candidate_id"),
    "proposal": _IdPlace("proposals", "proposal_id"),
    "learned": _IdPlace("learning_candidates", "candidate_id"),
    "session": _IdPlace("sessions", "session_id", name_column="key"),
    "run": _IdPlace("session_runs", "run_id"),
    "checkpoint": _IdPlace("session_checkpoints", "checkpoint_id", name_column="name"),
    "job": _IdPlace("cron_jobs", "job_id", name_column="name"),
    "token": _IdPlace("access_tokens", "token_id", of_a_principal=False),
}
KINDS = tuple(_PLACES)
_MOST = 9
"""enough to see that it is not one, and which they are"""


def find_ids(tx: ReadTx, kind: str, beginning: str, principal: str) -> list[str]:
    """In order, the first few. A whole name counts before what begins so, and is returned as it is."""
    place = _PLACES[kind]
    whose, who = (" AND principal = ?", (principal,)) if place.of_a_principal else ("", ())
    if place.name_column:
        named = f"SELECT 1 FROM {place.table} WHERE {place.name_column} = ?{whose}"
        if tx.execute(named, (beginning, *who)).fetchone() is not None:
            return [beginning]
    first, last = (beginning.upper().ljust(26, filling) for filling in "0Z")
    rows = tx.execute(
        f"SELECT DISTINCT {place.id_column} FROM {place.table} WHERE {place.id_column} BETWEEN ? AND ?{whose}"
        f" ORDER BY {place.id_column} LIMIT ?",
        (first, last, *who, _MOST),
    )
    return [str(row[0]) for row in rows]
