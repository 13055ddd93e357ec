-- Bookkeeping of the mirror in an external engine, no part of the state. Ids, marks and names of servers; nobody's words.
CREATE TABLE external_mirror (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    key       BLOB NOT NULL,
    watermark INTEGER NOT NULL,
    turn      INTEGER NOT NULL,
    identity  TEXT NOT NULL,
    recheck   INTEGER NOT NULL
) STRICT;

-- Items that have changed since the engine was last told about them.
CREATE TABLE external_outbox (
    memory_id   TEXT PRIMARY KEY,
    turn        INTEGER NOT NULL,
    noted_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX external_outbox_by_turn ON external_outbox (turn, memory_id);

-- Everything an engine may hold: written before it is sent, removed after its removal was confirmed.
CREATE TABLE external_ledger (
    memory_id TEXT NOT NULL,
    place     TEXT NOT NULL,
    principal TEXT NOT NULL,
    mark      BLOB,
    PRIMARY KEY (memory_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX external_ledger_by_place ON external_ledger (place);

-- Which server a principal's vectors are on.
CREATE TABLE external_homes (
    principal TEXT PRIMARY KEY,
    shard     TEXT NOT NULL
) STRICT, WITHOUT ROWID;
