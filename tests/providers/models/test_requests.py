"""How a conversation is written in each protocol."""

from typing import Any

import pytest

from palyra.core.errors import InvalidArgument
from palyra.domain.chat.conversation import ChatRequest, Image, Message, Text, ToolAnswer, ToolCall, ToolSpec
from palyra.ports import ModelInfo
from palyra.providers.models import anthropic, openai_chat, openai_responses
from palyra.providers.models.said import UNANSWERED, names_from_model, paired

INFO = ModelInfo("openai", "m", 8_192, 1_000, True, True)
SEARCH = ToolSpec("palyra.memory.search", "searches", {"type": "object"})
PICTURE = Image("image/png", b"png")
CALL = ToolCall("call:1", "palyra.memory.search", '{"q": "tea"}')
WHOLE = ChatRequest(
    "Be brief.",
    (
        Message("user", (Text("memory"), PICTURE, Text("What is this?"))),
        Message("assistant", (Text("Let me look."), CALL)),
        Message("tool", (ToolAnswer("call:1", "tea", is_error=True),)),
        Message("assistant", (Text("Tea."),)),
        Message("user", (Text("Thanks"),)),
    ),
    (SEARCH,),
)


def test_chat_completions() -> None:
    assert openai_chat.to_body(WHOLE, INFO, False) == {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 1_000,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "memory"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n"}},
                    {"type": "text", "text": "What is this?"},
                ],
            },
            {
                "role": "assistant",
                "content": "Let me look.",
                "tool_calls": [
                    {
                        "id": "call:1",
                        "type": "function",
                        "function": {"name": "palyra_memory_search", "arguments": '{"q": "tea"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "call:1", "content": "tea"},
            {"role": "assistant", "content": "Tea."},
            {"role": "user", "content": "Thanks"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "palyra_memory_search",
                    "description": "searches",
                    "parameters": {"type": "object"},
                },
            }
        ],
    }


def test_openai_itself_is_told_the_limit_by_its_new_name() -> None:
    body = openai_chat.to_body(WHOLE, INFO, True)
    assert body["max_completion_tokens"] == 1_000
    assert "max_tokens" not in body


def test_responses() -> None:
    assert openai_responses.to_body(WHOLE, INFO, True) == {
        "model": "m",
        "stream": True,
        "store": False,
        "max_output_tokens": 1_000,
        "instructions": "Be brief.",
        "input": [
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "memory"},
                    {"type": "input_image", "image_url": "data:image/png;base64,cG5n"},
                    {"type": "input_text", "text": "What is this?"},
                ],
            },
            {"role": "assistant", "content": [{"type": "output_text", "text": "Let me look."}]},
            {
                "type": "function_call",
                "call_id": "call:1",
                "name": "palyra_memory_search",
                "arguments": '{"q": "tea"}',
            },
            {"type": "function_call_output", "call_id": "call:1", "output": "tea"},
            {"role": "assistant", "content": [{"type": "output_text", "text": "Tea."}]},
            {"role": "user", "content": [{"type": "input_text", "text": "Thanks"}]},
        ],
        "tools": [
            {
                "type": "function",
                "name": "palyra_memory_search",
                "description": "searches",
                "parameters": {"type": "object"},
                "strict": False,
            }
        ],
    }


def test_messages() -> None:
    assert anthropic.to_body(WHOLE, INFO, True) == {
        "model": "m",
        "stream": True,
        "max_tokens": 1_000,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "memory"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cG5n"}},
                    {"type": "text", "text": "What is this?"},
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Let me look."},
                    {"type": "tool_use", "id": "call_1", "name": "palyra_memory_search", "input": {"q": "tea"}},
                ],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "tea", "is_error": True}],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "Tea."}]},
            {"role": "user", "content": [{"type": "text", "text": "Thanks"}]},
        ],
        "tools": [{"name": "palyra_memory_search", "description": "searches", "input_schema": {"type": "object"}}],
    }


def turns(*messages: Message) -> Any:
    return anthropic.to_body(ChatRequest("", messages), INFO, True)["messages"]


def test_the_sides_take_turns_with_anthropic() -> None:
    said = turns(
        Message("user", (Text("one"),)),
        Message("user", (Text("two"), Text("  "))),
        Message("assistant", (Text("three"),)),
        Message("assistant", (Text("four"),)),
        Message("user", (Text("five"),)),
    )
    assert [turn["role"] for turn in said] == ["user", "assistant", "user"]
    assert [len(turn["content"]) for turn in said] == [2, 2, 1]


def test_the_person_begins_with_anthropic() -> None:
    said = turns(Message("assistant", (Text("…and so on."),)), Message("user", (Text("Go on"),)))
    assert [turn["role"] for turn in said] == ["user", "assistant", "user"]


@pytest.mark.parametrize("arguments", ["[1]", "not json", "[" * 100_000, "5"])
def test_arguments_that_are_no_object_are_shown_to_anthropic_as_they_were(arguments: str) -> None:
    said = turns(Message("user", (Text("Hi"),)), Message("assistant", (ToolCall("a", "t", arguments),)))
    assert said[1]["content"][0]["input"] == {"not_an_object": arguments}


def test_each_call_is_answered_once_right_after_it() -> None:
    def call(name: str) -> ToolCall:
        return ToolCall(name, "t", "{}")

    said = list(
        paired(
            (
                Message("tool", (ToolAnswer("stray", "x"),)),
                Message("assistant", (call("a"), call("b"))),
                Message("user", (Text("meanwhile"),)),
                Message("tool", (ToolAnswer("b", "B"), ToolAnswer("b", "again"))),
                Message("assistant", (call("c"),)),
                Message("user", (Text(""),)),
            )
        )
    )
    assert said == [
        Message("assistant", (call("a"), call("b"))),
        Message("tool", (ToolAnswer("a", UNANSWERED, is_error=True), ToolAnswer("b", "B"))),
        Message("user", (Text("meanwhile"),)),
        Message("assistant", (call("c"),)),
        Message("tool", (ToolAnswer("c", UNANSWERED, is_error=True),)),
    ]


def test_an_id_that_comes_again_takes_the_next_answer() -> None:
    call = Message("assistant", (ToolCall("same", "t", "{}"),))
    first, second = (Message("tool", (ToolAnswer("same", text),)) for text in ("first", "second"))
    assert list(paired((call, first, call, second))) == [call, first, call, second]


def test_two_tools_a_model_could_not_tell_apart_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="one name"):
        names_from_model((SEARCH, ToolSpec("palyra_memory_search", "", {})))
