"""What stands goes in behind what the client itself tells the model first, and changes none of the client's bytes."""

import msgspec
import pytest

from palyra.services.proxy.asked import ProxyProtocol, read_request

STANDING = "Answer in French."
ASKED = {"role": "user", "content": "Where is it?"}


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ([], [{"role": "system", "content": STANDING}]),
        ([{"role": "developer", "content": "Be kind"}], [{"role": "developer", "content": STANDING}]),
    ],
)
def test_in_a_chat_it_is_the_last_message_before_the_conversation(
    told: list[dict[str, str]], expected: list[dict[str, str]]
) -> None:
    body = msgspec.json.encode({"messages": [*told, ASKED]})
    sent = msgspec.json.decode(read_request(ProxyProtocol.CHAT, body).with_memory(STANDING, ""))
    assert sent["messages"] == [*told, *expected, ASKED]


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (None, STANDING),
        ("Be kind", f"Be kind\n\n{STANDING}"),
        (
            [{"type": "text", "text": "Be kind"}],
            [{"type": "text", "text": "Be kind"}, {"type": "text", "text": f"\n\n{STANDING}"}],
        ),
        (7, 7),
    ],
)
def test_elsewhere_it_ends_the_field_that_is_told_first(system: object, expected: object) -> None:
    for dialect, name, conversation in (
        (ProxyProtocol.MESSAGES, "system", "messages"),
        (ProxyProtocol.RESPONSES, "instructions", "input"),
    ):
        body = msgspec.json.encode({conversation: [ASKED], **({} if system is None else {name: system})})
        sent = msgspec.json.decode(read_request(dialect, body).with_memory(STANDING, ""))
        assert sent[name] == expected
        assert sent[conversation] == [ASKED]


def test_beside_a_block_both_are_in_their_places() -> None:
    body = msgspec.json.encode({"messages": [ASKED]})
    sent = msgspec.json.decode(read_request(ProxyProtocol.CHAT, body).with_memory(STANDING, "<memory>"))
    assert sent["messages"] == [
        {"role": "system", "content": STANDING},
        {"role": "user", "content": "Where is it?\n\n<memory>"},
    ]
