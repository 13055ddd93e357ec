"""The wire: event streams in every spelling, limits on what a server may send, and where requests never go."""

import asyncio
import gzip
import threading
from dataclasses import replace

import pytest

from palyra.core.clock import SystemClock
from palyra.core.errors import Exhausted, FailedPrecondition, Integrity, PalyraError, Unavailable
from palyra.domain.chat.conversation import TextDelta, Usage
from palyra.providers.models import network, upstream
from palyra.providers.models.table import build_model
from palyra.providers.models.upstream import CallPace
from providers.models.model_support import NETWORK, QUICK, Answer, a_model, a_request, answer_of
from providers.models.scripted_provider import Answer as Scripted
from providers.models.scripted_provider import Reply, raw, says, scripted_provider, status
from support import run

HI = b'data: {"choices": [{"delta": {"content": "Hi \xf0\x9f\x98\x80"}}]}'
STOP = b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}'
DONE = b"data: [DONE]"


def chat(*answers: Scripted, pace: CallPace = QUICK) -> Answer:
    async def work() -> Answer:
        with scripted_provider(*answers) as provider:
            async with a_model("openai-chat", provider.url, pace=pace) as model:
                return await answer_of(model)

    return run(work())


@pytest.mark.parametrize(
    "stream",
    [
        b"\n\n".join([HI, STOP, DONE, b""]),
        b"\r\n\r\n".join([HI, STOP, DONE, b""]),
        b"\r\r".join([HI, STOP, DONE, b""]),
        b"\xef\xbb\xbf" + b"\n\n".join([HI, STOP, DONE, b""]),
        b": hello\n\n:\n" + HI + b"\n: more\n\n" + STOP + b"\n\n" + DONE + b"\n\n",
        HI.replace(b'"choices": ', b'"choices":\ndata: ') + b"\n\n" + STOP + b"\n\n" + DONE + b"\n\n",
        b"id: 1\nevent: message\nretry: 5\n"
        + HI.replace(b"data: ", b"data:")
        + b"\n\n"
        + STOP
        + b"\n\n"
        + DONE
        + b"\n\n",
        HI + b"\n\n" + STOP + b"\n\n" + DONE,
        HI + b"\n\n" + STOP + b"\n\n",
        b"retry: 10\n\nid: 7\n\n" + HI + b"\n\n" + STOP + b"\n\ndata\n\n" + DONE + b"\n\n",
    ],
)
def test_every_spelling_of_an_event_stream_is_read(stream: bytes) -> None:
    answer = chat(raw(stream))
    assert answer.text == "Hi 😀"
    assert answer.stopped is not None
    assert answer.stopped.reason == "end"


def test_bytes_that_are_no_text_become_signs_that_are() -> None:
    answer = chat(raw(HI.replace(b"\xf0\x9f\x98\x80", b"\xff\xfe") + b"\n\n" + DONE + b"\n\n"))
    assert answer.text == "Hi \ufffd\ufffd"


def test_an_event_without_end_is_cut_off() -> None:
    def endless(reply: Reply) -> None:
        reply.start_stream()
        while True:
            reply.send(b"data: " + b"x" * 1_000_000)

    with pytest.raises(Integrity, match="one event has no end"):
        chat(endless)


@pytest.mark.parametrize("piece", [b": nothing\n" * 10_000, HI + b"\n\n"])
def test_a_stream_without_end_is_cut_off(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "ANSWER_BYTES", 100_000)
    monkeypatch.setattr(network, "BYTES_PER_TOKEN", 1)

    def endless(reply: Reply) -> None:
        reply.start_stream()
        while True:
            reply.send(piece * 100)

    with pytest.raises(Integrity, match="longer than"):
        chat(endless)


def test_a_compressed_stream_is_not_unpacked() -> None:
    bomb = gzip.compress(b"data: " + b"0" * 10_000_000)
    with pytest.raises(Integrity, match="compressed"):
        chat(lambda reply: reply.raw(bomb, "text/event-stream", headers={"content-encoding": "gzip"}))


