"""One table of vectors in one PostgreSQL server: halfvec, HNSW, partitioned by principal.

Small principals are compared exactly, by their primary key; large ones through HNSW. What this answers is a
proposal: nobody but `services/external` uses it, which re-reads every id and computes every cosine itself.
"""

import re
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from palyra.core.errors import FailedPrecondition, InvalidArgument
from palyra.core.ids import MemoryId
from palyra.domain.retrieval.mirror import principal_key
from palyra.domain.retrieval.vectors import Floats, unit_rows
from palyra.ports import EngineProposal, ListedRow, MirroredRow, Near, RangeDigest
from palyra.providers.vectors.pgvector.connections import Connections
from palyra.store.external.pg_statements import LOCK_SCHEMA, MAKE_EXTENSION, PING, MirrorSql, retire

if TYPE_CHECKING:
    from palyra.providers.vectors.pgvector.connections import Connection

_NO_MARK = bytes(16)
_SLOW_SECONDS = 300.0
_INDEX_SECONDS = 3_600.0
_PING_SECONDS = 5.0
_TABLE = re.compile(r"palyra_[0-9a-f]{20}")


@dataclass(frozen=True, slots=True)
class PgOptions:
    name: str
    """what people call the server"""
    dsn: str
    table: str
    dims: int
    search_seconds: float = 0.2
    write_seconds: float = 10.0
    ef_search: int = 400


