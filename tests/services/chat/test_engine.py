"""Turns as they go: answered, queued, merged, interrupted, aborted, repeated, resumed and ended by a crash."""

import asyncio
import secrets
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from chatting import ANA, Chat, Heard, a_chat, text_of, with_provider
from palyra.api import chat as api
from palyra.api import dispatch, memory
from palyra.api.call import Caller, owner
from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound, PermissionDenied, TooLarge
from palyra.domain.access import Capability
from palyra.domain.chat.session import RunState
from palyra.domain.journal import Actor
from palyra.services.sessions.runs import recover
from palyra.wire import chat as wire
from providers.models.scripted_provider import calls, cut, garbage, hold, says, scripted_provider, status
from support import run, verify_directory


def test_what_was_told_in_one_session_is_answered_in_another(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path, PALYRA_MEMORY_EMBEDDINGS_PROVIDER="local") as chat:
            await chat.tell(await chat.new(), "My dog is called Biscuit, and he is a five year old beagle.")
            heard = await chat.say(await chat.new(), "What is my dog called?")
            assert "Biscuit" in heard.answer
            assert "[m1]" in heard.answer
            [injected] = heard.events("injection")
            assert injected["memories"][0]["citation"] == "m1"
            explained = await chat.do(api.explain, run_id=heard.run_id)
            assert explained.injections == [injected]
            assert {part["kind"] for part in explained.reports[0]["parts"]} >= {"instructions", "memory", "message"}

    run(story())


