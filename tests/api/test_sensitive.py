"""Who is shown what is sensitive: persons, agents with the right, prompts of the owner's own sessions."""

from pathlib import Path
from typing import Any

from chatting import Chat, a_chat
from palyra.api import memory
from palyra.api.call import Caller
from palyra.domain.access import Capability
from palyra.domain.journal import Actor
from support import run

ILL = "I was diagnosed with epilepsy last spring and take my pills at eight."
PLAIN = "The office in Ghent opens at nine."
ASKED = "When do I take my pills for epilepsy?"


def an_agent(*more: Capability) -> Caller:
    return Caller("user:ana", frozenset({Capability.READ, Capability.WRITE, *more}), Actor.AGENT, name="an agent")


async def everything(chat: Chat) -> str:
    [item] = [one for one in (await chat.do(memory.list_)).items if one.sensitive]
    given: list[Any] = [
        item,
        await chat.do(memory.get, memory_id=item.memory_id),
        await chat.do(memory.history, memory_id=item.memory_id),
        await chat.do(memory.search_, query=ASKED),
        await chat.do(memory.recall, query=ASKED, min_score=0.01),
        await chat.do(memory.about, name="epilepsy"),
    ]
    return repr(given)


def test_an_agent_without_the_right_is_told_that_there_is_something_not_what(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.do(memory.retain, text=ILL)
            await chat.do(memory.retain, text=PLAIN)
            seen = await everything(chat.as_(an_agent()))
            assert "[sensitive: health]" in seen
            assert "epilepsy last" not in seen
            assert PLAIN in repr(await chat.as_(an_agent()).do(memory.list_))

    run(story())


def test_persons_and_agents_with_the_right_read_it_as_it_is_written(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.do(memory.retain, text=ILL)
            for one in (chat, chat.as_(an_agent(Capability.SENSITIVE))):
                assert ILL in (await one.do(memory.recall, query=ASKED, min_score=0.01)).block
                assert "[sensitive" not in await everything(one)

    run(story())


def test_it_is_never_given_to_a_channel_nor_to_who_speaks_for_another(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.do(memory.retain, text=ILL)
            there = await chat.do(memory.recall, query=ASKED, min_score=0.01, channel="discord:1")
            assert there.memories == []
            bea = Caller("user:bea", frozenset({Capability.READ, Capability.ANY_PRINCIPAL}), Actor.USER)
            hers = await chat.as_(bea).do(memory.recall, query=ASKED, min_score=0.01, principal="user:ana")
            assert hers.memories == []

    run(story())


def test_the_report_counts_what_is_held_about_whom_and_shows_none_of_its_words(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            for text in (ILL, PLAIN, "My sister Ines was diagnosed with diabetes in March."):
                await chat.do(memory.retain, text=text)
            await chat.as_(an_agent()).do(memory.retain, text="Ana's salary went from 3,200 to 3,650 a month.")
            found = await chat.do(memory.privacy)
            kinds = {one.kind: one for one in found.kinds}
            assert (found.items, kinds["health"].items, kinds["health"].by_trust) == (2, 2, {"owner": 2})
            assert (kinds["money"].items, kinds["money"].waiting) == (0, 1)
            assert {one.name: one.by_kind["health"] for one in found.about} == {"": 1, "Ines": 1}
            assert "diabetes" not in repr(found)

    run(story())
