"""Runs of jobs and who paused which, as the journal tells it."""

import json
from dataclasses import dataclass
from typing import Any, cast

from palyra.domain.jobs.events import Outcome
from palyra.store.connection import ReadTx

_COLUMNS = "seq, event_id, name, outcome, started_at_ms, took_ms, items, attempt, notes, code, error, attention, by"


@dataclass(frozen=True, slots=True)
class JobRunRecord:
    seq: int
    event_id: str
    name: str
    outcome: Outcome
    started_at_ms: int
    took_ms: int
    items: int
    attempt: int
    notes: tuple[str, ...]
    code: str
    error: str
    attention: str
    by: str
    """who asked for it; empty: it was due"""


@dataclass(frozen=True, slots=True)
class Pause:
    name: str
    by: str
    at_ms: int


def list_runs(tx: ReadTx, name: str | None, before_seq: int | None, limit: int) -> list[JobRunRecord]:
    """Newest first."""
    where, bindings = ("name = ? AND", [name]) if name is not None else ("", list[object]())
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM job_runs WHERE {where} seq < ? ORDER BY seq DESC LIMIT ?",
        (*bindings, (1 << 62) if before_seq is None else before_seq, limit),
    )
    return [_to_run(row) for row in rows]


def last_failure(tx: ReadTx, name: str) -> JobRunRecord | None:
    row = tx.execute(
        f"SELECT {_COLUMNS} FROM job_runs WHERE name = ? AND outcome <> 'done' ORDER BY seq DESC LIMIT 1", (name,)
    ).fetchone()
    return None if row is None else _to_run(row)


def pauses(tx: ReadTx) -> dict[str, Pause]:
    rows = tx.execute("SELECT name, by, at_ms FROM job_pauses ORDER BY name")
    return {
        cast("str", name): Pause(cast("str", name), cast("str", by), cast("int", at_ms)) for name, by, at_ms in rows
    }


def _to_run(row: tuple[Any, ...]) -> JobRunRecord:
    seq, event_id, name, outcome, started_at_ms, took_ms, items, attempt, notes, *rest = row
    return JobRunRecord(
        seq, event_id, name, Outcome(outcome), started_at_ms, took_ms, items, attempt, tuple(json.loads(notes)), *rest
    )
