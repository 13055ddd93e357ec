"""What stands in every prompt of a session: the owner's wishes from before it began, as long as they hold."""

from pathlib import Path

from palyra.domain.journal import Actor
from palyra.domain.labels import Category
from palyra.domain.memory import Draft, Stored
from palyra.domain.scope import Visibility
from palyra.services.memory import lifecycle
from palyra.services.memory.context import Memory
from palyra.services.memory.ingest import ingest
from palyra.services.prompt.standing import STANDING_TOKENS, standing_preferences
from support import a_memory, run

ANA, BOB = Visibility("user:ana"), Visibility("user:bob")


async def wish(memory: Memory, text: str, actor: Actor = Actor.USER) -> str:
    outcome = (await ingest(memory, Draft(text, category=Category.PREFERENCE), ANA, actor)).outcome
    assert isinstance(outcome, Stored)
    return outcome.memory_id


async def standing(memory: Memory, since_ms: int, caller: Visibility = ANA) -> list[str]:
    return [one.text for one in await standing_preferences(memory, caller, since_ms)]


def test_what_came_after_the_session_began_waits_for_the_next_one(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await wish(memory, "Use metric units")
            began = memory.clock.now_ms()
            assert await standing(memory, began) == ["Use metric units"]
            assert await standing(memory, began - 86_400_000) == []
            assert await standing(memory, began, BOB) == []

    run(story())


def test_what_was_forgotten_is_out_at_once_and_what_an_agent_wants_never_stands(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            gone = await wish(memory, "Use metric units")
            await wish(memory, "The tables are blue", Actor.AGENT)
            await lifecycle.delete(memory, [gone], ANA)
            assert await standing(memory, memory.clock.now_ms()) == []

    run(story())


def test_all_that_stands_fits_its_budget(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            for n in range(6):
                await wish(memory, f"Rule {n}: " + f"word{n} " * 150)
            assert 0 < len(await standing(memory, memory.clock.now_ms())) < 6
            assert STANDING_TOKENS == 600

    run(story())
