-- Which tiles (256 events each, complete ones) hold which names: 'kind:…', 'principal:…', 'session:…', 'run:…'.
-- Written once, when a tile is complete, instead of an entry per event in five indexes.
CREATE TABLE journal_names (
    name TEXT NOT NULL,
    tile INTEGER NOT NULL,
    PRIMARY KEY (name, tile)
) STRICT, WITHOUT ROWID;

-- When the events of a complete tile were recorded.
CREATE TABLE journal_tiles (
    tile    INTEGER PRIMARY KEY,
    from_ms INTEGER NOT NULL,
    to_ms   INTEGER NOT NULL
) STRICT;

WITH held AS MATERIALIZED (
    SELECT DISTINCT (seq - 1) / 256 AS tile, kind, principal, session_id, run_id FROM journal_events
    WHERE seq <= (SELECT max(seq) FROM journal_events) / 256 * 256
)
INSERT INTO journal_names
    SELECT 'kind:' || kind, tile FROM held
    UNION SELECT 'principal:' || principal, tile FROM held
    UNION SELECT 'session:' || session_id, tile FROM held WHERE session_id IS NOT NULL
    UNION SELECT 'run:' || run_id, tile FROM held WHERE run_id IS NOT NULL;
INSERT INTO journal_tiles
    SELECT (seq - 1) / 256, min(recorded_at_ms), max(recorded_at_ms) FROM journal_events
    WHERE seq <= (SELECT max(seq) FROM journal_events) / 256 * 256 GROUP BY 1;

DROP INDEX journal_events_by_kind;
DROP INDEX journal_events_by_principal;
DROP INDEX journal_events_by_session;
DROP INDEX journal_events_by_run;
DROP INDEX journal_events_by_time;

-- Projection: which events changed an item after the one that stored it; that one is the item's first row.
CREATE TABLE memory_changes (
    memory_id TEXT NOT NULL,
    seq       INTEGER NOT NULL,
    PRIMARY KEY (memory_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO memory_changes SELECT memory_id, seq FROM memory_history WHERE kind <> 'memory.stored';
DROP TABLE memory_history;
CREATE INDEX memory_changes_by_seq ON memory_changes (seq);
