"""What every chat model promises, run over the table; the network ones against a server that speaks their protocol."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, cast

import pytest

from palyra.core.clock import ManualClock, SystemClock
from palyra.core.errors import (
    Deadline,
    Exhausted,
    FailedPrecondition,
    Integrity,
    InvalidArgument,
    PalyraError,
    TooLarge,
    Unavailable,
)
from palyra.domain.chat.conversation import ChatRequest, Image, Message, Stopped, Text, TextDelta, ToolCall, Usage
from palyra.ports import ChatModel
from palyra.providers.models.table import MODELS, build_model
from palyra.providers.models.upstream import CallPace
from palyra.settings import ModelSettings
from providers.models.model_support import NETWORK, QUICK, RECALL, a_model, a_request, answer_of
from providers.models.scripted_protocols import Called
from providers.models.scripted_provider import (
    Answer,
    Provider,
    calls,
    calls_all,
    cut,
    drip,
    ends_early,
    fails,
    garbage,
    hold,
    hung_up,
    pings,
    raw,
    says,
    scripted_provider,
    silence,
    status,
)
from support import run

network = pytest.mark.parametrize("name", sorted(NETWORK))


@asynccontextmanager
async def any_model(name: str) -> AsyncIterator[ChatModel]:
    if name in NETWORK:
        with scripted_provider() as provider:
            async with a_model(name, provider.url) as model:
                yield model
    else:
        yield build_model(ModelSettings(provider=name), SystemClock())


def state_of(model: ChatModel) -> str:
    return model.health.breaker


def test_the_suite_knows_every_model_of_the_table() -> None:
    assert {*NETWORK, "offline"} == set(MODELS)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_stream_is_text_and_at_last_one_stopped(name: str) -> None:
    async def work() -> None:
        async with any_model(name) as model:
            answer = await answer_of(model)
            assert answer.text
            assert answer.stopped is not None
            assert answer.stopped.reason == "end"
            assert answer.stopped.usage.input_tokens > 0
            assert answer.stopped.usage.output_tokens > 0
            assert state_of(model) == "closed"

    run(work())


@pytest.mark.parametrize("name", sorted(MODELS))
def test_closing_twice_and_closing_a_stream_early_are_allowed(name: str) -> None:
    async def work() -> None:
        async with any_model(name) as model:
            stream = cast("Any", model.stream(a_request()))
            async with aclosing(stream):
                assert isinstance(await anext(stream), TextDelta)
            await model.close()
            await model.close()

    run(work())


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "\ud800", "👩‍👩‍👧‍👦 مرحبا 茶", "a" * 20_000, "\u202e[m1] \u200b", "?"]
)
def test_any_text_may_be_asked(name: str, text: str) -> None:
    async def work() -> None:
        async with any_model(name) as model:
            answer = await answer_of(model, a_request(text, system=text))
            assert answer.stopped is not None

    run(work())


@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_request_without_messages_is_refused(name: str) -> None:
    async def work() -> None:
        async with any_model(name) as model:
            with pytest.raises(InvalidArgument, match="no message"):
                await answer_of(model, ChatRequest("", ()))

    run(work())


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize("text", ["", "tea", "茶" * 50, "\ud800", "a" * 10_000])
def test_tokens_are_counted_for_any_text(name: str, text: str) -> None:
    async def work() -> None:
        async with any_model(name) as model:
            assert (model.count_tokens(text) > 0) == bool(text)

    run(work())


def asked_once(name: str, *answers: Answer, request: ChatRequest | None = None, pace: CallPace = QUICK) -> Any:
    """The whole answer and the provider that gave it."""

    async def work() -> Any:
        with scripted_provider(*answers) as provider:
            async with a_model(name, provider.url, pace=pace) as model:
                return await answer_of(model, request), provider

    return run(work())


@network
@pytest.mark.parametrize("bytes_per_write", [0, 1, 7])
def test_text_arrives_as_it_was_said_however_the_stream_is_cut_into_pieces(name: str, bytes_per_write: int) -> None:
    text = "Grüße aus 東京 👩‍👩‍👧!\ndata: x\n"
    answer, _ = asked_once(name, says(text, 1, bytes_per_write=bytes_per_write))
    assert answer.text == text


@network
def test_calls_come_whole_after_the_text_and_under_our_names(name: str) -> None:
    called = (Called("call_a", "palyra_memory_search", '{"q": "tea"}'), Called("call_b", "other", "{}"))
    answer, provider = asked_once(name, calls_all(*called, text="Let me look."), request=a_request(tools=(RECALL,)))
    assert answer.text == "Let me look."
    assert answer.calls == [
        ToolCall("call_a", "palyra.memory.search", '{"q": "tea"}'),
        ToolCall("call_b", "other", "{}"),
    ]
    assert answer.stopped.reason == "tool_calls"
    assert "palyra_memory_search" in json.dumps(provider.asked[0].body["tools"])


@network
def test_usage_is_what_the_provider_counted(name: str) -> None:
    answer, _ = asked_once(name, says("ok", input_tokens=1_234, output_tokens=56))
    assert answer.stopped.usage == Usage(1_234, 56, 4)


@network
@pytest.mark.parametrize("stop", ["end", "length", "refused"])
def test_why_it_stopped_is_said_in_our_words(name: str, stop: Any) -> None:
    answer, _ = asked_once(name, says("ok", stop=stop))
    assert answer.stopped.reason == stop


@network
def test_leaving_in_mid_stream_closes_the_connection_and_says_nothing_about_the_server(name: str) -> None:
    async def work() -> None:
        with scripted_provider(hold(threading.Event())) as provider:
            async with a_model(name, provider.url) as model:
                stream = cast("Any", model.stream(a_request()))
                async with aclosing(stream):
                    assert await anext(stream) == TextDelta("held")
                assert await asyncio.to_thread(provider.asked[0].client_left.wait, 10)
                assert model.health.failures == 0
                assert (await answer_of(model)).text == "ok"

    run(work())


@network
def test_cancelling_the_reader_closes_the_connection(name: str) -> None:
    async def work() -> None:
        with scripted_provider(silence(threading.Event())) as provider:
            async with a_model(name, provider.url) as model:
                task = asyncio.create_task(answer_of(model))
                await asyncio.to_thread(until_asked, provider)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert await asyncio.to_thread(provider.asked[0].client_left.wait, 10)
                assert model.health.failures == 0

    run(work())


def until_asked(provider: Provider) -> None:
    waiting = threading.Event()
    for _ in range(2_000):
        if provider.asked:
            return
        waiting.wait(0.005)
    raise AssertionError("nobody asked")


ERRORS: list[tuple[Answer, type[PalyraError], str]] = [
    (status(400, message="bad temperature"), InvalidArgument, "bad temperature"),
    (status(401), FailedPrecondition, "wants a key"),
    (status(403), FailedPrecondition, "wants a key"),
    (status(404, message="no model m"), FailedPrecondition, "no model m"),
    (status(413), TooLarge, "413"),
    (status(429, "120"), Exhausted, "429"),
    (status(429, kind="insufficient_quota"), Exhausted, "429"),
    (status(301), FailedPrecondition, "redirects are not followed"),
    (status(402), FailedPrecondition, "402"),
    (status(204), Integrity, "204"),
    (garbage, Integrity, "makes no sense"),
    (raw(b"data: [1, 2]\n\n"), Integrity, "makes no sense"),
    (raw(b'data: {"choices": 5, "type": 7}\n\n'), Integrity, "makes no sense"),
    (raw(b"data: " + b"[" * 100_000 + b"\n\n"), Integrity, "makes no sense"),
    (raw(b'{"choices": []}', "application/json"), Integrity, "not a stream"),
    (fails("invalid_request_error", "bad tool"), InvalidArgument, "bad tool"),
    (fails("overloaded_error", "busy", after="well"), Unavailable, "busy"),
    (fails("rate_limit_error", "later", after="well"), Exhausted, "later"),
    (cut(after_events=3), Unavailable, "ended before its end"),
    (ends_early(), Unavailable, "ended before its end"),
]


@network
@pytest.mark.parametrize(("answer", "error", "words"), ERRORS)
def test_each_failure_is_one_clear_error(name: str, answer: Answer, error: type[PalyraError], words: str) -> None:
    with pytest.raises(PalyraError, match=words) as caught:
        asked_once(name, answer, answer, answer)
    assert type(caught.value) is error
    assert caught.value.hint


@network
@pytest.mark.parametrize(
    "first", [status(429), status(500), status(503, "0"), status(529), hung_up, fails("overloaded_error")]
)
def test_a_busy_server_is_asked_again(name: str, first: Answer) -> None:
    answer, provider = asked_once(name, first, first, says("at last"))
    assert answer.text == "at last"
    assert len(provider.asked) == 3


@network
def test_nothing_is_asked_again_once_something_was_shown(name: str) -> None:
    async def work() -> None:
        with scripted_provider(ends_early()) as provider:
            async with a_model(name, provider.url) as model:
                with pytest.raises(Unavailable):
                    await answer_of(model)
                assert len(provider.asked) == 1

    run(work())


@network
@pytest.mark.parametrize("code", [500, 429])
def test_a_server_that_stays_busy_is_asked_no_more_often_than_the_setting_says(name: str, code: int) -> None:
    async def work() -> None:
        with scripted_provider(*[status(code)] * 9) as provider:
            async with a_model(name, provider.url, pace=CallPace(5_000, 5_000, max_retries=3, backoff_ms=1)) as model:
                with pytest.raises((Unavailable, Exhausted)):
                    await answer_of(model)
                assert len(provider.asked) == 4

    run(work())


@network
def test_a_long_wait_is_the_callers_to_decide(name: str) -> None:
    with pytest.raises(Exhausted) as caught:
        asked_once(name, status(429, "120"))
    assert caught.value.details["retry_after_ms"] == 120_000


@network
@pytest.mark.parametrize("answer", [silence(threading.Event()), hold(threading.Event()), pings(0.01)])
def test_a_server_that_makes_no_progress_is_left(name: str, answer: Answer) -> None:
    with pytest.raises(Deadline, match="progress"):
        asked_once(name, answer, pace=CallPace(silence_ms=150, stall_ms=300, max_retries=2))


@network
def test_a_slow_answer_that_goes_on_is_waited_for(name: str) -> None:
    answer, _ = asked_once(name, drip("slow", 0.05), pace=CallPace(silence_ms=2_000, stall_ms=5_000, max_retries=0))
    assert answer.text == "slow"


def test_a_server_that_is_not_there_is_unavailable() -> None:
    async def work() -> None:
        async with a_model("openai-chat", "http://127.0.0.1:1/v1") as model:
            with pytest.raises(Unavailable, match="cannot be reached"):
                await answer_of(model)
            assert model.health.failures == 1

    run(work())


@network
def test_twenty_streams_at_once_keep_apart(name: str) -> None:
    async def work() -> None:
        texts = [f"answer number {number} " * 20 for number in range(20)]
        with scripted_provider(*[says(text, 7) for text in texts]) as provider:
            async with a_model(name, provider.url) as model:
                answers = await asyncio.gather(*(answer_of(model) for _ in texts))
        assert sorted(answer.text for answer in answers) == sorted(texts)

    run(work())


@network
def test_a_connection_is_used_again(name: str) -> None:
    async def work() -> None:
        with scripted_provider() as provider:
            async with a_model(name, provider.url) as model:
                for _ in range(5):
                    await answer_of(model)
                assert len({asked.client for asked in provider.asked}) == 1

    run(work())


@network
def test_a_server_that_keeps_failing_is_not_asked_for_a_while(name: str) -> None:
    async def work() -> None:
        clock = ManualClock()
        pace = CallPace(5_000, 5_000, max_retries=0)
        with scripted_provider(*[status(500)] * 6) as provider:
            async with a_model(name, provider.url, clock, pace) as model:
                for _ in range(5):
                    with pytest.raises(Unavailable, match="500"):
                        await answer_of(model)
                assert state_of(model) == "open"
                with pytest.raises(Unavailable, match="not asked for now"):
                    await answer_of(model)
                assert len(provider.asked) == 5
                clock.advance(30_000)
                assert state_of(model) == "half_open"
                with pytest.raises(Unavailable, match="500"):
                    await answer_of(model)
                clock.advance(59_000)
                assert state_of(model) == "open"
                clock.advance(1_000)
                assert (await answer_of(model)).text == "ok"
                assert state_of(model) == "closed"

    run(work())


@network
def test_images_and_tools_a_model_does_not_take_are_refused_before_any_call(name: str) -> None:
    async def work() -> None:
        with scripted_provider() as provider:
            async with a_model(name, provider.url, takes_images=False, takes_tools=False) as model:
                image = Message("user", (Text("what is this?"), Image("image/png", b"png")))
                with pytest.raises(InvalidArgument, match="takes no images"):
                    await answer_of(model, ChatRequest("", (image,)))
                with pytest.raises(InvalidArgument, match="takes no tools"):
                    await answer_of(model, a_request(tools=(RECALL,)))
                assert provider.asked == []

    run(work())


def test_the_offline_model_takes_neither_images_nor_tools() -> None:
    model = build_model(ModelSettings(), SystemClock())
    with pytest.raises(InvalidArgument, match="takes no tools"):
        model.stream(a_request(tools=(RECALL,)))
    with pytest.raises(InvalidArgument, match="takes no images"):
        model.stream(ChatRequest("", (Message("user", (Image("image/png", b"png"),)),)))


@network
def test_one_call_after_text_is_read_from_the_scripted_provider(name: str) -> None:
    answer, _ = asked_once(name, calls("recall", {"query": "tea"}, text="One moment."))
    assert [json.loads(call.arguments) for call in answer.calls] == [{"query": "tea"}]
    assert isinstance(answer.events[-1], Stopped)
