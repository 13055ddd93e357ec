"""The durable lexical index of transcripts: FTS5 over analysed terms, keyed by the seq of what was said."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import cast

from palyra.domain.scope import Visibility
from palyra.store.connection import ReadTx, WriteTx
from palyra.store.visibility import place_clause


def index_words(tx: WriteTx, seq: int, text: str) -> None:
    if text:
        tx.execute("INSERT INTO session_fts (rowid, terms) VALUES (?, ?)", (seq, " ".join(_analyse()(text))))


def forget_words(tx: WriteTx, seqs: Sequence[int]) -> None:
    # A replay beside the live database has the tables of the state and no indexes.
    if seqs and tx.execute("SELECT 1 FROM sqlite_schema WHERE name = 'session_fts'").fetchone():
        for seq in seqs:
            tx.execute("DELETE FROM session_fts WHERE rowid = ?", (seq,))


def drop_deleted_words(tx: WriteTx) -> None:
    """Merges all segments, which leaves out what was only marked as deleted."""
    tx.execute("INSERT INTO session_fts (session_fts) VALUES ('optimize')")


def clear_words(tx: WriteTx) -> None:
    tx.execute("INSERT INTO session_fts (session_fts) VALUES ('delete-all')")


@cache
def _analyse() -> Callable[[str], list[str]]:
    """Loaded with the first text: whoever only reads a journal need not wait for numpy."""
    from palyra.domain.retrieval.terms import analyse  # noqa: PLC0415 - see above

    return analyse


def matching_words(tx: ReadTx, terms: Sequence[str], seer: Visibility, limit: int) -> list[tuple[int, float]]:
    """(seq, bm25 score) of what the caller may see and holds any of the terms, best first."""
    expression = " OR ".join('"' + term.replace('"', '""') + '"' for term in dict.fromkeys(terms))
    if not expression:
        return []
    where, bindings = place_clause(seer, "place")
    place = (
        "(SELECT seq, principal, channel FROM session_tape UNION ALL"
        " SELECT seq, principal, channel FROM session_attachments)"
    )
    rows = tx.execute(
        f"SELECT place.seq, -bm25(session_fts) FROM session_fts JOIN {place} AS place"
        f" ON place.seq = session_fts.rowid WHERE session_fts MATCH ? AND {where} ORDER BY 2 DESC, 1 DESC LIMIT ?",
        (expression, *bindings, limit),
    )
    return [cast("tuple[int, float]", row) for row in rows]
