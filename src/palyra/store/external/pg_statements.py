"""The SQL that is spoken to PostgreSQL with pgvector, for one table of mirrored vectors.

The table is partitioned by the hash of the principal's mark, each part with an HNSW index of its own. It holds ids,
marks and vectors, no words. A row's digest covers all of it, so that two sides compare ranges without sending rows.
"""

from dataclasses import dataclass

PARTS = 16
_DIGEST = (
    "('x' || encode(substring(sha256(uuid_send(principal) || convert_to(id, 'UTF8') || uuid_send(scope)"
    " || uuid_send(mark) || halfvec_send(vector)) from 1 for 8), 'hex'))::bit(64)::bigint"
)
_RANGE = "get_byte(sha256(convert_to(id, 'UTF8')), 0)"

MAKE_EXTENSION = "CREATE EXTENSION IF NOT EXISTS vector"
LOCK_SCHEMA = "SELECT pg_advisory_xact_lock(7142)"
SET = "SELECT set_config($1, $2, false)"
PING = "SELECT 1"
SCHEMA_OF_VECTOR = (
    "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
)


def retire(table: str) -> str:
    return f"DROP TABLE IF EXISTS {table}"


@dataclass(frozen=True, slots=True)
class MirrorSql:
    """`table` is a name we made ourselves: letters, digits and underscores."""

    table: str
    dims: int

    @property
    def dims_of_table(self) -> str:
        return (
            "SELECT a.atttypmod FROM pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attname = 'vector'"
            " AND NOT a.attisdropped"
        )

    @property
    def make_table(self) -> list[str]:
        parts = [
            f"CREATE TABLE IF NOT EXISTS {self.table}_{part} PARTITION OF {self.table}"
            f" FOR VALUES WITH (MODULUS {PARTS}, REMAINDER {part})"
            for part in range(PARTS)
        ]
        whole = (
            f'CREATE TABLE IF NOT EXISTS {self.table} (principal uuid NOT NULL, id text COLLATE "C" NOT NULL,'
            f" scope uuid NOT NULL, mark uuid NOT NULL, vector halfvec({self.dims}) NOT NULL,"
            " PRIMARY KEY (principal, id)) PARTITION BY HASH (principal)"
        )
        return [
            whole,
            *parts,
            self.make_index,
        ]

    @property
    def make_index(self) -> str:
        return f"CREATE INDEX IF NOT EXISTS {self.table}_near ON {self.table} USING hnsw (vector halfvec_cosine_ops)"

    @property
    def drop_index(self) -> str:
        return f"DROP INDEX IF EXISTS {self.table}_near"

    @property
    def put(self) -> str:
        return (
            f"INSERT INTO {self.table} (principal, id, scope, mark, vector)"
            " SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::halfvec[])"
            " ON CONFLICT (principal, id) DO UPDATE"
            " SET scope = excluded.scope, mark = excluded.mark, vector = excluded.vector"
            f" WHERE ({self.table}.scope, {self.table}.mark) IS DISTINCT FROM (excluded.scope, excluded.mark)"
            f" OR {self.table}.vector <> excluded.vector"
        )

    @property
    def discard(self) -> str:
        return f"DELETE FROM {self.table} WHERE principal = $1 AND id = ANY($2::text[])"

    @property
    def remove(self) -> str:
        return (
            f"DELETE FROM {self.table} t USING unnest($1::uuid[], $2::text[]) AS gone (principal, id)"
            " WHERE t.principal = gone.principal AND t.id = gone.id"
        )

    @property
    def drop(self) -> str:
        return f"DELETE FROM {self.table} WHERE principal = $1"

    @property
    def clear(self) -> str:
        return f"TRUNCATE {self.table}"

    @property
    def near(self) -> str:
        return self._near("")

    @property
    def near_in_scopes(self) -> str:
        return self._near(" AND scope = ANY($4::uuid[])")

    @property
    def near_allowed(self) -> str:
        return self._near(" AND id = ANY($4::text[])")

    def _near(self, condition: str) -> str:
        return (
            f"SELECT id, mark, 1 - (vector <=> $2) FROM {self.table} WHERE principal = $1{condition}"
            " ORDER BY vector <=> $2 LIMIT $3"
        )

    @property
    def cosines(self) -> str:
        return f"SELECT id, 1 - (vector <=> $2) FROM {self.table} WHERE principal = $1 AND id = ANY($3::text[])"

    @property
    def count(self) -> str:
        return f"SELECT count(*) FROM {self.table} WHERE principal = $1"

    @property
    def count_all(self) -> str:
        return f"SELECT count(*) FROM {self.table}"

    @property
    def digests(self) -> str:
        return f"SELECT {_RANGE}, count(*), bit_xor({_DIGEST}) FROM {self.table} GROUP BY 1"

    @property
    def rows_of_ranges(self) -> str:
        return f"SELECT principal, id, {_DIGEST} FROM {self.table} WHERE {_RANGE} = ANY($1::int[])"
