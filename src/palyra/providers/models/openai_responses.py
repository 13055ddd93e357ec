"""OpenAI's responses protocol. Nothing is kept at the provider (`store` off): the whole conversation goes along."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from palyra.core.hashing import Json
from palyra.domain.chat.conversation import (
    ChatEvent,
    ChatRequest,
    Image,
    Message,
    Part,
    StopReason,
    Text,
    TextDelta,
    ToolAnswer,
    ToolCall,
    Usage,
)
from palyra.ports import ModelInfo
from palyra.providers.models.dialect import Dialect, Reported, count_of, decoded, ending
from palyra.providers.models.openai_chat import bearer
from palyra.providers.models.said import data_url, name_to_model, paired


def to_body(request: ChatRequest, info: ModelInfo, is_own: bool) -> dict[str, Json]:  # noqa: ARG001 - one dialect only
    items: list[Json] = []
    for message in paired(request.messages):
        items += _items(message)
    body: dict[str, Json] = {
        "model": info.model,
        "input": items,
        "stream": True,
        "store": False,
        # Smaller limits are refused.
        "max_output_tokens": max(16, min(request.max_output_tokens, info.max_output_tokens)),
    }
    if request.system:
        body["instructions"] = request.system
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "name": name_to_model(tool.name),
                "description": tool.description,
                "parameters": tool.parameters,
                "strict": False,
            }
            for tool in request.tools
        ]
    return body


def _items(message: Message) -> list[Json]:
    content: list[Json] = [_content(part, message.role) for part in message.parts if isinstance(part, Text | Image)]
    items: list[Json] = [{"role": message.role, "content": content}] if content else []
    return items + [_item(part) for part in message.parts if isinstance(part, ToolCall | ToolAnswer)]


def _content(part: Text | Image, role: str) -> Json:
    if isinstance(part, Image):
        return {"type": "input_image", "image_url": data_url(part)}
    return {"type": "output_text" if role == "assistant" else "input_text", "text": part.text}


def _item(part: Part) -> Json:
    if isinstance(part, ToolCall):
        named: dict[str, Json] = {"name": name_to_model(part.name), "arguments": part.arguments or "{}"}
        return {"type": "function_call", "call_id": part.call_id, **named}
    assert isinstance(part, ToolAnswer)  # noqa: S101 - tells the type checker what the caller asked for
    return {"type": "function_call_output", "call_id": part.call_id, "output": part.text}


class _Item(msgspec.Struct):
    type: str = ""
    id: str | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None


class _Incomplete(msgspec.Struct):
    reason: str | None = None


class _Response(msgspec.Struct):
    output: list[_Item] | None = None
    usage: Any = None
    error: Any = None
    incomplete_details: _Incomplete | None = None


class _Event(msgspec.Struct):
    type: str = ""
    delta: Any = None
    arguments: str | None = None
    output_index: int = 0
    item: _Item | None = None
    response: _Response | None = None
    error: Any = None
    code: Any = None
    message: str | None = None


class ResponsesReader:
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._calls: dict[int, tuple[str, str]] = {}
        """id and name, by their place in the output"""
        self._arguments: dict[int, list[str]] = {}
        self._has_refused = False

    def take(self, data: str) -> Sequence[ChatEvent]:
        if data.strip() == "[DONE]":
            return ()
        event = decoded(data, _Event)
        match event.type:
            case "response.output_text.delta" | "response.refusal.delta":
                self._has_refused = self._has_refused or event.type == "response.refusal.delta"
                return (TextDelta(event.delta),) if isinstance(event.delta, str) and event.delta else ()
            case "response.output_item.added" | "response.output_item.done":
                self._note(event.output_index, event.item or _Item())
            case "response.function_call_arguments.delta" if isinstance(event.delta, str):
                self._arguments.setdefault(event.output_index, []).append(event.delta)
            case "response.function_call_arguments.done" if event.arguments is not None:
                self._arguments[event.output_index] = [event.arguments]
            case "response.completed" | "response.incomplete":
                return self._finish(event.type, event.response or _Response())
            case "response.failed" | "error":
                reported = {"code": event.code, "message": event.message or ""}
                raise Reported((event.response.error if event.response else event.error) or reported)
        return ()

    def _note(self, place: int, item: _Item) -> None:
        if item.type != "function_call" or not item.name:
            return
        self._calls[place] = (item.call_id or item.id or f"call_{place}", item.name)
        if item.arguments:
            self._arguments[place] = [item.arguments]

    def _finish(self, kind: str, response: _Response) -> Sequence[ChatEvent]:
        for place, item in enumerate(response.output or ()):
            self._note(place, item)
        calls = [
            ToolCall(call_id, self._names.get(name, name), "".join(self._arguments.get(place, ())).strip() or "{}")
            for place, (call_id, name) in sorted(self._calls.items())
        ]
        reason: StopReason = "refused" if self._has_refused else "end"
        if kind == "response.incomplete":
            cause = response.incomplete_details.reason if response.incomplete_details else None
            reason = "refused" if cause == "content_filter" else "length"
        usage = Usage(
            count_of(response.usage, "input_tokens"),
            count_of(response.usage, "output_tokens"),
            count_of(response.usage, "input_tokens_details", "cached_tokens"),
        )
        return ending(reason, calls, usage)

    def end(self) -> Sequence[ChatEvent]:
        return ()


DIALECT = Dialect("https://api.openai.com/v1", "/responses", bearer, to_body, ResponsesReader)
