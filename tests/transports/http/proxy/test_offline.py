"""With no model's server at all, the official clients still get answers: from memory alone."""

import base64
import struct
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anthropic
import openai
import pytest

from palyra.app import App
from palyra.core.errors import Exhausted
from palyra.domain.chat.conversation import ChatEvent, ChatRequest, TextDelta
from transports.http.proxy.proxy_support import QUESTION, Bench, bench, memory_header
from transports.http.support import WRITE, eventually


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    root = tmp_path_factory.mktemp("p") / "data"
    with pytest.MonkeyPatch.context() as patch, bench(root, "offline", patch) as made:
        made.remember()
        yield made


@pytest.fixture
def desk(shared: Bench) -> Bench:
    return shared.fresh()


def test_openais_client_is_answered_from_memory(desk: Bench) -> None:
    answer = desk.openai().chat.completions.create(model="any", messages=[{"role": "user", "content": QUESTION}])
    [choice] = answer.choices
    assert "Darjeeling" in (choice.message.content or "")
    assert (choice.finish_reason, answer.model) == ("stop", "palyra-offline")
    assert answer.usage is not None
    assert answer.usage.total_tokens > 0
    [run] = desk.tape.runs
    assert (run.user_text, run.text, run.error) == (QUESTION, choice.message.content, None)


def test_openais_client_is_answered_in_a_stream(desk: Bench) -> None:
    stream = desk.openai().chat.completions.create(
        model="any",
        messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": QUESTION}],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert "Darjeeling" in text
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None
    eventually(desk.tape.is_over)
    assert desk.tape.runs[0].text == text


def test_anthropics_client_is_answered_whole_and_in_a_stream(desk: Bench) -> None:
    messages: Any = [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]
    client = desk.anthropic()
    answer = client.messages.create(model="any", max_tokens=500, messages=messages, system="Be brief.")
    [block] = answer.content
    assert block.type == "text"
    assert "Darjeeling" in block.text
    assert answer.stop_reason == "end_turn"
    with client.messages.stream(model="any", max_tokens=500, messages=messages) as stream:
        assert "".join(stream.text_stream) == block.text
        assert stream.get_final_message().usage.output_tokens > 0


def test_memory_off_and_a_token_that_may_not_read_are_answered_without_memory(desk: Bench) -> None:
    body = {"messages": [{"role": "user", "content": QUESTION}]}
    off = desk.http(**{"x-palyra-memory": "off"}).post("/v1/chat/completions", json=body)
    assert memory_header(off) == (False, False)
    write_only = desk.http(desk.served.token([WRITE])).post("/v1/chat/completions", json=body)
    assert memory_header(write_only) == (False, True)
    for answer in (off, write_only):
        assert answer.status_code == 200
        assert "Darjeeling" not in answer.text


class Broken:
    """A model that says so much and then fails."""

    def __init__(self, *said: str) -> None:
        self._said = said

    async def stream(self, _request: ChatRequest) -> AsyncIterator[ChatEvent]:
        for text in self._said:
            yield TextDelta(text)
        raise Exhausted("the model is tired", hint="let it sleep")


@pytest.mark.parametrize("said", [(), ("Dar",)])
def test_a_model_that_fails_says_so_in_the_clients_shape(
    desk: Bench, monkeypatch: pytest.MonkeyPatch, said: tuple[str, ...]
) -> None:
    monkeypatch.setattr(App, "model", property(lambda _app: Broken(*said)))
    messages: Any = [{"role": "user", "content": QUESTION}]
    for is_stream in (False, True):
        with pytest.raises(openai.APIError, match="tired"):
            list(desk.openai().chat.completions.create(model="any", messages=messages, stream=is_stream))
        with pytest.raises(anthropic.APIStatusError, match="tired"):
            list(desk.anthropic().messages.create(model="any", max_tokens=9, messages=messages, stream=is_stream))
    eventually(desk.tape.is_over)
    assert [(run.text, run.error.code) for run in desk.tape.runs if run.error] == [("".join(said), "exhausted")] * 4


@pytest.mark.parametrize("body", [{}, {"messages": []}, {"messages": "hi"}, {"messages": [{"content": "hi"}]}])
def test_nothing_to_answer_is_refused(desk: Bench, body: dict[str, object]) -> None:
    with pytest.raises(openai.BadRequestError, match="nothing to answer"):
        desk.openai().post("/chat/completions", body=body, cast_to=object)
    with pytest.raises(anthropic.BadRequestError, match="nothing to answer"):
        desk.anthropic().post("/v1/messages", body=body, cast_to=object)
    assert desk.tape.runs == []


def test_what_needs_a_models_server_says_which_settings_name_one(desk: Bench) -> None:
    with pytest.raises(openai.BadRequestError, match=r"models\.provider") as refused:
        desk.openai().responses.create(model="any", input=QUESTION)
    assert refused.value.code == "failed_precondition"
    with pytest.raises(anthropic.BadRequestError, match=r"models\.provider"):
        desk.anthropic().messages.count_tokens(model="any", messages=[{"role": "user", "content": QUESTION}])


def test_the_offline_model_is_listed_to_both_clients(desk: Bench) -> None:
    assert [model.id for model in desk.openai().models.list()] == ["palyra-offline"]
    assert [model.id for model in desk.anthropic().models.list()] == ["palyra-offline"]
    assert desk.openai().models.retrieve("palyra-offline").owned_by == "palyra"
    with pytest.raises(openai.NotFoundError):
        desk.openai().models.retrieve("gpt-none")
    with pytest.raises(anthropic.NotFoundError):
        desk.anthropic().models.retrieve("none")


def test_embeddings_are_made_here_as_numbers_and_as_base64(desk: Bench) -> None:
    client = desk.http()
    body = {"model": "any", "input": ["tea", "a kettle"]}
    plain = client.post("/v1/embeddings", json={**body, "encoding_format": "float"}).json()
    packed = client.post("/v1/embeddings", json={**body, "encoding_format": "base64"}).json()
    for one, other in zip(plain["data"], packed["data"], strict=True):
        numbers = struct.unpack("<64f", base64.b64decode(other["embedding"]))
        assert list(numbers) == pytest.approx(one["embedding"])
        assert sum(number * number for number in numbers) == pytest.approx(1.0, abs=1e-5)
    assert plain["model"].startswith("hash")
    made = desk.openai().embeddings.create(model="any", input=["tea", "a kettle"], dimensions=64)
    assert made.data[1].embedding == pytest.approx(plain["data"][1]["embedding"])


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"input": []},
        {"input": ""},
        {"input": [""]},
        {"input": [1, 2]},
        {"input": [[1, 2]]},
        {"input": ["x"] * 2_049},
        {"input": "x" * 131_073},
        {"input": "x", "dimensions": 7},
        {"input": "x", "encoding_format": "hex"},
        {"input": {"text": "x"}},
    ],
    ids=lambda body: str(body)[:40],
)
def test_embeddings_of_nothing_sensible_are_refused(desk: Bench, body: dict[str, object]) -> None:
    answer = desk.http().post("/v1/embeddings", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_argument")


def test_whoever_may_not_read_gets_no_embeddings(desk: Bench) -> None:
    answer = desk.http(desk.served.token([WRITE])).post("/v1/embeddings", json={"input": "x"})
    assert (answer.status_code, answer.json()["error"]["type"]) == (403, "permission_error")
