"""What can happen to sessions, runs and the tape, one frozen dataclass each. None and empty fields are not written."""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from palyra.core.hashing import Json
from palyra.core.ids import AttachmentId, EventId, RunId, SessionId


@dataclass(frozen=True, slots=True)
class SessionCreated:
    KIND: ClassVar = "session.created"
    V: ClassVar = 1
    TELLS: ClassVar = "began conversation {key}[, a branch of {parent_id}]"
    WORDS: ClassVar[tuple[str, ...]] = ()
    session_id: SessionId
    key: str
    parent_id: SessionId | None = None
    branched_at_seq: int | None = None
    cut_seq: int = 0
    """of its parent, when it was branched"""


@dataclass(frozen=True, slots=True)
class SessionRenamed:
    KIND: ClassVar = "session.renamed"
    V: ClassVar = 1
    TELLS: ClassVar = "called the conversation: {title}"
    WORDS: ClassVar[tuple[str, ...]] = ("title",)
    session_id: SessionId
    title: str
    by_hand: bool


@dataclass(frozen=True, slots=True)
class SessionReset:
    """The conversation starts anew; the session, its key and its tape stay."""

    KIND: ClassVar = "session.reset"
    V: ClassVar = 1
    TELLS: ClassVar = "started the conversation anew"
    WORDS: ClassVar[tuple[str, ...]] = ()
    session_id: SessionId


@dataclass(frozen=True, slots=True)
class SessionArchived:
    KIND: ClassVar = "session.archived"
    V: ClassVar = 1
    TELLS: ClassVar = "{archived} the conversation"
    MEANS: ClassVar = {"True": "put away", "False": "took out again"}
    WORDS: ClassVar[tuple[str, ...]] = ()
    session_id: SessionId
    archived: bool


@dataclass(frozen=True, slots=True)
class TapePinned:
    """`pinned` False takes the pin away."""

    KIND: ClassVar = "tape.pinned"
    V: ClassVar = 1
    TELLS: ClassVar = "{pinned} {event_id} of the tape"
    MEANS: ClassVar = {"True": "pinned", "False": "unpinned"}
    WORDS: ClassVar[tuple[str, ...]] = ()
    event_id: EventId
    pinned: bool


@dataclass(frozen=True, slots=True)
class RunCreated:
    KIND: ClassVar = "run.created"
    V: ClassVar = 1
    TELLS: ClassVar = "a turn began[, to answer {retry_of} anew]"
    WORDS: ClassVar[tuple[str, ...]] = ()
    run_id: RunId
    session_id: SessionId
    state: str
    origin: str
    retry_of: RunId | None = None


@dataclass(frozen=True, slots=True)
class RunMoved:
    KIND: ClassVar = "run.moved"
    V: ClassVar = 1
    TELLS: ClassVar = "the turn is {state}[: {error_code}][, by {model}]"
    WORDS: ClassVar[tuple[str, ...]] = ()
    run_id: RunId
    state: str
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    error_code: str = ""
    """what it was in words is a notice on the tape, where it can be erased"""


@dataclass(frozen=True, slots=True)
class RunUndone:
    """Its turn is no longer part of the conversation; what it wrote stays on the tape."""

    KIND: ClassVar = "run.undone"
    V: ClassVar = 1
    TELLS: ClassVar = "took a turn back"
    WORDS: ClassVar[tuple[str, ...]] = ()
    run_id: RunId


@dataclass(frozen=True, slots=True)
class TapeAppended:
    KIND: ClassVar = "tape.appended"
    V: ClassVar = 1
    TELLS: ClassVar = "{type}[: {payload.text}][: {payload.message}]"
    MEANS: ClassVar = {
        "user_message": "a person said",
        "assistant_text": "the answer goes on",
        "assistant_message": "the answer",
        "injection": "memories were given",
        "prompt_report": "what the prompt was made of is on record",
        "reference": "a reference was read",
        "attachment": "a file went along",
        "tool_proposal": "the model called a tool",
        "tool_decision": "a call of a tool was decided about",
        "tool_result": "a tool answered",
        "notice": "a notice",
    }
    WORDS: ClassVar[tuple[str, ...]] = ("payload",)
    run_id: RunId
    session_id: SessionId
    type: str
    payload: dict[str, Json]


@dataclass(frozen=True, slots=True)
class AttachmentAdded:
    """A file somebody gave. Its bytes are kept beside the journal, under their hash."""

    KIND: ClassVar = "session.attached"
    V: ClassVar = 1
    TELLS: ClassVar = "a file was handed in: {name}, {size_bytes#byte|bytes}"
    WORDS: ClassVar[tuple[str, ...]] = ("name", "text")
    attachment_id: AttachmentId
    name: str
    media_type: str
    size_bytes: int
    text: str = ""
    """what could be read in it"""
    width: int | None = None
    height: int | None = None
    warnings: tuple[str, ...] = ()


SessionEvent: TypeAlias = (
    SessionCreated
    | SessionRenamed
    | SessionReset
    | SessionArchived
    | TapePinned
    | RunCreated
    | RunMoved
    | RunUndone
    | TapeAppended
    | AttachmentAdded
)
SESSION_EVENTS: tuple[type[SessionEvent], ...] = (
    SessionCreated,
    SessionRenamed,
    SessionReset,
    SessionArchived,
    TapePinned,
    RunCreated,
    RunMoved,
    RunUndone,
    TapeAppended,
    AttachmentAdded,
)
