"""Anthropic's own client, pointed at us, against a scripted model's server."""

import json
from collections.abc import Iterator
from typing import Any

import anthropic
import pytest

from palyra.domain.chat.conversation import Usage
from providers.models.scripted_provider import calls, cut, fails, says, status
from transports.http.proxy.proxy_support import QUESTION, Bench, bench, memory_header
from transports.http.support import eventually


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    root = tmp_path_factory.mktemp("p") / "data"
    with pytest.MonkeyPatch.context() as patch, bench(root, "anthropic", patch) as made:
        made.remember()
        yield made


@pytest.fixture
def desk(shared: Bench) -> Bench:
    return shared.fresh()


def ask(desk: Bench, content: Any = QUESTION, **more: Any) -> Any:
    more.setdefault("messages", [{"role": "user", "content": content}])
    return desk.anthropic().messages.create(model="m", max_tokens=64, system="Be brief.", **more)


def test_the_model_is_given_the_memory_behind_the_question_and_the_token_stays_here(desk: Bench) -> None:
    desk.provider.then(says("Darjeeling."))
    assert ask(desk).content[0].text == "Darjeeling."
    [asked] = desk.provider.asked
    assert asked.path == "/v1/messages"
    assert asked.body["system"] == "Be brief."
    assert asked.body["messages"][0]["content"].startswith(f"{QUESTION}\n\n<memory boundary=")
    assert asked.headers["x-api-key"] == desk.key
    assert asked.headers["anthropic-version"] == desk.anthropic().default_headers["anthropic-version"]
    assert "authorization" not in asked.headers
    assert "pal_" not in json.dumps([asked.path, asked.headers, asked.body])
    [run] = desk.tape.runs
    assert run.ends == [("Darjeeling.", Usage(12, 7, 4), None)]


def test_a_stream_passes_and_is_recorded(desk: Bench) -> None:
    desk.provider.then(says("Second flush, of course."))
    content = [{"type": "text", "text": QUESTION, "cache_control": {"type": "ephemeral"}}]
    messages: Any = [{"role": "user", "content": content}]
    with desk.anthropic().messages.stream(model="m", max_tokens=64, messages=messages) as stream:
        assert "".join(stream.text_stream) == "Second flush, of course."
    [asked] = desk.provider.asked
    assert asked.body["messages"][0]["content"][:1] == content
    assert "Darjeeling" in asked.body["messages"][0]["content"][1]["text"]
    eventually(desk.tape.is_over)
    [run] = desk.tape.runs
    assert run.ends == [("Second flush, of course.", Usage(12, 7, 4), None)]


def test_a_tool_loop_is_one_run_and_gets_the_same_block_each_time(desk: Bench) -> None:
    desk.provider.then(calls("look", {"where": "cupboard"}, text="Let me look."), says("It is Darjeeling."))
    tools = [{"name": "look", "input_schema": {"type": "object"}}]
    first = ask(desk, tools=tools)
    assert first.stop_reason == "tool_use"
    use = first.content[1]
    assert (use.name, use.input) == ("look", {"where": "cupboard"})
    result = {"type": "tool_result", "tool_use_id": use.id, "content": [{"type": "text", "text": "three tins"}]}
    reminder = {"type": "text", "text": "Which coffee is there, said the client's own harness?"}
    messages = [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in first.content]},
        {"role": "user", "content": [result, reminder]},
    ]
    assert ask(desk, tools=tools, messages=messages).content[0].text == "It is Darjeeling."
    one, two = desk.provider.asked
    assert two.body["messages"][0] == one.body["messages"][0]
    assert two.body["messages"][1:] == messages[1:]
    [run] = desk.tape.runs
    assert run.text == "Let me look.\n\nIt is Darjeeling."


def test_errors_of_the_models_server_pass_unchanged(desk: Bench) -> None:
    desk.provider.then(status(529, message="too busy", kind="overloaded_error"))
    with pytest.raises(anthropic.APIStatusError) as busy:
        ask(desk)
    assert busy.value.status_code == 529
    assert busy.value.body == {"type": "error", "error": {"type": "overloaded_error", "message": "too busy"}}


def test_a_stream_that_breaks_off_ends_with_an_error_the_client_knows(desk: Bench) -> None:
    desk.provider.then(cut("Darj and no more", after_events=4))
    seen: list[str] = []
    with pytest.raises(anthropic.APIStatusError, match="cannot be used"):
        seen += [event.type for event in ask(desk, stream=True)]
    eventually(desk.tape.is_over)
    [run] = desk.tape.runs
    assert run.text == "Darj"


def test_an_error_within_a_stream_passes_and_the_run_has_failed(desk: Bench) -> None:
    desk.provider.then(fails("overloaded_error", "the model fell over", after="Dar"))
    with pytest.raises(anthropic.APIStatusError, match="the model fell over"):
        list(ask(desk, stream=True))
    eventually(desk.tape.is_over)
    assert desk.tape.runs[0].error is not None


def test_the_same_token_works_as_a_bearer(desk: Bench) -> None:
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": QUESTION}]}
    answer = desk.http().post("/v1/messages", json=body)
    assert (answer.status_code, memory_header(answer)) == (200, (True, True))
    assert desk.provider.asked[0].headers["x-api-key"] == desk.key


@pytest.mark.parametrize("kind", ["nobody's", "expired", "another"])
def test_a_token_that_is_not_good_is_refused_in_anthropics_shape(desk: Bench, kind: str) -> None:
    clock = desk.served.app.clock
    soon = desk.served.token(expires_at_ms=clock.now_ms() + 50)
    token = {"nobody's": "sk-ant-none", "another": f"{desk.token[:-3]}xyz", "expired": soon}[kind]
    eventually(lambda: clock.now_ms() >= (desk.served.app.started_at_ms + 50))
    if kind == "expired":
        eventually(lambda: desk.served.client(token).get("/v1/memory/items").status_code == 401)
    with pytest.raises(anthropic.AuthenticationError) as refused:
        desk.anthropic(token).messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": QUESTION}])
    body: Any = refused.value.body
    assert (body["type"], body["error"]["type"]) == ("error", "authentication_error")
    assert desk.provider.asked == []


def test_an_api_key_opens_no_other_door(desk: Bench) -> None:
    assert desk.served.client(**{"x-api-key": desk.token}).get("/v1/memory/items").status_code == 401


def test_counting_tokens_passes_through_without_memory(desk: Bench) -> None:
    desk.provider.then(lambda reply: reply.document({"input_tokens": 14}))
    messages: Any = [{"role": "user", "content": QUESTION}]
    assert desk.anthropic().messages.count_tokens(model="m", messages=messages).input_tokens == 14
    [asked] = desk.provider.asked
    assert (asked.path, asked.body["messages"]) == ("/v1/messages/count_tokens", messages)
    assert desk.tape.runs == []


def test_openais_protocol_is_refused_in_its_own_shape(desk: Bench) -> None:
    for path in ("/v1/chat/completions", "/v1/responses"):
        answer = desk.http().post(path, json={})
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == "failed_precondition"
        assert "/v1/messages" in answer.json()["error"]["message"]


def test_embeddings_are_made_here_since_anthropic_has_none(desk: Bench) -> None:
    made = desk.openai().embeddings.create(model="any", input="tea")
    assert len(made.data[0].embedding) == 64
    assert desk.provider.asked == []
