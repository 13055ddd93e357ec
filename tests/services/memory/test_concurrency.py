"""Many at once: nothing twice, nothing lost, nothing half."""

import asyncio
from pathlib import Path

from palyra.core.errors import FailedPrecondition, NotFound, PalyraError
from palyra.domain.journal import RequestKey
from palyra.domain.memory import Change, ConflictFound, Draft, Ingested, ItemFilter, Merged, Stored
from palyra.domain.scope import Visibility
from palyra.services.memory import lifecycle
from palyra.services.memory.ingest import ingest
from palyra.services.memory.search import SearchRequest, search
from palyra.store.upkeep.rebuild import find_drift
from support import a_memory, files_holding, run

ANA = Visibility("user:ana")
R1 = RequestKey("r1", bytes(32))


def test_the_same_said_by_many_at_once_is_one_item(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            texts = ("My dog is called Biscuit", "my dog is called  biscuit.", "My dog is called  Biscuit!")
            done = await asyncio.gather(*(ingest(memory, Draft(texts[n % 3]), ANA) for n in range(60)))
            assert [type(one.outcome) for one in done].count(Stored) == 1
            assert [type(one.outcome) for one in done].count(Merged) == 59
            assert len(await lifecycle.list_(memory, ANA, ItemFilter())) == 1

    run(story())


def test_contradictions_that_come_together_are_still_found(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            cities = ("Lisbon", "Porto", "Faro", "Braga")
            done = await asyncio.gather(*(ingest(memory, Draft(f"Ana lives in {city}"), ANA) for city in cities))
            kinds = [type(one.outcome) for one in done]
            assert (kinds.count(Stored), kinds.count(ConflictFound)) == (1, 3)

    run(story())


def test_one_of_many_equal_requests_writes_and_all_get_its_answer(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            asked = [ingest(memory, Draft("I prefer tea"), ANA, request=R1) for _ in range(30)]
            done: list[Ingested] = await asyncio.gather(*asked)
            assert len({one.receipt.event_id for one in done}) == 1
            assert len({repr(one.outcome) for one in done}) == 1
            assert (await memory.journal.status()).size == 1

    run(story())


def test_writers_readers_and_deleters_do_not_disturb_each_other(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:

            async def life(n: int) -> None:
                outcome = (await ingest(memory, Draft(f"Box {n} holds marble {n * 7}"), ANA)).outcome
                assert isinstance(outcome, Stored | ConflictFound)
                found = await search(memory, SearchRequest(f"marble {n * 7}", top_k=64), ANA)
                assert outcome.memory_id in {hit.item.memory_id for hit in found.hits}
                await lifecycle.update(memory, outcome.memory_id, Change(text=f"Box {n} holds pebble {n * 7}"), ANA)
                if n % 2:
                    await lifecycle.delete(memory, [outcome.memory_id], ANA)
                if n % 5 == 0:
                    await lifecycle.erase(memory, [outcome.memory_id], "asked for", ANA)

            await asyncio.gather(*(life(n) for n in range(1, 31)))
            left = {item.text for item in await lifecycle.list_(memory, ANA, ItemFilter())}
            assert left == {f"Box {n} holds pebble {n * 7}" for n in range(1, 31) if n % 2 == 0 and n % 5}
            _, findings = await memory.store.db.read(find_drift)
            assert findings == []

    run(story())


def test_two_who_change_the_same_item_leave_one_line_of_versions(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            outcome = (await ingest(memory, Draft("The count is zero"), ANA)).outcome
            assert isinstance(outcome, Stored)
            memory_id = outcome.memory_id
            changes = [lifecycle.update(memory, memory_id, Change(text=f"Tally {n}"), ANA) for n in range(20)]
            deletes = [lifecycle.delete(memory, [memory_id], ANA) for _ in range(2)]
            done = await asyncio.gather(*changes, *deletes, return_exceptions=True)
            refused = [one for one in done if isinstance(one, BaseException)]
            assert all(isinstance(one, FailedPrecondition | NotFound) for one in refused), refused
            assert len([one for one in refused if isinstance(one, PalyraError)]) >= 1
            assert await lifecycle.list_(memory, ANA, ItemFilter(include_past=True)) == []
            _, findings = await memory.store.db.read(find_drift)
            assert findings == []

    run(story())


def test_what_is_written_while_an_item_is_erased_is_erased_with_it_or_refused(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            outcome = (await ingest(memory, Draft("The code word is quark"), ANA)).outcome
            assert isinstance(outcome, Stored)
            memory_id = outcome.memory_id
            await asyncio.gather(
                lifecycle.erase(memory, [memory_id], "asked for", ANA),
                *(lifecycle.update(memory, memory_id, Change(text=f"It is xylophone{n}"), ANA) for n in range(3)),
                return_exceptions=True,
            )
            assert files_holding(tmp_path, "xylophone") == []

    run(story())
