"""What a person said last in a request, and a block put behind it."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palyra.core.errors import InvalidArgument
from palyra.services.proxy.asked import LastSaid, ProxyProtocol, read_request

CHAT, RESPONSES, MESSAGES = ProxyProtocol.CHAT, ProxyProtocol.RESPONSES, ProxyProtocol.MESSAGES
BLOCK = '<memory boundary="0">\n"tea" ☕\n</memory>\n'


def asked(dialect: ProxyProtocol, body: Any) -> LastSaid | None:
    return read_request(dialect, json.dumps(body).encode()).asked


def of_user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


TOOL_RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "three tins"}


@pytest.mark.parametrize(
    ("dialect", "conversation", "found"),
    [
        (CHAT, [of_user("hi")], LastSaid("hi", 0, True)),
        (CHAT, [of_user("a"), {"role": "assistant", "content": "b"}, of_user("c")], LastSaid("c", 2, True)),
        (CHAT, [of_user("a"), {"role": "developer", "content": "be kind"}], LastSaid("a", 0, True)),
        (CHAT, [of_user("a"), {"role": "assistant", "content": None}, {"role": "tool", "content": "x"}],
         LastSaid("a", 0, False)),
        (CHAT, [of_user([{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}])],
         LastSaid("a\nb", 0, True)),
        (CHAT, [of_user([{"type": "image_url", "image_url": {"url": "data:,"}}])], None),
        (CHAT, [of_user("a"), of_user([{"type": "image_url"}])], LastSaid("a", 0, True)),
        (CHAT, [of_user("")], None),
        (CHAT, "hi", None),
        (CHAT, [], None),
        (RESPONSES, "hi", LastSaid("hi", 0, True)),
        (RESPONSES, " \n", None),
        (RESPONSES, [of_user([{"type": "input_text", "text": "a"}])], LastSaid("a", 0, True)),
        (RESPONSES, [{"type": "message", **of_user("a")}, {"type": "function_call"}, {"type": "function_call_output"}],
         LastSaid("a", 0, False)),
        (RESPONSES, [{"type": "function_call_output", "output": "x"}], None),
        (MESSAGES, [of_user("a"), {"role": "assistant", "content": "b"}, of_user([TOOL_RESULT])],
         LastSaid("a", 0, False)),
        (MESSAGES, [of_user("a"), of_user([TOOL_RESULT, {"type": "text", "text": "b"}])], LastSaid("a", 0, False)),
        (MESSAGES, [of_user([TOOL_RESULT])], None),
        (MESSAGES, [of_user("a"), {"role": "assistant", "content": "It is"}], LastSaid("a", 0, False)),
    ],
)  # fmt: skip
def test_the_last_thing_a_person_said_is_found(
    dialect: ProxyProtocol, conversation: Any, found: LastSaid | None
) -> None:
    assert asked(dialect, {dialect.conversation: conversation}) == found


def test_numbers_escapes_and_unknown_fields_keep_their_spelling() -> None:
    kept = [
        '"seed":123456789012345678901234567890',
        '"temperature":0.10000000000000000555',
        '"later":{"x": [1.0,-0.0, 1E400 ]}',
        '{"role":"system","content":"\\u00e4\\ud83d\\ude00","n":1e-2}',
        '"name":"\\u0041na"',
    ]
    seed, temperature, later, system, name = kept
    user = f'{{"role":"user",{name},"content":"\\u0074ea?"}}'
    body = f'{{{seed},{temperature},{later},"messages":[{system},{user}]}}'
    sent = read_request(CHAT, body.encode()).with_memory("", BLOCK)
    for text in kept:
        assert text.encode() in sent
    assert sent.startswith(body.removesuffix('"}]}').encode())
    assert json.loads(sent)["messages"][1]["content"] == f"tea?\n\n{BLOCK}"


def test_a_key_that_is_there_twice_means_the_same_to_us_and_to_the_server() -> None:
    body = b'{"messages": [{"role": "user", "content": "one"}], "messages": [{"role": "user", "content": "two"}]}'
    request = read_request(CHAT, body)
    assert request.asked == LastSaid("two", 0, True)
    assert request.with_memory("", BLOCK).count(b"messages") == 1


@pytest.mark.parametrize("body", [b"", b"1", b"[]", b"{", b'{"a": NaN}', b'{"a":' + b"[" * 50_000, b"\xff"])
def test_what_is_no_json_object_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidArgument):
        read_request(CHAT, body)


def test_half_a_character_is_for_the_models_server_to_judge() -> None:
    body = b'{"messages": [{"role": "user", "content": "cut \\ud83d"}], "n": 1}'
    request = read_request(CHAT, body)
    assert request.asked is None
    assert request.with_memory("", BLOCK) == body
    for broken in (body[:-1], b'["\\ud83d"]', b'{"a": "\\ud83d", "b": ' + b"[" * 100_000):
        with pytest.raises(InvalidArgument):
            read_request(CHAT, broken)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
PART = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "input_text", "image_url", "tool_result"])}, optional={"text": JSON, "x": JSON}
)
MESSAGE = JSON | st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "tool"]), "content": JSON | st.lists(PART, max_size=3)},
    optional={"type": st.sampled_from(["message", "function_call"]), "name": JSON},
)


@given(
    st.sampled_from(list(ProxyProtocol)),
    JSON | st.lists(MESSAGE, max_size=4),
    st.dictionaries(st.text(), JSON, max_size=3),
)
def test_a_block_is_all_that_is_added_to_any_request(
    dialect: ProxyProtocol, conversation: Any, rest: dict[str, Any]
) -> None:
    body = {**rest, dialect.conversation: conversation}
    request = read_request(dialect, json.dumps(body).encode())
    sent = msgspec.json.decode(request.with_memory("", BLOCK))
    assert list(sent) == list(body)
    if request.asked is None:
        assert sent == body
        return
    assert json.dumps(sent).count(json.dumps(BLOCK)[1:-1]) == 1
    if isinstance(conversation, str):
        assert sent[dialect.conversation] == f"{conversation}\n\n{BLOCK}"
        sent[dialect.conversation] = conversation
    else:
        message = sent[dialect.conversation][request.asked.place]
        if isinstance(message["content"], str):
            message["content"] = message["content"].removesuffix(f"\n\n{BLOCK}")
        else:
            assert message["content"].pop() == {"type": dialect.part_type, "text": f"\n\n{BLOCK}"}
    assert sent == body
