"""The lexical index of workspace documents: FTS5 over analysed terms, a row for each section of the newest revision."""

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from palyra.domain.chat.continuity_events import MAIN
from palyra.domain.scope import Visibility
from palyra.store.connection import ReadTx, WriteTx

_SECTION_BITS = 16
MOST_SECTIONS = 1 << _SECTION_BITS


def section_key(seq: int, number: int) -> int:
    """One number for the seq of a revision and the number of its section."""
    return seq << _SECTION_BITS | number


def seq_and_number(key: int) -> tuple[int, int]:
    return key >> _SECTION_BITS, key & (MOST_SECTIONS - 1)


def index_sections(tx: WriteTx, seq: int, text: str) -> None:
    for number, terms in enumerate(section_terms(text)[:MOST_SECTIONS]):
        tx.execute("INSERT INTO workspace_fts (rowid, terms) VALUES (?, ?)", (section_key(seq, number), terms))


def forget_sections(tx: WriteTx, seqs: Sequence[int]) -> None:
    # A replay beside the live database has the tables of the state and no indexes.
    if seqs and tx.execute("SELECT 1 FROM sqlite_schema WHERE name = 'workspace_fts'").fetchone():
        for seq in seqs:
            first = section_key(seq, 0)
            tx.execute("DELETE FROM workspace_fts WHERE rowid BETWEEN ? AND ?", (first, first + MOST_SECTIONS - 1))


def drop_deleted_sections(tx: WriteTx) -> None:
    """Merges all segments, which leaves out what was only marked as deleted."""
    tx.execute("INSERT INTO workspace_fts (workspace_fts) VALUES ('optimize')")


def clear_sections(tx: WriteTx) -> None:
    tx.execute("INSERT INTO workspace_fts (workspace_fts) VALUES ('delete-all')")


def matching_sections(tx: ReadTx, terms: Sequence[str], seer: Visibility, limit: int) -> list[tuple[int, int, float]]:
    """(seq of the revision, number of the section, bm25 score) of the main line's documents, best first."""
    expression = " OR ".join('"' + term.replace('"', '""') + '"' for term in dict.fromkeys(terms))
    if not expression:
        return []
    rows = tx.execute(
        f"SELECT r.seq, workspace_fts.rowid & {MOST_SECTIONS - 1}, -bm25(workspace_fts) FROM workspace_fts"
        f" JOIN workspace_revisions r ON r.seq = (workspace_fts.rowid >> {_SECTION_BITS})"
        " WHERE workspace_fts MATCH ? AND r.principal = ? AND r.line = ? ORDER BY 3 DESC, 1 DESC, 2 LIMIT ?",
        (expression, seer.principal, MAIN, limit),
    )
    return [cast("tuple[int, int, float]", row) for row in rows]


@lru_cache(maxsize=4)
def section_terms(text: str) -> tuple[str, ...]:
    """Slow for a long text: whoever asks before a transaction need not wait in it."""
    # Loaded with the first text: whoever only reads a journal need not wait for numpy.
    from palyra.domain.retrieval.terms import analyse  # noqa: PLC0415 - with the first text: who only reads a journal need not wait
    from palyra.domain.workspace.sections import sections  # noqa: PLC0415 - with the first text: who only reads a journal need not wait

    return tuple(" ".join(analyse(section.text)) for section in sections(text))
