"""Everything about somebody, by name and by what they are to the speaker."""

from pathlib import Path

import pytest

from palyra.core.errors import InvalidArgument
from palyra.domain.memory import Draft
from palyra.domain.scope import Visibility
from palyra.services.memory.about import about
from palyra.services.memory.context import Memory
from palyra.services.memory.ingest import ingest
from support import a_memory, run

ANA, BOB = Visibility("user:ana"), Visibility("user:bob")


async def keep(memory: Memory, *texts: str) -> None:
    for text in texts:
        await ingest(memory, Draft(text), ANA)


def test_a_person_is_found_by_name_and_by_role(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await keep(
                memory,
                "My sister Ines lives in Porto",
                "Ines is allergic to nuts",
                "my sister plays the cello",
                "I like tea",
            )
            for name in ("Ines", "ines", "my sister", "sister"):
                page = await about(memory, name, ANA)
                assert (page.name.casefold(), page.also) == ("ines", ("sister",))
                assert {item.text for item in page.holds} == {
                    "My sister Ines lives in Porto",
                    "Ines is allergic to nuts",
                    "my sister plays the cello",
                }
            assert (await about(memory, "Ines", BOB)).holds == ()

    run(story())


def test_two_sisters_are_not_one(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await keep(
                memory, "My sister Ines lives in Porto", "My sister Rita has a boat", "my sister plays the cello"
            )
            page = await about(memory, "Ines", ANA)
            assert [item.text for item in page.holds] == ["My sister Ines lives in Porto"]
            assert page.also == ()

    run(story())


def test_what_changed_stands_apart_from_what_holds(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            await keep(memory, "Ines lives in Porto", "Actually, Ines lives in Faro now")
            page = await about(memory, "Ines", ANA)
            assert [item.text for item in page.holds] == ["Actually, Ines lives in Faro now"]
            [one] = page.changed
            assert one.before.text == "Ines lives in Porto"
            assert one.after == page.holds[0]

    run(story())


@pytest.mark.parametrize("name", ["", " ", "x" * 121, "a\ud800"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    async def story() -> None:
        async with a_memory(tmp_path) as memory:
            with pytest.raises(InvalidArgument):
                await about(memory, name, ANA)

    run(story())
