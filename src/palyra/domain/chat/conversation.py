"""What is said to a model and what comes back: plain values that every adapter and every stage speaks."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from palyra.core.hashing import Json

Speaker: TypeAlias = Literal["user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Image:
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a model asks for. `arguments` is the JSON it wrote, as it wrote it: nobody has checked it yet."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    call_id: str
    text: str
    is_error: bool = False


Part: TypeAlias = Text | Image | ToolCall | ToolAnswer


@dataclass(frozen=True, slots=True)
class Message:
    """An assistant's message may hold text and calls; a tool's message holds the answers to them."""

    role: Speaker
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told about it."""

    name: str
    description: str
    parameters: dict[str, Json]
    """JSON Schema of an object"""


@dataclass(frozen=True, slots=True)
class PromptFact:
    """A memory that is in the prompt, for a model that reads no prompt."""

    citation: str
    text: str
    speaker: str
    said_at_ms: int
    score: float


@dataclass(frozen=True, slots=True)
class ChatRequest:
    system: str
    messages: tuple[Message, ...]
    """oldest first; the last one is what has to be answered"""
    tools: tuple[ToolSpec, ...] = ()
    max_output_tokens: int = 4_096
    facts: tuple[PromptFact, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """of the input: what the provider had seen before"""

    def plus(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
        )


StopReason: TypeAlias = Literal["end", "tool_calls", "length", "refused"]


@dataclass(frozen=True, slots=True)
class Stopped:
    """The last event of every stream that came to its end."""

    reason: StopReason
    usage: Usage = field(default_factory=Usage)


ChatEvent: TypeAlias = TextDelta | ToolCall | Stopped
