"""What a chat is made of, given by the composition root: nothing here knows where a part comes from."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from palyra.core.clock import Clock
from palyra.core.ids import RunId
from palyra.domain.access import Capability
from palyra.domain.chat.references import PreviewOfReferences
from palyra.domain.chat.session import RunOrigin, Session
from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.ports import ChatModel, ModelInfo, ToolRun
from palyra.services.memory.context import Memory
from palyra.services.prompt.context import AskedRecall, AttachedText, ImageInput, PromptDocument
from palyra.services.sessions.context import Sessions


@dataclass(frozen=True, slots=True)
class ChatPolicy:
    instructions: str = ""
    max_tool_rounds: int = 8
    approval_ms: int = 600_000
    auto_inject: bool = True
    max_items: int = 3
    turns_percent: int = 60


@dataclass(frozen=True, slots=True)
class Attached:
    """What the attachments of a message bring into a prompt."""

    texts: tuple[AttachedText, ...] = ()
    images: tuple[ImageInput, ...] = ()
    listed: tuple[tuple[str, str, str], ...] = ()
    """id, name and media type of each"""
    refused: tuple[tuple[str, str], ...] = ()
    """name, and why it is not in the prompt"""


class OffersTools(Protocol):
    def for_run(
        self, caller: Visibility, actor: Actor, capabilities: frozenset[Capability], provenance: tuple[str, ...]
    ) -> ToolRun: ...


@dataclass(frozen=True, slots=True)
class ChatParts:
    sessions: Sessions
    memory: Memory
    model: ChatModel
    count: Callable[[str], int]
    """tokens of a text in that model; remembers what it has counted"""
    tools: OffersTools
    references: Callable[[str, Visibility, bool], Awaitable[PreviewOfReferences]]
    """the last says whether memory and sessions may be read"""
    documents: Callable[[Session], Awaitable[tuple[PromptDocument, ...]]]
    """what stands at the beginning of every prompt of a session"""
    attachments: Callable[[Sequence[str], Visibility, ModelInfo], Awaitable[Attached]]
    policy: ChatPolicy
    clock: Clock


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who sends a message."""

    actor: Actor
    capabilities: frozenset[Capability]
    name: str = ""

    @property
    def may_read(self) -> bool:
        """Whoever may only write is told nothing that is remembered, not even by an answer."""
        return Capability.READ in self.capabilities


@dataclass(frozen=True, slots=True)
class NewMessage:
    text: str
    attachments: tuple[str, ...] = ()
    recall: AskedRecall | None = None
    references: tuple[str, ...] = ()
    auto_inject: bool | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """A message on its way to an answer."""

    session: Session
    run_id: RunId
    speaker: Speaker
    message: NewMessage
    origin: RunOrigin = RunOrigin.CHAT
