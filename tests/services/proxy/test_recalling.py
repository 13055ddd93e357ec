"""A turn is recalled for once, unless what was recalled no longer holds."""

from pathlib import Path

from palyra.domain.journal import Actor
from palyra.domain.memory import Draft, MemorySource
from palyra.domain.scope import Visibility
from palyra.services.memory.context import Memory
from palyra.services.memory.ingest import ingest
from palyra.services.memory.lifecycle import delete
from palyra.services.proxy.asked import LastSaid
from palyra.services.proxy.recalling import Recalls
from support import a_memory, run

ANA = Visibility("user:ana")
FACT = "Ana's favourite tea is Darjeeling."
ASKED = LastSaid("Which tea is Ana's favourite?", 0, True)
GOING_ON = LastSaid(ASKED.text, 0, False)


async def tell(memory: Memory, text: str = FACT) -> None:
    await ingest(memory, Draft(text, MemorySource.MANUAL), ANA)


def test_a_turn_that_goes_on_gets_the_same_bytes_and_a_new_one_does_not(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await tell(memory)
            recalls = Recalls()
            first = await recalls.of_turn(memory, ASKED, ANA)
            await tell(memory, "Ana buys her favourite tea in Porto.")
            assert await recalls.of_turn(memory, GOING_ON, ANA) is first
            assert (await recalls.of_turn(memory, LastSaid(ASKED.text, 2, False), ANA)).block != first.block
            assert "Porto" in (await recalls.of_turn(memory, ASKED, ANA)).block

    run(story())


def test_what_was_forgotten_meanwhile_is_not_given_again(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await tell(memory)
            recalls = Recalls()
            first = await recalls.of_turn(memory, ASKED, ANA)
            [chosen] = first.chosen
            await delete(memory, [chosen.hit.id], ANA, Actor.USER)
            assert (await recalls.of_turn(memory, GOING_ON, ANA)).block == ""

    run(story())


def test_nobody_gets_the_block_of_another(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await tell(memory)
            recalls = Recalls()
            assert (await recalls.of_turn(memory, ASKED, ANA)).block
            assert not (await recalls.of_turn(memory, GOING_ON, Visibility("user:bob"))).block

    run(story())


def test_turns_are_forgotten_after_a_while(tmp_path: Path) -> None:
    async def story() -> None:
        now = 0.0
        async with a_memory(tmp_path) as memory:
            await tell(memory)
            recalls = Recalls(lambda: now)
            first = await recalls.of_turn(memory, ASKED, ANA)
            now = 601.0
            again = await recalls.of_turn(memory, GOING_ON, ANA)
            assert again.block != first.block
            assert "Darjeeling" in again.block

    run(story())
