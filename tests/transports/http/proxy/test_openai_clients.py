"""OpenAI's own client, pointed at us, against a scripted model's server."""

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from palyra.domain.chat.conversation import Usage
from providers.models.scripted_provider import calls, cut, ends_early, fails, raw, says, status
from transports.http.proxy.proxy_support import QUESTION, Bench, bench, memory_header, only_text
from transports.http.support import READ, WRITE, eventually

BODY = {"model": "m", "messages": [{"role": "user", "content": QUESTION}]}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with pytest.MonkeyPatch.context() as patch, bench(tmp_path_factory.mktemp("p") / "data", "openai", patch) as made:
        made.remember()
        yield made


@pytest.fixture
def desk(shared: Bench) -> Bench:
    return shared.fresh()


def ask(desk: Bench, text: str = QUESTION, token: str | None = None, **more: Any) -> Any:
    messages: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]
    extra = more.pop("headers", {})
    return desk.openai(token, **extra).chat.completions.create(model="m", messages=messages, **more)


def test_the_model_is_given_the_memory_once_behind_the_question(desk: Bench) -> None:
    desk.provider.then(says("Darjeeling."))
    assert ask(desk).choices[0].message.content == "Darjeeling."
    [asked] = desk.provider.asked
    assert asked.path == "/v1/chat/completions"
    system, user = asked.body["messages"]
    assert system == {"role": "system", "content": "Be brief."}
    assert user["content"].startswith(f"{QUESTION}\n\n<memory boundary=")
    assert json.dumps(asked.body).count("Darjeeling") == 1


def test_a_stream_passes_event_by_event(desk: Bench) -> None:
    desk.provider.then(says("Second flush, of course.", 3))
    pieces = [chunk.choices[0].delta.content for chunk in ask(desk, stream=True) if chunk.choices]
    assert "".join(filter(None, pieces)) == "Second flush, of course."
    assert len(pieces) > 5
    eventually(desk.tape.is_over)
    [run] = desk.tape.runs
    assert (run.user_text, run.text, run.error) == (QUESTION, "Second flush, of course.", None)


def test_the_bytes_of_a_stream_are_those_of_the_models_server(desk: Bench) -> None:
    sent = b': hello\r\n\r\ndata: {"choices": []}\r\n\r\ndata: {"choi\n\nevent: x\ndata: \xff\xfe\n\ndata: [DONE]'
    desk.provider.then(raw(sent))
    answer = desk.http().post("/v1/chat/completions", json={"messages": [], "stream": True})
    assert answer.content == sent
    assert answer.headers["content-type"] == "text/event-stream"


def test_what_was_said_is_recorded_with_what_it_cost(desk: Bench) -> None:
    desk.provider.then(says("Darjeeling.", input_tokens=31, output_tokens=5))
    answer = desk.openai(**{"x-palyra-session": "kitchen"}).chat.completions.with_raw_response.create(
        model="m", messages=[{"role": "user", "content": QUESTION}]
    )
    assert answer.headers["x-palyra-memory"].endswith("; recorded=yes")
    [run] = desk.tape.runs
    assert (run.place.key, run.user_text, run.model) == ("kitchen", QUESTION, "m")
    assert run.caller.principal == "user:ana"
    assert run.ends == [("Darjeeling.", Usage(31, 5, 4), None)]


def test_the_token_stays_here_and_the_key_of_the_server_is_used(desk: Bench) -> None:
    ask(desk, headers={"x-api-key": "something", "cookie": "a=b", "x-private": "c", "openai-beta": "one"})
    [asked] = desk.provider.asked
    assert asked.headers["authorization"] == f"Bearer {desk.key}"
    assert asked.headers["openai-beta"] == "one"
    assert asked.headers["accept-encoding"] == "identity"
    assert not {"cookie", "x-private", "x-api-key", "x-palyra-memory"} & set(asked.headers)
    assert not [name for name in asked.headers if name.startswith("x-stainless")]
    assert "pal_" not in json.dumps([asked.path, asked.headers, asked.body])


def test_fields_nobody_here_knows_arrive_as_they_were_sent(desk: Bench) -> None:
    fields = {"n": 2, "logprobs": True, "seed": 123456789012345678901234567890, "top_p": 0.1, "later": {"x": [None]}}
    ask(desk, extra_body=fields)
    [asked] = desk.provider.asked
    assert {name: asked.body[name] for name in fields} == fields


def test_images_stay_as_they_are_and_the_block_is_a_part_of_its_own(desk: Bench) -> None:
    content = [
        {"type": "text", "text": QUESTION},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo=", "detail": "low"}},
    ]
    desk.openai().chat.completions.create(model="m", messages=[{"role": "user", "content": content}])  # type: ignore[list-item, misc]
    [asked] = desk.provider.asked
    parts = asked.body["messages"][0]["content"]
    assert parts[:2] == content
    [block] = parts[2:]
    assert block["type"] == "text"
    assert "Darjeeling" in block["text"]


