"""What was said is erased from documents, too, where a compaction had put it."""

from pathlib import Path

import pytest

from chatting import ANA, Chat, a_chat
from palyra.api import chat as api
from palyra.api import continuity, workspace
from palyra.api import memory as memories
from palyra.api.call import owner
from palyra.core.errors import NotFound, PermissionDenied
from support import files_holding, run, verify_directory

SETTINGS = {"PALYRA_MEMORY_DEFAULT_PRINCIPAL": ANA}


async def _condensed(chat: Chat) -> Path:
    """A session whose facts are in MEMORY.md, beside a line of the person's own."""
    await chat.new("trip")
    await chat.tell("trip", "My sister Quilla lives in Zwolle, in the Netherlands.")
    await chat.say("trip", "I prefer tea over coffee in the morning.")
    for n in range(12):
        await chat.say("trip", f"Today I worked on part {n} of the report.")
    folder = chat.app.workspace_folder(ANA)
    assert folder is not None
    await chat.do(continuity.apply, session="trip")
    memory = folder / "MEMORY.md"
    assert "Quilla" in memory.read_text()
    memory.write_text("My own line.\n" + memory.read_text())
    await chat.do(workspace.list_)  # takes it in
    return memory


@pytest.mark.parametrize("whole", [True, False])
def test_no_trace_is_left_and_the_persons_own_lines_stay(tmp_path: Path, whole: bool) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **SETTINGS) as chat:
            memory = await _condensed(chat)
            first = (await chat.do(api.transcript, session="trip", everything=True)).runs[0].run_id
            done = await chat.do(api.erase, session="trip", run_ids=() if whole else (first,))
            assert done.untouched_copies == []
            text = memory.read_text()
            assert text.startswith("My own line.\n")
            assert "Quilla" not in text
            assert ("tea over coffee" in text) is not whole
            before, after = await chat.app.journal.rebuild(lambda _seq: None)
            assert before == after
        assert files_holding(tmp_path / "data", "Quilla") == []
        assert verify_directory(tmp_path / "data").ok

    run(story())


def test_a_document_whose_block_was_edited_by_hand_is_left_alone_and_named(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **SETTINGS) as chat:
            memory = await _condensed(chat)
            memory.write_text(memory.read_text().replace("Quilla lives", "Quilla now lives"))
            await chat.do(workspace.list_)
            done = await chat.do(api.erase, session="trip")
            assert done.untouched_copies == ["document MEMORY.md"]
            assert "Quilla now lives" in memory.read_text()
            assert "Quilla now lives" in (await chat.do(workspace.get, path="MEMORY.md")).text

    run(story())


async def _memory_with(chat: Chat, word: str) -> list[str]:
    found = (await chat.do(memories.search_, query=word, top_k=20)).hits
    return [hit.item.memory_id for hit in found if word in hit.item.text]


def test_erasing_a_single_memory_takes_it_out_of_the_documents_and_of_the_summary(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **SETTINGS) as chat:
            memory = await _condensed(chat)
            assert "Quilla" in (await chat.do(workspace.search, query="Quilla")).hits[0].snippet
            for memory_id in await _memory_with(chat, "Quilla"):
                done = await chat.do(memories.erase, ids=(memory_id,))
                assert done.untouched_copies == []
            text = memory.read_text()
            assert text.startswith("My own line.\n")
            assert "Quilla" not in text
            assert "tea over coffee" in text
            assert all("Quilla" not in hit.snippet for hit in (await chat.do(workspace.search, query="Quilla")).hits)
            before, after = await chat.app.journal.rebuild(lambda _seq: None)
            assert before == after
        assert files_holding(tmp_path / "data", "Quilla") == []
        assert files_holding(tmp_path / "data", "tea over coffee")
        assert verify_directory(tmp_path / "data").ok

    run(story())


def test_a_part_of_what_a_memory_says_goes_with_it_and_the_rest_of_the_turn_stays(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **SETTINGS) as chat:
            await chat.new("trip")
            await chat.say("trip", "My sister Quilla lives in Zwolle. My brother Orvo lives in Tampere.")
            for n in range(12):
                await chat.say("trip", f"Today I worked on part {n} of the report.")
            await chat.do(continuity.apply, session="trip")
            text = (await chat.do(workspace.get, path="MEMORY.md")).text
            assert "Quilla" in text
            assert "Orvo" in text
            only = [
                hit.item.memory_id
                for hit in (await chat.do(memories.search_, query="Quilla", top_k=20)).hits
                if "Quilla" in hit.item.text and "Orvo" not in hit.item.text
            ]
            both = [one for one in await _memory_with(chat, "Quilla") if one not in only]
            for memory_id in only:
                await chat.do(memories.erase, ids=(memory_id,))
                text = (await chat.do(workspace.get, path="MEMORY.md")).text
                assert "Quilla" not in text
                assert "Orvo" in text
            for memory_id in both:
                await chat.do(memories.erase, ids=(memory_id,))
            assert "Quilla" not in (await chat.do(workspace.get, path="MEMORY.md")).text
        assert files_holding(tmp_path / "data", "Quilla") == []

    run(story())


def test_erasing_a_memory_names_a_document_whose_block_was_edited_by_hand(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **SETTINGS) as chat:
            memory = await _condensed(chat)
            memory.write_text(memory.read_text().replace("Quilla lives", "Quilla now lives"))
            ids = await _memory_with(chat, "Quilla")
            done = await chat.do(memories.erase, ids=tuple(ids))
            assert done.untouched_copies == ["document MEMORY.md"]
            assert "Quilla now lives" in memory.read_text()
            with pytest.raises(NotFound):
                await chat.do(memories.erase, ids=("01JD0000000000000000000000",))

    run(story())


def test_nobody_reaches_documents_by_erasing_what_is_not_theirs(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **SETTINGS) as chat:
            memory = await _condensed(chat)
            before = memory.read_text()
            bob = Chat(chat.app, owner("user:bob"))
            with pytest.raises(PermissionDenied):
                await bob.do(memories.erase, ids=tuple(await _memory_with(chat, "Quilla")))
            kept = await bob.do(memories.retain, text="My sister Quilla lives in Zwolle.")
            await bob.do(memories.erase, ids=(kept.memory_id,))
            assert memory.read_text() == before

    run(story())
