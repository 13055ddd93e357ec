-- Projection: API tokens. The secret itself is nowhere; its digest is enough to know it again.
CREATE TABLE access_tokens (
    token_id      TEXT PRIMARY KEY,
    seq           INTEGER NOT NULL,
    digest        BLOB NOT NULL,
    principal     TEXT NOT NULL,
    actor         TEXT NOT NULL,
    channels      TEXT NOT NULL,
    capabilities  TEXT NOT NULL,
    label         TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,
    revoked_at_ms INTEGER
) STRICT, WITHOUT ROWID;
