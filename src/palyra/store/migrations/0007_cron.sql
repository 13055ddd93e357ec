-- Projection: scheduled prompts. `name` and `prompt` are empty once erased; a deleted one stays, for its history.
CREATE TABLE cron_jobs (
    job_id        TEXT PRIMARY KEY,
    seq           INTEGER NOT NULL,
    principal     TEXT NOT NULL,
    channel       TEXT,
    name          TEXT NOT NULL,
    prompt        TEXT NOT NULL,
    words_seq     INTEGER NOT NULL,
    schedule      TEXT NOT NULL,
    zone          TEXT NOT NULL,
    jitter_ms     INTEGER NOT NULL,
    misfire       TEXT NOT NULL,
    concurrency   TEXT NOT NULL,
    retries       INTEGER NOT NULL,
    backoff_ms    INTEGER NOT NULL,
    session       TEXT NOT NULL,
    can           TEXT NOT NULL,
    made_by       TEXT NOT NULL,
    enabled       INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    changed_at_ms INTEGER NOT NULL,
    deleted_at_ms INTEGER,
    session_id    TEXT,
    cursor_ms     INTEGER NOT NULL,
    next_ms       INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX cron_jobs_by_name ON cron_jobs (principal, name) WHERE deleted_at_ms IS NULL AND name <> '';
CREATE INDEX cron_jobs_by_words ON cron_jobs (words_seq);
CREATE INDEX cron_jobs_due ON cron_jobs (next_ms) WHERE enabled = 1 AND deleted_at_ms IS NULL;
CREATE INDEX cron_jobs_ahead ON cron_jobs (cursor_ms) WHERE enabled = 1 AND deleted_at_ms IS NULL;

-- Projection: what became of each slot. The unique index is the last guard: no slot is claimed twice.
CREATE TABLE cron_runs (
    run_id         TEXT PRIMARY KEY,
    seq            INTEGER NOT NULL,
    job_id         TEXT NOT NULL,
    principal      TEXT NOT NULL,
    channel        TEXT,
    slot_ms        INTEGER NOT NULL,
    until_ms       INTEGER NOT NULL,
    count          INTEGER NOT NULL,
    more           INTEGER NOT NULL,
    state          TEXT NOT NULL,
    manual         INTEGER NOT NULL,
    attempt        INTEGER NOT NULL,
    due_ms         INTEGER NOT NULL,
    session_id     TEXT,
    session_run_id TEXT,
    error_code     TEXT NOT NULL,
    claimed_at_ms  INTEGER NOT NULL,
    begun_at_ms    INTEGER,
    ended_at_ms    INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX cron_runs_by_slot ON cron_runs (job_id, slot_ms) WHERE manual = 0 AND state <> 'missed';
CREATE INDEX cron_runs_by_job ON cron_runs (job_id, seq);
CREATE INDEX cron_runs_by_place ON cron_runs (principal, seq);
CREATE INDEX cron_runs_open ON cron_runs (state, job_id, slot_ms) WHERE ended_at_ms IS NULL;
