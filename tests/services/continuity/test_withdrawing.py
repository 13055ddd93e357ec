"""What was said is erased from documents, too, where a compaction had put it."""

from pathlib import Path

import pytest

from chatting import ANA, Chat, a_chat
from palyra.api import chat as api
from palyra.api import continuity, workspace
from support import files_holding, run, verify_directory

SETTINGS = {"PALYRA_MEMORY_DEFAULT_PRINCIPAL": ANA}


async def _condensed(chat: Chat) -> Path:
    """A session whose facts are in MEMORY.md, beside a line of the person's own."""
    await chat.new("trip")
    await chat.say("trip", "My sister Quilla lives in Zwolle.")
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
