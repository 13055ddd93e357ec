"""What one thing that was learned has touched, and taking all of it out in one step."""

from pathlib import Path

import pytest

from chatting import a_chat
from palyra.api import memory
from palyra.core.errors import FailedPrecondition
from palyra.domain.journal import Actor
from palyra.domain.learning.candidate import LearningState
from palyra.services.learning import looking
from palyra.services.learning.radius import blast_radius, quarantine
from proposing import Said
from services.learning.studying import ANA, UNREAD, learned, only, preference_of, told
from support import run, verify_directory


def test_the_radius_names_memories_and_the_runs_that_were_told(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            said = "Could you look at the logs later? My dog's name is Biscuit. Thanks for all the help today."
            await told(chat, await chat.new("s"), Said(said, learned="My dog's name is Biscuit."))
            [span] = (await only(chat)).evidence
            heard = await chat.say(await chat.new("other"), "What's my dog's name?")
            assert heard.events("injection")
            await chat.do(memory.retain, text=said, source="tape:user_message", provenance=(span.event_id,))
            radius = await blast_radius(chat.app.learning, (await only(chat)).candidate_id, ANA)
            assert {item.text for item in radius.memories} == {said, "My dog's name is Biscuit."}
            assert [used.run_id for used in radius.runs] == [heard.run_id]

    run(story())


def test_quarantine_forgets_all_that_was_made_of_the_same_words(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            said = "Could you look at the logs later? My dog's name is Biscuit. Thanks for all the help today."
            await told(chat, await chat.new("s"), Said(said, learned="My dog's name is Biscuit."))
            [span] = (await only(chat)).evidence
            await chat.do(memory.retain, text=said, source="tape:user_message", provenance=(span.event_id,))
            found = await only(chat)
            done = await quarantine(chat.app.learning, found.candidate_id, ANA, Actor.USER)
            assert len(done.forgotten) == 2
            assert (await only(chat)).state is LearningState.ROLLED_BACK
            assert (await chat.do(memory.list_)).items == []
            heard = await chat.say(await chat.new("other"), "What is the name of my dog?")
            assert "Biscuit" not in heard.answer
            with pytest.raises(FailedPrecondition, match="nothing holds what it says"):
                await quarantine(chat.app.learning, found.candidate_id, ANA, Actor.USER)
        assert not verify_directory(tmp_path / "data").findings

    run(story())


def test_what_a_quarantined_preference_had_replaced_comes_back(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **UNREAD) as chat:
            session = await chat.new("s")
            await preference_of(chat, session, "Always answer me in British English.", "answer.language")
            newer = await preference_of(chat, session, "From now on, always answer me in French.", "answer.language")
            done = await quarantine(chat.app.learning, newer.candidate_id, ANA, Actor.USER)
            assert len(done.reinstated) == 1
            [left] = await looking.preferences(chat.app.learning, ANA)
            assert "British" in left.text
            assert {one.state for one in await learned(chat)} == {LearningState.APPLIED, LearningState.ROLLED_BACK}

    run(story())
