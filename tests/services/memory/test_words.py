"""Words reach FTS5 a moment after their item; until then they are found all the same."""

from pathlib import Path
from typing import cast

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palyra.core.errors import Unavailable
from palyra.domain.memory import Change, ConflictFound, Draft, MemorySource, Stored
from palyra.domain.retrieval.terms import analyse
from palyra.domain.scope import Visibility
from palyra.services.memory import lifecycle
from palyra.services.memory.ingest import ingest, ingest_many
from palyra.services.memory.search import SearchRequest, search
from palyra.store.connection import ReadTx
from palyra.store.memory import search as store
from palyra.store.memory.search import exact_hits, lexical_hits
from support import a_memory, run

ANA, BEA = Visibility("user:ana"), Visibility("user:bea")


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The follower comes when a test calls it."""
    monkeypatch.setattr("palyra.services.memory.words._GATHER_SECONDS", 600)
    monkeypatch.setattr("palyra.services.memory.words._MANY", 100_000)


def indexed(tx: ReadTx) -> tuple[int, int]:
    """How many items have words, and how many a fingerprint."""
    counts = [tx.execute(f"SELECT count(*) FROM {table}").fetchall() for table in ("memory_fts", "memory_fingerprints")]
    return cast("int", counts[0][0][0]), cast("int", counts[1][0][0])


def test_a_text_too_new_for_the_index_is_found_by_word_phrase_and_beginning_and_by_its_owner_alone(
    tmp_path: Path,
) -> None:
    def found(tx: ReadTx, who: Visibility) -> list[int]:
        return [
            len(lexical_hits(tx, ["ferri", "tram"], who, 9)),
            len(exact_hits(tx, [["graciosa", "leaf"]], [], who, 9)),
            len(exact_hits(tx, [], ["graci"], who, 9)),
            len(exact_hits(tx, [["leaf", "graciosa"]], ["aciosa"], who, 9)),
        ]

    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            read = memory.store.db.read_now
            await ingest(memory, Draft("The ferry to Graciosa leaves at 7.45"), ANA)
            for count in (0, 1):
                assert read(indexed) == (count, count)
                assert read(lambda tx: found(tx, ANA)) == [1, 1, 1, 0]
                assert read(lambda tx: found(tx, BEA)) == [0, 0, 0, 0]
                for query in ("ferry", '"ferry to Graciosa"', "graci*", '"at 7.45"'):
                    assert len((await search(memory, SearchRequest(query), ANA)).hits) == 1, query
                    assert len((await search(memory, SearchRequest(query), BEA)).hits) == 0, query
                await memory.follower.words.catch_up()

    run(story())


def test_without_the_index_in_memory_what_is_new_is_still_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_given: object) -> None:
        raise IndexError("a defect of the index")

    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await ingest(memory, Draft("The ferry to Graciosa leaves at noon"), ANA)
            await memory.follower.words.catch_up()
            await ingest(memory, Draft("Graciosa has a crater"), ANA)
            monkeypatch.setattr(memory.engine, "search", broken)
            answer = await search(memory, SearchRequest("Graciosa crater"), ANA)
            assert answer.degraded == ("index",)
            texts = [hit.item.text for hit in answer.hits]
            assert texts == ["Graciosa has a crater", "The ferry to Graciosa leaves at noon"]

    run(story())


def test_the_same_and_the_opposite_are_noticed_of_what_is_not_indexed_yet(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            first = await ingest(memory, Draft("The staging port is 5432"), ANA)
            second = await ingest(memory, Draft("Actually, the staging port is 6543"), ANA)
            assert isinstance(first.outcome, Stored)
            assert isinstance(second.outcome, ConflictFound)
            old = (await lifecycle.get(memory, first.outcome.memory_id, ANA)).item
            assert old.superseded_by == second.outcome.memory_id
            assert memory.store.db.read_now(indexed) == (0, 0)

    run(story())


def test_a_change_said_soon_is_noticed_among_many_indexed_texts_with_the_same_words(tmp_path: Path) -> None:
    """Hundreds of texts of the same build that are indexed leave no place to one that is not, if all share a list."""

    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            for n in range(30):
                await ingest(memory, Draft(f"The port of the staging database is noted on card {n}"), ANA)
            await memory.follower.words.catch_up()
            first = await ingest(memory, Draft("The staging port is 5432"), ANA)
            for n in range(14):  # too new as well, and not about a port
                await ingest(memory, Draft(f"Staging was switched off {n + 2} times"), ANA)
            second = await ingest(memory, Draft("Actually, the staging port is 6543"), ANA)
            assert isinstance(first.outcome, Stored)
            assert isinstance(second.outcome, ConflictFound)
            old = (await lifecycle.get(memory, first.outcome.memory_id, ANA)).item
            assert old.superseded_by == second.outcome.memory_id

    run(story())


def test_every_version_is_indexed_in_passes_of_any_size_and_turns_with_what_was_left_before_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with a_memory(tmp_path, provider="local") as memory:
            read = memory.store.db.read_now
            await memory.follower.prepare()
            done = await ingest(memory, Draft("Ana keeps bees"), ANA)
            assert isinstance(done.outcome, Stored)
            await lifecycle.update(memory, done.outcome.memory_id, Change(text="Ana keeps hens"), ANA)
            turns = [Draft(f"Step {n}", MemorySource.USER_MESSAGE, thread="t", said_at_ms=n) for n in range(40)]
            await ingest_many(memory, turns, ANA)  # with their words at once, and those of both versions before them
            assert read(indexed) == (42, 42)
            monkeypatch.setattr(store, "_AT_ONCE", 3)
            for n in range(7):
                await ingest(memory, Draft(f"A hive of kind {n}"), ANA)
            assert read(indexed) == (42, 42)
            await memory.follower.words.catch_up()
            assert read(indexed) == (49, 49)
            assert len(read(lambda tx: lexical_hits(tx, ["hive"], ANA, 99))) == 7

    run(story())


def test_a_rebuild_indexes_what_was_still_waiting(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await ingest(memory, Draft("Ana keeps bees"), ANA)
            before, after = await memory.journal.rebuild(lambda _seq: None)
            assert before == after
            assert memory.store.db.read_now(indexed) == (1, 1)

    run(story())


def test_erasing_what_was_not_indexed_yet_leaves_the_index_whole(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            read = memory.store.db.read_now
            await ingest(memory, Draft("Ana keeps bees"), ANA)
            await memory.follower.words.catch_up()
            done = await ingest(memory, Draft("Ana keeps a xylograph"), ANA)
            assert isinstance(done.outcome, Stored)
            await lifecycle.erase(memory, [done.outcome.memory_id], "asked for", ANA)
            await ingest(memory, Draft("Ana keeps hens"), ANA)
            await memory.follower.words.catch_up()
            assert read(indexed) == (2, 2)
            assert len(read(lambda tx: lexical_hits(tx, ["ana"], ANA, 9))) == 2
            assert read(lambda tx: lexical_hits(tx, ["xylograph"], ANA, 9)) == []

    run(story())


def test_what_a_killed_process_left_is_indexed_by_the_next(tmp_path: Path) -> None:
    async def write() -> None:
        async with a_memory(tmp_path) as memory:
            await ingest(memory, Draft("Ana keeps bees"), ANA)
            memory.follower.words._waiting = 0  # as if it had never come to finish
            assert memory.store.db.read_now(indexed) == (0, 0)

    async def take_up() -> None:
        async with a_memory(tmp_path) as memory:
            await memory.follower.words.catch_up()
            assert memory.store.db.read_now(indexed) == (1, 1)

    run(write())
    run(take_up())


def test_a_journal_that_refuses_writes_stops_no_follower(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await ingest(memory, Draft("Ana keeps bees"), ANA)
            memory.store.db.refuse_writes(Unavailable("the disk is gone"))
            await memory.follower.words.catch_up()
            assert len((await search(memory, SearchRequest("bees"), ANA)).hits) == 1

    run(story())
    assert "new words wait to be indexed: the disk is gone" in caplog.text


texts = st.text(alphabet="abé1.'汉字 ", max_size=16)


@given(texts, texts)
def test_what_is_looked_through_here_is_found_exactly_as_by_fts5(text: str, asked: str) -> None:
    fts = apsw.Connection(":memory:")
    fts.execute("CREATE VIRTUAL TABLE words USING fts5 (terms, tokenize = 'ascii')")
    terms, wanted = " ".join(analyse(text)), " ".join(analyse(asked))
    fts.execute("INSERT INTO words VALUES (?)", (terms,))
    for begins, star in ((False, ""), (True, "*")):
        by_fts5 = fts.execute("SELECT count(*) FROM words WHERE words MATCH ?", (f'"{wanted}"{star}',)).fetchall()
        here = store._holds(store._tokens(terms), store._tokens(wanted), begins=begins)
        assert here is (by_fts5 == [(1,)])
    fts.close()
