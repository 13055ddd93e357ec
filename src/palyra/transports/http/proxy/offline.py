"""With no model's server behind it: our own offline model answers, in the shape the client asked in."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

import msgspec
from starlette.types import Receive, Scope, Send

from palyra.core.errors import InvalidArgument, NotFound, PalyraError
from palyra.domain.chat.conversation import ChatEvent, Stopped, TextDelta, Usage
from palyra.services.proxy.asked import ProxyProtocol, ProxyRequest
from palyra.services.proxy.conversation import to_chat_request
from palyra.services.proxy.heard import AnswerListener
from palyra.transports.http.answers import WholeBody, json_answer
from palyra.transports.http.proxy.desk import ProxyMemory
from palyra.transports.http.proxy.refusals import anthropic_event, openai_event, refuse_anthropic, refuse_openai
from palyra.transports.http.proxy.relay import until_gone
from palyra.transports.http.proxy.upstream import Header
from palyra.transports.http.site import Reply, Visit

MODEL = "palyra-offline"
_EVENTS: tuple[Header, ...] = ((b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store"))


async def answer(visit: Visit, desk: ProxyMemory, request: ProxyRequest) -> Reply:
    app = visit.site.app
    asked = to_chat_request(request, (), app.settings.models.max_output_tokens)
    if not asked.messages:
        raise InvalidArgument("there is nothing to answer", hint='send "messages" with one of role "user"')
    remembered = await desk.remember(visit, request)
    asked = to_chat_request(request, remembered.recalled.chosen, app.settings.models.max_output_tokens)
    heard = AnswerListener(request.dialect)
    shape = _SHAPES[request.dialect](visit.seen.request_id, app.clock.now_ms() // 1_000, _wants_usage(request))
    return _Speech(
        visit,
        app.model.stream(asked),
        shape,
        heard,
        remembered.when_ended(heard),
        remembered.header,
        is_stream=request.field("stream", bool, False),
    )


def models() -> WholeBody:
    """What both protocols call a list of models."""
    return json_answer({"object": "list", "data": [_MODEL], "has_more": False, "first_id": MODEL, "last_id": MODEL})


def model(name: str) -> WholeBody:
    if name != MODEL:
        raise NotFound(f"there is no model {name[:128]!r}", hint=f"there is {MODEL}")
    return json_answer(_MODEL)


_MODEL = {
    "id": MODEL,
    "object": "model",
    "type": "model",
    "created": 0,
    "created_at": "1970-01-01T00:00:00Z",
    "owned_by": "palyra",
    "display_name": "Palyra, from memory alone",
}


class _Shape(Protocol):
    """How one protocol writes an answer."""

    def begin(self) -> bytes: ...
    def piece(self, text: str) -> bytes: ...
    def end(self, stopped: Stopped) -> bytes: ...
    def whole(self, text: str, stopped: Stopped) -> dict[str, object]: ...
    def refuse(self, error: PalyraError) -> WholeBody: ...
    def break_off(self, error: PalyraError) -> bytes: ...


class _Speech:
    def __init__(
        self,
        visit: Visit,
        events: AsyncIterator[ChatEvent],
        shape: _Shape,
        heard: AnswerListener,
        ended: Callable[[PalyraError | None], Awaitable[None]],
        memory: Header,
        *,
        is_stream: bool,
    ) -> None:
        self._visit = visit
        self._events = events
        self._shape = shape
        self._heard = heard
        self._ended = ended
        self._memory = memory
        self._is_stream = is_stream
        self._has_begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            error = await until_gone(receive, self._speak(scope, receive, send))
        except Exception as failure:  # noqa: BLE001 - becomes an error in the client's shape
            error = self._visit.seen.fail(failure)
        if error is not None:
            await self._break_off(error, scope, receive, send)

    async def _speak(self, scope: Scope, receive: Receive, send: Send) -> None:
        stopped = Stopped("end")
        async for event in self._events:
            if isinstance(event, TextDelta):
                self._heard.add(event.text)
                if self._is_stream:
                    await self._send(send, self._shape.piece(event.text))
            elif isinstance(event, Stopped):
                stopped = event
        self._heard.usage = stopped.usage
        await self._ended(None)
        if self._is_stream:
            await self._send(send, self._shape.end(stopped))
            await send({"type": "http.response.body", "body": b""})
        else:
            reply = json_answer(self._shape.whole(self._heard.text, stopped), headers=(self._memory,))
            await reply(scope, receive, send)

    async def _send(self, send: Send, events: bytes) -> None:
        if not self._has_begun:
            self._has_begun = True
            await send({"type": "http.response.start", "status": 200, "headers": [*_EVENTS, self._memory]})
            events = self._shape.begin() + events
        await send({"type": "http.response.body", "body": events, "more_body": True})

    async def _break_off(self, error: PalyraError, scope: Scope, receive: Receive, send: Send) -> None:
        self._visit.seen.fail(error)
        await self._ended(error)
        if error.code == "cancelled":
            return
        if self._has_begun:
            await send({"type": "http.response.body", "body": self._shape.break_off(error)})
        else:
            await self._shape.refuse(error)(scope, receive, send)


@dataclass(frozen=True, slots=True)
class _ChatShape:
    request_id: str
    created: int
    wants_usage: bool

    def begin(self) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def piece(self, text: str) -> bytes:
        return self._chunk({"content": text})

    def end(self, stopped: Stopped) -> bytes:
        last = self._chunk({}, _CHAT_STOPS[stopped.reason])
        if self.wants_usage:
            last += _data({**self._head("chat.completion.chunk"), "choices": [], "usage": _chat_usage(stopped.usage)})
        return last + b"data: [DONE]\n\n"

    def whole(self, text: str, stopped: Stopped) -> dict[str, object]:
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _CHAT_STOPS[stopped.reason]}
        return {**self._head("chat.completion"), "choices": [choice], "usage": _chat_usage(stopped.usage)}

    def refuse(self, error: PalyraError) -> WholeBody:
        return refuse_openai(None, error, self.request_id)

    def break_off(self, error: PalyraError) -> bytes:
        return openai_event(error, self.request_id)

    def _chunk(self, delta: dict[str, str], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _data({**self._head("chat.completion.chunk"), "choices": [choice]})

    def _head(self, kind: str) -> dict[str, object]:
        return {"id": f"chatcmpl-{self.request_id}", "object": kind, "created": self.created, "model": MODEL}


@dataclass(frozen=True, slots=True)
class _MessagesShape:
    request_id: str
    created: int
    wants_usage: bool

    def begin(self) -> bytes:
        message = {**self._head(), "content": [], "stop_reason": None, "usage": _messages_usage(Usage())}
        block = {"type": "text", "text": ""}
        return _event("message_start", message=message) + _event("content_block_start", index=0, content_block=block)

    def piece(self, text: str) -> bytes:
        return _event("content_block_delta", index=0, delta={"type": "text_delta", "text": text})

    def end(self, stopped: Stopped) -> bytes:
        delta = {"stop_reason": _MESSAGES_STOPS[stopped.reason], "stop_sequence": None}
        return (
            _event("content_block_stop", index=0)
            + _event("message_delta", delta=delta, usage=_messages_usage(stopped.usage))
            + _event("message_stop")
        )

    def whole(self, text: str, stopped: Stopped) -> dict[str, object]:
        content = [{"type": "text", "text": text}]
        stop = {"stop_reason": _MESSAGES_STOPS[stopped.reason], "usage": _messages_usage(stopped.usage)}
        return {**self._head(), "content": content, **stop}

    def refuse(self, error: PalyraError) -> WholeBody:
        return refuse_anthropic(None, error, self.request_id)

    def break_off(self, error: PalyraError) -> bytes:
        return anthropic_event(error, self.request_id)

    def _head(self) -> dict[str, object]:
        named = {"id": f"msg_{self.request_id}", "type": "message", "role": "assistant", "model": MODEL}
        return {**named, "stop_sequence": None}


_SHAPES: dict[ProxyProtocol, Callable[[str, int, bool], _Shape]] = {
    ProxyProtocol.CHAT: _ChatShape,
    ProxyProtocol.MESSAGES: _MessagesShape,
}
_CHAT_STOPS = {"end": "stop", "tool_calls": "tool_calls", "length": "length", "refused": "content_filter"}
_MESSAGES_STOPS = {"end": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "refused": "refusal"}


def _wants_usage(request: ProxyRequest) -> bool:
    return request.field("stream_options", dict[str, object], {}).get("include_usage") is True


def _chat_usage(usage: Usage) -> dict[str, int]:
    total = usage.input_tokens + usage.output_tokens
    return {"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens, "total_tokens": total}


def _messages_usage(usage: Usage) -> dict[str, int]:
    return {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}


def _data(value: dict[str, object]) -> bytes:
    return b"data: " + msgspec.json.encode(value) + b"\n\n"


def _event(kind: str, **fields: object) -> bytes:
    return b"event: " + kind.encode() + b"\n" + _data({"type": kind, **fields})
