"""How an answer looks in each of the three protocols a model is spoken to in: whole, and as a stream of events.

Written from the providers' documentation, not from our adapters, and read by the official clients in the tests.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Protocol: TypeAlias = Literal["chat", "responses", "messages"]
Stop: TypeAlias = Literal["end", "tool_calls", "length", "refused"]
Event: TypeAlias = tuple[str, dict[str, Any] | str]
"""the event's name ("" for none) and its data"""

PATHS: dict[str, Protocol] = {"/chat/completions": "chat", "/responses": "responses", "/messages": "messages"}
STOPS: dict[Protocol, dict[Stop, str]] = {
    "chat": {"end": "stop", "tool_calls": "tool_calls", "length": "length", "refused": "content_filter"},
    "responses": {"end": "", "tool_calls": "", "length": "max_output_tokens", "refused": "content_filter"},
    "messages": {"end": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "refused": "refusal"},
}


@dataclass(frozen=True, slots=True)
class Called:
    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Said:
    """What a model answers, whatever the protocol."""

    pieces: tuple[str, ...]
    calls: tuple[Called, ...] = ()
    stop: Stop = "end"
    input_tokens: int = 12
    output_tokens: int = 7
    cached_tokens: int = 4
    """of the input"""

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def protocol_of(path: str) -> Protocol | None:
    return next((protocol for end, protocol in PATHS.items() if path.partition("?")[0].endswith(end)), None)


def as_sse(events: Iterator[Event]) -> Iterator[bytes]:
    for name, data in events:
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        yield ((f"event: {name}\n" if name else "") + f"data: {text}\n\n").encode()


def events(protocol: Protocol, said: Said, model: str) -> Iterator[Event]:
    match protocol:
        case "chat":
            return _chat_events(said, model)
        case "responses":
            return _responses_events(said, model)
        case "messages":
            return _messages_events(said, model)


def whole(protocol: Protocol, said: Said, model: str) -> dict[str, Any]:
    match protocol:
        case "chat":
            return _chat_whole(said, model)
        case "responses":
            return _response(said, model, "completed" if said.stop in {"end", "tool_calls"} else "incomplete")
        case "messages":
            return _message(said, model)


def error_body(protocol: Protocol | None, kind: str, message: str) -> dict[str, Any]:
    if protocol == "messages":
        return {"type": "error", "error": {"type": kind, "message": message}}
    return {"error": {"message": message, "type": kind, "param": None, "code": kind}}


def error_event(protocol: Protocol, kind: str, message: str) -> Event:
    if protocol == "responses":
        return "error", {"type": "error", "code": kind, "message": message, "param": None, "sequence_number": 9}
    return ("error" if protocol == "messages" else ""), error_body(protocol, kind, message)


def _halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


def _chat_usage(said: Said) -> dict[str, Any]:
    return {
        "prompt_tokens": said.input_tokens,
        "completion_tokens": said.output_tokens,
        "total_tokens": said.input_tokens + said.output_tokens,
        "prompt_tokens_details": {"cached_tokens": said.cached_tokens},
    }


def _chat_call(call: Called) -> dict[str, Any]:
    return {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _chat_whole(said: Said, model: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if said.calls:
        message["tool_calls"] = [_chat_call(call) for call in said.calls]
    choice = {"index": 0, "message": message, "finish_reason": STOPS["chat"][said.stop], "logprobs": None}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model}
    return {**head, "choices": [choice], "usage": _chat_usage(said)}


def _chat_events(said: Said, model: str) -> Iterator[Event]:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> Event:
        return "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": None}

    yield chunk({"role": "assistant", "content": ""})
    for piece in said.pieces:
        yield chunk({"content": piece})
    for index, call in enumerate(said.calls):
        yield chunk({"tool_calls": [{"index": index, **_chat_call(Called(call.call_id, call.name, ""))}]})
        for part in _halves(call.arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    yield chunk({}, STOPS["chat"][said.stop])
    yield "", {**head, "choices": [], "usage": _chat_usage(said)}
    yield "", "[DONE]"


def _response(said: Said, model: str, status: str) -> dict[str, Any]:
    started = status == "in_progress"
    output = [] if started else [item for _, item in _output_items(said)]
    reason = STOPS["responses"][said.stop]
    usage = {
        "input_tokens": said.input_tokens,
        "input_tokens_details": {"cached_tokens": said.cached_tokens, "cache_write_tokens": 0},
        "output_tokens": said.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": said.input_tokens + said.output_tokens,
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": model,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": reason} if reason and not started else None,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": None if started else usage,
    }


