"""OpenAI's chat completions, as OpenAI and as vLLM, llama.cpp, Ollama and others speak it.

They differ in small things, and all of them are taken: no usage, no index on the pieces of a call or the same one for
all, arguments as an object, no id, the reason to stop in any chunk, no `[DONE]`.
"""

import json
from collections.abc import Mapping, Sequence
from secrets import token_hex
from typing import Any

import msgspec

from palyra.core.hashing import Json
from palyra.domain.chat.conversation import (
    ChatEvent,
    ChatRequest,
    Image,
    Message,
    StopReason,
    Text,
    TextDelta,
    ToolAnswer,
    ToolCall,
    ToolSpec,
    Usage,
)
from palyra.ports import ModelInfo
from palyra.providers.models.dialect import Dialect, Reported, count_of, decoded, ending
from palyra.providers.models.said import data_url, name_to_model, paired, text_of

STOPS: Mapping[str, StopReason] = {
    "stop": "end",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "refused",
}


def to_body(request: ChatRequest, info: ModelInfo, is_own: bool) -> dict[str, Json]:
    messages: list[Json] = [{"role": "system", "content": request.system}] if request.system else []
    for message in paired(request.messages):
        messages += _messages(message)
    # OpenAI's newer models refuse the old name, most compatible servers do not know the new one.
    limit = "max_completion_tokens" if is_own else "max_tokens"
    body: dict[str, Json] = {
        "model": info.model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
        limit: min(request.max_output_tokens, info.max_output_tokens),
    }
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    return body


def bearer(key: str) -> Mapping[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


def _tool(tool: ToolSpec) -> Json:
    function: Json = {
        "name": name_to_model(tool.name),
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


def _messages(message: Message) -> list[Json]:
    answers = [part for part in message.parts if isinstance(part, ToolAnswer)]
    if answers:
        return [{"role": "tool", "tool_call_id": answer.call_id, "content": answer.text} for answer in answers]
    if message.role == "assistant":
        text = text_of(message.parts)
        calls: list[Json] = [_call(part) for part in message.parts if isinstance(part, ToolCall)]
        return [{"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}]
    if not any(isinstance(part, Image) for part in message.parts):
        # A list of one text means the same, but not every server takes it.
        return [{"role": "user", "content": text_of(message.parts)}]
    return [{"role": "user", "content": [_content(part) for part in message.parts if isinstance(part, Text | Image)]}]


def _content(part: Text | Image) -> Json:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {"type": "image_url", "image_url": {"url": data_url(part)}}


def _call(call: ToolCall) -> Json:
    function: Json = {"name": name_to_model(call.name), "arguments": call.arguments or "{}"}
    return {"id": call.call_id, "type": "function", "function": function}


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = None


class _CallPiece(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Delta(msgspec.Struct):
    content: Any = None
    refusal: str | None = None
    tool_calls: list[_CallPiece] | None = None


class _Choice(msgspec.Struct):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Chunk(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: Any = None
    error: Any = None


class _Calls:
    """Puts calls together from their pieces."""

    def __init__(self) -> None:
        self._all: list[tuple[str, list[str], list[str]]] = []
        """id, name (at most one), arguments"""
        self._by_index: dict[int, int] = {}

    def add(self, piece: _CallPiece) -> None:
        function = piece.function or _Function()
        place = self._place_of(piece, function)
        if place is None:
            place = len(self._all)
            self._all.append((piece.id or f"call_{token_hex(8)}", [], []))
            if piece.index is not None:
                self._by_index[piece.index] = place
        _, name, arguments = self._all[place]
        if function.name and not name:
            name.append(function.name)
        if function.arguments is not None:
            given = function.arguments
            arguments.append(given if isinstance(given, str) else json.dumps(given))

    def _place_of(self, piece: _CallPiece, function: _Function) -> int | None:
        """Of the call this is a piece of; None for a new one. Some servers give every call the index 0."""
        known = len(self._all) - 1 if piece.index is None else self._by_index.get(piece.index)
        if known is None or known < 0:
            return None
        call_id, name, _ = self._all[known]
        if piece.id:
            return known if piece.id == call_id else None
        starts_anew = piece.index is None and bool(function.name) and bool(name)
        return None if starts_anew else known

    def whole(self, names: Mapping[str, str]) -> list[ToolCall]:
        return [
            ToolCall(call_id, names.get(name[0], name[0]), "".join(arguments).strip() or "{}")
            for call_id, name, arguments in self._all
            if name
        ]


class ChatReader:
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._calls = _Calls()
        self._reason: StopReason | None = None
        self._usage = Usage()

    def take(self, data: str) -> Sequence[ChatEvent]:
        if data.strip() == "[DONE]":
            self._reason = self._reason or "end"
            return self.end()
        chunk = decoded(data, _Chunk)
        if chunk.error is not None:
            raise Reported(chunk.error)
        if isinstance(chunk.usage, dict):
            self._usage = Usage(
                count_of(chunk.usage, "prompt_tokens"),
                count_of(chunk.usage, "completion_tokens"),
                count_of(chunk.usage, "prompt_tokens_details", "cached_tokens"),
            )
        return [event for choice in (chunk.choices or ())[:1] for event in self._choice(choice)]

    def _choice(self, choice: _Choice) -> list[ChatEvent]:
        delta = choice.delta or _Delta()
        for piece in delta.tool_calls or ():
            self._calls.add(piece)
        if choice.finish_reason and self._reason != "refused":
            self._reason = STOPS.get(choice.finish_reason, "end")
        if delta.refusal:
            self._reason = "refused"
        texts = (_text_in(delta.content), delta.refusal or "")
        return [TextDelta(text) for text in texts if text]

    def end(self) -> Sequence[ChatEvent]:
        return ending(self._reason, self._calls.whole(self._names), self._usage) if self._reason else ()


def _text_in(content: object) -> str:
    """A text, or the texts among parts; what a model thinks is not what it says."""
    if isinstance(content, list):
        return "".join(
            part["text"]
            for part in content
            if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
        )
    return content if isinstance(content, str) else ""


DIALECT = Dialect("https://api.openai.com/v1", "/chat/completions", bearer, to_body, ChatReader)
