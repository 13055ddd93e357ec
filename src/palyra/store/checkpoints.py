"""Signed checkpoints: a row in the database, and a line in a file outside it that outlives a rewritten database."""

from pathlib import Path
from typing import cast

from palyra.core.errors import Integrity
from palyra.domain.signed_note import VerifierKey, join_notes, split_notes
from palyra.store.connection import ReadTx, WriteTx, errors_in_our_words
from palyra.store.datadir import append_durably, write_durably


def read_verifier_key(tx: ReadTx) -> VerifierKey:
    row = tx.execute("SELECT verifier_key FROM journal_identity").fetchone()
    if row is None:
        raise Integrity("the database has no journal identity", hint="restore a backup")
    return VerifierKey.parse(cast("str", row[0]))


def put_checkpoint(tx: WriteTx, size: int, note: str, now_ms: int) -> None:
    """Keeps the first note of a size: signatures are deterministic, so a second one is the same."""
    tx.execute("INSERT INTO journal_checkpoints VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (size, note, now_ms))


def last_checkpoint(tx: ReadTx) -> tuple[int, int, str] | None:
    """(size, created_at_ms, note)"""
    row = tx.execute("SELECT size, created_at_ms, note FROM journal_checkpoints ORDER BY size DESC LIMIT 1").fetchone()
    return cast("tuple[int, int, str] | None", row)


def checkpoint_notes(tx: ReadTx, after_size: int = -1) -> list[tuple[int, str]]:
    rows = tx.execute("SELECT size, note FROM journal_checkpoints WHERE size > ? ORDER BY size", (after_size,))
    return [cast("tuple[int, str]", row) for row in rows]


def read_note_file(path: Path) -> tuple[list[str], str]:
    """The notes of the file outside, and any text in it that is none."""
    with errors_in_our_words(path):
        try:
            return split_notes(path.read_text("utf-8", errors="replace"))
        except FileNotFoundError:
            return [], ""


def catch_up_note_file(tx: ReadTx, path: Path) -> None:
    """After a crash: drops a half-written last note, adds notes that reached only the database."""
    notes, rest = read_note_file(path)
    text = join_notes(notes)
    with errors_in_our_words(path):
        if rest and path.read_text("utf-8", errors="replace") == text + rest:
            write_durably(path, text.encode())
        known = set(notes)
        newest = max((size_of(note) for note in notes), default=-1)
        missing = [note for _, note in checkpoint_notes(tx, newest) if note not in known]
        if missing:
            append_durably(path, join_notes(missing))


def size_of(note: str) -> int:
    """The size a note claims; its signature is checked elsewhere."""
    return int(note.split("\n", 2)[1])
