"""Which payloads were destroyed, by which event."""

from typing import cast

from palyra.store.connection import ReadTx, WriteTx
from palyra.store.projector import Applied, Body, Projector


def erased_events(tx: ReadTx) -> list[tuple[str, str]]:
    """(event id, reason) of every erasure, in the order they were made."""
    rows = tx.execute("SELECT event_id, reason FROM journal_erasures ORDER BY erased_by")
    return [cast("tuple[str, str]", row) for row in rows]


def erased_by(tx: ReadTx, seq: int) -> int:
    """Seq of the erasure event; 0 if there is none."""
    row = tx.execute("SELECT erased_by FROM journal_erasures WHERE seq = ?", (seq,)).fetchone()
    return cast("int", row[0]) if row else 0


def destroy_payload(tx: WriteTx, seq: int) -> None:
    """Journal work, not a projection: allowed by the trigger once the erasure is on record."""
    tx.execute("DELETE FROM journal_payloads WHERE seq = ?", (seq,))


def _apply(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return  # not by our own hand: erasures cannot be erased
    tx.execute(
        "INSERT INTO journal_erasures VALUES (?, ?, ?, ?)", (body["seq"], body["event_id"], event.seq, body["reason"])
    )


PROJECTOR = Projector(("journal_erasures",), _apply, erasable=False)
