"""Everything of one principal: which events it is in, and how all that was made of them goes at once.

Unlike the erasure of one event this takes every kind, because no row is left that would need what another one said.
"""

from typing import NamedTuple, cast

from palyra.domain.events import DemoMarked
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.memory.search import forget
from palyra.store.projector import Applied, Body, Projector
from palyra.store.sessions.search import forget_words
from palyra.store.tiles.names import NAMED_EVENTS, principal_name
from palyra.store.workspace.search import forget_sections

OWNED = (
    "memory_items", "memory_candidates", "notes", "access_tokens", "sessions", "session_runs", "session_tape",
    "session_attachments", "session_checkpoints", "session_compactions", "workspace_revisions", "workspace_marks",
    "workspace_files", "workspace_lines", "learning_queue", "learning_reflections", "learning_candidates",
    "cron_jobs", "cron_runs",
)  # fmt: skip
"""tables of the state whose rows name their principal"""
_BY_ITEM = "IN (SELECT memory_id FROM memory_items WHERE principal = ?)"
_OF_PRINCIPAL = (
    f"{NAMED_EVENTS}JOIN journal_payloads AS p ON p.seq = e.seq WHERE e.principal = ?"
    " AND substr(e.kind, 1, instr(e.kind || '.', '.') - 1) NOT IN ('journal', 'access', 'token', 'console', 'job')"
)
"""What was done to the installation, what was erased and who has looked stays on record: none of it is about text."""


def events_of_principal(tx: ReadTx, principal: str, limit: int) -> list[str]:
    """Ids of events that still have a payload: those that made its tokens, then its own, newest first."""
    sql = (
        "SELECT e.event_id, 0, e.seq FROM access_tokens AS t JOIN journal_events AS e ON e.seq = t.seq"
        f" WHERE t.principal = ? UNION ALL SELECT e.event_id, 1, e.seq{_OF_PRINCIPAL} ORDER BY 2, 3 DESC LIMIT ?"
    )
    return [cast("str", row[0]) for row in tx.execute(sql, (principal, *_named(principal), limit))]


def count_events(tx: ReadTx, principal: str) -> int:
    row = tx.execute(f"SELECT count(*){_OF_PRINCIPAL}", _named(principal)).fetchone()
    return cast("int", row[0]) if row else 0


def first_kind(tx: ReadTx, principal: str) -> str | None:
    """Of its oldest event with a payload; None: it has none."""
    row = tx.execute(f"SELECT e.kind{_OF_PRINCIPAL} ORDER BY e.seq LIMIT 1", _named(principal)).fetchone()
    return cast("str", row[0]) if row else None


def demo_states(tx: ReadTx, principal: str) -> list[str]:
    """What the marks of the sample say, oldest first."""
    sql = f"SELECT CAST(p.payload AS TEXT) ->> 'state'{_OF_PRINCIPAL} AND e.kind = ? ORDER BY e.seq"
    return [cast("str", row[0]) for row in tx.execute(sql, (*_named(principal), DemoMarked.KIND))]


def _named(principal: str) -> tuple[str, str]:
    """What `_OF_PRINCIPAL` is bound to."""
    return principal_name(principal), principal


def open_run_of(tx: ReadTx, principal: str) -> str | None:
    """A turn of that principal that has not ended."""
    sql = "SELECT run_id FROM session_runs WHERE principal = ? AND ended_at_ms IS NULL ORDER BY seq LIMIT 1"
    row = tx.execute(sql, (principal,)).fetchone()
    return cast("str", row[0]) if row else None


class PrincipalPlace(NamedTuple):
    principal: str
    channel: str | None
    memories: int
    sessions: int


def places(tx: ReadTx, limit: int) -> list[PrincipalPlace]:
    """Who has open memories or sessions, and in which channels: by principal, the place without a channel first."""
    sql = (
        "SELECT principal, channel, sum(memories), sum(sessions) FROM ("
        " SELECT principal, channel, count(*) AS memories, 0 AS sessions FROM memory_items"
        " WHERE closed_seq IS NULL GROUP BY principal, channel"
        " UNION ALL SELECT principal, channel, 0, count(*) FROM sessions GROUP BY principal, channel)"
        " GROUP BY principal, channel ORDER BY principal, channel LIMIT ?"
    )
    return [PrincipalPlace(*cast("tuple[str, str | None, int, int]", row)) for row in tx.execute(sql, (limit,))]


def _gone(tx: WriteTx, _event: Applied, body: Body) -> None:
    if body is None:
        return  # not by our own hand: it cannot be erased
    principal = cast("str", body["principal"])
    _forget_indexed(tx, principal)
    tx.execute(f"DELETE FROM memory_changes WHERE memory_id {_BY_ITEM}", (principal,))
    sql = f"DELETE FROM memory_links WHERE memory_id {_BY_ITEM} OR other_id {_BY_ITEM}"
    tx.execute(sql, (principal, principal))
    sql = "DELETE FROM learning_steps WHERE candidate_id IN"
    tx.execute(f"{sql} (SELECT candidate_id FROM learning_candidates WHERE principal = ?)", (principal,))
    for table in OWNED:
        tx.execute(f"DELETE FROM {table} WHERE principal = ?", (principal,))


def _forget_indexed(tx: WriteTx, principal: str) -> None:
    """A replay beside the live database has the tables of the state alone."""
    if _is_there(tx, "memory_fts"):
        forget(tx, _seqs(tx, "memory_items", principal))
    forget_words(tx, _seqs(tx, "session_tape", principal) + _seqs(tx, "session_attachments", principal))
    forget_sections(tx, _seqs(tx, "workspace_revisions", principal))
    if _is_there(tx, "session_blobs"):
        tx.execute("DELETE FROM session_blobs WHERE principal = ?", (principal,))


def _seqs(tx: ReadTx, table: str, principal: str) -> list[int]:
    return [cast("int", row[0]) for row in tx.execute(f"SELECT seq FROM {table} WHERE principal = ?", (principal,))]


def _is_there(tx: ReadTx, table: str) -> bool:
    return tx.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone() is not None


PROJECTOR = Projector((*OWNED, "memory_changes", "memory_links", "learning_steps"), _gone, erasable=False)
