"""Everything a prompt is made from, gathered by whoever runs the chat; the stages read it and change nothing."""

from collections.abc import Callable
from dataclasses import dataclass

from palyra.core.ids import AttachmentId, MemoryId, RunId
from palyra.domain.chat.conversation import Image, Message, ToolSpec
from palyra.domain.memory import Trust
from palyra.domain.prompt import ModelWindow
from palyra.domain.scope import Visibility
from palyra.ports import ModelInfo
from palyra.services.memory.context import Memory


@dataclass(frozen=True, slots=True)
class PromptDocument:
    name: str
    text: str
    trust: Trust = Trust.OWNER
    quarantined: bool = False
    has_authority: bool = False
    """it is the owner's own instructions"""


@dataclass(frozen=True, slots=True)
class StandingPreference:
    """What the person has asked for, and has confirmed."""

    memory_id: MemoryId
    text: str


@dataclass(frozen=True, slots=True)
class ReferenceText:
    """Something the message points to, resolved."""

    label: str
    kind: str
    """file, folder, diff, url, memory, …: what it is"""
    text: str
    trust: Trust
    warnings: tuple[str, ...] = ()
    tokens: int = 0
    """as whoever resolved it counted; the prompt counts again, with the fence"""


@dataclass(frozen=True, slots=True)
class AttachedText:
    attachment_id: AttachmentId
    name: str
    text: str
    trust: Trust = Trust.IMPORT


@dataclass(frozen=True, slots=True)
class ImageInput:
    attachment_id: AttachmentId
    image: Image


@dataclass(frozen=True, slots=True)
class HistoryTurn:
    """A run that is over, as its messages were sent and answered; the first is the user's, its plain question."""

    run_id: RunId
    messages: tuple[Message, ...]
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class OlderTurns:
    """Runs before those of the history, which nobody has read because they cannot fit."""

    run_id: RunId
    """the oldest"""
    count: int
    tokens: int
    """about so many"""


@dataclass(frozen=True, slots=True)
class AskedRecall:
    """What the caller itself asks of memory, whether or not memory is added by default."""

    query: str | None = None
    """in place of the question"""
    memory_ids: tuple[MemoryId, ...] = ()
    """these in any case, if the caller may see them"""
    top_k: int | None = None
    """at most so many, the named ones included; None: as many as are added by default, and all that are named"""


@dataclass(frozen=True, slots=True)
class PromptContext:
    memory: Memory
    info: ModelInfo
    count: Callable[[str], int]
    """tokens of a text, never too few"""
    caller: Visibility
    run_id: RunId
    question: str
    asked_at_ms: int
    boundary: str
    """of the fences of this prompt: `secrets.token_hex(8)`, made anew for each"""
    instructions: str = ""
    """what the owner adds to our own"""
    preferences: tuple[StandingPreference, ...] = ()
    documents: tuple[PromptDocument, ...] = ()
    compaction: str = ""
    auto_inject: bool = True
    max_items: int = 3
    max_item_tokens: int = 512
    recall: AskedRecall | None = None
    references: tuple[ReferenceText, ...] = ()
    attachments: tuple[AttachedText, ...] = ()
    images: tuple[ImageInput, ...] = ()
    history: tuple[HistoryTurn, ...] = ()
    """oldest first"""
    older: OlderTurns | None = None
    turns_percent: int = 60
    """of what the window has besides the answer: at most so much is for turns"""
    tools: tuple[ToolSpec, ...] = ()

    @property
    def window(self) -> ModelWindow:
        info = self.info
        return ModelWindow(info.provider, info.model, info.window_tokens, info.max_output_tokens)
