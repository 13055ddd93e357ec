"""How the events of compactions, checkpoints and branches become rows."""

import json
from typing import Any, cast

from palyra.domain.chat.continuity_events import CheckpointCreated, CompactionApplied, LineOpened
from palyra.store.connection import WriteTx
from palyra.store.projector import Applied, Body, ErasedEvent, Projector


def _compacted(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return  # what it said is gone, and without it nothing is condensed
    get: Any = body.get
    tx.execute(
        "INSERT INTO session_compactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            body["compaction_id"],
            event.seq,
            event.event_id,
            body["session_id"],
            event.origin.principal,
            event.origin.channel,
            body["from_seq"],
            body["to_seq"],
            json.dumps(body["artifact"], ensure_ascii=False),
            body["tokens_before"],
            body["tokens_after"],
            get("checkpoint_id"),
            event.occurred_at_ms,
        ),
    )


def _erase_compaction(tx: WriteTx, erased: ErasedEvent) -> None:
    tx.execute("DELETE FROM session_compactions WHERE seq = ?", (erased.seq,))


def _checkpointed(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    get: Any = body.get
    tx.execute(
        "INSERT INTO session_checkpoints VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            body["checkpoint_id"],
            event.seq,
            event.event_id,
            body["session_id"],
            event.origin.principal,
            event.origin.channel,
            get("line", ""),
            body["tape_seq"],
            get("cut_seq", 0),
            _listed(get("documents")),
            _listed(get("compactions")),
            get("name", ""),
            get("note", ""),
            _listed(get("tags")),
            event.occurred_at_ms,
        ),
    )


def _listed(values: object) -> str:
    return json.dumps(values or [], ensure_ascii=False)


def _erase_checkpoint(tx: WriteTx, erased: ErasedEvent) -> None:
    tx.execute("DELETE FROM session_checkpoints WHERE seq = ?", (erased.seq,))


def _line_opened(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is not None:
        tx.execute(
            "INSERT INTO workspace_lines VALUES (?, ?, ?, ?)",
            (cast("str", body["line"]), event.seq, event.origin.principal, body["checkpoint_id"]),
        )


CONTINUITY_PROJECTORS: dict[str, Projector] = {
    CompactionApplied.KIND: Projector(
        ("session_compactions",), _compacted, _erase_compaction, unit="palyra session erase"
    ),
    CheckpointCreated.KIND: Projector(("session_checkpoints",), _checkpointed, _erase_checkpoint),
    LineOpened.KIND: Projector(("workspace_lines",), _line_opened, erasable=False),
}
