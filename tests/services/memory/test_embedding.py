"""The embedding follower: what is pending gets its vector, failures leave nothing behind, models change online."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palyra.core.errors import Unavailable
from palyra.domain.memory import Draft, MemorySource
from palyra.domain.retrieval.vectors import Floats
from palyra.domain.scope import Visibility
from palyra.ports import EmbeddingIdentity, Role
from palyra.providers.embeddings.cache import QueryVectorCache
from palyra.providers.embeddings.hash import HashMemoryEmbeddingProvider
from palyra.services.memory.context import Memory
from palyra.services.memory.embedding import EmbeddingFollower
from palyra.services.memory.engine import Ask
from palyra.services.memory.ingest import ingest, ingest_many
from palyra.services.memory.search import SearchRequest, search
from palyra.services.memory.upkeep import status
from palyra.store.connection import ReadTx
from palyra.store.memory.follower import count_vectors, pending_vectors, put_vectors, vector_identities
from support import a_memory, run

ANA = Visibility("user:ana")
IDENTITY = EmbeddingIdentity("other", 32, "1")


class Another:
    """A second model: the first 32 numbers of the hash model, or a fault."""

    def __init__(self, fault: str = "") -> None:
        self.identity = IDENTITY
        self.fault = fault
        self._hash = HashMemoryEmbeddingProvider()

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        if self.fault == "raises":
            raise Unavailable("the model is away")
        if self.fault == "breaks":
            raise ValueError("a defect of the model")
        vectors = self._hash.embed(texts, role)[:, :32] + 1e-3
        if self.fault == "nan":
            vectors[0, 0] = np.nan
        return vectors[:, :31] if self.fault == "size" else vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def close(self) -> None:
        pass


def follower_with(memory: Memory, provider: Another) -> EmbeddingFollower:
    return EmbeddingFollower(
        memory.store,
        memory.engine,
        provider,
        QueryVectorCache(),
        older=lambda identity: HashMemoryEmbeddingProvider() if identity.startswith("hash/") else None,
    )


async def remember(memory: Memory, count: int) -> None:
    for number in range(count):
        await ingest(memory, Draft(f"fact number {number} about {'tea' if number % 2 else 'chess'}"), ANA)


def test_everything_written_gets_a_vector(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await remember(memory, 5)
            report = await memory.follower.backfill()
            assert (report.pending, report.total, report.error) == (0, 5, None)
            assert (await status(memory, ANA)).vectors_pending == 0

    run(story())


def test_what_was_written_before_a_process_ends_has_its_vectors_in_the_next(tmp_path: Path) -> None:
    async def first() -> None:
        async with a_memory(tmp_path) as memory:
            await remember(memory, 3)

    async def second() -> None:
        async with a_memory(tmp_path) as memory:
            assert (await status(memory, ANA)).vectors_pending == 0

    run(first())
    run(second())


@pytest.mark.parametrize("fault", ["raises", "breaks", "nan", "size"])
def test_a_failing_model_stores_no_vector_and_search_goes_on(tmp_path: Path, fault: str) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await remember(memory, 3)
            follower = follower_with(memory, Another(fault))
            report = await follower.backfill()
            assert report.error is not None
            assert await memory.store.db.read(lambda tx: count_vectors(tx, str(IDENTITY))) == (0, 3)
            assert len((await search(memory, SearchRequest("tea"), ANA)).hits) > 0

    run(story())


def test_a_question_whose_model_was_changed_meanwhile_is_answered_by_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def of_the_model_before(_query: str) -> object:
        return lambda _names: np.full(32, 0.1, dtype=np.float32)

    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await remember(memory, 3)
            await memory.follower.backfill()
            monkeypatch.setattr(memory.follower, "query_embedder", of_the_model_before)
            found = await search(memory, SearchRequest("tea"), ANA)
            assert found.hits
            assert found.degraded == ("vector",)

    run(story())


def test_a_new_model_takes_over_when_it_has_caught_up(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await remember(memory, 6)
            await memory.follower.backfill()
            broken = follower_with(memory, Another("raises"))
            await broken.backfill()
            assert broken.serving.startswith("hash/")  # the old one serves as long as the new one is not through
            follower = follower_with(memory, Another())
            seen: list[tuple[int, int]] = []
            report = await follower.backfill(lambda done, total: seen.append((done, total)))
            assert report.pending == 0
            assert follower.serving == str(IDENTITY)
            assert seen[0] == (0, 6)
            assert seen[-1] == (6, 6)
            assert await memory.store.db.read(vector_identities) == [str(IDENTITY)]

    run(story())


def test_vectors_written_during_a_search_are_not_missed_by_the_next(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await remember(memory, 1)
            vector = HashMemoryEmbeddingProvider().embed(["fact number 0 about chess"], "document")

            def ask() -> Ask:
                return Ask("chess", lambda _names: vector[0], 0, 8, memory.engine.generation)

            def write_meanwhile(tx: ReadTx) -> None:
                before = ask()
                [row] = pending_vectors(tx, memory.follower.identity, 0, 8)  # the snapshot is taken here
                stored = [(row.seq, row.content_hash, vector[0].astype(np.float16).tobytes())]
                memory.store.db.write_now(lambda write: put_vectors(write, memory.follower.identity, stored, 1))
                memory.engine.vectors_written()
                memory.engine.search(tx, ANA, before)

            memory.store.db.read_now(write_meanwhile)
            [hit] = memory.store.db.read_now(lambda tx: memory.engine.search(tx, ANA, ask()))
            assert hit.parts["vector"] > 0

    run(story())


def test_a_cancelled_follower_stops_even_if_it_is_woken_at_that_moment(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            for _ in range(20):
                task = asyncio.create_task(memory.follower.run())
                await asyncio.sleep(0)
                memory.follower.wake()
                task.cancel()
                async with asyncio.timeout(5):
                    await asyncio.gather(task, return_exceptions=True)
                assert task.done()

    run(story())


def test_an_item_just_written_is_found_by_meaning_before_it_has_a_stored_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        monkeypatch.setattr("palyra.services.memory.embedding._GATHER_SECONDS", 600)
        async with a_memory(tmp_path, provider="local") as memory:
            identity = memory.follower.identity
            await search(memory, SearchRequest("anything"), ANA)
            await ingest(memory, Draft("Ana keeps bees"), ANA)
            await ingest(memory, Draft("ana keeps bees"), ANA)  # merged: no item of its own
            await ingest(memory, Draft("Ana keeps bees and hens"), ANA)
            found = await asyncio.gather(*(search(memory, SearchRequest("an apiarist"), ANA) for _ in range(16)))
            for answer in found:
                assert answer.degraded == ()
                assert "bees" in answer.hits[0].item.text
                assert answer.hits[0].parts["vector"] > 0
            assert memory.store.db.read_now(lambda tx: count_vectors(tx, identity)) == (0, 2)
            await memory.follower.finish()
            assert memory.store.db.read_now(lambda tx: count_vectors(tx, identity)) == (2, 2)
            [first, *_] = (await search(memory, SearchRequest("an apiarist"), ANA)).hits
            assert (first.item.memory_id, first.parts) == (found[0].hits[0].item.memory_id, found[0].hits[0].parts)

    run(story())


def test_a_pass_takes_what_is_there_and_leaves_what_comes_meanwhile_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        monkeypatch.setattr("palyra.services.memory.embedding._GATHER_SECONDS", 600)
        async with a_memory(tmp_path) as memory:
            await ingest(memory, Draft("Ana keeps bees"), ANA)
            compute, batches = memory.follower._compute, list[int]()

            def one_more_comes(provider: Any, rows: Any) -> Any:
                batches.append(len(rows))
                asyncio.run_coroutine_threadsafe(ingest(memory, Draft(f"Hive {len(batches)}"), ANA), loop).result(5)
                return compute(provider, rows)

            loop = asyncio.get_running_loop()
            monkeypatch.setattr(memory.follower, "_compute", one_more_comes)
            await memory.follower._catch_up()
            assert batches == [1]
            assert memory.follower._written > memory.follower._finished  # the next pass knows of it

    run(story())


def test_with_the_model_at_hand_turns_are_stored_together_with_their_vectors(tmp_path: Path) -> None:
    def turn(n: int) -> Draft:
        return Draft(f"Hive {n % 250} was opened", MemorySource.USER_MESSAGE, thread="bees", said_at_ms=n % 250)

    async def story() -> None:
        async with a_memory(tmp_path, provider="local") as memory:
            await memory.follower.prepare()
            identity = memory.follower.identity
            await ingest_many(memory, [turn(n) for n in range(300)], ANA)  # the last fifty are merged
            assert memory.store.db.read_now(lambda tx: count_vectors(tx, identity)) == (250, 250)
            memory.follower.last_error = Unavailable("the model is gone")
            await ingest_many(memory, [turn(0), Draft("Hive 251", MemorySource.USER_MESSAGE, said_at_ms=9)], ANA)
            [left] = memory.store.db.read_now(lambda tx: pending_vectors(tx, identity, 0, 10))
            assert left.text == "Hive 251"

    run(story())


def test_a_model_that_has_failed_is_not_asked_while_somebody_waits_for_a_search(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path, provider="local") as memory:
            await memory.follower.prepare()
            memory.follower.last_error = Unavailable("the model is gone")
            assert memory.follower.embed_now(["Ana keeps bees"]) is None
            memory.follower.last_error = None
            assert memory.follower.embed_now(["Ana keeps bees"]) is not None

    run(story())
