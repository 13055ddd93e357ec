"""How the events of jobs become rows."""

import json
from typing import Any

from palyra.domain.jobs.events import JobPaused, JobRan, JobResumed
from palyra.store.connection import WriteTx
from palyra.store.projector import Applied, Body, ErasedEvent, Projector


def _ran(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    get: Any = body.get
    tx.execute(
        "INSERT INTO job_runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            event.seq,
            event.event_id,
            body["name"],
            body["outcome"],
            body["started_at_ms"],
            body["took_ms"],
            body["items"],
            get("attempt", 1),
            json.dumps(get("notes", []), ensure_ascii=False),
            get("code", ""),
            get("error", ""),
            get("attention", ""),
            get("by", ""),
        ),
    )


def _erase_run(tx: WriteTx, erased: ErasedEvent) -> None:
    tx.execute("DELETE FROM job_runs WHERE seq = ?", (erased.seq,))


def _paused(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is not None:
        tx.execute(
            "INSERT OR REPLACE INTO job_pauses VALUES (?, ?, ?, ?)",
            (body["name"], event.seq, body["by"], event.recorded_at_ms),
        )


def _resumed(tx: WriteTx, _event: Applied, body: Body) -> None:
    if body is not None:
        tx.execute("DELETE FROM job_pauses WHERE name = ?", (body["name"],))


JOB_PROJECTORS: dict[str, Projector] = {
    JobRan.KIND: Projector(("job_runs",), _ran, _erase_run),
    JobPaused.KIND: Projector(("job_pauses",), _paused, erasable=False),
    JobResumed.KIND: Projector(("job_pauses",), _resumed, erasable=False),
}
