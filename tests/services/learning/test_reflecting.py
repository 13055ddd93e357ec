"""Reading runs that are over: what is proposed, what is written at once, and that no run is forgotten."""

import json
from pathlib import Path

import pytest

from chatting import a_chat, with_provider
from palyra.api import chat as sessions
from palyra.api import memory
from palyra.domain.learning.candidate import LearningState
from palyra.domain.learning.proposal import LearnedKind
from palyra.services.learning import looking
from palyra.services.learning.reflecting import reflect_due
from palyra.store.learning.records import count_queued, queued_sessions
from providers.models.scripted_provider import Provider, says, scripted_provider
from services.learning.studying import ANA, NOW, learned, only, told
from support import run, verify_directory

INVENTED = (
    '{"proposals": [{"kind": "durable_fact", "text": "The user owns a yacht.", "confidence_bps": 9900,'
    ' "evidence": [{"seq": 999999, "quote": "I own a yacht"}]}]}'
)


def test_a_fact_is_proposed_with_its_evidence_and_a_guess_is_not(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **NOW) as chat:
            session = await chat.new("s")
            await told(chat, session, "I'm allergic to peanuts, so please keep that in mind.", "Maybe I'll go to Rome.")
            found = await only(chat)
            assert found.kind is LearnedKind.DURABLE_FACT
            assert "allergic to peanuts" in found.text
            assert found.state in (LearningState.AUTO_APPLIED, LearningState.NEEDS_REVIEW)
            detail = await looking.get(chat.app.learning, found.candidate_id, ANA)
            [quote] = detail.evidence
            assert "allergic to peanuts" in quote.words
            assert quote.words in quote.message

    run(story())


def test_a_sure_fact_is_written_at_once_and_is_the_memory_that_was_said(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **NOW) as chat:
            await told(chat, await chat.new("s"), "My dog's name is Biscuit.")
            found = await only(chat)
            assert found.state is LearningState.AUTO_APPLIED
            [item] = (await chat.do(memory.list_)).items
            assert (item.memory_id, item.source) == (found.memory_id, "durable_fact")
            assert item.text == "My dog's name is Biscuit."

    run(story())


def test_what_a_longer_message_tells_becomes_a_memory_of_its_own(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **NOW) as chat:
            said = "Could you look at the logs later? My dog's name is Biscuit. Thanks for all the help today."
            await told(chat, await chat.new("s"), said)
            found = await only(chat)
            assert found.text == "My dog's name is Biscuit."
            items = (await chat.do(memory.list_)).items
            assert {item.source for item in items} == {"durable_fact", "tape:user_message"}

    run(story())


def test_every_run_is_queued_as_it_ends_and_read_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **NOW) as chat:
            session = await chat.new("s")
            await chat.say(session, "My dog's name is Biscuit.")
            store = chat.app.store
            assert await store.db.read(lambda tx: count_queued(tx, ANA)) == 1
            assert (await reflect_due(chat.app.learning)).runs == 1
            assert (await reflect_due(chat.app.learning)).runs == 0
            assert await store.db.read(lambda tx: queued_sessions(tx, 8)) == []
            assert len(await learned(chat)) == 1

    run(story())


def test_a_cooldown_defers_and_nothing_is_dropped(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, PALYRA_LEARNING_COOLDOWN_MINUTES="60") as chat:
            session = await chat.new("s")
            await chat.say(session, "My dog's name is Biscuit.")
            assert (await reflect_due(chat.app.learning)).runs == 1
            await chat.say(session, "My sister Ines lives in Porto.")
            assert (await reflect_due(chat.app.learning)).runs == 0
            assert await chat.app.store.db.read(lambda tx: count_queued(tx, ANA)) == 1
            other = await chat.new("other")
            await chat.say(other, "I work as a nurse in Braga.")
            assert (await reflect_due(chat.app.learning)).runs == 1
            assert (await reflect_due(chat.app.learning, at_once=True)).runs == 1
            assert len(await learned(chat)) == 3

    run(story())


