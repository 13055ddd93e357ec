"""What learning works with, made once by the composition root; and one clear error for what is not there."""

from dataclasses import dataclass

from palyra.core.clock import Clock
from palyra.core.errors import NotFound, PermissionDenied
from palyra.core.ids import parse_ulid
from palyra.domain.learning.candidate import LearningCandidate, LearningPolicy
from palyra.domain.scope import Scope, ScopeKind, Visibility, scope_for
from palyra.ports import ChatModel
from palyra.services.journal import JournalService
from palyra.services.learning.turns import TurnReader
from palyra.services.memory.context import Memory
from palyra.services.sessions.context import Sessions
from palyra.services.workspace.context import Workspace
from palyra.store.connection import ReadTx
from palyra.store.journal_store import JournalStore
from palyra.store.learning.records import candidate_exists, fetch_candidate


@dataclass(frozen=True, slots=True)
class Learning:
    sessions: Sessions
    memory: Memory
    workspace: Workspace
    turns: TurnReader
    model: ChatModel | None
    """None: our own reader alone"""
    policy: LearningPolicy

    @property
    def store(self) -> JournalStore:
        return self.sessions.store

    @property
    def journal(self) -> JournalService:
        return self.sessions.journal

    @property
    def clock(self) -> Clock:
        return self.sessions.clock


def find_candidate(tx: ReadTx, candidate_id: str, caller: Visibility) -> LearningCandidate:
    parse_ulid(candidate_id, "candidate id")
    found = fetch_candidate(tx, candidate_id, caller)
    if found is not None:
        return found
    if candidate_exists(tx, candidate_id):
        raise PermissionDenied(
            f"candidate {candidate_id} is not visible to principal {caller.principal!r} here",
            hint="pass --principal and --channel of its owner",
        )
    raise NotFound(f"no learning candidate {candidate_id}", hint="palyra learning list --state all")


def place_of(principal: str, channel: str | None) -> tuple[Visibility, Scope]:
    """Where what was learned goes: to the whole principal, or its channel, so that the next session has it."""
    place = Visibility(principal, channel)
    return place, scope_for(place, ScopeKind.PRINCIPAL if channel is None else ScopeKind.CHANNEL)
