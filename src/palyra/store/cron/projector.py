"""How the events of scheduled prompts become rows. Only words can be erased; what happened when stays."""

import json
from typing import Any

from palyra.domain.cron.events import (
    CronJobDefined,
    CronJobDeleted,
    CronJobEnabled,
    CronJobMoved,
    CronJobWorded,
    CronRunBegun,
    CronRunEnded,
    CronSlotClaimed,
    CronSlotsMissed,
)
from palyra.store.connection import WriteTx
from palyra.store.projector import Applied, Body, ErasedEvent, Projector


def _defined(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    get: Any = body.get
    # Its words come with the very next event; until then, and once that is erased, there are none.
    words_seq = event.seq + 1 if get("worded") else 0
    rules = (
        json.dumps(body["schedule"], sort_keys=True),
        *(body[name] for name in ("zone", "jitter_ms", "misfire", "concurrency", "retries", "backoff_ms", "session")),
        json.dumps(get("can", [])),
        body["made_by"],
        int(get("enabled", False)),
    )
    tx.execute(
        "INSERT INTO cron_jobs VALUES (?, ?, ?, ?, '', '', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?, ?)"
        " ON CONFLICT (job_id) DO UPDATE SET schedule = excluded.schedule, zone = excluded.zone,"
        " jitter_ms = excluded.jitter_ms, misfire = excluded.misfire, concurrency = excluded.concurrency,"
        " retries = excluded.retries, backoff_ms = excluded.backoff_ms, session = excluded.session,"
        " can = excluded.can, made_by = excluded.made_by, enabled = excluded.enabled,"
        " changed_at_ms = excluded.changed_at_ms, cursor_ms = excluded.cursor_ms, next_ms = excluded.next_ms,"
        " name = iif(excluded.words_seq, '', name), prompt = iif(excluded.words_seq, '', prompt),"
        " words_seq = iif(excluded.words_seq, excluded.words_seq, words_seq)",
        (
            body["job_id"],
            event.seq,
            event.origin.principal,
            event.origin.channel,
            words_seq,
            *rules,
            event.recorded_at_ms,
            event.recorded_at_ms,
            body["cursor_ms"],
            get("next_ms"),
        ),
    )


def _worded(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is not None:
        sql = "UPDATE cron_jobs SET name = ?, prompt = ? WHERE words_seq = ?"
        tx.execute(sql, (body.get("name", ""), body.get("prompt", ""), event.seq))


def _erase_words(tx: WriteTx, erased: ErasedEvent) -> None:
    tx.execute("UPDATE cron_jobs SET name = '', prompt = '' WHERE words_seq = ?", (erased.seq,))


def _enabled(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is not None:
        tx.execute(
            "UPDATE cron_jobs SET enabled = ?, cursor_ms = ?, next_ms = ?, changed_at_ms = ? WHERE job_id = ?",
            (
                int(bool(body.get("enabled"))),
                body["cursor_ms"],
                body.get("next_ms"),
                event.recorded_at_ms,
                body["job_id"],
            ),
        )


def _deleted(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is not None:
        sql = "UPDATE cron_jobs SET deleted_at_ms = ? WHERE job_id = ?"
        tx.execute(sql, (event.recorded_at_ms, body["job_id"]))


def _moved(tx: WriteTx, _event: Applied, body: Body) -> None:
    if body is not None and "cursor_ms" in body:
        sql = "UPDATE cron_jobs SET cursor_ms = ?, next_ms = ? WHERE job_id = ?"
        tx.execute(sql, (body["cursor_ms"], body.get("next_ms"), body["job_id"]))


_INSERT_RUN = "INSERT INTO cron_runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, NULL, ?, ?, NULL, ?)"


def _claimed(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    get: Any = body.get
    over = body["state"] != "queued"
    tx.execute(
        _INSERT_RUN,
        (
            body["run_id"],
            event.seq,
            body["job_id"],
            event.origin.principal,
            event.origin.channel,
            body["slot_ms"],
            body["slot_ms"],
            1,
            0,
            body["state"],
            int(get("manual", False)),
            0,
            get("session_id"),
            get("error_code", ""),
            event.recorded_at_ms,
            event.recorded_at_ms if over else None,
        ),
    )
    if get("shares_session"):
        tx.execute("UPDATE cron_jobs SET session_id = ? WHERE job_id = ?", (body["session_id"], body["job_id"]))
    _moved(tx, event, body)


def _missed(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    tx.execute(
        _INSERT_RUN,
        (
            body["run_id"],
            event.seq,
            body["job_id"],
            event.origin.principal,
            event.origin.channel,
            body["slot_ms"],
            body["until_ms"],
            body["count"],
            int(bool(body.get("more"))),
            "missed",
            0,
            0,
            None,
            "",
            event.recorded_at_ms,
            event.recorded_at_ms,
        ),
    )
    _moved(tx, event, body)


def _begun(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is not None:
        sql = "UPDATE cron_runs SET state = 'running', session_run_id = ?, begun_at_ms = ? WHERE run_id = ?"
        tx.execute(sql, (body["session_run_id"], event.recorded_at_ms, body["run_id"]))


def _ended(tx: WriteTx, event: Applied, body: Body) -> None:
    if body is None:
        return
    code, again_at_ms = body.get("error_code", ""), body.get("again_at_ms")
    if again_at_ms is None:
        sql = "UPDATE cron_runs SET state = ?, error_code = ?, ended_at_ms = ? WHERE run_id = ?"
        tx.execute(sql, (body["state"], code, event.recorded_at_ms, body["run_id"]))
    else:
        sql = (
            "UPDATE cron_runs SET state = 'queued', error_code = ?, due_ms = ?, attempt = attempt + 1 WHERE run_id = ?"
        )
        tx.execute(sql, (code, again_at_ms, body["run_id"]))


_JOBS, _RUNS, _BOTH = ("cron_jobs",), ("cron_runs",), ("cron_jobs", "cron_runs")
CRON_PROJECTORS: dict[str, Projector] = {
    CronJobDefined.KIND: Projector(_JOBS, _defined, erasable=False),
    CronJobWorded.KIND: Projector(_JOBS, _worded, _erase_words),
    CronJobEnabled.KIND: Projector(_JOBS, _enabled, erasable=False),
    CronJobDeleted.KIND: Projector(_JOBS, _deleted, erasable=False),
    CronSlotClaimed.KIND: Projector(_BOTH, _claimed, erasable=False),
    CronSlotsMissed.KIND: Projector(_BOTH, _missed, erasable=False),
    CronJobMoved.KIND: Projector(_JOBS, _moved, erasable=False),
    CronRunBegun.KIND: Projector(_RUNS, _begun, erasable=False),
    CronRunEnded.KIND: Projector(_RUNS, _ended, erasable=False),
}
