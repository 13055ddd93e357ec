"""Reading checkpoints and compactions. Whoever reads for a caller says what the caller may see."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from palyra.core.ids import EventId, RunId, SessionId
from palyra.domain.chat.continuity_events import MAIN, CheckpointId, CompactionId, Line
from palyra.domain.chat.session import Session
from palyra.domain.scope import Visibility
from palyra.store.connection import ReadTx
from palyra.store.visibility import place_clause

_CHECKPOINT = (
    "checkpoint_id, seq, event_id, session_id, principal, channel, line, tape_seq, cut_seq, documents, compactions,"
    " name, note, tags, at_ms"
)
_COMPACTION = (
    "compaction_id, seq, event_id, session_id, principal, channel, from_seq, to_seq, artifact, tokens_before,"
    " tokens_after, checkpoint_id, at_ms"
)
_LINEAGE = 64


@dataclass(frozen=True, slots=True)
class DocumentMark:
    """A document as it was at a checkpoint."""

    path: str
    revision: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SessionCheckpoint:
    """`OrchestratorCheckpointRecord`."""

    checkpoint_id: CheckpointId
    seq: int
    event_id: EventId
    session_id: SessionId
    principal: str
    channel: str | None
    line: Line
    tape_seq: int
    cut_seq: int
    documents: tuple[DocumentMark, ...]
    compactions: tuple[CompactionId, ...]
    name: str
    note: str
    tags: tuple[str, ...]
    at_ms: int


@dataclass(frozen=True, slots=True)
class Compaction:
    compaction_id: CompactionId
    seq: int
    event_id: EventId
    session_id: SessionId
    principal: str
    channel: str | None
    from_seq: int
    to_seq: int
    artifact: dict[str, Any]
    tokens_before: int
    tokens_after: int
    checkpoint_id: CheckpointId | None
    at_ms: int


# -- checkpoints


def fetch_checkpoint(tx: ReadTx, checkpoint_id: str, seer: Visibility) -> SessionCheckpoint | None:
    where, bindings = place_clause(seer)
    sql = f"SELECT {_CHECKPOINT} FROM session_checkpoints WHERE checkpoint_id = ? AND {where}"
    row = tx.execute(sql, (checkpoint_id, *bindings)).fetchone()
    return None if row is None else _to_checkpoint(row)


def named_checkpoint(tx: ReadTx, name: str, seer: Visibility) -> SessionCheckpoint | None:
    """The newest of that name."""
    where, bindings = place_clause(seer)
    sql = f"SELECT {_CHECKPOINT} FROM session_checkpoints WHERE name = ? AND {where} ORDER BY seq DESC LIMIT 1"
    row = tx.execute(sql, (name, *bindings)).fetchone()
    return None if row is None else _to_checkpoint(row)


def checkpoint_exists(tx: ReadTx, checkpoint_id: str) -> bool:
    sql = "SELECT 1 FROM session_checkpoints WHERE checkpoint_id = ?"
    return tx.execute(sql, (checkpoint_id,)).fetchone() is not None


def list_checkpoints(
    tx: ReadTx, seer: Visibility, session_id: str | None, before_seq: int, limit: int
) -> list[SessionCheckpoint]:
    """Newest first; of one session, or of all in sight."""
    where, bindings = place_clause(seer)
    sql = (
        f"SELECT {_CHECKPOINT} FROM session_checkpoints WHERE {where} AND (? IS NULL OR session_id = ?) AND seq < ?"
        " ORDER BY seq DESC LIMIT ?"
    )
    rows = tx.execute(sql, (*bindings, session_id, session_id, before_seq, limit))
    return [_to_checkpoint(row) for row in rows]


def checkpoints_after(tx: ReadTx, principal: str, after_seq: int) -> list[SessionCheckpoint]:
    """For whoever follows them: it carries no permission to be shown."""
    sql = f"SELECT {_CHECKPOINT} FROM session_checkpoints WHERE principal = ? AND seq > ? ORDER BY seq"
    return [_to_checkpoint(row) for row in tx.execute(sql, (principal, after_seq))]


def checkpoints_at(tx: ReadTx, seqs: Sequence[int], seer: Visibility) -> list[SessionCheckpoint]:
    where, bindings = place_clause(seer)
    sql = f"SELECT {_CHECKPOINT} FROM session_checkpoints WHERE seq IN (SELECT value FROM json_each(?)) AND {where}"
    return [_to_checkpoint(row) for row in tx.execute(sql, (json.dumps(list(seqs)), *bindings))]


def line_of(tx: ReadTx, session: Session) -> Line:
    """The documents a session works with: its own, those of the branch it was branched from, or the main ones."""
    session_id: str | None = session.session_id
    for _ in range(_LINEAGE):
        if session_id is None:
            break
        if tx.execute("SELECT 1 FROM workspace_lines WHERE line = ?", (session_id,)).fetchone() is not None:
            return Line(session_id)
        parent = _branched_from(tx, session_id)
        session_id = None if parent is None else parent[0]
    return MAIN


def checkpoint_of_line(tx: ReadTx, line: str) -> tuple[CheckpointId, int] | None:
    """The checkpoint it was opened from, and the seq of that event."""
    row = tx.execute("SELECT checkpoint_id, seq FROM workspace_lines WHERE line = ?", (line,)).fetchone()
    return None if row is None else cast("tuple[CheckpointId, int]", row)


def conversation_at(tx: ReadTx, checkpoint: SessionCheckpoint, limit: int) -> list[RunId]:
    """The runs that were part of the conversation then, oldest first, whatever was undone or cut since."""
    found: list[RunId] = []
    session_id: str = checkpoint.session_id
    until, undone_until = checkpoint.tape_seq + 1, checkpoint.seq
    for _ in range(_LINEAGE):
        rows = tx.execute(
            "SELECT run_id FROM session_runs WHERE session_id = ? AND seq > ? AND seq < ?"
            " AND (undone_seq IS NULL OR undone_seq > ?) ORDER BY seq DESC LIMIT ?",
            (session_id, checkpoint.cut_seq, until, undone_until, limit - len(found)),
        )
        found += [RunId(cast("str", row[0])) for row in rows]
        parent = _branched_from(tx, session_id)
        if parent is None or len(found) >= limit:
            break
        session_id, branched = parent
        until, undone_until = min(until, branched + 1), min(undone_until, branched)
    return found[::-1]


def _branched_from(tx: ReadTx, session_id: str) -> tuple[str, int] | None:
    row = tx.execute("SELECT parent_id, branched_at_seq FROM sessions WHERE session_id = ?", (session_id,)).fetchone()
    return None if row is None or row[0] is None else cast("tuple[str, int]", row)


# -- compactions


def fetch_compaction(tx: ReadTx, compaction_id: str, seer: Visibility) -> Compaction | None:
    where, bindings = place_clause(seer)
    sql = f"SELECT {_COMPACTION} FROM session_compactions WHERE compaction_id = ? AND {where}"
    row = tx.execute(sql, (compaction_id, *bindings)).fetchone()
    return None if row is None else _to_compaction(row)


def compactions_in(tx: ReadTx, session: Session) -> Iterator[Compaction]:
    """Those of the session and those it was branched with, newest first. Whether one still counts is another thing."""
    session_id, before_seq, until = str(session.session_id), 1 << 62, 1 << 62
    for _ in range(_LINEAGE):
        rows = tx.execute(
            f"SELECT {_COMPACTION} FROM session_compactions WHERE session_id = ? AND seq < ? AND from_seq > ?"
            " AND to_seq <= ? ORDER BY seq DESC",
            (session_id, before_seq, session.cut_seq, until),
        )
        yield from map(_to_compaction, rows)
        row = tx.execute(
            "SELECT s.parent_id, s.branched_at_seq, coalesce(c.seq, s.seq) FROM sessions s"
            " LEFT JOIN workspace_lines l ON l.line = s.session_id"
            " LEFT JOIN session_checkpoints c ON c.checkpoint_id = l.checkpoint_id WHERE s.session_id = ?",
            (session_id,),
        ).fetchone()
        if row is None or row[0] is None:
            break
        session_id, branched, made = cast("tuple[str, int, int]", row)
        until, before_seq = min(until, branched), min(before_seq, made)


def compactions_after(tx: ReadTx, principal: str, after_seq: int) -> Iterator[Compaction]:
    """For whoever follows them: it carries no permission to be shown."""
    sql = f"SELECT {_COMPACTION} FROM session_compactions WHERE principal = ? AND seq > ? ORDER BY seq"
    yield from map(_to_compaction, tx.execute(sql, (principal, after_seq)))


def compactions_at(tx: ReadTx, seqs: Sequence[int], seer: Visibility) -> list[Compaction]:
    where, bindings = place_clause(seer)
    sql = f"SELECT {_COMPACTION} FROM session_compactions WHERE seq IN (SELECT value FROM json_each(?)) AND {where}"
    return [_to_compaction(row) for row in tx.execute(sql, (json.dumps(list(seqs)), *bindings))]


def count_runs(tx: ReadTx, session: Session, from_seq: int, to_seq: int) -> int:
    """How many runs that began there are part of the conversation: not undone, not cut, also from before it was
    branched. It only ever gets smaller, so that an equal count means the same runs."""
    count = 0
    session_id, until, undone_until = str(session.session_id), to_seq + 1, 1 << 62
    for _ in range(_LINEAGE):
        [found] = tx.execute(
            "SELECT count(*) FROM session_runs WHERE session_id = ? AND seq >= ? AND seq > ? AND seq < ?"
            " AND (undone_seq IS NULL OR undone_seq > ?)",
            (session_id, from_seq, session.cut_seq, until, undone_until),
        ).fetchall()
        count += cast("int", found[0])
        parent = _branched_from(tx, session_id)
        if parent is None:
            break
        session_id, branched = parent
        until, undone_until = min(until, branched + 1), min(undone_until, branched)
    return count


def _to_checkpoint(row: tuple[Any, ...]) -> SessionCheckpoint:
    checkpoint_id, seq, event_id, session_id, principal, channel, line, tape_seq, cut_seq, documents = row[:10]
    compactions, name, note, tags, at_ms = row[10:]
    marks = tuple(DocumentMark(mark["path"], mark["revision"], mark["sha256"]) for mark in json.loads(documents))
    return SessionCheckpoint(
        checkpoint_id,
        seq,
        event_id,
        session_id,
        principal,
        channel,
        line,
        tape_seq,
        cut_seq,
        marks,
        tuple(json.loads(compactions)),
        name,
        note,
        tuple(json.loads(tags)),
        at_ms,
    )


def _to_compaction(row: tuple[Any, ...]) -> Compaction:
    values = list(row)
    values[8] = json.loads(values[8])
    return Compaction(*values)