def test_a_tool_loop_is_one_run_and_gets_the_same_block_each_time(desk: Bench) -> None:
    tools: Any = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    desk.provider.then(calls("look", {"where": "cupboard"}, text="Let me look."), says("It is Darjeeling."))
    client = desk.openai()
    first = client.chat.completions.create(model="m", messages=messages, tools=tools)
    [call] = first.choices[0].message.tool_calls or []
    assert call.id == "call_1"
    messages += [first.choices[0].message.model_dump(exclude_none=True)]
    messages += [{"role": "tool", "tool_call_id": call.id, "content": "three tins"}]
    desk.remember("Ana's favourite tea shop is in Porto.")
    second = client.chat.completions.create(model="m", messages=messages, tools=tools)
    assert second.choices[0].message.content == "It is Darjeeling."
    one, two = desk.provider.asked
    assert two.body["messages"][0] == one.body["messages"][0]
    assert "<memory" in one.body["messages"][0]["content"]
    assert "<memory" not in json.dumps(two.body["messages"][1:])
    [run] = desk.tape.runs
    assert run.text == "Let me look.\n\nIt is Darjeeling."


def test_a_streamed_tool_call_arrives_whole(desk: Bench) -> None:
    desk.provider.then(calls("look", {"where": "the cupboard"}))
    chunks = [chunk.choices[0] for chunk in ask(desk, stream=True) if chunk.choices]
    parts = [call.function.arguments for chunk in chunks for call in chunk.delta.tool_calls or []]
    assert json.loads("".join(parts)) == {"where": "the cupboard"}
    assert chunks[-1].finish_reason == "tool_calls"


def test_the_question_itself_is_not_given_back_as_a_memory(desk: Bench) -> None:
    question = "Where did Ana leave the blue kettle?"
    desk.remember(question)
    ask(desk, question)
    [asked] = desk.provider.asked
    assert only_text(asked.body["messages"][1]).count("blue kettle") == 1


@pytest.mark.parametrize(
    ("wish", "is_injected", "is_recorded"), [("off", False, False), ("read", True, False), ("on", True, True)]
)
def test_a_header_turns_memory_off(desk: Bench, wish: str, is_injected: bool, is_recorded: bool) -> None:
    answer = desk.http(**{"x-palyra-memory": wish}).post("/v1/chat/completions", json=BODY)
    assert memory_header(answer) == (is_injected, is_recorded)
    [asked] = desk.provider.asked
    assert ("<memory" in json.dumps(asked.body)) == is_injected
    assert bool(desk.tape.runs) == is_recorded


def test_an_unknown_wish_is_refused_and_nobody_is_asked(desk: Bench) -> None:
    with pytest.raises(openai.BadRequestError, match="x-palyra-memory is 'sometimes'"):
        ask(desk, headers={"x-palyra-memory": "sometimes"})
    assert desk.provider.asked == []


@pytest.mark.parametrize(("can", "is_injected", "is_recorded"), [((WRITE,), False, True), ((READ,), True, False)])
def test_a_token_without_a_capability_gets_less_of_memory(
    desk: Bench, can: Any, is_injected: bool, is_recorded: bool
) -> None:
    answer = desk.http(desk.served.token(can)).post("/v1/chat/completions", json=BODY)
    assert memory_header(answer) == (is_injected, is_recorded)
    assert ("<memory" in json.dumps(desk.provider.asked[0].body)) == is_injected
    assert bool(desk.tape.runs) == is_recorded


def test_another_principal_is_given_nothing_of_hers(desk: Bench) -> None:
    ask(desk, token=desk.served.token(principal="user:bob"))
    [asked] = desk.provider.asked
    assert "Darjeeling" not in json.dumps(asked.body)
    assert desk.tape.runs[0].caller.principal == "user:bob"


def test_errors_of_the_models_server_pass_unchanged(desk: Bench) -> None:
    desk.provider.then(status(429, "7", message="slow down", kind="requests"))
    with pytest.raises(openai.RateLimitError) as limited:
        ask(desk)
    assert limited.value.response.headers["retry-after"] == "7"
    assert limited.value.body == {"message": "slow down", "type": "requests", "param": None, "code": "requests"}
    desk.provider.then(status(500, message="out of order"))
    with pytest.raises(openai.InternalServerError, match="out of order"):
        ask(desk)
    assert [run.error.code for run in desk.tape.runs if run.error] == ["exhausted", "unavailable"]


