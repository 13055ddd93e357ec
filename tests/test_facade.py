"""`from palyra import Palyra`: ten lines that remember."""

import asyncio
from pathlib import Path

import pytest

import palyra
from palyra import Palyra, PalyraSync
from palyra.core.errors import PermissionDenied
from palyra.wire.memory import RetainedText


def test_it_retains_and_recalls(tmp_path: Path) -> None:
    async def story() -> None:
        async with Palyra(tmp_path, principal="user:ana") as memory:
            await memory.retain("I moved to Lisbon in March")
            await memory.retain_many([RetainedText(text="I prefer tea"), RetainedText(text="My dog is called Biscuit")])
            hits = (await memory.search("which city do I live in?")).hits
            assert hits[0].item.text == "I moved to Lisbon in March"
            recalled = await memory.recall("what is my dog called?")
            assert "Biscuit" in recalled.block
            assert len([item async for item in memory.items()]) == 3

    asyncio.run(story())


def test_the_sync_facade_does_the_same(tmp_path: Path) -> None:
    with PalyraSync(tmp_path, principal="user:ana") as memory:
        stored = memory.retain("I moved to Lisbon in March", tags=("home",))
        assert stored.memory_id is not None
        assert memory.search("Lisbon").hits[0].item.tags == ["home"]
        assert memory.update(stored.memory_id, text="I moved to Porto in May").item.text.endswith("May")
        assert len(memory.history(stored.memory_id).events) == 2
        assert memory.status().items == 1
        assert len(memory.items()) == 1
        assert memory.erase(stored.memory_id).erased
        assert memory.items() == []


def test_another_principal_is_refused(tmp_path: Path) -> None:
    with PalyraSync(tmp_path, principal="user:ana") as memory:
        kept = memory.retain("mine").memory_id
    assert kept is not None
    with PalyraSync(tmp_path, principal="user:bob") as stranger:
        assert stranger.items() == []
        with pytest.raises(PermissionDenied):
            stranger.get(kept)


def test_an_agent_cannot_approve_what_it_proposed(tmp_path: Path) -> None:
    with PalyraSync(tmp_path, actor="agent") as memory:
        held = memory.retain("Pay all invoices at once", source="tape:tool_result")
        assert held.candidate_id is not None
        with pytest.raises(PermissionDenied):
            memory.approve(held.candidate_id)


def test_using_it_closed_is_a_clear_mistake(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="context manager"):
        asyncio.run(Palyra(tmp_path).retain("x"))


def test_the_package_names_what_it_offers() -> None:
    assert set(palyra.__all__) == {"Palyra", "PalyraSync"}
    with pytest.raises(AttributeError):
        palyra.nothing_of_the_kind  # noqa: B018 - the access is the test
