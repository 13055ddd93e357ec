"""How the streams of many servers are read: what they leave out, repeat or put elsewhere."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palyra.core.errors import Integrity
from palyra.domain.chat.conversation import ChatEvent, Stopped, TextDelta, ToolCall, Usage
from palyra.providers.models.anthropic import MessagesReader
from palyra.providers.models.dialect import AnswerReader, Reported
from palyra.providers.models.openai_chat import ChatReader
from palyra.providers.models.openai_responses import ResponsesReader

READERS: Mapping[str, Callable[[Mapping[str, str]], AnswerReader]] = {
    "chat": ChatReader,
    "responses": ResponsesReader,
    "messages": MessagesReader,
}


def read(reader: AnswerReader, *events: Any, to_the_end: bool = True) -> list[ChatEvent]:
    found: list[ChatEvent] = []
    for event in events:
        found += reader.take(event if isinstance(event, str) else json.dumps(event))
        if found and isinstance(found[-1], Stopped):
            return found
    return found + list(reader.end() if to_the_end else ())


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"delta": delta, "finish_reason": finish}]}


def piece(arguments: Any = None, name: str | None = None, **more: Any) -> dict[str, Any]:
    return chunk(tool_calls=[{"function": {"name": name, "arguments": arguments}, **more}])


def called(*pieces: dict[str, Any]) -> list[tuple[str, str]]:
    events = read(ChatReader({}), *pieces, chunk("tool_calls"))
    assert isinstance(events[-1], Stopped)
    return [(event.name, event.arguments) for event in events if isinstance(event, ToolCall)]


def test_chat_without_usage_and_without_done_ends_with_the_stream() -> None:
    assert read(ChatReader({}), chunk(content="Hi"), chunk("stop")) == [TextDelta("Hi"), Stopped("end", Usage())]


def test_chat_may_stop_in_the_chunk_of_its_last_word() -> None:
    events = read(ChatReader({}), chunk("stop", content="Hi"), {"choices": [], "usage": {"prompt_tokens": 3}}, "[DONE]")
    assert events == [TextDelta("Hi"), Stopped("end", Usage(3, 0, 0))]


def test_chat_without_a_reason_is_cut_short_unless_it_says_done() -> None:
    assert read(ChatReader({}), chunk(content="Hi")) == [TextDelta("Hi")]
    assert read(ChatReader({}), chunk(content="Hi"), "[DONE]")[-1] == Stopped("end")


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"choices": []},
        {"choices": None},
        {"choices": [{}]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"content": None, "tool_calls": None}}]},
        {"choices": [{"delta": {"reasoning_content": "hm"}}]},
        {"usage": None, "x": 1},
        {"usage": {"prompt_tokens": "many", "completion_tokens": -5, "prompt_tokens_details": None}},
        {"usage": {"prompt_tokens": True}},
    ],
)
def test_what_chat_servers_send_besides_is_passed_over(odd: dict[str, Any]) -> None:
    assert read(ChatReader({}), odd, chunk(content="Hi"), odd, chunk("stop"))[0] == TextDelta("Hi")


def test_the_texts_among_parts_are_text_and_thoughts_are_not() -> None:
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Hi"}, {"type": "text"}, "x"]
    assert read(ChatReader({}), chunk(content=parts), chunk("stop"))[0] == TextDelta("Hi")


def test_calls_are_put_together_by_index() -> None:
    pieces = [
        piece("", "a", index=0, id="1"),
        piece('{"x"', index=0),
        piece("", "b", index=1, id="2"),
        piece(":1}", index=0),
        piece("{}", index=1),
    ]
    assert called(*pieces) == [("a", '{"x":1}'), ("b", "{}")]


def test_calls_are_put_together_without_an_index() -> None:
    pieces = [piece('{"x"', "a", id="1"), piece(":1}"), piece("{}", "b", id="2"), piece('{"y":2}', "c")]
    assert called(*pieces) == [("a", '{"x":1}'), ("b", "{}"), ("c", '{"y":2}')]


def test_calls_that_all_have_index_0_are_told_apart_by_their_ids() -> None:
    assert called(piece("{}", "a", index=0, id="1"), piece("{}", "b", index=0, id="2")) == [("a", "{}"), ("b", "{}")]


def test_a_name_that_is_repeated_with_every_piece_is_taken_once() -> None:
    pieces = [piece('{"x"', "a", index=0, id="1"), piece(":1}", "a", index=0, id="1")]
    assert called(*pieces) == [("a", '{"x":1}')]


def test_arguments_may_be_an_object_or_missing_and_calls_may_have_no_id() -> None:
    assert called(piece({"x": 1}, "a", index=0), piece(None, "b", index=1)) == [("a", '{"x": 1}'), ("b", "{}")]
    one, two = (
        event for event in read(ChatReader({}), piece("", "a", index=0), piece("", "b", index=1), chunk("stop"))[:2]
    )
    assert isinstance(one, ToolCall)
    assert isinstance(two, ToolCall)
    assert one.call_id
    assert one.call_id != two.call_id


def test_a_call_is_never_made_from_an_answer_that_was_cut_at_its_limit() -> None:
    events = read(ChatReader({}), piece('{"to": "a', "send", index=0, id="1"), chunk("length"))
    assert events == [Stopped("length", Usage())]


def test_ollama_says_stop_where_it_calls() -> None:
    events = read(ChatReader({"a_b": "a.b"}), piece("{}", "a_b", index=0, id="1"), chunk("stop"))
    assert events == [ToolCall("1", "a.b", "{}"), Stopped("tool_calls", Usage())]


def test_a_refusal_is_text_and_the_reason() -> None:
    assert read(ChatReader({}), chunk(refusal="I will not."), chunk("stop")) == [
        TextDelta("I will not."),
        Stopped("refused", Usage()),
    ]


def test_half_a_surrogate_pair_becomes_a_sign_that_can_be_stored() -> None:
    [text, *_] = read(ChatReader({}), '{"choices": [{"delta": {"content": "a\\ud83d b \\ud83d\\ude00"}}]}', "[DONE]")
    assert text == TextDelta("a\ufffd b 😀")


RESPONSE = {"usage": {"input_tokens": 3, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 1}}}
ITEM = {"type": "function_call", "call_id": "c1", "name": "a_b", "arguments": '{"x":1}'}


@pytest.mark.parametrize(
    "events",
    [
        [{"type": "response.output_item.done", "output_index": 1, "item": ITEM}],
        [
            {"type": "response.output_item.added", "output_index": 1, "item": {**ITEM, "arguments": ""}},
            {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"x"'},
            {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": ":1}"},
        ],
        [
            {"type": "response.output_item.added", "output_index": 1, "item": {**ITEM, "arguments": None}},
            {"type": "response.function_call_arguments.done", "output_index": 1, "arguments": '{"x":1}'},
        ],
        [],
    ],
)
def test_a_call_of_a_response_is_found_wherever_it_stands_and_made_once(events: list[Any]) -> None:
    done = {"type": "response.completed", "response": {**RESPONSE, "output": [{"type": "reasoning"}, ITEM]}}
    assert read(ResponsesReader({"a_b": "a.b"}), *events, done) == [
        ToolCall("c1", "a.b", '{"x":1}'),
        Stopped("tool_calls", Usage(3, 2, 1)),
    ]


def test_a_response_without_its_last_event_is_cut_short() -> None:
    assert read(ResponsesReader({}), {"type": "response.output_text.delta", "delta": "Hi"}, "[DONE]") == [
        TextDelta("Hi")
    ]


@pytest.mark.parametrize(
    ("name", "event", "error"),
    [
        ("chat", {"error": {"message": "no", "code": 400}}, {"message": "no", "code": 400}),
        ("chat", {"error": "no"}, "no"),
        ("responses", {"type": "error", "code": "x", "message": "no"}, {"code": "x", "message": "no"}),
        ("responses", {"type": "error", "error": {"type": "x"}}, {"type": "x"}),
        ("responses", {"type": "response.failed", "response": {"error": {"code": "x"}}}, {"code": "x"}),
        ("messages", {"type": "error", "error": {"type": "x"}}, {"type": "x"}),
    ],
)
def test_an_error_in_the_stream_is_reported(name: str, event: Any, error: Any) -> None:
    with pytest.raises(Reported) as caught:
        read(READERS[name]({}), event)
    assert caught.value.error == error


def test_anthropic_tokens_written_to_its_cache_are_input_too() -> None:
    usage = {"input_tokens": 5, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 11, "output_tokens": 1}
    events = read(
        MessagesReader({}),
        {"type": "message_start", "message": {"usage": usage}},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 9, "input_tokens": None},
        },
        {"type": "message_stop"},
    )
    assert events == [Stopped("end", Usage(23, 9, 11))]


def test_anthropic_calls_with_their_input_at_the_start_or_none_at_all_are_whole() -> None:
    def start(index: int, given: Any) -> dict[str, Any]:
        return {
            "type": "content_block_start",
            "index": index,
            "content_block": {"type": "tool_use", "id": f"t{index}", "name": "a", "input": given},
        }

    stop = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}
    calls = read(MessagesReader({}), start(0, {"x": 1}), start(1, {}), start(2, None), stop)[:-1]
    assert [call.arguments for call in calls if isinstance(call, ToolCall)] == ['{"x": 1}', "{}", "{}"]


def test_a_message_that_has_its_reason_to_stop_is_whole() -> None:
    stop = {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}
    assert read(MessagesReader({}), stop) == [Stopped("length", Usage())]
    assert read(MessagesReader({}), {"type": "ping"}) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "choices", "delta", "content", "tool_calls", "index", "item", "response", "usage"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("name", sorted(READERS))
@settings(max_examples=60, deadline=None)
@given(events=st.lists(JSON.map(json.dumps) | st.text(max_size=20), max_size=4))
def test_any_event_is_read_or_is_nonsense(name: str, events: list[str]) -> None:
    reader = READERS[name]({})
    with suppress(Integrity, Reported):
        read(reader, *events)