def test_a_refusal_that_never_ends_is_still_the_refusal_it_began_as(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upstream, "REFUSAL_SECONDS", 0.05)
    never = threading.Event()

    def refusal(reply: Reply) -> None:
        reply.raw(b'{"error"', "application/json", 401, {"content-length": "1000"})
        reply.wait_for(never, 5)

    def flood(reply: Reply) -> None:
        reply.raw(b"x" * 1_000_000, "text/html", 401)

    for answer in (refusal, flood):
        with pytest.raises(FailedPrecondition, match="401"):
            chat(answer)


def test_no_redirect_is_followed() -> None:
    async def work() -> None:
        with scripted_provider() as other:

            def elsewhere(reply: Reply) -> None:
                reply.raw(b"", "text/plain", 307, {"location": other.url + "/chat/completions"})

            with scripted_provider(elsewhere) as provider:
                async with a_model("openai-chat", provider.url) as model:
                    with pytest.raises(FailedPrecondition, match="redirects are not followed"):
                        await answer_of(model)
            assert other.asked == []

    run(work())


def test_proxies_and_passwords_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert chat(says("straight")).text == "straight"


def test_a_wait_the_server_asks_for_is_kept_up_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chat(status(429, "0.05"), says("after a while")).text == "after a while"
    monkeypatch.setattr(upstream, "RETRY_LIMIT_MS", 40)
    with pytest.raises(Exhausted) as caught:
        chat(status(429, "0.05"), says("after a while"))
    assert caught.value.details["retry_after_ms"] == 50


def test_a_closed_model_says_so() -> None:
    async def work() -> None:
        model = build_model(replace(NETWORK["openai-chat"], base_url="http://127.0.0.1:1/v1"), SystemClock())
        await model.close()
        with pytest.raises(FailedPrecondition, match="closed"):
            await answer_of(model)

    run(work())


def test_a_model_that_was_closed_in_mid_stream_ends_with_an_error_of_ours() -> None:
    async def work() -> None:
        with scripted_provider(says("a long answer", 1, pause_seconds=0.02)) as provider:
            async with a_model("openai-chat", provider.url) as model:
                stream = model.stream(a_request())
                await anext(stream)
                await model.close()
                with pytest.raises(PalyraError):
                    async for _ in stream:
                        pass

    run(work())


def test_a_connection_that_breaks_after_the_answer_was_whole_costs_nothing_but_the_count() -> None:
    def answer(reply: Reply) -> None:
        reply.start_stream()
        reply.send(HI + b"\n\n" + STOP + b"\n\n")
        reply.hang_up()

    whole = chat(answer)
    assert whole.text == "Hi 😀"
    assert whole.stopped is not None
    assert whole.stopped.usage == Usage()


def test_what_was_shown_before_the_cut_was_shown_and_the_failure_counts() -> None:
    async def work() -> None:
        with scripted_provider(raw(HI + b"\n\n")) as provider:
            async with a_model("openai-chat", provider.url) as model:
                stream = model.stream(a_request())
                assert await anext(stream) == TextDelta("Hi 😀")
                with pytest.raises(Unavailable, match="before its end"):
                    await anext(stream)
                assert model.health.failures == 1
                assert "before its end" in model.health.last_error

    run(work())


def test_the_time_a_slow_reader_takes_is_not_the_servers() -> None:
    async def work() -> None:
        with scripted_provider(says("ab", 1, pause_seconds=0.02)) as provider:
            pace = CallPace(silence_ms=2_000, stall_ms=300, max_retries=0)
            async with a_model("openai-chat", provider.url, pace=pace) as model:
                async for _ in model.stream(a_request()):
                    await asyncio.sleep(0.4)

    run(work())


def test_an_answer_that_came_in_one_piece_does_not_hold_up_others() -> None:
    async def work() -> None:
        turns = 0

        async def another() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        with scripted_provider(raw((HI + b"\n\n") * 200 + DONE + b"\n\n")) as provider:
            async with a_model("openai-chat", provider.url) as model:
                stream = model.stream(a_request())
                await anext(stream)
                task = asyncio.create_task(another())
                async for _ in stream:
                    pass
                task.cancel()
        assert turns >= 200

    run(work())
