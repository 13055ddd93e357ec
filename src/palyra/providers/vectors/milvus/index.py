"""One collection of vectors in one Milvus server, compared exactly.

No graph: beside one, Milvus looks through what was written lately by a coarse index of its own, which missed up to
half of the nearest when it was measured. All rows of one principal are compared instead, which is quick enough.
What this answers is a proposal: nobody but `services/external` uses it, which re-reads every id.

A write returns when it is in the server's log, which outlives the server's process, and when searches see it.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np

from palyra.core.errors import FailedPrecondition, InvalidArgument
from palyra.core.ids import MemoryId
from palyra.domain.retrieval.mirror import range_of
from palyra.domain.retrieval.vectors import Floats, unit_rows
from palyra.ports import ListedRow, MirroredRow, Near, Proposal, RangeDigest
from palyra.providers.vectors.milvus import rows as rows_in
from palyra.providers.vectors.milvus.connection import Client, Connection, Left

T = TypeVar("T")

_NO_MARK = bytes(16)
_SLOW_SECONDS = 300.0
_PING_SECONDS = 10.0
_MOST_NEAR = 16_384
"""that the server finds in one search"""
_KEY_BYTES = 512
_TABLE = re.compile(r"palyra_[0-9a-f]{20}")
_COUNT = "count(*)"


@dataclass(frozen=True, slots=True)
class MilvusOptions:
    name: str
    """what people call the server"""
    dsn: str
    table: str
    dims: int
    search_seconds: float = 0.2
    write_seconds: float = 10.0


class MilvusIndex:
    def __init__(self, options: MilvusOptions) -> None:
        self.dims = options.dims
        self._options = options
        self._is_loading = False
        self._connection = Connection(options.name, options.dsn, self._prepare)

    # -- as any vector index

    def put(self, principal: str, ids: Sequence[MemoryId], vectors: Floats) -> None:
        vectors = unit_rows(vectors, self.dims)
        if len(ids) != len(vectors):
            raise InvalidArgument(f"{len(ids)} ids for {len(vectors)} vectors", hint="pass one id for each vector")
        halves = vectors.astype(np.float16)
        self.mirror(
            [
                MirroredRow(principal, memory_id, _NO_MARK, _NO_MARK, vector.tobytes())
                for memory_id, vector in zip(ids, halves, strict=True)
            ]
        )

    def discard(self, principal: str, ids: Collection[MemoryId]) -> None:
        self.remove([(principal, memory_id) for memory_id in ids])

    def drop(self, principal: str) -> None:
        wanted = rows_in.of_principal(principal)
        self._write(lambda client, left: client.delete(self._options.table, filter=wanted, timeout=left()))

    def top(self, principal: str, query: Floats, n: int, allowed: Collection[MemoryId] | None = None) -> Sequence[Near]:
        asked = self._query(query)
        if n <= 0 or (allowed is not None and not allowed):
            return []
        of_theirs = rows_in.of_principal(principal)
        wanted = of_theirs if allowed is None else f"{of_theirs} and {rows_in.with_keys(principal, allowed)}"
        found = [Near(one.id, one.cosine) for one in self._near(asked, n, wanted)]
        return sorted(found, key=lambda near: (-near.cosine, near.id))

    def cosines(self, principal: str, query: Floats, ids: Sequence[MemoryId]) -> Floats:
        asked = self._query(query)
        if not ids:
            return np.zeros(0, np.float32)
        found = self._rows(rows_in.with_keys(principal, ids), ["id", "vector"], self._options.search_seconds)
        known = {rows_in.id_of(row["id"]): float(np.asarray(row["vector"], np.float32) @ asked) for row in found}
        return np.array([known.get(memory_id, 0.0) for memory_id in ids], np.float32)

    def count(self, principal: str) -> int:
        return self._count(rows_in.of_principal(principal), self._options.search_seconds)

    def close(self) -> None:
        self._connection.close()

    # -- as a mirror

    def mirror(self, rows: Sequence[MirroredRow]) -> None:
        if len({(row.principal, row.id) for row in rows}) != len(rows):
            raise InvalidArgument("an id is named twice in one put", hint="pass each id once, with its latest vector")
        if rows:
            told = [rows_in.stored(row) for row in rows]
            self._write(lambda client, left: client.upsert(self._options.table, told, timeout=left()))

    def remove(self, rows: Sequence[tuple[str, MemoryId]]) -> None:
        if rows:
            keys = [rows_in.key_of(principal, memory_id) for principal, memory_id in rows]
            self._write(lambda client, left: client.delete(self._options.table, ids=keys, timeout=left()))

    def nearest(self, principal: str, query: Floats, n: int, scopes: Sequence[bytes]) -> Sequence[Proposal]:
        return self._near(self._query(query), n, f"{rows_in.of_principal(principal)} and {rows_in.in_scopes(scopes)}")

    def digests(self) -> dict[int, RangeDigest]:
        sums: dict[int, RangeDigest] = {}
        for row in self._all(range(rows_in.RANGES)):
            number = range_of(row.id)
            count, whole = sums.get(number, RangeDigest(0, 0))
            sums[number] = RangeDigest(count + 1, whole ^ row.digest)
        return sums

    def listed(self, ranges: Collection[int]) -> Sequence[ListedRow]:
        wanted = set(ranges)
        return [row for row in self._all(wanted) if range_of(row.id) in wanted]

    def clear(self) -> None:
        def work(client: Client, left: Left) -> None:
            client.drop_collection(self._options.table, timeout=left())
            self._prepare(client, left)

        self._connection.call(work, _SLOW_SECONDS)

    def retire(self, table: str) -> None:
        if not _TABLE.fullmatch(table):
            raise InvalidArgument(f"{table[:64]!r} is not a table of ours", hint="palyra_ and twenty hex digits")

        def work(client: Client, left: Left) -> None:
            if client.has_collection(table, timeout=left()):
                client.drop_collection(table, timeout=left())

        self._connection.call(work, self._options.write_seconds)

    def load_first(self) -> None:
        """Writes are no longer waited for until searches see them: that takes longer than to write them."""
        self._is_loading = True

    def index_now(self) -> None:
        def work(client: Client, left: Left) -> None:
            if self._is_loading:
                client.flush(self._options.table, timeout=left())
            self._wait_until_seen(client, left)

        self._connection.call(work, _SLOW_SECONDS)
        self._is_loading = False

    def ping(self) -> None:
        self._connection.call(self._wait_until_seen, _PING_SECONDS)

    def total(self) -> int:
        return self._count("", self._options.write_seconds)

    def _query(self, query: Floats) -> Floats:
        asked: Floats = unit_rows(np.asarray(query, dtype=np.float32)[np.newaxis], self.dims)[0]
        return asked

    def _near(self, asked: Floats, n: int, wanted: str) -> list[Proposal]:
        def work(client: Client, left: Left) -> list[Proposal]:
            [found] = client.search(
                self._options.table,
                data=[asked],
                anns_field="vector",
                filter=wanted,
                limit=min(n, _MOST_NEAR),
                output_fields=["mark"],
                search_params={"metric_type": "IP"},
                consistency_level="Bounded",
                timeout=left(),
            )
            return [
                Proposal(rows_in.id_of(hit["id"]), rows_in.raw(hit["entity"]["mark"]), float(hit["distance"]))
                for hit in found
            ]

        return self._connection.call(work, self._options.search_seconds)

    def _rows(self, wanted: str, fields: list[str], seconds: float) -> list[rows_in.Row]:
        def work(client: Client, left: Left) -> list[rows_in.Row]:
            return list(
                client.query(
                    self._options.table,
                    filter=wanted,
                    output_fields=fields,
                    consistency_level="Bounded",
                    timeout=left(),
                )
            )

        return self._connection.call(work, seconds)

    def _count(self, wanted: str, seconds: float) -> int:
        [row] = self._rows(wanted, [_COUNT], seconds)
        return int(row[_COUNT])

    def _all(self, ranges: Collection[int]) -> list[ListedRow]:
        """Every row of these ranges, and of others beside them: keys are read in stretches of ranges."""
        self.ping()
        fields = ["id", "principal", "scope", "mark", "vector"]
        found: list[ListedRow] = []
        for some, wanted in rows_in.slices(self.total()):
            if any(number in some for number in ranges):
                found += [rows_in.listed(row, self.dims) for row in self._rows(wanted, fields, _SLOW_SECONDS)]
        return found

    def _write(self, told: Callable[[Client, Left], object]) -> None:
        def work(client: Client, left: Left) -> None:
            told(client, left)
            if not self._is_loading:
                self._wait_until_seen(client, left)

        self._connection.call(work, self._options.write_seconds)

    def _wait_until_seen(self, client: Client, left: Left) -> None:
        """Until every search sees what has been written so far: a search itself must not wait for that."""
        client.query(
            self._options.table, filter='id == ""', output_fields=["id"], consistency_level="Strong", timeout=left()
        )

    def _prepare(self, client: Client, left: Left) -> None:
        """Finds the collection with the right dims, or makes it; loaded, so that it can be searched."""
        table = self._options.table
        if client.has_collection(table, timeout=left()):
            dims = _dims(client.describe_collection(table, timeout=left()))
            if dims != self.dims:
                raise FailedPrecondition(
                    f"{self._options.name}: table {table} holds {dims} numbers a vector, not {self.dims}",
                    hint="it belongs to another model or program: drop it, or name another database",
                )
        else:
            _make(client, table, self.dims, left)
        client.load_collection(table, timeout=left())


def _dims(described: dict[str, object]) -> object:
    fields = cast("list[dict[str, Any]]", described["fields"])
    return next((field["params"].get("dim") for field in fields if field["name"] == "vector"), None)


def _make(client: Client, table: str, dims: int, left: Left) -> None:
    from pymilvus import DataType  # noqa: PLC0415 - nobody pays for it who has not switched it on

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("id", DataType.VARCHAR, max_length=_KEY_BYTES, is_primary=True)
    for mark in ("principal", "scope", "mark"):
        schema.add_field(mark, DataType.VARCHAR, max_length=2 * len(_NO_MARK))
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dims)
    # One log for all rows, so that the rows of one write come in one piece.
    client.create_collection(table, schema=schema, num_shards=1, consistency_level="Bounded", timeout=left())
    compared = client.prepare_index_params()
    compared.add_index("vector", index_type="FLAT", metric_type="IP")
    client.create_index(table, compared, timeout=left())
