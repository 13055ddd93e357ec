"""What can happen to workspace documents, compactions and checkpoints.

`domain/journal.draft_of_event` makes a draft of one; None, False and empty fields are not written.
"""

from dataclasses import dataclass
from typing import ClassVar, NewType, TypeAlias

from palyra.core.hashing import Json
from palyra.core.ids import SessionId

CheckpointId = NewType("CheckpointId", str)
CompactionId = NewType("CompactionId", str)
Line = NewType("Line", str)
"""a set of documents that belong together: "" is the main one, a branch has the id of its session"""
MAIN = Line("")


@dataclass(frozen=True, slots=True)
class DocumentWritten:
    """One revision of a document. What it says is here, byte for byte, unless a secret had to be masked."""

    KIND: ClassVar = "workspace.written"
    V: ClassVar = 1
    TELLS: ClassVar = "{source} wrote {path}, revision {revision}[, moved from {moved_from}][, {deleted}]"
    MEANS: ClassVar = {"True": "which deletes it"}
    WORDS: ClassVar[tuple[str, ...]] = ("text", "reason")
    path: str
    revision: int
    """1, 2, 3 … of this path on this line"""
    sha256: str
    """of its bytes as they are in the file"""
    source: str
    """bootstrap, person, file, agent, compaction, restore, merge or move"""
    trust: int
    risk: str
    """clean, warning or quarantined"""
    line: Line = MAIN
    text: str = ""
    text_base64: str = ""
    """in place of `text` where JSON would blow it up"""
    base_sha256: str = ""
    """what it replaces; empty: nothing was there"""
    reasons: tuple[str, ...] = ()
    masked: bool = False
    """it holds a secret, which is masked here; the file is the person's own business and is not written to"""
    deleted: bool = False
    moved_from: str = ""
    because: str = ""
    """the compaction, checkpoint or branch it comes from"""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DocumentMarked:
    """Pinned, unpinned, or released from quarantine by a person: that very content and no other."""

    KIND: ClassVar = "workspace.marked"
    V: ClassVar = 1
    TELLS: ClassVar = "pinned, unpinned or released {path}"
    WORDS: ClassVar[tuple[str, ...]] = ()
    path: str
    line: Line = MAIN
    pin: int | None = None
    released_sha256: str = ""


@dataclass(frozen=True, slots=True)
class FileApplied:
    """The file on the disk is that revision (or gone, as that revision says): a write that was begun is finished."""

    KIND: ClassVar = "workspace.applied"
    V: ClassVar = 1
    TELLS: ClassVar = "the file {path} is revision {revision}"
    WORDS: ClassVar[tuple[str, ...]] = ()
    path: str
    revision: int
    sha256: str = ""
    """empty: there is no file"""


@dataclass(frozen=True, slots=True)
class CompactionApplied:
    KIND: ClassVar = "compaction.applied"
    V: ClassVar = 1
    TELLS: ClassVar = "condensed {tokens_before} tokens of the conversation to {tokens_after}"
    WORDS: ClassVar[tuple[str, ...]] = ("artifact",)
    compaction_id: CompactionId
    session_id: SessionId
    from_seq: int
    to_seq: int
    """what is on the tape from there to here is condensed, but for what the artifact keeps"""
    artifact: dict[str, Json]
    """the plan as it was applied"""
    tokens_before: int
    tokens_after: int
    checkpoint_id: CheckpointId | None = None


@dataclass(frozen=True, slots=True)
class CheckpointCreated:
    KIND: ClassVar = "checkpoint.created"
    V: ClassVar = 1
    TELLS: ClassVar = "marked a point to come back to[: {name}]"
    WORDS: ClassVar[tuple[str, ...]] = ("name", "note", "tags")
    checkpoint_id: CheckpointId
    session_id: SessionId
    tape_seq: int
    """the last record of the conversation; 0: none yet"""
    documents: tuple[dict[str, Json], ...]
    """path, revision and sha256 of each"""
    line: Line = MAIN
    cut_seq: int = 0
    """of the session: what was said up to here was not part of the conversation then"""
    compactions: tuple[CompactionId, ...] = ()
    name: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LineOpened:
    """A branch got documents of its own: those of a checkpoint, each copied when it is first written."""

    KIND: ClassVar = "checkpoint.restored"
    V: ClassVar = 1
    TELLS: ClassVar = "a branch got documents of its own, those of checkpoint {checkpoint_id}"
    WORDS: ClassVar[tuple[str, ...]] = ()
    line: Line
    checkpoint_id: CheckpointId


ContinuityEvent: TypeAlias = (
    DocumentWritten | DocumentMarked | FileApplied | CompactionApplied | CheckpointCreated | LineOpened
)
CONTINUITY_EVENTS: tuple[type[ContinuityEvent], ...] = (
    DocumentWritten,
    DocumentMarked,
    FileApplied,
    CompactionApplied,
    CheckpointCreated,
    LineOpened,
)
