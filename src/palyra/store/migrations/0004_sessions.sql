-- Projection: sessions. `key` is unique within a principal: nobody learns what another one calls theirs.
CREATE TABLE sessions (
    session_id      TEXT PRIMARY KEY,
    seq             INTEGER NOT NULL,
    key             TEXT NOT NULL,
    principal       TEXT NOT NULL,
    channel         TEXT,
    title           TEXT NOT NULL,
    title_seq       INTEGER NOT NULL,
    titled_by_hand  INTEGER NOT NULL,
    created_at_ms   INTEGER NOT NULL,
    active_at_ms    INTEGER NOT NULL,
    archived        INTEGER NOT NULL,
    parent_id       TEXT,
    branched_at_seq INTEGER,
    cut_seq         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX sessions_by_key ON sessions (principal, key);
CREATE INDEX sessions_by_activity ON sessions (principal, active_at_ms, key);

-- Projection: runs, one per turn.
CREATE TABLE session_runs (
    run_id        TEXT PRIMARY KEY,
    seq           INTEGER NOT NULL,
    session_id    TEXT NOT NULL,
    principal     TEXT NOT NULL,
    channel       TEXT,
    actor         TEXT NOT NULL,
    state         TEXT NOT NULL,
    origin        TEXT NOT NULL,
    retry_of      TEXT,
    model         TEXT NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    error_code    TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    started_at_ms INTEGER,
    ended_at_ms   INTEGER,
    undone_seq    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX session_runs_by_session ON session_runs (session_id, seq);
CREATE INDEX session_runs_open ON session_runs (state) WHERE ended_at_ms IS NULL;

-- Projection: the tape. `payload` is null once erased.
CREATE TABLE session_tape (
    seq        INTEGER PRIMARY KEY,
    event_id   TEXT NOT NULL,
    run_id     TEXT NOT NULL,
    session_id TEXT NOT NULL,
    principal  TEXT NOT NULL,
    channel    TEXT,
    type       TEXT NOT NULL,
    payload    TEXT,
    at_ms      INTEGER NOT NULL,
    pinned     INTEGER NOT NULL
) STRICT;
CREATE INDEX session_tape_by_run ON session_tape (run_id, seq);
CREATE INDEX session_tape_by_session ON session_tape (session_id, seq);
CREATE UNIQUE INDEX session_tape_by_event ON session_tape (event_id);

-- Projection: files that were given. One row each time; their bytes once.
CREATE TABLE session_attachments (
    seq           INTEGER PRIMARY KEY,
    attachment_id TEXT NOT NULL,
    principal     TEXT NOT NULL,
    channel       TEXT,
    session_id    TEXT,
    name          TEXT NOT NULL,
    media_type    TEXT NOT NULL,
    size_bytes    INTEGER NOT NULL,
    text          TEXT NOT NULL,
    width         INTEGER,
    height        INTEGER,
    warnings      TEXT NOT NULL,
    at_ms         INTEGER NOT NULL
) STRICT;
CREATE INDEX session_attachments_by_id ON session_attachments (principal, attachment_id, seq);

-- The bytes of attachments, under their hash and never shared between principals. Beside the journal like payloads:
-- not replayed, and gone with the erasure of the last attachment that names them.
CREATE TABLE session_blobs (
    principal     TEXT NOT NULL,
    attachment_id TEXT NOT NULL,
    data          BLOB NOT NULL,
    PRIMARY KEY (principal, attachment_id)
) STRICT;

-- Index: the words of the tape. Written with it, rebuilt from it; no part of the state digest.
CREATE VIRTUAL TABLE session_fts USING fts5 (terms, content = '', contentless_delete = 1, tokenize = 'ascii');
