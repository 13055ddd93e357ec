"""What contradicts what, and a person's word on it."""

from pathlib import Path

import pytest

from palyra.core.errors import FailedPrecondition, InvalidArgument
from palyra.core.ids import MemoryId
from palyra.domain.journal import Actor
from palyra.domain.memory import ConflictFound, Draft
from palyra.domain.scope import Visibility
from palyra.services.memory import lifecycle
from palyra.services.memory.context import Memory
from palyra.services.memory.deciding.settling import conflicts, settle
from palyra.services.memory.ingest import ingest
from support import a_memory, run

ANA, BOB = Visibility("user:ana"), Visibility("user:bob")


async def a_conflict(memory: Memory) -> tuple[MemoryId, MemoryId]:
    await ingest(memory, Draft("Bo is allergic to penicillin"), ANA)
    done = await ingest(memory, Draft("Bo is not allergic to penicillin"), ANA)
    assert isinstance(done.outcome, ConflictFound)
    assert done.outcome.superseded == ()
    return done.outcome.memory_id, done.outcome.conflicts_with[0]


def test_an_open_conflict_is_listed_with_both_sides_and_only_to_their_owner(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            newer, older = await a_conflict(memory)
            [found] = await conflicts(memory, ANA, 0, 10)
            assert (found.newer.memory_id, found.older.memory_id) == (newer, older)
            assert await conflicts(memory, BOB, 0, 10) == []
            assert await conflicts(memory, ANA, found.seq, 10) == []

    run(story())


def test_what_does_not_hold_is_replaced_by_what_does(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            newer, older = await a_conflict(memory)
            await settle(memory, newer, older, older, ANA, Actor.USER)
            assert await conflicts(memory, ANA, 0, 10) == []
            assert (await lifecycle.get(memory, newer, ANA)).item.superseded_by == older
            assert (await lifecycle.get(memory, older, ANA)).item.superseded_by is None

    run(story())


def test_both_may_hold(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            newer, older = await a_conflict(memory)
            await settle(memory, older, newer, "both", ANA, Actor.USER)
            assert await conflicts(memory, ANA, 0, 10) == []
            for one in (newer, older):
                detail = await lifecycle.get(memory, one, ANA)
                assert (detail.item.superseded_by, detail.conflicts) == (None, ())
            with pytest.raises(FailedPrecondition, match="no open conflict"):
                await settle(memory, newer, older, newer, ANA, Actor.USER)

    run(story())


def test_a_settlement_that_names_neither_changes_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            newer, older = await a_conflict(memory)
            with pytest.raises(InvalidArgument, match="none of the two"):
                await settle(memory, newer, older, "perhaps", ANA, Actor.USER)
            assert len(await conflicts(memory, ANA, 0, 10)) == 1
            with pytest.raises(InvalidArgument, match="outside"):
                await conflicts(memory, ANA, 0, 501)

    run(story())
