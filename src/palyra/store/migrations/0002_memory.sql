-- Projection: memory items, one row per version of the text; the open version has no closed_seq.
CREATE TABLE memory_items (
    seq                 INTEGER PRIMARY KEY,
    memory_id           TEXT NOT NULL,
    principal           TEXT NOT NULL,
    channel             TEXT,
    session_id          TEXT,
    source              TEXT NOT NULL,
    category            TEXT NOT NULL,
    sensitivity         TEXT NOT NULL,
    trust               INTEGER NOT NULL,
    confidence_bps      INTEGER NOT NULL,
    text                TEXT NOT NULL,
    content_hash        BLOB NOT NULL,
    likeness            BLOB NOT NULL,
    tags                TEXT NOT NULL,
    speaker             TEXT NOT NULL,
    thread              TEXT NOT NULL,
    said_at_ms          INTEGER NOT NULL,
    provenance          TEXT NOT NULL,
    valid_from_ms       INTEGER NOT NULL,
    valid_to_ms         INTEGER,
    supersedes          TEXT,
    superseded_by       TEXT,
    superseded_seq      INTEGER,
    pinned              INTEGER NOT NULL,
    expires_at_ms       INTEGER,
    created_at_ms       INTEGER NOT NULL,
    updated_at_ms       INTEGER NOT NULL,
    last_recalled_at_ms INTEGER,
    recall_count        INTEGER NOT NULL,
    candidate_id        TEXT,
    closed_seq          INTEGER,
    closed_at_ms        INTEGER,
    closed_why          TEXT
) STRICT;
CREATE INDEX memory_items_by_id ON memory_items (memory_id, seq);
CREATE INDEX memory_items_by_principal ON memory_items (principal, memory_id, seq);
CREATE INDEX memory_items_by_likeness ON memory_items (principal, likeness) WHERE closed_seq IS NULL;
CREATE INDEX memory_items_by_expiry ON memory_items (expires_at_ms) WHERE closed_seq IS NULL AND expires_at_ms IS NOT NULL;

-- Projection: which events made an item what it is.
CREATE TABLE memory_history (
    memory_id TEXT NOT NULL,
    seq       INTEGER NOT NULL,
    event_id  TEXT NOT NULL,
    kind      TEXT NOT NULL,
    PRIMARY KEY (memory_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_history_by_seq ON memory_history (seq);

-- Projection: pairs that contradict each other.
CREATE TABLE memory_links (
    memory_id TEXT NOT NULL,
    other_id  TEXT NOT NULL,
    relation  TEXT NOT NULL,
    reasons   TEXT NOT NULL,
    seq       INTEGER NOT NULL,
    PRIMARY KEY (memory_id, other_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_links_by_other ON memory_links (other_id);

-- Projection: texts that wait for a person's decision.
CREATE TABLE memory_candidates (
    candidate_id TEXT PRIMARY KEY,
    seq          INTEGER NOT NULL,
    event_id     TEXT NOT NULL,
    principal    TEXT NOT NULL,
    channel      TEXT,
    session_id   TEXT,
    item         TEXT NOT NULL,
    text         TEXT NOT NULL,
    likeness     BLOB NOT NULL,
    because      TEXT NOT NULL,
    state        TEXT NOT NULL,
    held_at_ms   INTEGER NOT NULL,
    memory_id    TEXT,
    decided_seq  INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_candidates_by_principal ON memory_candidates (principal, state, seq);
CREATE INDEX memory_candidates_by_likeness ON memory_candidates (principal, likeness);
CREATE INDEX memory_candidates_by_event ON memory_candidates (event_id);

-- Index: the words of every version. Written with the item, rebuilt from it; no part of the state digest.
CREATE VIRTUAL TABLE memory_fts USING fts5 (terms, content = '', contentless_delete = 1, tokenize = 'ascii');

-- Followers: recomputed from the items, never replayed.
CREATE TABLE memory_vectors (
    item_seq     INTEGER NOT NULL,
    identity     TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    vector       BLOB NOT NULL,
    PRIMARY KEY (item_seq, identity)
) STRICT, WITHOUT ROWID;
CREATE TABLE memory_models (
    identity    TEXT PRIMARY KEY,
    since_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE memory_fingerprints (
    item_seq    INTEGER PRIMARY KEY,
    version     INTEGER NOT NULL,
    fingerprint BLOB NOT NULL
) STRICT;
CREATE TABLE memory_upkeep (
    task   TEXT PRIMARY KEY,
    at_ms  INTEGER NOT NULL,
    report TEXT NOT NULL
) STRICT, WITHOUT ROWID;
