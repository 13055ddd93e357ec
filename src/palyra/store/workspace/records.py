"""Revisions of workspace documents, as they are read. A document belongs to a principal and is seen from every channel.

On the main line a document is what was written last. A branch shows what its checkpoint names until the branch itself
has written that path; its revisions go on counting from there, so that a number means one text all along the way.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from palyra.domain.chat.continuity_events import MAIN, DocumentMarked, DocumentWritten, FileApplied, Line
from palyra.domain.scope import Visibility
from palyra.store.connection import ReadTx
from palyra.store.tiles.names import NAMED_EVENTS, principal_name

_COLUMNS = (
    "seq, event_id, principal, line, path, revision, text, sha256, base_sha256, source, actor, trust, risk, reasons,"
    " masked, deleted, moved_from, because, reason, at_ms"
)
_HEAD = _COLUMNS.replace(" text,", " NULL,")
_DEEPEST = 64
"""branches of branches"""
NOW = 1 << 62


@dataclass(frozen=True, slots=True)
class Revision:
    seq: int
    event_id: str
    principal: str
    line: Line
    """where it was written: that of the branch, or one it comes from"""
    path: str
    revision: int
    text: str | None
    """None in lists"""
    sha256: str
    base_sha256: str
    source: str
    actor: str
    trust: int
    risk: str
    reasons: tuple[str, ...]
    masked: bool
    deleted: bool
    moved_from: str
    because: str
    reason: str
    at_ms: int

    @property
    def file_sha256(self) -> str | None:
        """What the file has to be; None: there is to be none."""
        return None if self.deleted else self.sha256


@dataclass(frozen=True, slots=True)
class Mark:
    pinned: bool = False
    released_sha256: str = ""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """Which revision the file on the disk was, when we last wrote or read it."""

    revision: int
    sha256: str | None


@dataclass(frozen=True, slots=True)
class Inherited:
    """What a branch began with."""

    line: Line
    documents: dict[str, tuple[int, str]]
    """path -> revision and hash"""


def newest(tx: ReadTx, path: str, seer: Visibility, line: Line = MAIN, until_seq: int = NOW) -> Revision | None:
    """The document as it stands, or stood after the event `until_seq`. One that was deleted says so."""
    sql = (
        f"SELECT {_COLUMNS} FROM workspace_revisions WHERE principal = ? AND line = ? AND path = ? AND seq <= ?"
        " ORDER BY revision DESC LIMIT 1"
    )
    row = tx.execute(sql, (seer.principal, line, path, until_seq)).fetchone()
    if row is not None:
        return _to_revision(row)
    base = inherited(tx, line, seer)
    return None if base is None else _began_with(tx, path, base, seer)


def revision_at(tx: ReadTx, path: str, revision: int, seer: Visibility, line: Line = MAIN) -> Revision | None:
    sql = f"SELECT {_COLUMNS} FROM workspace_revisions WHERE principal = ? AND line = ? AND path = ? AND revision = ?"
    for _ in range(_DEEPEST):
        row = tx.execute(sql, (seer.principal, line, path, revision)).fetchone()
        if row is not None:
            return _to_revision(row)
        base = inherited(tx, line, seer)
        if base is None or path not in base.documents or revision > base.documents[path][0]:
            return None
        line = base.line
    return None


def _began_with(tx: ReadTx, path: str, base: Inherited, seer: Visibility) -> Revision | None:
    """By hash, too: what was erased is not there, though its number may have been given anew."""
    revision, sha256 = base.documents.get(path, (0, ""))
    found = revision_at(tx, path, revision, seer, base.line)
    return found if found is not None and found.sha256 == sha256 else None


def revision_with_seq(tx: ReadTx, seq: int, seer: Visibility) -> Revision | None:
    sql = f"SELECT {_COLUMNS} FROM workspace_revisions WHERE seq = ? AND principal = ?"
    row = tx.execute(sql, (seq, seer.principal)).fetchone()
    return None if row is None else _to_revision(row)


def revisions_of(tx: ReadTx, path: str, seer: Visibility, line: Line = MAIN) -> list[Revision]:
    """Newest first, without their text; on a branch those it began with, too."""
    sql = (
        f"SELECT {_HEAD} FROM workspace_revisions WHERE principal = ? AND line = ? AND path = ? AND revision <= ?"
        " ORDER BY revision DESC"
    )
    found: list[Revision] = []
    most = NOW
    for _ in range(_DEEPEST):
        found += [_to_revision(row) for row in tx.execute(sql, (seer.principal, line, path, most))]
        base = inherited(tx, line, seer)
        if base is None or path not in base.documents:
            break
        line, most = base.line, base.documents[path][0]
    return found


def documents_of(tx: ReadTx, seer: Visibility, line: Line = MAIN, until_seq: int = NOW) -> list[Revision]:
    """The newest revision of each, by path, without its text. Those that were deleted are in it, and say so."""
    sql = (
        f"SELECT {_HEAD} FROM workspace_revisions WHERE principal = ?1 AND line = ?2 AND (path, revision) IN"
        " (SELECT path, max(revision) FROM workspace_revisions WHERE principal = ?1 AND line = ?2 AND seq <= ?3"
        "  GROUP BY path)"
    )
    rows = tx.execute(sql, (seer.principal, line, until_seq))
    found = {one.path: one for one in map(_to_revision, rows)}
    base = inherited(tx, line, seer)
    if base is not None:
        for path in base.documents:
            if path not in found and (one := _began_with(tx, path, base, seer)) is not None:
                found[path] = one
    return [found[path] for path in sorted(found)]


def paths_of(tx: ReadTx, seer: Visibility, line: Line = MAIN) -> set[str]:
    """Every path that has ever been written there, or that the branch began with."""
    sql = "SELECT DISTINCT path FROM workspace_revisions WHERE principal = ? AND line = ?"
    base = inherited(tx, line, seer)
    written = {cast("str", row[0]) for row in tx.execute(sql, (seer.principal, line))}
    return written if base is None else written | base.documents.keys()


def inherited(tx: ReadTx, line: Line, seer: Visibility) -> Inherited | None:
    """None for the main line, and for one that nobody opened."""
    if line == MAIN:
        return None
    sql = (
        "SELECT c.line, c.documents FROM workspace_lines l JOIN session_checkpoints c"
        " ON c.checkpoint_id = l.checkpoint_id AND c.principal = l.principal WHERE l.line = ? AND l.principal = ?"
    )
    row = tx.execute(sql, (line, seer.principal)).fetchone()
    if row is None:
        return None
    named = json.loads(cast("str", row[1]))
    return Inherited(Line(cast("str", row[0])), {one["path"]: (one["revision"], one["sha256"]) for one in named})


def line_is_open(tx: ReadTx, line: Line, seer: Visibility) -> bool:
    sql = "SELECT 1 FROM workspace_lines WHERE line = ? AND principal = ?"
    return line == MAIN or tx.execute(sql, (line, seer.principal)).fetchone() is not None


def marks_of(tx: ReadTx, seer: Visibility, line: Line = MAIN) -> dict[str, Mark]:
    sql = "SELECT path, pinned, released_sha256 FROM workspace_marks WHERE principal = ? AND line = ?"
    rows = cast("list[tuple[str, int, str]]", tx.execute(sql, (seer.principal, line)).fetchall())
    return {path: Mark(bool(pinned), released) for path, pinned, released in rows}


def known_files(tx: ReadTx, seer: Visibility) -> dict[str, KnownFile]:
    sql = "SELECT path, revision, sha256 FROM workspace_files WHERE principal = ?"
    rows = cast("list[tuple[str, int, str]]", tx.execute(sql, (seer.principal,)).fetchall())
    return {path: KnownFile(revision, sha256 or None) for path, revision, sha256 in rows}


def known_file(tx: ReadTx, path: str, seer: Visibility) -> KnownFile | None:
    sql = "SELECT revision, sha256 FROM workspace_files WHERE principal = ? AND path = ?"
    row = cast("tuple[int, str] | None", tx.execute(sql, (seer.principal, path)).fetchone())
    return None if row is None else KnownFile(row[0], row[1] or None)


def has_text(tx: ReadTx, sha256: str, seer: Visibility) -> bool:
    """Whether these very bytes are on record, under whatever name. What was masked is not."""
    sql = "SELECT 1 FROM workspace_revisions WHERE principal = ? AND sha256 = ? AND masked = 0 LIMIT 1"
    return tx.execute(sql, (seer.principal, sha256)).fetchone() is not None


def principals(tx: ReadTx) -> list[str]:
    """Everybody who has documents."""
    sql = "SELECT DISTINCT principal FROM workspace_revisions ORDER BY 1"
    return [cast("str", row[0]) for row in tx.execute(sql)]


def seq_at(tx: ReadTx, at_ms: int) -> int:
    """The last event that was recorded by then; 0: none."""
    sql = "SELECT max(seq) FROM workspace_revisions WHERE at_ms <= ?"
    row = tx.execute(sql, (at_ms,)).fetchone()
    return cast("int", row[0]) if row is not None and row[0] is not None else 0


def events_of(tx: ReadTx, path: str, seer: Visibility) -> list[str]:
    """Every event that tells of this document, on every line and under every name it was moved from."""
    paths, todo = {path}, [path]
    while todo:
        sql = "SELECT DISTINCT moved_from FROM workspace_revisions WHERE principal = ? AND path = ?"
        found = tx.execute(sql, (seer.principal, todo.pop())).fetchall()
        new = {cast("str", row[0]) for row in found} - paths - {""}
        paths |= new
        todo += new
    return _telling_of(tx, sorted(paths), seer)


def _telling_of(tx: ReadTx, paths: Sequence[str], seer: Visibility) -> list[str]:
    sql = (
        f"SELECT e.event_id{NAMED_EVENTS}JOIN journal_payloads p ON p.seq = e.seq"
        " WHERE e.principal = ? AND e.kind IN (?, ?, ?)"
        " AND CAST(p.payload AS TEXT) ->> 'path' IN (SELECT value FROM json_each(?)) ORDER BY e.seq"
    )
    kinds = (DocumentWritten.KIND, DocumentMarked.KIND, FileApplied.KIND)
    rows = tx.execute(sql, (principal_name(seer.principal), seer.principal, *kinds, json.dumps(list(paths))))
    return [cast("str", row[0]) for row in rows]


def _to_revision(row: tuple[object, ...]) -> Revision:
    values = list(cast("tuple[Any, ...]", row))
    values[3] = Line(values[3])
    values[13] = tuple(json.loads(values[13]))
    values[14], values[15] = bool(values[14]), bool(values[15])
    return Revision(*values)


def lines_of(tx: ReadTx, principal: str) -> list[Line]:
    """The main one, and those of branches."""
    rows = tx.execute("SELECT line FROM workspace_lines WHERE principal = ? ORDER BY seq", (principal,))
    return [MAIN, *(Line(cast("str", row[0])) for row in rows)]


def revisions_with_items(tx: ReadTx, item_ids: Sequence[str], principal: str) -> list[tuple[str, str, str, int]]:
    """(event id, line, path, revision) of every revision that holds one of these items of managed blocks."""
    wanted = frozenset(item_ids)
    if not wanted:
        return []
    # One way through all of them, however many items are asked for.
    rows = tx.execute(
        "SELECT event_id, line, path, revision, text FROM workspace_revisions"
        " WHERE principal = ? AND instr(text, 'PALYRA:ITEM ') > 0 ORDER BY seq",
        (principal,),
    )
    found = cast("Iterator[tuple[str, str, str, int, str]]", rows)
    return [row[:4] for row in found if not wanted.isdisjoint(_ITEM.findall(row[4]))]


_ITEM = re.compile(r"PALYRA:ITEM (\S+) ")
