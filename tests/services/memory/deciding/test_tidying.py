"""What an older version kept and today stays on the tape; and whatever was taken out can be brought back."""

from pathlib import Path

import pytest

from palyra.core.errors import FailedPrecondition, PermissionDenied
from palyra.core.ids import MemoryId
from palyra.domain.journal import Actor
from palyra.domain.memory import Draft, ItemFilter, MemorySource, Stored
from palyra.domain.scope import Visibility
from palyra.services.memory import lifecycle
from palyra.services.memory.context import Memory
from palyra.services.memory.deciding.tidying import left_today, restore, tidy, untidy
from palyra.services.memory.ingest import ingest
from palyra.services.memory.search import SearchRequest, search
from palyra.store.upkeep.rebuild import find_drift
from support import a_memory, run

ANA = Visibility("user:ana")
FACT, CHATTER = "My sister Ines is allergic to peanuts", ("hello", "write me a short invitation")


async def kept(memory: Memory, text: str, **given: object) -> MemoryId:
    draft = Draft(text, MemorySource.USER_MESSAGE, **given)  # type: ignore[arg-type]
    outcome = (await ingest(memory, draft, ANA)).outcome
    assert isinstance(outcome, Stored)
    return outcome.memory_id


async def texts(memory: Memory) -> set[str]:
    return {item.text for item in await lifecycle.list_(memory, ANA, ItemFilter(), "", 100)}


def test_chatter_is_listed_with_its_reason_taken_out_and_brought_back(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            for text in (FACT, *CHATTER):
                await kept(memory, text)
            listed = await left_today(memory, ANA)
            assert {(one.item.text, one.because) for one in listed} == {
                (CHATTER[0], "greeting"),
                (CHATTER[1], "request"),
            }
            assert await texts(memory) == {FACT, *CHATTER}
            size = (await memory.journal.status()).size
            assert len(await tidy(memory, ANA, Actor.USER)) == 2
            assert (await memory.journal.status()).size == size + 1
            assert await texts(memory) == {FACT}
            assert await left_today(memory, ANA) == []
            assert await untidy(memory, ANA, Actor.USER) == 2
            assert await texts(memory) == {FACT, *CHATTER}
            assert await untidy(memory, ANA, Actor.USER) == 0

    run(story())


def test_what_a_person_pinned_or_a_reader_wrote_stays(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await kept(memory, "hello", pinned=True)
            await kept(memory, "sounds good", confidence_bps=9_100)
            assert await left_today(memory, ANA) == []

    run(story())


def test_what_was_deleted_is_restored_found_and_replayed(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            memory_id = await kept(memory, FACT)
            await lifecycle.delete(memory, [memory_id], ANA)
            assert (await search(memory, SearchRequest("peanuts"), ANA)).hits == ()
            await restore(memory, [memory_id], ANA, Actor.USER)
            [hit] = (await search(memory, SearchRequest("peanuts"), ANA)).hits
            assert hit.item.memory_id == memory_id
            _, findings = await memory.store.db.read(find_drift)
            assert findings == []

    run(story())


def test_only_a_person_brings_back_and_only_what_was_taken_out(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            memory_id = await kept(memory, FACT)
            with pytest.raises(FailedPrecondition, match="was not taken out"):
                await restore(memory, [memory_id], ANA, Actor.USER)
            await lifecycle.delete(memory, [memory_id], ANA)
            for bring_back in (restore(memory, [memory_id], ANA, Actor.AGENT), untidy(memory, ANA, Actor.AGENT)):
                with pytest.raises(PermissionDenied, match="a person brings back"):
                    await bring_back

    run(story())
