"""A decision about a held text is taken back: it waits again, and what it had become is no memory any more."""

from palyra.core.errors import FailedPrecondition
from palyra.domain.journal import Actor, Decision, RequestKey, draft_of_event
from palyra.domain.memory import Candidate, CandidateState
from palyra.domain.memory_events import MemoryDecided, MemoryDeleted, MemoryEvent, MemoryReinstated
from palyra.domain.scope import Visibility
from palyra.services.memory.context import Memory, origin_of
from palyra.services.memory.ingest import check_person, visible_candidate
from palyra.services.memory.repeats import once
from palyra.store.connection import ReadTx
from palyra.store.memory.candidates import is_made_from
from palyra.store.memory.items import fetch_item, items_replaced_by

_WHY = "rolled_back"


async def reopen(
    memory: Memory,
    candidate_id: str,
    caller: Visibility,
    actor: Actor,
    *,
    reason: str = "",
    request: RequestKey | None = None,
) -> Candidate:
    """As it waits again. What was approved and merged into a memory that was there before cannot be told apart from
    it any more, and stays."""
    check_person(actor)

    def work(tx: ReadTx) -> Decision[None]:
        candidate = visible_candidate(tx, candidate_id, caller)
        if candidate.state is CandidateState.NEEDS_REVIEW:
            raise FailedPrecondition(f"candidate {candidate_id} waits already", hint="palyra memory candidates")
        decided = MemoryDecided(candidate.candidate_id, CandidateState.NEEDS_REVIEW.value, None, reason)
        origin = origin_of(caller, actor)
        return Decision(tuple(draft_of_event(event, origin) for event in (*_taken_back(tx, candidate), decided)), None)

    await memory.journal.commit(work, once(caller.principal, request, lambda _written: None))
    return await memory.store.db.read(lambda tx: visible_candidate(tx, candidate_id, caller))


def _taken_back(tx: ReadTx, candidate: Candidate) -> list[MemoryEvent]:
    """The inverse of what approving did: what was there before is there again."""
    if candidate.state is not CandidateState.APPROVED or candidate.memory_id is None:
        return []
    scope, memory_id = candidate.scope, candidate.memory_id
    place = Visibility(scope.principal, scope.channel, scope.session_id)
    item = fetch_item(tx, memory_id, place)
    if item is None or item.closed_at_ms is not None:
        return []  # somebody has deleted it since
    if not is_made_from(tx, memory_id, candidate.candidate_id, place):
        raise FailedPrecondition(
            f"candidate {candidate.candidate_id} was merged into memory {memory_id}, which was there before",
            hint="correct or forget that memory",
            memory_id=memory_id,
        )
    if item.superseded_by is not None:
        raise FailedPrecondition(
            f"what candidate {candidate.candidate_id} became is superseded by memory {item.superseded_by}",
            hint="forget that one first",
            superseded_by=item.superseded_by,
        )
    replaced = items_replaced_by(tx, memory_id, place)
    back = [MemoryReinstated(other, memory_id, (_WHY,)) for other in replaced]
    return [MemoryDeleted((memory_id,), _WHY), *back]
