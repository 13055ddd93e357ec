-- Projection: every revision of every workspace document. `text` is null once erased.
CREATE TABLE workspace_revisions (
    seq         INTEGER PRIMARY KEY,
    event_id    TEXT NOT NULL,
    principal   TEXT NOT NULL,
    line        TEXT NOT NULL,
    path        TEXT NOT NULL,
    revision    INTEGER NOT NULL,
    text        TEXT,
    sha256      TEXT NOT NULL,
    base_sha256 TEXT NOT NULL,
    source      TEXT NOT NULL,
    actor       TEXT NOT NULL,
    trust       INTEGER NOT NULL,
    risk        TEXT NOT NULL,
    reasons     TEXT NOT NULL,
    masked      INTEGER NOT NULL,
    deleted     INTEGER NOT NULL,
    moved_from  TEXT NOT NULL,
    because     TEXT NOT NULL,
    reason      TEXT NOT NULL,
    at_ms       INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX workspace_revisions_by_path ON workspace_revisions (principal, line, path, revision);
CREATE INDEX workspace_revisions_by_hash ON workspace_revisions (principal, sha256);

-- Projection: what a person has said about a document.
CREATE TABLE workspace_marks (
    mark            TEXT PRIMARY KEY,
    seq             INTEGER NOT NULL,
    principal       TEXT NOT NULL,
    line            TEXT NOT NULL,
    path            TEXT NOT NULL,
    pinned          INTEGER NOT NULL,
    released_sha256 TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Projection: which revision the file on the disk is known to be.
CREATE TABLE workspace_files (
    file      TEXT PRIMARY KEY,
    seq       INTEGER NOT NULL,
    principal TEXT NOT NULL,
    path      TEXT NOT NULL,
    revision  INTEGER NOT NULL,
    sha256    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Projection: branches with documents of their own.
CREATE TABLE workspace_lines (
    line          TEXT PRIMARY KEY,
    seq           INTEGER NOT NULL,
    principal     TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Projection: checkpoints of sessions and their documents. Without a row once erased.
CREATE TABLE session_checkpoints (
    checkpoint_id TEXT PRIMARY KEY,
    seq           INTEGER NOT NULL,
    event_id      TEXT NOT NULL,
    session_id    TEXT NOT NULL,
    principal     TEXT NOT NULL,
    channel       TEXT,
    line          TEXT NOT NULL,
    tape_seq      INTEGER NOT NULL,
    cut_seq       INTEGER NOT NULL,
    documents     TEXT NOT NULL,
    compactions   TEXT NOT NULL,
    name          TEXT NOT NULL,
    note          TEXT NOT NULL,
    tags          TEXT NOT NULL,
    at_ms         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_checkpoints_by_session ON session_checkpoints (session_id, seq);
CREATE INDEX session_checkpoints_by_seq ON session_checkpoints (seq);

-- Projection: compactions. Without a row once erased: the tape is still there to be condensed anew.
CREATE TABLE session_compactions (
    compaction_id TEXT PRIMARY KEY,
    seq           INTEGER NOT NULL,
    event_id      TEXT NOT NULL,
    session_id    TEXT NOT NULL,
    principal     TEXT NOT NULL,
    channel       TEXT,
    from_seq      INTEGER NOT NULL,
    to_seq        INTEGER NOT NULL,
    artifact      TEXT NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after  INTEGER NOT NULL,
    checkpoint_id TEXT,
    at_ms         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_compactions_by_session ON session_compactions (session_id, seq);
CREATE INDEX session_compactions_by_seq ON session_compactions (seq);

-- Index: the words of workspace documents, by section. Written with the revision; no part of the state digest.
CREATE VIRTUAL TABLE workspace_fts USING fts5 (terms, content = '', contentless_delete = 1, tokenize = 'ascii');
