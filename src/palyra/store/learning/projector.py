"""How the events of learning become rows.

A candidate is erased whole, with every step that holds somebody's words; steps on a candidate that is not there change
nothing.
"""

import json
from typing import Any, cast

from palyra.domain.learning.candidate import LearningState
from palyra.domain.learning.events import (
    CandidateMoved,
    CandidateProposed,
    CandidateSnoozed,
    ReflectionQueued,
    RunReflected,
)
from palyra.store.connection import WriteTx
from palyra.store.projector import Applied, Body, ErasedEvent, Projector


def _queued(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is not None:
        origin = event.origin
        tx.execute(
            "INSERT OR REPLACE INTO learning_queue VALUES (?, ?, ?, ?, ?, ?)",
            (body["run_id"], event.seq, body["session_id"], origin.principal, origin.channel, event.recorded_at_ms),
        )


def _reflected(tx: WriteTx, event: Applied, _body: Body) -> None:
    """Which run was read stands in the header, so that it is known also when the words are erased."""
    run_id = event.origin.run_id
    tx.execute("DELETE FROM learning_queue WHERE run_id = ?", (run_id,))
    tx.execute(
        "INSERT OR REPLACE INTO learning_reflections VALUES (?, ?, ?, ?, ?, ?)",
        (run_id, event.seq, event.event_id, event.origin.session_id, event.origin.principal, event.recorded_at_ms),
    )


def _proposed(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    get: Any = body.get
    tx.execute(
        f"INSERT INTO learning_candidates VALUES ({', '.join('?' * 32)})",
        (
            body["candidate_id"], event.seq, event.event_id, event.origin.principal, get("channel"), body["run_id"],
            body["session_id"], body["kind"], body["text"], body["confidence_bps"], _listed(get("basis")),
            _listed(get("evidence")), get("trust", 0), _listed(get("risks")), get("sensitivity", ""), get("key", ""),
            _listed(get("steps")), get("title", ""), body["extractor"], body["dedupe_key"], _listed(get("similar")),
            _listed(get("conflicts")), _listed(get("because")), LearningState.PROPOSED.value, event.recorded_at_ms,
            event.recorded_at_ms, None, None, 0, "", "{}", None,
        ),
    )  # fmt: skip


def _moved(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None or not _exists(tx, body["candidate_id"]):
        return
    get: Any = body.get
    tx.execute(
        "UPDATE learning_candidates SET state = ?, text = CASE WHEN ? = '' THEN text ELSE ? END, memory_id = ?,"
        " made_item = ?, document = ?, before = ?, updated_at_ms = ?, snoozed_until_ms = NULL, batch = ?"
        " WHERE candidate_id = ?",
        (
            body["state"],
            get("text", ""),
            get("text", ""),
            get("memory_id"),
            int(get("made_item", False)),
            get("document", ""),
            json.dumps(get("before") or {}, ensure_ascii=False),
            event.recorded_at_ms,
            get("batch"),
            body["candidate_id"],
        ),
    )
    tx.execute(
        "INSERT INTO learning_steps VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            event.seq,
            event.event_id,
            body["candidate_id"],
            body["state"],
            event.recorded_at_ms,
            event.origin.actor.value,
            get("reason", ""),
            get("text", ""),
        ),
    )


def _snoozed(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is not None:
        tx.execute(
            "UPDATE learning_candidates SET snoozed_until_ms = ?, updated_at_ms = ? WHERE candidate_id = ?",
            (body["until_ms"] or None, event.recorded_at_ms, body["candidate_id"]),
        )


def _erase_candidate(tx: WriteTx, erased: ErasedEvent) -> None:
    row = tx.execute("SELECT candidate_id FROM learning_candidates WHERE seq = ?", (erased.seq,)).fetchone()
    if row is not None:
        tx.execute("DELETE FROM learning_candidates WHERE candidate_id = ?", row)
        tx.execute("DELETE FROM learning_steps WHERE candidate_id = ?", row)


def _exists(tx: WriteTx, candidate_id: object) -> bool:
    row = tx.execute("SELECT 1 FROM learning_candidates WHERE candidate_id = ?", (cast("str", candidate_id),))
    return row.fetchone() is not None


def _listed(values: object) -> str:
    return json.dumps(values or [], ensure_ascii=False)


_QUEUE = ("learning_queue", "learning_reflections")
_CANDIDATES = ("learning_candidates", "learning_steps")
_UNIT = "palyra memory erase"

LEARNING_PROJECTORS: dict[str, Projector] = {
    ReflectionQueued.KIND: Projector(_QUEUE, _queued, erasable=False),
    RunReflected.KIND: Projector(_QUEUE, _reflected, unit="palyra session erase"),
    CandidateProposed.KIND: Projector(_CANDIDATES, _proposed, _erase_candidate, unit=_UNIT),
    # Its words go with the candidate, whose own erasure removes the rows.
    CandidateMoved.KIND: Projector(_CANDIDATES, _moved, unit=_UNIT),
    CandidateSnoozed.KIND: Projector(_CANDIDATES, _snoozed, erasable=False),
}
