"""Anthropic's messages protocol.

The two sides take turns there, so neighbours of one side become one message; answers of tools come from the user's
side and go first in it. The system prompt is marked for the provider's cache, and with it the tools before it.
"""

import json
import re
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
from palyra.providers.models.said import base64_of, name_to_model, paired

VERSION = "2023-06-01"
CONTINUED = "(the conversation goes on)"
"""stands first where what came before was left out: the user's side has to begin"""
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_-]")
STOPS: Mapping[str, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}


def to_body(request: ChatRequest, info: ModelInfo, is_own: bool) -> dict[str, Json]:  # noqa: ARG001 - one dialect only
    body: dict[str, Json] = {
        "model": info.model,
        "messages": _turns(request),
        "stream": True,
        "max_tokens": min(request.max_output_tokens, info.max_output_tokens),
    }
    if request.system:
        body["system"] = [{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}]
    if request.tools:
        body["tools"] = [
            {"name": name_to_model(tool.name), "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
    return body


def headers(key: str) -> Mapping[str, str]:
    return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}


def _turns(request: ChatRequest) -> Json:
    turns: list[tuple[str, list[Json]]] = []
    for message in paired(request.messages):
        side = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message)
        if not blocks:
            continue
        if turns and turns[-1][0] == side:
            turns[-1][1].extend(blocks)
        else:
            turns.append((side, blocks))
    if turns and turns[0][0] == "assistant":
        turns.insert(0, ("user", [{"type": "text", "text": CONTINUED}]))
    return [{"role": side, "content": blocks} for side, blocks in turns]


def _blocks(message: Message) -> list[Json]:
    # A text of white space only is refused.
    return [_block(part) for part in message.parts if not isinstance(part, Text) or part.text.strip()]


def _block(part: Part) -> Json:
    match part:
        case Text(text):
            return {"type": "text", "text": text}
        case Image(media_type):
            source: Json = {"type": "base64", "media_type": media_type, "data": base64_of(part)}
            return {"type": "image", "source": source}
        case ToolCall(call_id, name, arguments):
            return {"type": "tool_use", "id": _id(call_id), "name": name_to_model(name), "input": _object(arguments)}
        case ToolAnswer(call_id, text, is_error):
            return {"type": "tool_result", "tool_use_id": _id(call_id), "content": text, "is_error": is_error}


def _id(call_id: str) -> str:
    return _NOT_IN_IDS.sub("_", call_id)


def _object(arguments: str) -> Json:
    """What the model wrote as arguments. If that was no JSON object, then it is shown what it wrote."""
    try:
        value = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"not_an_object": arguments}


class _ContentBlock(msgspec.Struct):
    type: str = ""
    id: str | None = None
    name: str | None = None
    text: str | None = None
    input: Any = None


class _BlockDelta(msgspec.Struct):
    type: str = ""
    text: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None


class _Message(msgspec.Struct):
    usage: Any = None


class _StreamEvent(msgspec.Struct):
    type: str = ""
    index: int = 0
    message: _Message | None = None
    content_block: _ContentBlock | None = None
    delta: _BlockDelta | None = None
    usage: Any = None
    error: Any = None


class MessagesReader:
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._calls: dict[int, tuple[_ContentBlock, list[str]]] = {}
        self._usage: dict[str, object] = {}
        self._reason: StopReason | None = None

    def take(self, data: str) -> Sequence[ChatEvent]:
        event = decoded(data, _StreamEvent)
        match event.type:
            case "message_start" if event.message:
                self._count(event.message.usage)
            case "content_block_start" if event.content_block:
                return self._start(event.index, event.content_block)
            case "content_block_delta" if event.delta:
                return self._delta(event.index, event.delta)
            case "message_delta":
                self._count(event.usage)
                if event.delta and event.delta.stop_reason:
                    self._reason = STOPS.get(event.delta.stop_reason, "end")
            case "message_stop":
                self._reason = self._reason or "end"
                return self.end()
            case "error":
                raise Reported(event.error)
        return ()

    def _count(self, usage: object) -> None:
        if isinstance(usage, dict):  # later numbers are of the whole, not of what was added
            self._usage |= {name: value for name, value in usage.items() if value is not None}

    def _start(self, index: int, block: _ContentBlock) -> Sequence[ChatEvent]:
        if block.type == "tool_use":
            self._calls[index] = (block, [])
        return (TextDelta(block.text),) if block.type == "text" and block.text else ()

    def _delta(self, index: int, delta: _BlockDelta) -> Sequence[ChatEvent]:
        if delta.partial_json and index in self._calls:
            self._calls[index][1].append(delta.partial_json)
        return (TextDelta(delta.text),) if delta.type == "text_delta" and delta.text else ()

    def end(self) -> Sequence[ChatEvent]:
        if self._reason is None:
            return ()
        calls = [self._call(block, pieces) for _, (block, pieces) in sorted(self._calls.items())]
        cached = count_of(self._usage, "cache_read_input_tokens")
        fresh = count_of(self._usage, "input_tokens") + count_of(self._usage, "cache_creation_input_tokens")
        return ending(self._reason, calls, Usage(fresh + cached, count_of(self._usage, "output_tokens"), cached))

    def _call(self, block: _ContentBlock, pieces: list[str]) -> ToolCall:
        name = block.name or ""
        arguments = "".join(pieces).strip() or json.dumps(block.input or {}, ensure_ascii=False)
        return ToolCall(block.id or "", self._names.get(name, name), arguments)


DIALECT = Dialect("https://api.anthropic.com", "/v1/messages", headers, to_body, MessagesReader)