class PgVectorIndex:
    def __init__(self, options: PgOptions) -> None:
        self.dims = options.dims
        self._options = options
        self._statements = MirrorSql(options.table, options.dims)
        settings = {
            "hnsw.ef_search": str(options.ef_search),
            "hnsw.iterative_scan": "relaxed_order",
            # A plan made once for all principals would look through every part of the table.
            "plan_cache_mode": "force_custom_plan",
            # The server gives up what nobody waits for any more: a write must not be done long after we gave it up.
            "client_connection_check_interval": "1s",
        }
        self._connections = Connections(options.name, options.dsn, settings, self._prepare)

    # -- as any vector index

    def put(self, principal: str, ids: Sequence[MemoryId], vectors: Floats) -> None:
        vectors = unit_rows(vectors, self.dims)
        if len(ids) != len(vectors):
            raise InvalidArgument(f"{len(ids)} ids for {len(vectors)} vectors", hint="pass one id for each vector")
        stored = vectors.astype(np.float16)
        rows = [
            MirroredRow(principal, identifier, _NO_MARK, _NO_MARK, vector.tobytes())
            for identifier, vector in zip(ids, stored, strict=True)
        ]
        self.mirror(rows)

    def discard(self, principal: str, ids: Collection[MemoryId]) -> None:
        if ids:
            self._write(self._statements.discard, _key(principal), list(ids))

    def drop(self, principal: str) -> None:
        self._write(self._statements.drop, _key(principal))

    def top(self, principal: str, query: Floats, n: int, allowed: Collection[MemoryId] | None = None) -> Sequence[Near]:
        asked = self._query(query)
        if n <= 0 or (allowed is not None and not allowed):
            return []
        if allowed is None:
            rows = self._search(self._statements.near, _key(principal), asked, n)
        else:
            rows = self._search(self._statements.near_allowed, _key(principal), asked, n, list(allowed))
        found = [Near(MemoryId(identifier), float(cosine)) for identifier, _, cosine in rows]
        return sorted(found, key=lambda near: (-near.cosine, near.id))

    def cosines(self, principal: str, query: Floats, ids: Sequence[MemoryId]) -> Floats:
        rows = self._search(self._statements.cosines, _key(principal), self._query(query), list(ids))
        known = {identifier: float(cosine) for identifier, cosine in rows}
        return np.array([known.get(identifier, 0.0) for identifier in ids], np.float32)

    def count(self, principal: str) -> int:
        [(count,)] = self._search(self._statements.count, _key(principal))
        return int(count)

    def close(self) -> None:
        self._connections.close()

    # -- as a mirror

    def mirror(self, rows: Sequence[MirroredRow]) -> None:
        if len({(row.principal, row.id) for row in rows}) != len(rows):
            raise InvalidArgument("an id is named twice in one put", hint="pass each id once, with its latest vector")
        if not rows:
            return
        self._write(
            self._statements.put,
            [_key(row.principal) for row in rows],
            [row.id for row in rows],
            [uuid.UUID(bytes=row.scope) for row in rows],
            [uuid.UUID(bytes=row.mark) for row in rows],
            [_half(row.vector) for row in rows],
        )

    def remove(self, rows: Sequence[tuple[str, MemoryId]]) -> None:
        if rows:
            self._write(self._statements.remove, [_key(principal) for principal, _ in rows], [i for _, i in rows])

    def nearest(self, principal: str, query: Floats, n: int, scopes: Sequence[bytes]) -> Sequence[EngineProposal]:
        wanted = [uuid.UUID(bytes=scope) for scope in scopes]
        rows = self._search(self._statements.near_in_scopes, _key(principal), self._query(query), n, wanted)
        return [EngineProposal(MemoryId(identifier), mark.bytes, float(cosine)) for identifier, mark, cosine in rows]

    def digests(self) -> dict[int, RangeDigest]:
        rows = self._ask(_SLOW_SECONDS, "write", self._statements.digests)
        return {int(number): RangeDigest(int(count), int(digest)) for number, count, digest in rows}

    def listed(self, ranges: Collection[int]) -> Sequence[ListedRow]:
        rows = self._ask(_SLOW_SECONDS, "write", self._statements.rows_of_ranges, list(ranges))
        return [ListedRow(principal.bytes, MemoryId(identifier), int(digest)) for principal, identifier, digest in rows]

    def clear(self) -> None:
        self._write(self._statements.clear)

    def retire(self, table: str) -> None:
        if not _TABLE.fullmatch(table):
            raise InvalidArgument(f"{table[:64]!r} is not a table of ours", hint="palyra_ and twenty hex digits")
        self._write(retire(table))

    def load_first(self) -> None:
        self._write(self._statements.drop_index)

    def index_now(self) -> None:
        self._ask(_INDEX_SECONDS, "write", self._statements.make_index)

    def ping(self) -> None:
        self._ask(_PING_SECONDS, "search", PING)  # a new connection also finds or makes the table

    def total(self) -> int:
        [(count,)] = self._ask(self._options.write_seconds, "write", self._statements.count_all)
        return int(count)

    def _query(self, query: Floats) -> Any:
        [asked] = unit_rows(np.asarray(query, dtype=np.float32)[np.newaxis], self.dims)
        return _half(asked.astype(np.float16).tobytes())

    def _search(self, statement: str, *bindings: object) -> list[Any]:
        return self._ask(self._options.search_seconds, "search", statement, *bindings)

    def _write(self, statement: str, *bindings: object) -> None:
        self._ask(self._options.write_seconds, "write", statement, *bindings)

    def _ask(self, seconds: float, kind: str, statement: str, *bindings: object) -> list[Any]:
        async def work(connection: "Connection") -> list[Any]:
            return list(await connection.fetch(statement, *bindings))

        return self._connections.call(work, seconds, kind)

    async def _prepare(self, connection: "Connection") -> None:
        """Finds the table with the right dims, or makes it."""
        table = self._options.table
        dims = await connection.fetchval(self._statements.dims_of_table, table)
        if dims is None:
            async with connection.transaction():
                await connection.fetch(LOCK_SCHEMA)  # two processes may come at once
                await connection.fetch(MAKE_EXTENSION)
                for statement in self._statements.make_table:
                    await connection.fetch(statement)
        elif dims != self.dims:
            raise FailedPrecondition(
                f"{self._options.name}: table {table} holds {dims} numbers a vector, not {self.dims}",
                hint="it belongs to another model or program: drop it, or name another database",
            )


def _key(principal: str) -> uuid.UUID:
    return uuid.UUID(bytes=principal_key(principal))


def _half(stored: bytes) -> Any:
    from pgvector import HalfVector  # noqa: PLC0415 - nobody pays for it who has not switched it on

    return HalfVector(np.frombuffer(stored, np.float16))
