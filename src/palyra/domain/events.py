"""Every kind of event the product itself writes, one frozen dataclass each.

The dataclass is the payload: its fields are what a projector may read, and everything a projector needs is
in them. A kind outside this table and outside the reserved namespaces belongs to whoever appends it: it is
kept, chained and searchable in the journal, and projects to nothing.
"""

from dataclasses import asdict, dataclass
from typing import ClassVar, TypeAlias

from palyra.core.hashing import Json
from palyra.core.ids import EventId
from palyra.domain.chat.continuity_events import CONTINUITY_EVENTS, ContinuityEvent
from palyra.domain.chat.session_events import SESSION_EVENTS, SessionEvent
from palyra.domain.cron.events import CRON_EVENTS, CronEvent
from palyra.domain.jobs.events import JOB_EVENTS, JobEvent
from palyra.domain.learning.events import LEARNING_EVENTS, LearningEvent
from palyra.domain.memory_events import MEMORY_EVENTS, MemoryEvent
from palyra.domain.tokens import ACCESS_EVENTS, AccessEvent


@dataclass(frozen=True, slots=True)
class Note:
    """A remark anybody may leave in the journal; `text` is what lists show."""

    KIND: ClassVar = "note"
    V: ClassVar = 1
    TELLS: ClassVar = "noted: {text}"
    body: dict[str, Json]


@dataclass(frozen=True, slots=True)
class PayloadErased:
    """The payload of an earlier event was destroyed. Holds no text, and cannot be erased itself."""

    KIND: ClassVar = "journal.erased"
    V: ClassVar = 1
    TELLS: ClassVar = "destroyed the text of event {seq} ({kind}): {reason}"
    event_id: EventId
    seq: int
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class PrincipalErased:
    """Whatever was made of that principal's events so far is gone. Their payloads follow, each by its own erasure."""

    KIND: ClassVar = "journal.principal_erased"
    V: ClassVar = 1
    TELLS: ClassVar = "destroyed everything of {principal}: {reason}"
    principal: str
    reason: str


SAMPLE_PRINCIPAL = "user:demo"
"""whose history the sample is"""


@dataclass(frozen=True, slots=True)
class DemoMarked:
    """Everything that its principal has from here on is the sample; `state` says how far loading it came."""

    KIND: ClassVar = "demo.marked"
    V: ClassVar = 1
    TELLS: ClassVar = "the sample history is {state}"
    state: str


@dataclass(frozen=True, slots=True)
class JournalRestored:
    """The journal was put back to a backup; what followed the backup was left behind."""

    KIND: ClassVar = "journal.restored"
    V: ClassVar = 1
    TELLS: ClassVar = (
        "went back to a backup of {backup_size#event|events}; {abandoned_size#later one|later ones} stayed behind"
    )
    backup_size: int
    backup_root: str
    abandoned_size: int
    abandoned_root: str


def body_of(event: Note | PayloadErased | PrincipalErased | DemoMarked | JournalRestored) -> dict[str, Json]:
    return event.body if isinstance(event, Note) else asdict(event)


EventBody: TypeAlias = (
    Note
    | PayloadErased
    | PrincipalErased
    | DemoMarked
    | JournalRestored
    | MemoryEvent
    | AccessEvent
    | SessionEvent
    | ContinuityEvent
    | LearningEvent
    | JobEvent
    | CronEvent
)
EVENTS: tuple[type[EventBody], ...] = (
    Note,
    PayloadErased,
    PrincipalErased,
    DemoMarked,
    JournalRestored,
    *MEMORY_EVENTS,
    *ACCESS_EVENTS,
    *SESSION_EVENTS,
    *CONTINUITY_EVENTS,
    *LEARNING_EVENTS,
    *JOB_EVENTS,
    *CRON_EVENTS,
)