def _output_items(said: Said) -> Iterator[tuple[int, dict[str, Any]]]:
    place = 0
    if said.pieces:
        part = {"type": "output_text", "text": said.text, "annotations": []}
        yield 0, {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        place = 1
    for place_, call in enumerate(said.calls, place):
        named = {"call_id": call.call_id, "name": call.name, "arguments": call.arguments}
        yield place_, {"id": f"fc_{place_}", "type": "function_call", "status": "completed", **named}


def _responses_events(said: Said, model: str) -> Iterator[Event]:
    number = 0

    def event(kind: str, **fields: Any) -> Event:
        nonlocal number
        number += 1
        return kind, {"type": kind, "sequence_number": number, **fields}

    yield event("response.created", response=_response(said, model, "in_progress"))
    for place, item in _output_items(said):
        where = {"item_id": item["id"], "output_index": place}
        if item["type"] == "message":
            yield event("response.output_item.added", output_index=place, item={**item, "content": []})
            empty = {"type": "output_text", "text": "", "annotations": []}
            yield event("response.content_part.added", **where, content_index=0, part=empty)
            for piece in said.pieces:
                yield event("response.output_text.delta", **where, content_index=0, delta=piece, logprobs=[])
            yield event("response.output_text.done", **where, content_index=0, text=said.text, logprobs=[])
        else:
            yield event("response.output_item.added", output_index=place, item={**item, "arguments": ""})
            for part in _halves(item["arguments"]):
                yield event("response.function_call_arguments.delta", **where, delta=part)
            done = {"name": item["name"], "arguments": item["arguments"]}
            yield event("response.function_call_arguments.done", **where, **done)
        yield event("response.output_item.done", output_index=place, item=item)
    last = "incomplete" if STOPS["responses"][said.stop] else "completed"
    yield event(f"response.{last}", response=_response(said, model, last))


def _messages_usage(said: Said, output_tokens: int) -> dict[str, Any]:
    fresh = said.input_tokens - said.cached_tokens
    kept = {"cache_read_input_tokens": said.cached_tokens, "cache_creation_input_tokens": 0}
    return {"input_tokens": fresh, "output_tokens": output_tokens, **kept}


def _message(said: Said, model: str) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": said.text}] if said.pieces else []
    content += [
        {"type": "tool_use", "id": call.call_id, "name": call.name, "input": json.loads(call.arguments)}
        for call in said.calls
    ]
    stop = {"stop_reason": STOPS["messages"][said.stop], "stop_sequence": None}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": model}
    return {**head, "content": content, **stop, "usage": _messages_usage(said, said.output_tokens)}


def _messages_events(said: Said, model: str) -> Iterator[Event]:
    def event(kind: str, **fields: Any) -> Event:
        return kind, {"type": kind, **fields}

    start = {**_message(Said((), ()), model), "stop_reason": None, "usage": _messages_usage(said, 1)}
    yield event("message_start", message=start)
    yield event("ping")
    place = 0
    if said.pieces:
        yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        for piece in said.pieces:
            yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
        yield event("content_block_stop", index=0)
        place = 1
    for index, call in enumerate(said.calls, place):
        block = {"type": "tool_use", "id": call.call_id, "name": call.name, "input": {}}
        yield event("content_block_start", index=index, content_block=block)
        for part in ("", *_halves(call.arguments)):
            delta = {"type": "input_json_delta", "partial_json": part}
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    stop = {"stop_reason": STOPS["messages"][said.stop], "stop_sequence": None}
    yield event("message_delta", delta=stop, usage={"output_tokens": said.output_tokens})
    yield event("message_stop")
