"""What waits in the queue is read by the job as well, and a model reads it besides: it proposes, and writes nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from chatting import Chat, a_chat, with_provider
from palyra.api import chat as sessions
from palyra.api import memory
from palyra.domain.learning.candidate import LearningState
from palyra.services.learning.reflecting import reflect_due
from palyra.store.learning.records import count_queued, queued_sessions
from providers.models.scripted_provider import Provider, says, scripted_provider
from services.learning.studying import ANA, learned
from support import run, verify_directory

FACT = "My dog's name is Biscuit and he is a five year old beagle."
CHOIR = "The thing about me is that Thursday evenings belong to the choir."
NOW = {"PALYRA_LEARNING_COOLDOWN_MINUTES": "0"}
INVENTED = (
    '{"proposals": [{"kind": "durable_fact", "text": "The user owns a yacht.", "confidence_bps": 9900,'
    ' "evidence": [{"seq": 999999, "quote": "I own a yacht"}]}]}'
)


async def queued(chat: Chat) -> int:
    return await chat.app.store.db.read(lambda tx: count_queued(tx, ANA))


async def texts(chat: Chat) -> list[str]:
    return [item.text for item in (await chat.do(memory.list_)).items]


def fact(text: str, seq: int, quote: str) -> dict[str, Any]:
    evidence = [{"seq": seq, "quote": quote}]
    return {"kind": "durable_fact", "text": text, "confidence_bps": 9_900, "evidence": evidence}


def test_the_job_reads_what_nobody_has_read_yet_and_each_run_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            chat.app.turns.wake = lambda: None  # type: ignore[method-assign] # it was not told
            await chat.say(await chat.new("s"), FACT)
            assert await queued(chat) == 1
            done = await reflect_due(chat.app.learning)
            assert (done.runs, done.applied) == (1, 1)
            assert (await reflect_due(chat.app.learning)).runs == 0
            assert await chat.app.store.db.read(lambda tx: queued_sessions(tx, 8)) == []
            assert await texts(chat) == [FACT]

    run(story())


def test_an_undone_turn_states_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            chat.app.turns.wake = lambda: None  # type: ignore[method-assign] # it is undone before it is read
            session = await chat.new("s")
            await chat.say(session, FACT)
            await chat.do(sessions.undo, session=session)
            assert (await reflect_due(chat.app.learning)).runs == 1
            assert await texts(chat) == []

    run(story())


def test_undoing_a_turn_takes_what_it_stated_out_of_memory(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("s")
            await chat.say(session, FACT)
            await chat.app.turns.close(20)
            assert await texts(chat) == [FACT]
            await chat.do(sessions.undo, session=session)
            assert await texts(chat) == []

    run(story())


def test_a_cooldown_spares_the_model_and_holds_up_no_reading(tmp_path: Path) -> None:
    async def story(provider: Provider) -> None:
        async with a_chat(tmp_path, PALYRA_LEARNING_COOLDOWN_MINUTES="60", **with_provider(provider.url)) as chat:
            session = await chat.new("s")
            provider.then(says("Noted."), says('{"proposals": []}'))
            await chat.say(session, FACT)
            assert (await reflect_due(chat.app.learning)).runs == 1
            provider.then(says("Noted."))
            await chat.say(session, "My sister Ines lives in Porto with her two cats.")
            assert (await reflect_due(chat.app.learning)).runs == 0
            await chat.app.turns.close(20)
            assert len(await texts(chat)) == 2
            assert await queued(chat) == 1  # for the model
            provider.then(says('{"proposals": []}'))
            assert (await reflect_due(chat.app.learning, at_once=True)).runs == 1
            assert await queued(chat) == 0

    with scripted_provider() as provider:
        run(story(provider))


@pytest.mark.parametrize(
    "answer",
    ["I would remember that you have a dog.", '{"proposals": "none"}', INVENTED, "[" * 5_000],
    ids=["prose", "wrong type", "invented", "nested"],
)
def test_a_model_that_answers_nonsense_changes_nothing_and_the_queue_goes_on(tmp_path: Path, answer: str) -> None:
    async def story(provider: Provider) -> None:
        async with a_chat(tmp_path, **NOW, **with_provider(provider.url)) as chat:
            provider.then(says("Noted."), says(answer))
            await chat.say(await chat.new("s"), FACT)
            await reflect_due(chat.app.learning)
            assert (await learned(chat), await texts(chat), await queued(chat)) == ([], [FACT], 0)

    with scripted_provider() as provider:
        run(story(provider))


def test_what_a_model_finds_in_the_persons_words_waits_for_the_person_once(tmp_path: Path) -> None:
    async def story(provider: Provider) -> None:
        async with a_chat(tmp_path, **NOW, **with_provider(provider.url)) as chat:
            session = await chat.new("s")
            for expected in (1, 0):  # what was proposed before is no news
                provider.then(says("Lovely."))
                heard = await chat.say(session, f"{CHOIR} {FACT}")
                seq = next(line.seq for line in heard.lines if line.seq and line.event == "user_message")
                proposals = [
                    fact("Thursday evenings belong to the choir.", seq, "Thursday evenings belong to the choir"),
                ]
                provider.then(says(json.dumps({"proposals": proposals})))
                before = len(await learned(chat))
                await reflect_due(chat.app.learning)
                assert len(await learned(chat)) - before == expected
            [found] = await learned(chat)
            assert (found.state, found.confidence_bps, found.extractor) == (
                LearningState.NEEDS_REVIEW,
                8_900,
                "scripted",
            )
            assert CHOIR in provider.bodies[-1]["messages"][-1]["content"]
        verify_directory(tmp_path / "data")

    with scripted_provider() as provider:
        run(story(provider))


def test_what_the_reader_has_written_is_not_proposed_by_the_model_again(tmp_path: Path) -> None:
    async def story(provider: Provider) -> None:
        async with a_chat(tmp_path, **NOW, **with_provider(provider.url)) as chat:
            provider.then(says("Lovely."))
            heard = await chat.say(await chat.new("s"), FACT)
            seq = next(line.seq for line in heard.lines if line.seq and line.event == "user_message")
            provider.then(says(json.dumps({"proposals": [fact(FACT, seq, FACT)]})))
            await reflect_due(chat.app.learning)
            assert (await learned(chat), await texts(chat)) == ([], [FACT])

    with scripted_provider() as provider:
        run(story(provider))


def test_a_secret_leaves_no_text(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            secret = "sk-" + "a1B2c3D4" * 5
            await chat.say(await chat.new("s"), f"My API key is {secret}, remember it for the billing service.")
            await chat.app.turns.close(20)
            assert all(secret not in text for text in await texts(chat))
        verify_directory(tmp_path / "data")

    run(story())