def test_the_same_said_again_is_no_news(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **NOW) as chat:
            session = await chat.new("s")
            await told(chat, session, "My dog's name is Biscuit.")
            await told(chat, session, "my dog's name is Biscuit!")
            assert len(await learned(chat)) == 1

    run(story())


def test_what_contradicts_a_memory_waits_for_a_person(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **NOW) as chat:
            await chat.do(memory.retain, text="My dog's name is Rex.", pinned=True)
            await told(chat, await chat.new("s"), "My dog's name is Biscuit.")
            found = await only(chat)
            assert found.state is LearningState.CONFLICTED
            detail = await looking.get(chat.app.learning, found.candidate_id, ANA)
            assert [item.text for item in detail.conflicts] == ["My dog's name is Rex."]

    run(story())


def test_an_undone_turn_proposes_nothing_and_takes_back_what_it_proposed(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **NOW) as chat:
            session = await chat.new("s")
            await chat.say(session, "My dog's name is Biscuit.")
            await chat.do(sessions.undo, session=session)
            assert (await reflect_due(chat.app.learning)).runs == 1
            assert await learned(chat) == []
            await told(chat, session, "My sister Ines lives in Porto.")
            await told(chat, session, "I prefer tabs over spaces in every repo of mine.")
            await chat.do(sessions.undo, session=session)
            await chat.do(sessions.undo, session=session)
            assert {one.state for one in await learned(chat)} == {LearningState.REJECTED, LearningState.ROLLED_BACK}

    run(story())


def test_a_secret_is_never_proposed_and_leaves_no_text(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, **NOW) as chat:
            secret = "sk-" + "a1B2c3D4" * 5
            await told(chat, await chat.new("s"), f"My API key is {secret}, remember it.")
            assert all(secret not in one.text for one in await learned(chat))
        verify_directory(tmp_path / "data")

    run(story())


@pytest.mark.parametrize(
    "answer",
    [
        "I would remember that you have a dog.",
        '{"proposals": "none"}',
        INVENTED,
        "[" * 5_000,
    ],
    ids=["prose", "wrong type", "invented", "nested"],
)
def test_a_model_that_answers_nonsense_changes_nothing_and_the_queue_goes_on(tmp_path: Path, answer: str) -> None:
    async def story(url: str) -> None:
        async with a_chat(tmp_path, **NOW, **with_provider(url)) as chat:
            await told(chat, await chat.new("s"), "My dog's name is Biscuit.")
            found = await only(chat)
            assert found.text == "My dog's name is Biscuit."
            assert await chat.app.store.db.read(lambda tx: count_queued(tx, ANA)) == 0

    with scripted_provider() as provider:
        provider.then(says("Noted."), says(answer))
        run(story(provider.url))


def test_what_a_model_finds_in_the_persons_words_waits_for_the_person(tmp_path: Path) -> None:
    said = "The thing about me is that Thursday evenings belong to the choir."

    async def story(url: str, provider: Provider) -> None:
        async with a_chat(tmp_path, **NOW, **with_provider(url)) as chat:
            session = await chat.new("s")
            provider.then(says("Lovely."))
            heard = await chat.say(session, said)
            seq = next(line.seq for line in heard.lines if line.event == "user_message")
            fact = {
                "kind": "durable_fact",
                "text": "Thursday evenings belong to the choir.",
                "confidence_bps": 9_900,
                "evidence": [{"seq": seq, "quote": "Thursday evenings belong to the choir"}],
            }
            provider.then(says(json.dumps({"proposals": [fact]})))
            await reflect_due(chat.app.learning)
            [found] = [one for one in await learned(chat) if one.extractor == "scripted"]
            assert (found.state, found.confidence_bps) == (LearningState.NEEDS_REVIEW, 8_900)
            asked = provider.bodies[-1]["messages"][-1]["content"]
            assert said in asked

    with scripted_provider() as provider:
        run(story(provider.url, provider))
