-- Projection: runs that have ended and wait to be read.
CREATE TABLE learning_queue (
    run_id       TEXT PRIMARY KEY,
    seq          INTEGER NOT NULL,
    session_id   TEXT NOT NULL,
    principal    TEXT NOT NULL,
    channel      TEXT,
    queued_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX learning_queue_by_seq ON learning_queue (seq);

-- Projection: runs that were read.
CREATE TABLE learning_reflections (
    run_id     TEXT PRIMARY KEY,
    seq        INTEGER NOT NULL,
    event_id   TEXT NOT NULL,
    session_id TEXT NOT NULL,
    principal  TEXT NOT NULL,
    at_ms      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX learning_reflections_by_session ON learning_reflections (session_id, at_ms);

-- Projection: what was proposed, and how it stands. Without a row once erased.
CREATE TABLE learning_candidates (
    candidate_id     TEXT PRIMARY KEY,
    seq              INTEGER NOT NULL,
    event_id         TEXT NOT NULL,
    principal        TEXT NOT NULL,
    channel          TEXT,
    run_id           TEXT NOT NULL,
    from_session     TEXT NOT NULL,
    kind             TEXT NOT NULL,
    text             TEXT NOT NULL,
    confidence_bps   INTEGER NOT NULL,
    basis            TEXT NOT NULL,
    evidence         TEXT NOT NULL,
    trust            INTEGER NOT NULL,
    risks            TEXT NOT NULL,
    sensitivity      TEXT NOT NULL,
    slot             TEXT NOT NULL,
    steps            TEXT NOT NULL,
    title            TEXT NOT NULL,
    extractor        TEXT NOT NULL,
    dedupe_key       TEXT NOT NULL,
    similar          TEXT NOT NULL,
    conflicts        TEXT NOT NULL,
    because          TEXT NOT NULL,
    state            TEXT NOT NULL,
    proposed_at_ms   INTEGER NOT NULL,
    updated_at_ms    INTEGER NOT NULL,
    snoozed_until_ms INTEGER,
    memory_id        TEXT,
    made_item        INTEGER NOT NULL,
    document         TEXT NOT NULL,
    before           TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX learning_candidates_by_seq ON learning_candidates (seq);
CREATE INDEX learning_candidates_by_state ON learning_candidates (principal, state, seq);
CREATE INDEX learning_candidates_by_likeness ON learning_candidates (principal, dedupe_key);
CREATE INDEX learning_candidates_by_run ON learning_candidates (run_id);
CREATE INDEX learning_candidates_by_item ON learning_candidates (memory_id) WHERE memory_id IS NOT NULL;

-- Projection: every step a candidate has taken.
CREATE TABLE learning_steps (
    seq          INTEGER PRIMARY KEY,
    event_id     TEXT NOT NULL,
    candidate_id TEXT NOT NULL,
    state        TEXT NOT NULL,
    at_ms        INTEGER NOT NULL,
    actor        TEXT NOT NULL,
    reason       TEXT NOT NULL,
    text         TEXT NOT NULL
) STRICT;
-- Which prompts held a memory.
CREATE INDEX session_tape_injections ON session_tape (principal, seq) WHERE type = 'injection';
CREATE INDEX learning_steps_by_candidate ON learning_steps (candidate_id, seq);
CREATE INDEX memory_items_by_successor ON memory_items (superseded_by) WHERE superseded_by IS NOT NULL;
