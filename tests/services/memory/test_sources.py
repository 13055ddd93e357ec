"""Every profile searches its own source, and says where what it has found stands."""

from pathlib import Path

import pytest

from chatting import Chat, a_chat
from palyra.api import chat as api
from palyra.api import continuity, memory, workspace
from palyra.api.call import owner
from palyra.core.errors import InvalidArgument
from palyra.wire.memory import FoundPassage
from services.continuity.continuing import compact, talk, turns
from support import run


async def found(chat: Chat, profile: str, query: str, **more: object) -> list[FoundPassage]:
    answer = await chat.do(memory.search_, query=query, profile=profile, **more)
    assert answer.hits == []
    return list(answer.passages)


async def a_life(chat: Chat) -> str:
    """Something in each source: turns, a document, a checkpoint and a summary of the turns."""
    session = await chat.new("trip")
    await chat.say(session, "The night train to Lisbon leaves at nine.")
    for number in range(12):
        await chat.say(session, f"Walk number {number} went along the river.")
    await chat.do(workspace.write, path="context/garden.md", text="# Soil\n\nThe beds need compost every spring.\n")
    await chat.do(continuity.create, session=session, name="before the harvest", note="apples are ripe", tags=("farm",))
    return session


def test_the_tape_is_found_with_the_session_run_and_event_of_the_turn(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await a_life(chat)
            best = (await found(chat, "transcript", "when does the train to Lisbon leave?"))[0]
            assert best.text == "The night train to Lisbon leaves at nine."
            assert (best.profile, best.speaker, best.trust) == ("transcript", "user", "owner")
            where = best.where
            assert (where.session_id, where.session_key, where.type) == (session, "trip", "user_message")
            entries = (await chat.do(api.transcript, session=session)).entries
            [entry] = [one for one in entries if one.event_id == where.event_id]
            assert (entry.run_id, entry.seq) == (where.run_id, where.seq)

    run(story())


def test_what_was_said_a_moment_ago_is_found_and_what_is_erased_is_not(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await a_life(chat)
            assert await found(chat, "transcript", "Lisbon")
            await chat.say(session, "Quokkas live on Rottnest.")
            assert (await found(chat, "transcript", "quokkas"))[0].text == "Quokkas live on Rottnest."
            await chat.do(api.erase, session=session)
            assert not any("quokka" in one.text.lower() for one in await found(chat, "transcript", "quokkas"))

    run(story())


def test_a_long_turn_is_found_by_what_stands_at_its_end_and_shown_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("log")
            await chat.say(session, "All of it was quiet. " * 2_000 + "The pump of the cellar failed at noon.")
            hits = await found(chat, "transcript", "pump of the cellar")
            assert "The pump of the cellar failed at noon." in hits[0].text
            assert len(hits[0].text) <= 4_000
            assert [one.where.type for one in hits].count("user_message") == 1

    run(story())


def test_documents_checkpoints_and_summaries_are_found_where_they_stand(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await a_life(chat)
            section = (await found(chat, "workspace", "compost"))[0]
            assert (section.where.path, section.where.heading, section.where.line) == ("context/garden.md", "Soil", 1)
            point = (await found(chat, "checkpoint", "ripe apples on the farm"))[0]
            assert (point.where.name, point.where.session_id) == ("before the harvest", session)
            done = await compact(chat, await talk(chat, "long", turns(40)))
            summary = (await found(chat, "compaction", "where does Ines live?"))[0]
            assert "Ines lives in Porto" in summary.text
            assert summary.where.compaction_id == done.compaction_id

    run(story())


def test_another_principal_and_another_channel_find_nothing_of_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await a_life(chat)
            bob = chat.as_(owner("user:bob"))
            for profile, word in (("transcript", "Lisbon"), ("checkpoint", "harvest"), ("workspace", "compost")):
                assert any(word in one.text for one in await found(chat, profile, word))
                assert not any(word in one.text for one in await found(bob, profile, word))

    run(story())


def test_a_profile_that_is_none_and_a_filter_that_is_of_memory_are_one_clear_error(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            with pytest.raises(InvalidArgument, match="unknown profile 'dreams'"):
                await chat.do(memory.search_, query="x", profile="dreams")
            with pytest.raises(InvalidArgument, match="tags is of memory"):
                await chat.do(memory.search_, query="x", profile="transcript", tags=("farm",))
            with pytest.raises(InvalidArgument, match="recall brings together"):
                await chat.do(memory.recall, query="x", profile="transcript")
            for limit in (0, 65):
                with pytest.raises(InvalidArgument, match="outside"):
                    await chat.do(memory.search_, query="x", profile="transcript", top_k=limit)

    run(story())
