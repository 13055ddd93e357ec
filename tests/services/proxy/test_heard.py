"""Reading along: whatever passes, nothing of it may raise."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palyra.domain.chat.conversation import Usage
from palyra.services.proxy import heard as hearing
from palyra.services.proxy.asked import ProxyProtocol
from palyra.services.proxy.heard import AnswerListener

WORDS = st.sampled_from(
    ["type", "choices", "delta", "content", "text", "usage", "error", "index", "message", "output", "response", "item",
     "message_start", "content_block_delta", "message_delta", "response.completed", "response.output_text.delta",
     "input_tokens", "prompt_tokens", "stop_reason", "finish_reason", "tool_use"]
)  # fmt: skip
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from(list(ProxyProtocol)), ODD)
def test_nothing_that_passes_can_raise(dialect: ProxyProtocol, value: Any) -> None:
    heard = AnswerListener(dialect)
    heard.whole(json.dumps(value).encode())
    heard.line(b"data: " + json.dumps(value).encode())
    assert isinstance(heard.text, str)
    assert heard.usage.input_tokens >= 0


@pytest.mark.parametrize(
    "line", [b"", b":", b"data", b"data:", b"data: [DONE]", b"data: {", b"event: x", b"\xff", b"data: \xff"]
)
def test_lines_that_say_nothing_are_passed_over(line: bytes) -> None:
    heard = AnswerListener(ProxyProtocol.CHAT)
    heard.line(line)
    assert (heard.text, heard.usage, heard.failed) == ("", Usage(), False)


def test_of_several_choices_the_first_is_heard() -> None:
    heard = AnswerListener(ProxyProtocol.CHAT)
    heard.whole(b'{"choices": [{"index": 1, "message": {"content": "b"}}, {"index": 0, "message": {"content": "a"}}]}')
    assert heard.text == "a"


def test_an_endless_answer_is_not_kept_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "TEXT_CHARS", 10)
    heard = AnswerListener(ProxyProtocol.CHAT)
    for _ in range(9):
        heard.add("abc")
    assert heard.text == "abcabcabca"
