"""Milvus as the engine elsewhere: mirrored, compared, killed in the middle of searches, and never shown a word."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from freezing import freeze
from milvus_server import Milvus, a_milvus
from mirroring import ANIMALS, a_mirrored_app, ask, remember, texts_of, until
from palyra.core.errors import Deadline, Exhausted, FailedPrecondition, Integrity, PalyraError, Unavailable
from palyra.core.ids import MemoryId
from palyra.ports import MirroredRow
from palyra.providers.vectors.milvus.connection import _named
from palyra.providers.vectors.milvus.index import MilvusIndex, MilvusOptions
from palyra.providers.vectors.table import make_mirror
from palyra.services.external.runtime import ExternalRuntime
from support import run

DIMS = 8
QUESTION = "who makes music?"


@pytest.fixture(scope="module")
def one_server() -> Iterator[Milvus]:
    with a_milvus(**{"proxy.timeTickInterval": 20, "common.session.ttl": 5}) as server:
        yield server


@pytest.fixture
def server(one_server: Milvus) -> Iterator[Milvus]:
    yield one_server
    client = _client(one_server)
    for table in client.list_collections(timeout=10):
        client.drop_collection(table, timeout=10)
    client.close()


def _client(server: Milvus) -> Any:
    """What somebody with access to the server has."""
    from pymilvus import MilvusClient

    return MilvusClient(server.dsn, dedicated=True, timeout=10)


def _held(client: Any, table: str) -> list[dict[str, Any]]:
    fields = ["id", "principal", "scope", "mark", "vector"]
    return list(client.query(table, 'id >= ""', fields, consistency_level="Strong", timeout=10))


def _index(server: Milvus, table: str, dims: int = DIMS, seconds: float = 5.0) -> MilvusIndex:
    return MilvusIndex(MilvusOptions("main", server.dsn, table, dims, seconds))


def _row(number: int) -> MirroredRow:
    vector = np.eye(DIMS, dtype=np.float16)[number % DIMS].tobytes()
    return MirroredRow("user:ana", MemoryId(f"item-{number}"), b"s" * 16, b"m" * 16, vector)


async def _is_healthy(external: ExternalRuntime) -> bool:
    status = await external.status()
    return status.state == "healthy" and status.pending == 0


def test_killed_in_the_middle_of_searches_it_is_missed_by_nobody_and_has_lost_nothing_when_it_is_back(
    tmp_path: Path, server: Milvus
) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server, PALYRA_MEMORY_EXTERNAL_PROVIDER="milvus") as (app, external):
            await remember(app, ANIMALS[:60])
            found = await ask(app, QUESTION)
            honest = texts_of(found)
            assert found.degraded == ()
            searches = [asyncio.create_task(ask(app, QUESTION)) for _ in range(8)]
            await asyncio.sleep(0.01)
            server.kill()
            try:
                assert [texts_of(found) for found in await asyncio.gather(*searches)] == [honest] * 8
                for _ in range(3):
                    found = await ask(app, QUESTION)
                    assert (texts_of(found), found.degraded) == (honest, ("external",))
                await remember(app, ANIMALS[60:70])
                assert (await external.status()).state == "down"
            finally:
                server.start()
            await until("the engine is asked again", lambda: _is_healthy(external), 60)
            assert (await ask(app, QUESTION)).degraded == ()
            drift = await external.drift()
            assert (drift.count, drift.shards[0].rows) == (0, 70)

    run(work())


def test_rows_that_are_missing_changed_or_foreign_are_found_and_put_right(tmp_path: Path, server: Milvus) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server, PALYRA_MEMORY_EXTERNAL_PROVIDER="milvus") as (app, external):
            await remember(app, ANIMALS[:20])
            client = _client(server)
            [table] = client.list_collections(timeout=10)
            held = sorted(_held(client, table), key=lambda row: row["id"])
            assert not any(word in str(held) for text in ANIMALS for word in text.split()[1:] if len(word) > 4)
            client.delete(table, ids=[row["id"] for row in held[:3]], timeout=10)
            near = {**held[3], "vector": list(np.nextafter(np.float32(held[3]["vector"]), np.float32(2)))}
            foreign = {**held[5], "id": held[5]["id"][:2] + "f" * 32 + held[5]["id"][34:]}
            client.upsert(table, [near, {**held[4], "mark": "ab" * 16}, foreign], timeout=10)
            [shard] = (await external.drift()).shards
            assert (len(shard.missing), len(shard.differing), len(shard.extra)) == (3, 2, 1)
            before, after = await external.reconcile()
            assert (before.count, after.count) == (6, 0)
            assert sorted(_held(client, table), key=lambda row: row["id"]) == held
            client.close()

    run(work())


def test_what_was_written_is_seen_by_the_next_search_and_what_was_removed_is_not(server: Milvus) -> None:
    """Of many rows at once, by the first search after they are indexed."""
    index = _index(server, f"t{uuid4().hex}")
    index.mirror([_row(number) for number in range(DIMS)])
    query = np.eye(DIMS, dtype=np.float32)[3]
    for _ in range(5):
        index.remove([("user:ana", MemoryId("item-3")), ("user:ana", MemoryId("never stored"))])
        assert "item-3" not in {one.id for one in index.nearest("user:ana", query, 20, [b"s" * 16])}
        index.mirror([_row(3)])
        [first, *_] = index.nearest("user:ana", query, 20, [b"s" * 16, b"t" * 16])
        assert (first.id, first.mark, first.cosine) == ("item-3", b"m" * 16, 1.0)
    assert list(index.nearest("user:ana", query, 20, [b"t" * 16])) == []
    assert list(index.nearest("user:bob", query, 20, [b"s" * 16])) == []
    assert index.total() == DIMS
    index.load_first()
    index.mirror([_row(number) for number in range(4_000)])
    index.index_now()
    assert sum(one.rows for one in index.digests().values()) == index.total() == 4_000
    assert len(index.listed([7])) == index.digests()[7].rows
    index.clear()
    assert index.total() == 0
    index.close()


def test_a_table_of_other_dimensions_or_with_other_keys_is_left_alone(server: Milvus) -> None:
    table = f"palyra_{uuid4().hex[:20]}"
    index, other = _index(server, table), _index(server, table, dims=4)
    index.mirror([_row(1)])
    with pytest.raises(FailedPrecondition, match="8 numbers a vector, not 4"):
        other.mirror([_row(1)])
    client = _client(server)
    client.upsert(table, [{**_held(client, table)[0], "id": "theirs"}], timeout=10)
    client.close()
    with pytest.raises(Integrity, match="'theirs'"):
        index.digests()
    for _ in range(2):
        index.retire(table)
    index.close()
    other.close()


def test_a_hanging_server_is_waited_for_no_longer_than_allowed_and_closing_leaves_no_thread(server: Milvus) -> None:
    before = set(threading.enumerate())
    index = _index(server, f"t{uuid4().hex}", seconds=0.5)
    index.ping()
    freeze(server.pid)
    try:
        started = monotonic()
        with pytest.raises(Deadline, match=r"no answer within 0\.5 s"):
            index.nearest("user:ana", np.eye(DIMS, dtype=np.float32)[0], 5, [b"s" * 16])
        assert monotonic() - started < 20, "the client's own retries take minutes"
    finally:
        os.kill(server.pid, signal.SIGCONT)
    index.ping()
    index.close()
    index.close()
    assert set(threading.enumerate()) == before
    with pytest.raises(Unavailable, match="closed"):
        index.ping()


def test_no_password_is_told_whatever_is_wrong_with_an_address(one_server: Milvus) -> None:
    secret = "s" + "3cr3t" * 3
    here = f"127.0.0.1:{one_server.port}"
    wrong = {
        f"http://root:{secret}@{here}": FailedPrecondition,
        f"http://root:{secret}@127.0.0.1:1": Unavailable,
        f"http://root:{secret}@127.0.0.1:port": FailedPrecondition,
        f"root:{secret}@{here}": FailedPrecondition,
        f"http://root:{secret}@": FailedPrecondition,
        f"{secret}.db": FailedPrecondition,
    }
    for address, kind in wrong.items():
        index = MilvusIndex(MilvusOptions("main", address, "t", DIMS))
        with pytest.raises(PalyraError) as refused:
            index.ping()
        assert (type(refused.value), secret in f"{refused.value} {refused.value.hint}") == (kind, False), address
        assert refused.value.hint
        index.close()


class _FromServer(Exception):
    def __init__(self, code: object, message: str = "no") -> None:
        self.code, self.message = code, message


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (8, Exhausted),
        (9, Exhausted),
        (1_000, Integrity),
        (1_100, FailedPrecondition),
        (100, Unavailable),
        (1, Unavailable),
    ],
)
def test_the_servers_errors_are_told_in_our_words(code: int, kind: type[PalyraError]) -> None:
    told = _named("main", "http://root:s3cr3t@db", 1.0, _FromServer(code, "root has the password s3cr3t\nand more"))
    assert type(told) is kind
    assert told.message == "main: _FromServer: root has the password (hidden)"


def test_without_its_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymilvus", None)
    index = make_mirror("milvus", "main", "http://127.0.0.1:1", "t", DIMS, search_seconds=1)
    with pytest.raises(FailedPrecondition, match="pymilvus") as refused:
        index.ping()
    assert "palyra[milvus]" in refused.value.hint
    index.close()


def test_the_package_is_loaded_only_when_the_server_is_first_asked() -> None:
    asked = (
        "import sys; from palyra.providers.vectors.table import make_mirror;"
        " make_mirror('milvus', 'main', 'http://127.0.0.1:1', 't', 8, search_seconds=1);"
        " sys.exit('pymilvus' in sys.modules or 'pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", asked], check=False, timeout=60).returncode == 0
