-- Projection: jobs that a person has paused.
CREATE TABLE job_pauses (
    name  TEXT PRIMARY KEY,
    seq   INTEGER NOT NULL,
    by    TEXT NOT NULL,
    at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Projection: runs that did something, failed or were asked for. Without a row once erased.
CREATE TABLE job_runs (
    seq           INTEGER PRIMARY KEY,
    event_id      TEXT NOT NULL,
    name          TEXT NOT NULL,
    outcome       TEXT NOT NULL,
    started_at_ms INTEGER NOT NULL,
    took_ms       INTEGER NOT NULL,
    items         INTEGER NOT NULL,
    attempt       INTEGER NOT NULL,
    notes         TEXT NOT NULL,
    code          TEXT NOT NULL,
    error         TEXT NOT NULL,
    attention     TEXT NOT NULL,
    by            TEXT NOT NULL
) STRICT;
CREATE INDEX job_runs_by_name ON job_runs (name, seq);

-- Bookkeeping, no part of the state: who runs a job now, and when it is due. Holds nobody's words.
CREATE TABLE job_states (
    name            TEXT PRIMARY KEY,
    owner           TEXT NOT NULL,
    until_ms        INTEGER NOT NULL,
    begun_at_ms     INTEGER,
    due_at_ms       INTEGER,
    slot_ms         INTEGER,
    failures        INTEGER NOT NULL,
    code            TEXT NOT NULL,
    last_started_ms INTEGER,
    last_took_ms    INTEGER,
    last_success_ms INTEGER,
    last_items      INTEGER NOT NULL,
    attention       TEXT NOT NULL,
    alarm           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
