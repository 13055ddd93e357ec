"""What tests of models share: models of the table pointed at a scripted provider, requests, and a whole answer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from palyra.core.clock import Clock, SystemClock
from palyra.domain.chat.conversation import (
    ChatEvent,
    ChatRequest,
    Message,
    Stopped,
    Text,
    TextDelta,
    ToolCall,
    ToolSpec,
)
from palyra.ports import ChatModel
from palyra.providers.models.table import build_model
from palyra.providers.models.upstream import CallPace
from palyra.settings import ModelSettings

NETWORK = {
    "openai-chat": ModelSettings(provider="openai", api="chat", model="m"),
    "openai-responses": ModelSettings(provider="openai", api="responses", model="m"),
    "anthropic": ModelSettings(provider="anthropic", model="m"),
}
QUICK = CallPace(silence_ms=5_000, stall_ms=50_000, max_retries=2, backoff_ms=1)
RECALL = ToolSpec("palyra.memory.search", "searches memory", {"type": "object", "properties": {}})


@dataclass(slots=True)
class Answer:
    text: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    stopped: Stopped | None = None
    events: list[ChatEvent] = field(default_factory=list)


@asynccontextmanager
async def a_model(
    name: str, url: str, clock: Clock | None = None, pace: CallPace = QUICK, **more: object
) -> AsyncIterator[ChatModel]:
    settings = replace(NETWORK[name], base_url=url, **more)  # type: ignore[arg-type]
    model = build_model(settings, clock or SystemClock(), pace)
    try:
        yield model
    finally:
        await model.close()


def a_request(text: str = "Hi", *, system: str = "", tools: tuple[ToolSpec, ...] = ()) -> ChatRequest:
    return ChatRequest(system, (Message("user", (Text(text),)),), tools)


async def answer_of(model: ChatModel, request: ChatRequest | None = None) -> Answer:
    answer = Answer()
    async for event in model.stream(request or a_request()):
        assert answer.stopped is None, "nothing comes after Stopped"
        answer.events.append(event)
        match event:
            case TextDelta(text):
                answer.text += text
            case ToolCall():
                answer.calls.append(event)
            case Stopped():
                answer.stopped = event
    return answer
