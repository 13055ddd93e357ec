"""Recall gives lines of documents beside memories, under one budget: only those that bear on the question."""

from pathlib import Path

from chatting import Chat, a_chat, with_provider
from palyra.api import memory, workspace
from palyra.wire.memory import Recalled
from providers.models.scripted_provider import scripted_provider
from support import run

NOTES = (
    "# MEMORY\n\n## House\n\n"
    "- The gas meter is behind the boiler in the cellar.\n"
    "- Our window cleaner is called Torvald and comes every second Friday.\n\n"
    "## Travel\n\nMy passport number begins with the letters KX.\n"
)


async def recalled(chat: Chat, query: str, **more: object) -> Recalled:
    answer: Recalled = await chat.do(memory.recall, query=query, **more)
    return answer


async def given(chat: Chat, query: str) -> list[str]:
    return [one.text for one in (await recalled(chat, query)).memories]


def test_a_line_of_memory_md_that_answers_is_recalled_and_the_others_are_not(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.do(workspace.write, path="MEMORY.md", text=NOTES)
            done = await recalled(chat, "What is our window cleaner called?")
            assert [one.text for one in done.memories] == [
                "Our window cleaner is called Torvald and comes every second Friday."
            ]
            [one] = done.memories
            assert (one.path, one.source, one.trust) == ("MEMORY.md", "workspace", "owner")
            assert "Torvald" in done.block
            assert "passport" not in done.block
            assert (await recalled(chat, "Write a haiku about the sea")).block == ""

    run(story())


def test_the_prompt_of_a_chat_gets_the_same_line_and_never_the_document(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                await chat.do(workspace.write, path="MEMORY.md", text=NOTES)
                session = await chat.new("s")
                await chat.say(session, "What is our window cleaner called?")
                [line] = [one for one in (await recalled(chat, "What is our window cleaner called?")).block.split("\n")
                          if "Torvald" in one]  # fmt: skip
                assert line in str(provider.bodies[-1]["messages"][-1]["content"])
                assert "passport" not in str(provider.bodies)
                await chat.say(await chat.new("t"), "Write a haiku about the sea")
                assert "Torvald" not in str(provider.bodies[-1])

    run(story())


def test_a_pinned_document_stands_in_a_chat_and_is_not_said_twice(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                await chat.do(workspace.write, path="MEMORY.md", text=NOTES)
                await chat.do(workspace.pin, path="MEMORY.md")
                await chat.say(await chat.new("s"), "What is our window cleaner called?")
                assert str(provider.bodies[-1]).count("Torvald") == 1

    run(story())


def test_a_line_that_memory_knows_already_is_given_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.do(workspace.write, path="MEMORY.md", text="Our window cleaner is called Torvald.\n")
            await chat.do(memory.retain, text="Our window cleaner is called Torvald")
            assert len(await given(chat, "What is our window cleaner called?")) == 1

    run(story())


def test_a_line_that_was_changed_or_erased_is_not_given_any_more(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.do(workspace.write, path="MEMORY.md", text="Our window cleaner is called Torvald.\n")
            assert await given(chat, "What is our window cleaner called?")
            await chat.do(workspace.write, path="MEMORY.md", text="Our window cleaner is called Sigrun.\n")
            assert await given(chat, "What is our window cleaner called?") == ["Our window cleaner is called Sigrun."]
            await chat.do(workspace.erase, path="MEMORY.md", reason="asked for")
            assert await given(chat, "What is our window cleaner called?") == []

    run(story())


def test_a_document_is_a_candidate_once_it_is_pinned_and_not_before(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            await chat.do(workspace.write, path="context/home.md", text="Our window cleaner is called Torvald.\n")
            assert await given(chat, "What is our window cleaner called?") == []
            await chat.do(workspace.pin, path="context/home.md")
            assert await given(chat, "What is our window cleaner called?") == ["Our window cleaner is called Torvald."]

    run(story())
