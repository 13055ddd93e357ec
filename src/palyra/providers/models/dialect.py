"""What a network adapter is: how a request is written in its protocol, and how the stream of the answer is read.

Both are pure, so an adapter is a page of translation; connections, retries, time and failures are `upstream.py`'s.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import msgspec

from palyra.core.errors import Integrity, InvalidArgument
from palyra.core.hashing import Json
from palyra.domain.chat.conversation import ChatEvent, ChatRequest, Image, Stopped, StopReason, ToolCall, Usage
from palyra.ports import ModelInfo

T = TypeVar("T")
MAX_TOKENS = 1_000_000_000
"""what a server may claim to have counted"""


class AnswerReader(Protocol):
    """Reads one answer, event by event."""

    def take(self, data: str) -> Sequence[ChatEvent]:
        """What this event says. A `Stopped` in it is the end of the answer. Reported, or Integrity for nonsense."""

    def end(self) -> Sequence[ChatEvent]:
        """What the end of the stream says: the `Stopped`, or nothing when the answer was not finished."""


@dataclass(frozen=True, slots=True)
class Dialect:
    base_url: str
    """the provider's own"""
    path: str
    headers: Callable[[str], Mapping[str, str]]
    """by the key, which is "" when there is none"""
    to_body: Callable[[ChatRequest, ModelInfo, bool], dict[str, Json]]
    """a checked request, who is asked, and whether that is the provider's own server rather than a compatible one"""
    new_reader: Callable[[Mapping[str, str]], AnswerReader]
    """by the tools' names: as the model says them to as we do"""


class Reported(Exception):
    """The server told in the middle of a stream that it failed. Never leaves this package."""

    def __init__(self, error: object) -> None:
        super().__init__("the server reported an error")
        self.error = error


def check(request: ChatRequest, info: ModelInfo) -> None:
    """InvalidArgument for what this model cannot be asked."""
    if not request.messages:
        raise InvalidArgument("there is no message to answer", hint="send at least one message")
    has_images = any(isinstance(part, Image) for message in request.messages for part in message.parts)
    if has_images and not info.takes_images:
        raise InvalidArgument(
            f"the model {info.model!r} takes no images", hint="choose another model, or set models.takes_images"
        )
    if request.tools and not info.takes_tools:
        raise InvalidArgument(
            f"the model {info.model!r} takes no tools", hint="choose another model, or set models.takes_tools"
        )


def decoded(data: str, shape: type[T]) -> T:
    """An event as `shape`, or Integrity that says what is wrong with it and quotes nothing of it."""
    try:
        value = json.loads(data)
        if "\\u" in data:  # half a surrogate pair can be escaped, yet neither stored nor sent
            text = json.dumps(value, ensure_ascii=False).encode("utf-16-le", "surrogatepass")
            value = json.loads(text.decode("utf-16-le", "replace"))
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        raise nonsense(str(error)) from None
    except (ValueError, RecursionError):
        raise nonsense("an event that is not JSON") from None


def nonsense(what: str) -> Integrity:
    return Integrity(
        f"the model server's stream makes no sense: {what}"[:300],
        hint="check that models.base_url and models.api name a server that speaks this protocol",
    )


def ending(reason: StopReason, calls: Sequence[ToolCall], usage: Usage) -> list[ChatEvent]:
    """The calls and the `Stopped`. An answer that was cut short may end inside a call: then none is made."""
    if reason in {"length", "refused"} or not calls:
        return [Stopped("end" if reason == "tool_calls" else reason, usage)]
    return [*calls, Stopped("tool_calls", usage)]


def count_of(usage: Mapping[str, object] | None, *path: str) -> int:
    """The number at `path`; 0 for what is missing or no count at all."""
    value: object = usage
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return min(max(value, 0), MAX_TOKENS) if isinstance(value, int) else 0
