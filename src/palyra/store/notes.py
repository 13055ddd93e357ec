"""Remarks left in the journal, as lists show them."""

from palyra.store.connection import WriteTx
from palyra.store.projector import Applied, Body, ErasedEvent, Projector


def _apply(tx: WriteTx, event: Applied, body: Body) -> None:
    text = None if body is None else body.get("text")
    tx.execute(
        "INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
        (
            event.event_id,
            event.seq,
            event.origin.principal,
            event.origin.channel,
            event.origin.session_id,
            event.occurred_at_ms,
            text if isinstance(text, str) else None,
        ),
    )


def _erase(tx: WriteTx, erased: ErasedEvent) -> None:
    tx.execute("UPDATE notes SET text = NULL, erased_by = ? WHERE event_id = ?", (erased.erased_by, erased.event_id))


PROJECTOR = Projector(("notes",), _apply, _erase)
