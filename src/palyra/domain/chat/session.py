"""Sessions, their runs and the tape: the records, and which state of a run may follow which."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from palyra.core.errors import FailedPrecondition
from palyra.core.ids import EventId, RunId, SessionId
from palyra.domain.chat.conversation import Usage
from palyra.domain.journal import Actor
from palyra.domain.scope import Scope


class RunState(StrEnum):
    PENDING = "pending"
    """waits for another run of its session to end"""
    ACCEPTED = "accepted"
    """it is its turn"""
    IN_PROGRESS = "in_progress"
    """its prompt has been sent"""
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        return not TRANSITIONS[self]


TRANSITIONS: dict[RunState, frozenset[RunState]] = {
    RunState.PENDING: frozenset({RunState.ACCEPTED, RunState.FAILED, RunState.CANCELLED}),
    RunState.ACCEPTED: frozenset({RunState.IN_PROGRESS, RunState.FAILED, RunState.CANCELLED}),
    RunState.IN_PROGRESS: frozenset({RunState.DONE, RunState.FAILED, RunState.CANCELLED}),
    RunState.DONE: frozenset(),
    RunState.FAILED: frozenset(),
    RunState.CANCELLED: frozenset(),
}
"""Every way a run can go. A daemon that was killed leaves runs in the first three; the next one fails them."""


class RunOrigin(StrEnum):
    CHAT = "chat"
    RETRY = "retry"
    PROXY = "proxy"
    CRON = "cron"
    HANDED = "handed"
    """it was over when it came to us"""


class QueueMode(StrEnum):
    """What becomes of a message that comes while a run of its session is active."""

    QUEUE = "queue"
    """it waits for its turn"""
    MERGE = "merge"
    """it is added to the message that waits last, or waits if there is none"""
    INTERRUPT = "interrupt"
    """the active run is cancelled, and so is whatever waits"""


class TapeType(StrEnum):
    USER_MESSAGE = "user_message"
    ASSISTANT_TEXT = "assistant_text"
    """a piece of the answer while it is being streamed"""
    ASSISTANT_MESSAGE = "assistant_message"
    """the end of an answer: its last piece, and whether it is whole"""
    SYSTEM_MESSAGE = "system_message"
    """what a client told its model to be; nobody's words"""
    TOOL_PROPOSAL = "tool_proposal"
    TOOL_DECISION = "tool_decision"
    TOOL_RESULT = "tool_result"
    INJECTION = "injection"
    """which memories were put into the prompt"""
    REFERENCE = "reference"
    ATTACHMENT = "attachment"
    PROMPT_REPORT = "prompt_report"
    NOTICE = "notice"
    """something the person should know: what was left out, what failed"""
    ERASED = "erased"


@dataclass(frozen=True, slots=True)
class Session:
    """`OrchestratorSessionRecord`."""

    session_id: SessionId
    seq: int
    key: str
    """unique within its principal; a person's own name for it, else its id"""
    principal: str
    channel: str | None
    title: str
    titled_by_hand: bool
    created_at_ms: int
    active_at_ms: int
    archived: bool
    parent_id: SessionId | None
    branched_at_seq: int | None
    """the history it shares with its parent ends here"""
    cut_seq: int
    """what is on the tape up to here is no longer part of the conversation; 0: all of it is"""

    @property
    def scope(self) -> Scope:
        """Where it lives. A session is seen from its principal's channel, whichever session one stands in."""
        return Scope(self.principal, self.channel)


@dataclass(frozen=True, slots=True)
class Run:
    run_id: RunId
    seq: int
    session_id: SessionId
    principal: str
    channel: str | None
    actor: Actor
    state: RunState
    origin: RunOrigin
    retry_of: RunId | None
    model: str
    usage: Usage
    error_code: str
    created_at_ms: int
    started_at_ms: int | None
    ended_at_ms: int | None
    undone_seq: int | None


@dataclass(frozen=True, slots=True)
class TapeRecord:
    """`OrchestratorTapeRecord`: one entry of a run. `payload` is None once erased."""

    seq: int
    """its place in the journal, and in the stream of its run"""
    event_id: EventId
    run_id: RunId
    session_id: SessionId
    type: TapeType
    payload: dict[str, Any] | None
    at_ms: int
    pinned: bool = False


def check_move(run: Run, to: RunState) -> None:
    if to not in TRANSITIONS[run.state]:
        raise FailedPrecondition(
            f"run {run.run_id} is {run.state.value} and cannot become {to.value}",
            hint="it is over" if run.state.is_over else "wait for it",
        )
