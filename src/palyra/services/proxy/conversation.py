"""A client's request as a model of our own is asked: the text of it, and the memories beside it."""

from collections.abc import Iterator
from typing import Any

import msgspec

from palyra.domain.chat.conversation import ChatRequest, Message, PromptFact, Speaker, Text
from palyra.domain.recall import Chosen
from palyra.services.proxy.asked import INSTRUCTIONS, ProxyProtocol, ProxyRequest

_SPEAKERS: dict[str, Speaker] = {"user": "user", "assistant": "assistant"}


class _Said(msgspec.Struct):
    role: str
    content: str | list[Any] | None = None


def to_chat_request(request: ProxyRequest, chosen: tuple[Chosen, ...], max_output_tokens: int) -> ChatRequest:
    """What is no text (images, calls of tools and their results) is left out: the model takes none."""
    said = request.field(request.dialect.conversation, list[_Said], [])
    system = [_text(one) for one in said if one.role in INSTRUCTIONS]
    if request.dialect is ProxyProtocol.MESSAGES:
        system.append(request.field("system", str, "") or "\n".join(_texts(request.field("system", list, []))))
    messages = tuple(
        Message(_SPEAKERS[one.role], (Text(text),)) for one in said if one.role in _SPEAKERS and (text := _text(one))
    )
    wanted = request.field("max_completion_tokens", int, 0) or request.field("max_tokens", int, 0)
    return ChatRequest(
        "\n\n".join(filter(None, system)),
        messages,
        max_output_tokens=min(wanted, max_output_tokens) if wanted > 0 else max_output_tokens,
        facts=tuple(_fact(one) for one in chosen),
    )


def _text(said: _Said) -> str:
    if isinstance(said.content, str):
        return said.content
    return "\n".join(_texts(said.content or []))


def _texts(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, dict) and part.get("type") == "text" and isinstance(text := part.get("text"), str):
            yield text


def _fact(chosen: Chosen) -> PromptFact:
    item = chosen.hit.told
    return PromptFact(chosen.citation, chosen.text, item.speaker, item.said_at_ms, chosen.hit.score)