def test_the_memory_is_in_the_prompt_that_the_provider_got(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                await chat.do(memory.retain, text="The staging server listens on port 5432.")
                provider.then(says("It is 5432."))
                heard = await chat.say(await chat.new(), "Which port does the staging server use?")
                assert heard.answer == "It is 5432."
                prompt = provider.bodies[-1]["messages"]
                assert "port 5432" in str(prompt[-1]["content"])
                assert str(prompt).count("Which port does the staging server use?") == 1

    run(story())


def test_both_sides_and_the_report_are_on_the_tape(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new("standup")
            heard = await chat.say(session, "I like tea.")
            page = await chat.do(api.transcript, session="standup")
            assert [entry.type for entry in page.entries] == ["user_message", "prompt_report", "assistant_message"]
            assert page.runs[0].state == "done"
            assert page.entries[-1].payload["text"] == heard.answer
            assert page.session.title == "I like tea."
        assert verify_directory(tmp_path / "data").ok

    run(story())


def test_messages_wait_for_their_turn_in_the_order_they_came(tmp_path: Path) -> None:
    async def story() -> None:
        release = threading.Event()
        with scripted_provider(hold(release, "first")) as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                session = await chat.new()
                first = asyncio.create_task(chat.say(session, "one"))
                await _until(lambda: len(provider.asked) == 1)
                provider.then(says("second"), says("third"))
                others = [chat.lines(session, text) for text in ("two", "three")]
                waiting = [await anext(lines) for lines in others]
                assert [line.state for line in waiting] == ["pending", "pending"]
                release.set()
                heard = [
                    await first,
                    *[
                        Heard([meta, *[line async for line in lines]])
                        for meta, lines in zip(waiting, others, strict=True)
                    ],
                ]
                assert [one.answer for one in heard] == ["first", "second", "third"]
                assert [str(body["messages"][-1]["content"])[-5:].strip() for body in provider.bodies] == [
                    "one",
                    "two",
                    "three",
                ]

    run(story())


def test_a_message_can_join_the_one_that_waits(tmp_path: Path) -> None:
    async def story() -> None:
        release = threading.Event()
        with scripted_provider(hold(release)) as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                session = await chat.new()
                first = asyncio.create_task(chat.say(session, "one"))
                await _until(lambda: len(provider.asked) == 1)
                second = chat.lines(session, "two")
                meta = await anext(second)
                joined = chat.lines(session, "and three", mode="merge")
                assert (await anext(joined)).run_id == meta.run_id
                release.set()
                await first
                async for _ in second:
                    pass
                assert "two\n\nand three" in str(provider.bodies[-1]["messages"][-1]["content"])
                assert len(provider.asked) == 2
                await joined.aclose()  # type: ignore[attr-defined]

    run(story())


def test_a_message_can_interrupt(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider(hold(threading.Event(), "long story")) as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                session = await chat.new()
                first = asyncio.create_task(chat.say(session, "tell me a story"))
                await _until(lambda: len(provider.asked) == 1)
                heard = await chat.say(session, "stop, rather this", mode="interrupt")
                assert heard.state == "done"
                assert (await first).state == "cancelled"
                assert await asyncio.to_thread(provider.asked[0].client_left.wait, 20)

    run(story())


def test_abort_keeps_what_has_arrived_and_twice_is_once(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider(hold(threading.Event(), "half of it ")) as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                session = await chat.new()
                lines = chat.lines(session, "tell me")
                seen = [await anext(lines)]
                while not text_of(seen):
                    seen.append(await anext(lines))
                run_id = seen[0].run_id
                both = await asyncio.gather(chat.do(api.abort, run_id=run_id), chat.do(api.abort, run_id=run_id))
                assert {one.state for one in both} == {"cancelled"}
                assert (await chat.do(api.abort, run_id=run_id)).state == "cancelled"
                seen += [line async for line in lines]
                assert seen[-1].state == "cancelled"
                last = (await chat.do(api.transcript, session=session)).entries[-1]
                assert (last.type, last.payload["complete"]) == ("assistant_message", False)
                assert text_of(seen).startswith("half")
                done = await chat.say(session, "go on")
                with pytest.raises(FailedPrecondition, match="done already"):
                    await chat.do(api.abort, run_id=done.run_id)

    run(story())


def test_undo_and_retry_take_a_turn_out_of_the_conversation_not_off_the_tape(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                session = await chat.new()
                provider.then(says("A1"), says("A2"))
                await chat.say(session, "first question, please")
                await chat.say(session, "second question, please")
                undone = await chat.do(api.undo, session=session)
                assert undone.text == "second question, please"
                provider.then(says("B1"))
                request = wire.RetryRun(session=session)
                again = Heard([line async for line in dispatch.stream(chat.call, api.retry, request)])
                assert again.answer == "B1"
                assert "second" not in str(provider.bodies[-1]["messages"])
                assert "A1" not in str(provider.bodies[-1]["messages"])
                page = await chat.do(api.transcript, session=session)
                assert [one.state for one in page.runs] == ["done"]
                everything = await chat.do(api.transcript, session=session, everything=True)
                assert [one.undone for one in everything.runs] == [True, True, False]

    run(story())


def test_a_branch_shares_the_past_and_nothing_after(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                session = await chat.new("main")
                provider.then(says("A1"), says("A2"), says("B1"), says("A3"))
                first = await chat.say(session, "question one?")
                await chat.say(session, "question two?")
                branch = await chat.do(api.branch, session="main", run_id=first.run_id, key="side")
                assert branch.parent_id == session
                await chat.say("side", "question three?")
                sent = str(provider.bodies[-1]["messages"])
                assert "A1" in sent
                assert "A2" not in sent
                await chat.do(api.reset, session="main")
                await chat.say("main", "question four?")
                assert "A1" not in str(provider.bodies[-1]["messages"])
                texts = [
                    e.payload["text"]
                    for e in (await chat.do(api.transcript, session="side")).entries
                    if "text" in e.payload
                ]
                assert texts == ["question one?", "A1", "question three?", "B1"]
                kin = await chat.do(api.get, session="side")
                assert [one.key for one in kin.ancestors] == ["main"]

    run(story())


@pytest.mark.parametrize("where", [0, 1, 3, 5])
def test_a_stream_can_be_taken_up_after_any_line(tmp_path: Path, where: int) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                provider.then(says("word " * 50))
                lines = chat.lines(await chat.new(), "tell me")
                seen = [await anext(lines) for _ in range(where + 1)]
                await lines.aclose()  # type: ignore[attr-defined]
                kept = max((line.seq or 0 for line in seen), default=0)
                rest = await chat.follow(seen[0].run_id, kept)
                assert rest.state == "done"
                assert text_of([*seen, *rest.lines]).strip() == ("word " * 50).strip()
                again = await chat.follow(seen[0].run_id)
                seqs = [line.seq for line in seen + rest.lines if line.seq]
                assert sorted(set(seqs)) == [line.seq for line in again.lines if line.seq]

    run(story())


def test_the_turn_goes_on_when_nobody_listens(tmp_path: Path) -> None:
    async def story() -> None:
        release = threading.Event()
        with scripted_provider(hold(release, "still here")) as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                lines = chat.lines(await chat.new(), "tell me")
                meta = await anext(lines)
                await lines.aclose()  # type: ignore[attr-defined]
                release.set()
                assert (await chat.follow(meta.run_id)).answer == "still here"

    run(story())


@pytest.mark.parametrize(
    ("answer", "code"),
    [(status(401), "failed_precondition"), (garbage, "integrity"), (cut("half of an answer"), "unavailable")],
)
def test_a_provider_that_fails_ends_the_turn_with_one_clear_error(tmp_path: Path, answer: object, code: str) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            provider.then(answer)  # type: ignore[arg-type]
            settings = with_provider(provider.url, PALYRA_MODELS_MAX_RETRIES="0")
            async with a_chat(tmp_path, **settings) as chat:
                heard = await chat.say(await chat.new(), "hello there")
                assert heard.state == "failed"
                assert heard.error is not None
                assert heard.error["code"] in (code, "integrity", "unavailable")
                assert [line.type for line in heard.lines][-2:] == ["error", "complete"]
                assert heard.notices[-1] == heard.error["code"]

    run(story())


def test_a_crash_leaves_a_run_that_the_next_start_ends(tmp_path: Path) -> None:
    async def story() -> None:
        release = threading.Event()
        with scripted_provider(hold(release, "what had arrived ")) as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                lines = chat.lines(await chat.new("s"), "tell me")
                meta = await anext(lines)
                await _until(lambda: len(provider.asked) == 1)
                ended = await recover(chat.app.sessions)  # as the next process would
                assert [one.run_id for one in ended] == [meta.run_id]
                after = await chat.do(api.run, run_id=meta.run_id)
                assert (after.state, after.error_code) == ("failed", "interrupted")
                assert await recover(chat.app.sessions) == []
                await lines.aclose()  # type: ignore[attr-defined]

    run(story())


def test_an_answer_larger_than_any_event_is_kept_whole(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                answer = "\u0001é words " * 40_000
                provider.then(says(answer, 100_000))
                heard = await chat.say(await chat.new("s"), "tell me all")
                assert heard.state == "done"
                again = await chat.follow(heard.run_id)
                assert again.answer == heard.answer
                assert len(heard.answer) > 300_000

    run(story())


def test_secrets_in_an_answer_never_leave_not_even_in_pieces(tmp_path: Path) -> None:
    key = "sk-" + secrets.token_hex(24)

    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                provider.then(says(f"your key is {key} as you said", 3))
                heard = await chat.say(await chat.new(), "what is my key?")
                assert key not in str(heard.lines)
                assert key[:20] not in str(heard.lines)
                assert "as you said" in heard.answer
        assert key not in (tmp_path / "data" / "palyra.db").read_bytes().decode("latin-1")

    run(story())


def test_secrets_in_a_message_reach_neither_the_tape_nor_the_provider(tmp_path: Path) -> None:
    key = "ghp_" + secrets.token_hex(18)

    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                heard = await chat.say(await chat.new(), f"use {key} for the deploy")
                assert key not in str(heard.lines)
                assert key not in str(provider.bodies)

    run(story())


def test_wrong_messages_get_one_clear_error_and_change_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new()
            size, _ = await chat.app.journal.head()
            for text, error in (
                ("", InvalidArgument),
                ("  \n", InvalidArgument),
                ("x" * 2_000_000, TooLarge),
                ("\ud800", InvalidArgument),
            ):
                with pytest.raises(error):
                    await chat.say(session, text)
            for field in ({"mode": "later"}, {"attachments": ("0",) * 9}):
                with pytest.raises(InvalidArgument):
                    await chat.say(session, "hello", **field)
            with pytest.raises(NotFound):
                await chat.say("nowhere", "hello")
            with pytest.raises(PermissionDenied):
                await chat.as_(owner("user:bob")).say(session, "hello")
            assert (await chat.app.journal.head())[0] == size

    run(story())


def test_who_may_only_write_is_told_nothing_that_is_remembered(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                await chat.do(memory.retain, text="My sister lives in Ghent.", tags=["family"])
                writer = chat.as_(Caller(ANA, frozenset({Capability.WRITE}), Actor.AGENT))
                provider.then(calls("memory_search", {"query": "sister"}), says("So be it."))
                heard = await writer.say(await writer.new(), "Where does my sister live? [[family]] @memory:sister")
                assert "Ghent" not in str(heard.lines)
                assert "Ghent" not in str(provider.bodies)
                with pytest.raises(PermissionDenied, match="read"):
                    await writer.say(
                        await writer.new(), "sister", parameter_delta=wire.ParameterDelta(recall=wire.ExplicitRecall())
                    )
                told = await writer.new()
                await writer.tell(told, "Our boiler is serviced every October.")
                await writer.do(api.undo, session=told)
                assert "boiler" in str(await chat.do(memory.list_))  # forgetting is another right

    run(story())


def test_a_missing_attachment_ends_the_turn_and_says_so(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            heard = await chat.say(await chat.new(), "look at this", attachments=("0" * 64,))
            assert heard.state == "failed"
            assert heard.error is not None
            assert heard.error["code"] == "not_found"

    run(story())


def test_the_same_request_id_answers_with_the_same_turn(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_chat(tmp_path) as chat:
            session = await chat.new()
            first = await chat.say(session, "I like tea.", request_id="once")
            again = await chat.say(session, "I like tea.", request_id="once")
            assert again.run_id == first.run_id
            assert again.answer == first.answer
            assert len((await chat.do(api.transcript, session=session)).runs) == 1

    run(story())


def test_a_tool_is_called_and_its_answer_goes_back_to_the_model(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                await chat.do(memory.retain, text="My sister lives in Ghent.")
                provider.then(calls("memory_search", {"query": "sister"}), says("In Ghent."))
                heard = await chat.say(await chat.new(), "Look up where my sister lives.")
                assert heard.answer == "In Ghent."
                [result] = heard.events("tool_result")
                assert "Ghent" in result["text"]
                assert "Ghent" in str(provider.bodies[-1]["messages"][-1])
                assert [data["decision"] for data in heard.events("tool_decision")] == ["allowed"]

    run(story())


@pytest.mark.parametrize("approve", [True, False])
def test_forgetting_waits_for_a_person(tmp_path: Path, approve: bool) -> None:
    async def story() -> None:
        with scripted_provider() as provider:
            async with a_chat(tmp_path, **with_provider(provider.url)) as chat:
                await chat.do(memory.retain, text="My sister lives in Ghent.")
                [item] = await _items(chat)
                provider.then(calls("memory_forget", {"memory_id": item}), says("So be it."))
                lines = chat.lines(await chat.new(), "Forget where my sister lives.")
                seen = []
                async for line in lines:
                    seen.append(line)
                    if line.event == "notice" and line.data["code"] == "approval_needed":
                        with pytest.raises(NotFound):
                            await chat.do(api.decide, run_id=seen[0].run_id, call_id="other", approve=True)
                        await chat.do(api.decide, run_id=seen[0].run_id, call_id=line.data["call_id"], approve=approve)
                heard = Heard(seen)
                assert heard.state == "done"
                [decided] = heard.events("tool_decision")
                assert decided["decision"] == ("approved" if approve else "denied")
                assert (item not in await _items(chat)) is approve

    run(story())


def test_closing_ends_every_turn(tmp_path: Path) -> None:
    async def story() -> None:
        with scripted_provider(hold(threading.Event(), "never finished ")) as provider:
            settings = with_provider(provider.url, PALYRA_DAEMON_DRAIN_SECONDS="1")
            async with a_chat(tmp_path, **settings) as chat:
                lines = chat.lines(await chat.new("s"), "tell me")
                await anext(lines)
                await _until(lambda: len(provider.asked) == 1)
        async with a_chat(tmp_path) as chat:
            page = await chat.do(api.transcript, session="s")
            assert page.runs[0].state == RunState.FAILED.value
            assert page.runs[0].error_code == "unavailable"

    run(story())


async def _items(chat: Chat) -> list[str]:
    return [item.memory_id for item in (await chat.do(memory.list_, principal=ANA)).items]


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not is_so():  # noqa: ASYNC110 - what the provider has been asked tells nobody
            await asyncio.sleep(0.01)