def test_an_answer_that_is_no_json_passes_unchanged(desk: Bench) -> None:
    desk.provider.then(raw(b"<html>\xff\x00", "text/html", 200))
    answer = desk.http().post("/v1/chat/completions", json={"messages": [{"role": "user", "content": "hi"}]})
    assert (answer.status_code, answer.content, answer.headers["content-type"]) == (200, b"<html>\xff\x00", "text/html")


def test_a_stream_that_breaks_off_ends_with_an_error_the_client_knows(desk: Bench) -> None:
    desk.provider.then(cut("Darj and no more", after_events=2))
    seen: list[str] = []
    with pytest.raises(openai.APIError, match="cannot be used"):
        seen += [chunk.choices[0].delta.content for chunk in ask(desk, stream=True)]
    eventually(desk.tape.is_over)
    [run] = desk.tape.runs
    assert run.text == "Darj"
    assert run.error is not None


def test_a_stream_that_only_stops_passes_and_the_run_has_failed(desk: Bench) -> None:
    desk.provider.then(ends_early("Darjee"))
    assert len(list(ask(desk, stream=True))) == 2
    eventually(desk.tape.is_over)
    [run] = desk.tape.runs
    assert run.text == "Darjee"
    assert run.error is not None


def test_a_document_that_breaks_off_is_an_error(desk: Bench) -> None:
    desk.provider.then(cut())
    with pytest.raises(openai.InternalServerError) as broken:
        ask(desk)
    assert broken.value.status_code == 502
    [run] = desk.tape.runs
    assert run.error is not None


def test_an_error_within_a_stream_passes_and_the_run_has_failed(desk: Bench) -> None:
    desk.provider.then(fails("server_error", "the model fell over", after="Dar"))
    with pytest.raises(openai.APIError, match="the model fell over"):
        list(ask(desk, stream=True))
    eventually(desk.tape.is_over)
    [run] = desk.tape.runs
    assert run.error is not None
    assert run.text == "Dar"


def test_a_tape_that_cannot_be_written_to_stops_nobody(desk: Bench) -> None:
    desk.tape.is_full = True
    answer = desk.http().post("/v1/chat/completions", json=BODY)
    assert (answer.status_code, memory_header(answer)) == (200, (True, False))


# -- responses


def test_responses_are_given_the_memory_and_recorded(desk: Bench) -> None:
    desk.provider.then(says("Darjeeling."))
    answer = desk.openai().responses.create(model="m", input=QUESTION, instructions="Be brief.")
    assert answer.output_text == "Darjeeling."
    [asked] = desk.provider.asked
    assert asked.body["input"].startswith(f"{QUESTION}\n\n<memory")
    assert asked.body["instructions"] == "Be brief."
    [run] = desk.tape.runs
    assert run.ends == [("Darjeeling.", Usage(12, 7, 4), None)]


def test_responses_stream_and_call_tools(desk: Bench) -> None:
    items: list[Any] = [{"role": "user", "content": [{"type": "input_text", "text": QUESTION}]}]
    desk.provider.then(calls("look", {"a": 1}), says("It is Darjeeling."))
    client = desk.openai()
    with client.responses.stream(model="m", input=items) as stream:
        stream.until_done()
        [call] = stream.get_final_response().output
    items += [call.model_dump(exclude={"parsed_arguments"})]
    items += [{"type": "function_call_output", "call_id": "call_1", "output": "three tins"}]
    events = list(client.responses.create(model="m", input=items, stream=True))
    assert events[-1].type == "response.completed"
    one, two = desk.provider.asked
    assert one.body["input"][0] == two.body["input"][0]
    assert one.body["input"][0]["content"][1]["type"] == "input_text"
    eventually(desk.tape.is_over)
    [run] = desk.tape.runs
    assert run.text == "It is Darjeeling."


# -- the rest


def test_embeddings_pass_through(desk: Bench) -> None:
    made = desk.openai().embeddings.create(model="e", input=["tea", "kettle"], dimensions=8)
    assert [len(one.embedding) for one in made.data] == [8, 8]
    [asked] = desk.provider.asked
    assert (asked.path, asked.body["input"], asked.body["dimensions"]) == ("/v1/embeddings", ["tea", "kettle"], 8)


def test_models_pass_through(desk: Bench) -> None:
    assert [model.id for model in desk.openai().models.list()] == ["scripted", "scripted-2"]
    desk.http().get("/v1/models/a b?x=1")
    assert [asked.path for asked in desk.provider.asked] == ["/v1/models", "/v1/models/a%20b?x=1"]


def test_anthropics_protocol_is_refused_in_its_own_shape(desk: Bench) -> None:
    answer = desk.http().post("/v1/messages", json={})
    assert answer.status_code == 400
    assert answer.json()["type"] == "error"
    assert answer.json()["error"]["code"] == "failed_precondition"
    assert "/v1/chat/completions" in answer.json()["error"]["message"]
