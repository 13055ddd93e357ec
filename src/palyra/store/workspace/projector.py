"""How the events of workspace documents become rows. An erased one leaves none: a document is erased as a whole."""

import json
from base64 import b64decode
from typing import Any, cast

from palyra.core.hashing import Json
from palyra.domain.chat.continuity_events import DocumentMarked, DocumentWritten, FileApplied
from palyra.store.connection import WriteTx
from palyra.store.projector import Applied, Body, ErasedEvent, Projector
from palyra.store.workspace.search import forget_sections, index_sections

_UNIT = "palyra workspace erase"


def text_of(body: dict[str, Json]) -> str:
    """What a `DocumentWritten` says."""
    packed = cast("str", body.get("text_base64", ""))
    return b64decode(packed).decode() if packed else cast("str", body.get("text", ""))


def _written(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    get: Any = body.get
    tx.execute(
        "INSERT INTO workspace_revisions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            event.seq,
            event.event_id,
            event.origin.principal,
            get("line", ""),
            body["path"],
            body["revision"],
            text_of(body),
            get("sha256", ""),
            get("base_sha256", ""),
            body["source"],
            event.origin.actor.value,
            body["trust"],
            body["risk"],
            json.dumps(get("reasons", []), ensure_ascii=False),
            int(get("masked", False)),
            int(get("deleted", False)),
            get("moved_from", ""),
            get("because", ""),
            get("reason", ""),
            event.occurred_at_ms,
        ),
    )


def _index(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    place = (event.origin.principal, body.get("line", ""), body["path"], event.seq)
    sql = "SELECT max(seq) FROM workspace_revisions WHERE principal = ? AND line = ? AND path = ? AND seq < ?"
    row = tx.execute(sql, place).fetchone()
    if row is not None and row[0] is not None:
        forget_sections(tx, [cast("int", row[0])])
    if not body.get("deleted"):
        index_sections(tx, event.seq, text_of(body))


def _erase_revision(tx: WriteTx, erased: ErasedEvent) -> None:
    tx.execute("DELETE FROM workspace_revisions WHERE seq = ?", (erased.seq,))
    forget_sections(tx, [erased.seq])


def _marked(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    principal, line, path = event.origin.principal, body.get("line", ""), body["path"]
    pin, released = body.get("pin"), body.get("released_sha256")
    tx.execute(
        "INSERT INTO workspace_marks VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (mark) DO UPDATE SET seq = excluded.seq,"
        " pinned = coalesce(?, pinned), released_sha256 = coalesce(?, released_sha256)",
        (_key(principal, line, path), event.seq, principal, line, path, pin or 0, released or "", pin, released),
    )


def _erase_mark(tx: WriteTx, erased: ErasedEvent) -> None:
    tx.execute("DELETE FROM workspace_marks WHERE seq = ?", (erased.seq,))


def _applied(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    principal, path = event.origin.principal, body["path"]
    tx.execute(
        "INSERT OR REPLACE INTO workspace_files VALUES (?, ?, ?, ?, ?, ?)",
        (_key(principal, path), event.seq, principal, path, body["revision"], body.get("sha256", "")),
    )


def _erase_file(tx: WriteTx, erased: ErasedEvent) -> None:
    tx.execute("DELETE FROM workspace_files WHERE seq = ?", (erased.seq,))


def _key(*parts: Json) -> str:
    return json.dumps(parts, ensure_ascii=False)


WORKSPACE_PROJECTORS: dict[str, Projector] = {
    DocumentWritten.KIND: Projector(("workspace_revisions",), _written, _erase_revision, index=_index, unit=_UNIT),
    DocumentMarked.KIND: Projector(("workspace_marks",), _marked, _erase_mark, unit=_UNIT),
    FileApplied.KIND: Projector(("workspace_files",), _applied, _erase_file, unit=_UNIT),
}
