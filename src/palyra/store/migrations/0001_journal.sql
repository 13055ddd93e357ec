-- The journal: headers are for ever, payloads can be erased, nothing can be changed.
CREATE TABLE journal_identity (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    journal_id TEXT NOT NULL,
    verifier_key TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE journal_events (
    seq            INTEGER PRIMARY KEY,
    event_id       TEXT NOT NULL,
    kind           TEXT NOT NULL,
    v              INTEGER NOT NULL,
    actor          TEXT NOT NULL,
    principal      TEXT NOT NULL,
    channel        TEXT,
    session_id     TEXT,
    run_id         TEXT,
    request_id     TEXT,
    request_digest BLOB,
    occurred_at_ms INTEGER NOT NULL,
    recorded_at_ms INTEGER NOT NULL,
    commitment     BLOB NOT NULL,
    prev_hash      BLOB NOT NULL,
    hash           BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX journal_events_by_id ON journal_events (event_id);
CREATE INDEX journal_events_by_kind ON journal_events (kind);
CREATE INDEX journal_events_by_principal ON journal_events (principal);
CREATE INDEX journal_events_by_session ON journal_events (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX journal_events_by_run ON journal_events (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX journal_events_by_request ON journal_events (principal, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX journal_events_by_time ON journal_events (recorded_at_ms);

CREATE TABLE journal_payloads (
    seq     INTEGER PRIMARY KEY REFERENCES journal_events (seq),
    salt    BLOB NOT NULL,
    payload BLOB NOT NULL
) STRICT;

-- Perfect subtrees of 256**n leaves: a proof reads a few hundred rows instead of the whole journal.
CREATE TABLE journal_tree (
    level INTEGER NOT NULL,
    idx   INTEGER NOT NULL,
    hash  BLOB NOT NULL,
    PRIMARY KEY (level, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal_checkpoints (
    size          INTEGER PRIMARY KEY,
    note          TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL
) STRICT;

-- Projection: which payloads were destroyed, by which event.
CREATE TABLE journal_erasures (
    seq       INTEGER PRIMARY KEY,
    event_id  TEXT NOT NULL,
    erased_by INTEGER NOT NULL,
    reason    TEXT NOT NULL
) STRICT;

-- Projection: remarks, as lists show them.
CREATE TABLE notes (
    event_id       TEXT PRIMARY KEY,
    seq            INTEGER NOT NULL,
    principal      TEXT NOT NULL,
    channel        TEXT,
    session_id     TEXT,
    occurred_at_ms INTEGER NOT NULL,
    text           TEXT,
    erased_by      INTEGER
) STRICT, WITHOUT ROWID;

CREATE TRIGGER journal_events_no_update BEFORE UPDATE ON journal_events
BEGIN SELECT RAISE(ABORT, 'journal_events is append-only'); END;
CREATE TRIGGER journal_events_no_delete BEFORE DELETE ON journal_events
BEGIN SELECT RAISE(ABORT, 'journal_events is append-only'); END;
CREATE TRIGGER journal_payloads_no_update BEFORE UPDATE ON journal_payloads
BEGIN SELECT RAISE(ABORT, 'journal_payloads is append-only'); END;
CREATE TRIGGER journal_payloads_delete_needs_erasure BEFORE DELETE ON journal_payloads
WHEN NOT EXISTS (SELECT 1 FROM journal_erasures WHERE seq = OLD.seq)
BEGIN SELECT RAISE(ABORT, 'a payload is deleted only by an erasure event'); END;
CREATE TRIGGER journal_tree_no_update BEFORE UPDATE ON journal_tree
BEGIN SELECT RAISE(ABORT, 'journal_tree is append-only'); END;
CREATE TRIGGER journal_tree_no_delete BEFORE DELETE ON journal_tree
BEGIN SELECT RAISE(ABORT, 'journal_tree is append-only'); END;
CREATE TRIGGER journal_checkpoints_no_update BEFORE UPDATE ON journal_checkpoints
BEGIN SELECT RAISE(ABORT, 'journal_checkpoints is append-only'); END;
CREATE TRIGGER journal_checkpoints_no_delete BEFORE DELETE ON journal_checkpoints
BEGIN SELECT RAISE(ABORT, 'journal_checkpoints is append-only'); END;
CREATE TRIGGER journal_identity_no_update BEFORE UPDATE ON journal_identity
BEGIN SELECT RAISE(ABORT, 'journal_identity is fixed'); END;
CREATE TRIGGER journal_identity_no_delete BEFORE DELETE ON journal_identity
BEGIN SELECT RAISE(ABORT, 'journal_identity is fixed'); END;
