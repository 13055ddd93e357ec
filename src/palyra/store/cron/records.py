"""Reading scheduled prompts and their runs. Whoever reads for a caller says what the caller may see."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from palyra.domain.chat.session import RunState
from palyra.domain.cron.job import (
    Concurrency,
    CronJob,
    CronJobId,
    CronPolicy,
    CronRun,
    CronRunState,
    Misfire,
    SessionMode,
    schedule_from_json,
)
from palyra.domain.scope import Visibility
from palyra.store.connection import ReadTx
from palyra.store.visibility import place_clause

_JOB = (
    "job_id, seq, principal, channel, name, prompt, schedule, zone, jitter_ms, misfire, concurrency, retries,"
    " backoff_ms, session, can, made_by, enabled, created_at_ms, changed_at_ms, deleted_at_ms, session_id, cursor_ms,"
    " next_ms"
)
_RUN = (
    "run_id, seq, job_id, principal, channel, slot_ms, until_ms, count, more, state, manual, attempt, due_ms,"
    " session_id, session_run_id, error_code, claimed_at_ms, begun_at_ms, ended_at_ms"
)


# -- for a caller


def fetch_job(tx: ReadTx, name: str, seer: Visibility, *, deleted: bool = False) -> CronJob | None:
    """By id or name; with `deleted` also one that is no more, if no other has its name."""
    where, bindings = place_clause(seer)
    row = tx.execute(
        f"SELECT {_JOB} FROM cron_jobs WHERE (job_id = ? OR name = ?) AND {where}"
        " AND (? OR deleted_at_ms IS NULL) ORDER BY job_id = ? DESC, deleted_at_ms IS NOT NULL, seq DESC LIMIT 1",
        (name, name, *bindings, deleted, name),
    ).fetchone()
    return None if row is None else _to_job(row)


def job_exists(tx: ReadTx, job_id: str) -> bool:
    return tx.execute("SELECT 1 FROM cron_jobs WHERE job_id = ?", (job_id,)).fetchone() is not None


def name_is_taken(tx: ReadTx, principal: str, name: str) -> bool:
    sql = "SELECT 1 FROM cron_jobs WHERE principal = ? AND name = ? AND deleted_at_ms IS NULL"
    return tx.execute(sql, (principal, name)).fetchone() is not None


def count_jobs(tx: ReadTx, principal: str) -> int:
    sql = "SELECT count(*) FROM cron_jobs WHERE principal = ? AND deleted_at_ms IS NULL"
    return int(cast("int", tx.execute(sql, (principal,)).fetchone()[0]))  # type: ignore[index]


def list_jobs(tx: ReadTx, seer: Visibility, before_seq: int, limit: int) -> list[CronJob]:
    """Newest first."""
    where, bindings = place_clause(seer)
    sql = f"SELECT {_JOB} FROM cron_jobs WHERE {where} AND deleted_at_ms IS NULL AND seq < ? ORDER BY seq DESC LIMIT ?"
    return [_to_job(row) for row in tx.execute(sql, (*bindings, before_seq, limit))]


def list_runs(tx: ReadTx, seer: Visibility, job_id: str | None, before_seq: int, limit: int) -> list[CronRun]:
    """Newest first, of one job or of all in sight."""
    where, bindings = place_clause(seer)
    of_job, job = ("", ()) if job_id is None else (" AND job_id = ?", (job_id,))
    sql = f"SELECT {_RUN} FROM cron_runs WHERE {where}{of_job} AND seq < ? ORDER BY seq DESC LIMIT ?"
    return [_to_run(row) for row in tx.execute(sql, (*bindings, *job, before_seq, limit))]


def last_runs(tx: ReadTx, job_ids: Sequence[str]) -> dict[CronJobId, CronRun]:
    """The newest of each."""
    sql = (
        f"SELECT {_RUN} FROM cron_runs WHERE run_id IN (SELECT (SELECT run_id FROM cron_runs WHERE job_id = j.value"
        " ORDER BY seq DESC LIMIT 1) FROM json_each(?) j)"
    )
    runs = (_to_run(row) for row in tx.execute(sql, (json.dumps(list(job_ids)),)))
    return {run.job_id: run for run in runs}


# -- for whoever runs them, of every principal


@dataclass(frozen=True, slots=True)
class OverRun:
    """A run whose session run has come to its end."""

    run: CronRun
    state: RunState
    error_code: str
    was_in_progress: bool


def due_jobs(tx: ReadTx, now_ms: int, ahead_ms: int, limit: int) -> list[CronJob]:
    """Whose next slot is due, longest first; and those whose cursor is beyond `ahead_ms`."""
    rules = "enabled = 1 AND deleted_at_ms IS NULL"
    sql = (
        f"SELECT {_JOB} FROM cron_jobs WHERE job_id IN ("
        f"SELECT job_id FROM cron_jobs WHERE {rules} AND next_ms <= ?"
        f" UNION SELECT job_id FROM cron_jobs WHERE {rules} AND cursor_ms > ?)"
        " AND prompt <> '' ORDER BY next_ms LIMIT ?"
    )
    return [_to_job(row) for row in tx.execute(sql, (now_ms, ahead_ms, limit))]


def jobs_by_id(tx: ReadTx, job_ids: Sequence[str]) -> dict[CronJobId, CronJob]:
    sql = f"SELECT {_JOB} FROM cron_jobs WHERE job_id IN (SELECT value FROM json_each(?))"
    jobs = (_to_job(row) for row in tx.execute(sql, (json.dumps(list(job_ids)),)))
    return {job.job_id: job for job in jobs}


def open_cron_runs(tx: ReadTx, job_id: str) -> list[CronRun]:
    sql = f"SELECT {_RUN} FROM cron_runs WHERE ended_at_ms IS NULL AND state IN ('queued', 'running') AND job_id = ?"
    return [_to_run(row) for row in tx.execute(f"{sql} ORDER BY slot_ms", (job_id,))]


def claimed_after(tx: ReadTx, job_id: str, cursor_ms: int, limit: int) -> frozenset[int]:
    sql = (
        "SELECT slot_ms FROM cron_runs WHERE job_id = ? AND slot_ms > ? AND manual = 0 AND state <> 'missed'"
        " ORDER BY slot_ms LIMIT ?"
    )
    return frozenset(cast("int", row[0]) for row in tx.execute(sql, (job_id, cursor_ms, limit)))


def is_claimed(tx: ReadTx, job_id: str, slot_ms: int) -> bool:
    sql = "SELECT 1 FROM cron_runs WHERE job_id = ? AND slot_ms = ? AND manual = 0 AND state <> 'missed'"
    return tx.execute(sql, (job_id, slot_ms)).fetchone() is not None


def queued_heads(tx: ReadTx) -> list[CronRun]:
    """The oldest run that waits, of each job that has none going on."""
    sql = (
        f"SELECT {_RUN}, min(slot_ms) FROM cron_runs WHERE state = 'queued' AND ended_at_ms IS NULL AND job_id NOT IN"
        " (SELECT job_id FROM cron_runs WHERE state = 'running' AND ended_at_ms IS NULL)"
        " GROUP BY job_id ORDER BY slot_ms"
    )
    return [_to_run(row[:-1]) for row in tx.execute(sql)]


def over_runs(tx: ReadTx, limit: int) -> list[OverRun]:
    columns = ", ".join(f"c.{name}" for name in _RUN.split(", "))
    sql = (
        f"SELECT {columns}, s.state, s.error_code, s.started_at_ms IS NOT NULL FROM cron_runs c"
        " JOIN session_runs s ON s.run_id = c.session_run_id"
        " WHERE c.state = 'running' AND c.ended_at_ms IS NULL AND s.ended_at_ms IS NOT NULL ORDER BY c.seq LIMIT ?"
    )
    return [
        OverRun(_to_run(row[:-3]), RunState(cast("str", row[-3])), cast("str", row[-2]), bool(row[-1]))
        for row in tx.execute(sql, (limit,))
    ]


def replaced_runs(tx: ReadTx) -> list[CronRun]:
    """Runs that go on although a newer one is to take their place."""
    sql = (
        f"SELECT {_RUN} FROM cron_runs WHERE state = 'running' AND ended_at_ms IS NULL AND job_id IN"
        " (SELECT q.job_id FROM cron_runs q JOIN cron_jobs j USING (job_id) WHERE q.state = 'queued'"
        " AND q.ended_at_ms IS NULL AND j.concurrency = 'replace')"
    )
    return [_to_run(row) for row in tx.execute(sql)]


def fetch_cron_run(tx: ReadTx, run_id: str) -> CronRun | None:
    row = tx.execute(f"SELECT {_RUN} FROM cron_runs WHERE run_id = ?", (run_id,)).fetchone()
    return None if row is None else _to_run(row)


def _to_job(row: tuple[Any, ...]) -> CronJob:
    fields = dict(zip(_JOB.split(", "), row, strict=True))
    policy = CronPolicy(
        fields.pop("jitter_ms"),
        Misfire(fields.pop("misfire")),
        Concurrency(fields.pop("concurrency")),
        fields.pop("retries"),
        fields.pop("backoff_ms"),
        SessionMode(fields.pop("session")),
    )
    fields["schedule"] = schedule_from_json(json.loads(fields["schedule"]))
    fields |= {"can": tuple(json.loads(fields["can"])), "enabled": bool(fields["enabled"]), "policy": policy}
    return CronJob(**fields)


def _to_run(row: tuple[Any, ...]) -> CronRun:
    fields = dict(zip(_RUN.split(", "), row, strict=True))
    fields |= {"more": bool(fields["more"]), "manual": bool(fields["manual"]), "state": CronRunState(fields["state"])}
    return CronRun(**fields)
