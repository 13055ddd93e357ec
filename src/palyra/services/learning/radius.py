"""What one thing that was learned has touched, and taking all of it out in one step.

The radius of a candidate: the memory it became, what else was made of the same words, the memories it replaced, the
documents that repeat it, the runs whose prompt held it, and what was learned in those runs in the same words or from
anybody but the owner. Quarantine takes out everything that holds its text; what it replaced comes back. The tape stays
as it is: `erase` is for that.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from palyra.core.errors import FailedPrecondition
from palyra.core.ids import MemoryId
from palyra.domain.journal import Actor, Decision, EventDraft, draft_of_event
from palyra.domain.learning.candidate import LearningCandidate
from palyra.domain.learning.events import CandidateMoved
from palyra.domain.memory import MemoryItem, Trust
from palyra.domain.memory_events import MemoryDeleted, MemoryEvent, MemoryReinstated
from palyra.domain.scope import Visibility
from palyra.language.wording import Relation, fingerprint, relate
from palyra.services.continuity.withdrawing import ITEM_CHARS, withdrawal
from palyra.services.learning.applying import taken_back
from palyra.services.learning.context import Learning, find_candidate, place_of
from palyra.services.learning.review import check_reason
from palyra.services.memory.context import origin_of
from palyra.services.memory.ingest import check_person
from palyra.services.workspace.sync import sync
from palyra.store.connection import ReadTx
from palyra.store.learning.records import (
    UsedIn,
    candidates_of_items,
    candidates_of_runs,
    candidates_resting_on,
    runs_shown,
)
from palyra.store.memory.items import fetch_item, items_replaced_by
from palyra.store.sessions.erasing import items_made_from
from palyra.store.workspace.records import revisions_with_items

_RUNS = 200
_REASON = "quarantined"


@dataclass(frozen=True, slots=True)
class Radius:
    candidate: LearningCandidate
    memories: tuple[MemoryItem, ...]
    """that hold what it says: its own, and those made of the same words"""
    replaced: tuple[MemoryItem, ...]
    documents: tuple[str, ...]
    runs: tuple[UsedIn, ...]
    """whose prompt held one of the memories, newest first"""
    candidates: tuple[LearningCandidate, ...]
    """others from the same words, or from those runs in the same words or not from the owner"""


@dataclass(frozen=True, slots=True)
class Quarantined:
    radius: Radius
    """as it was before"""
    forgotten: tuple[MemoryId, ...]
    reinstated: tuple[MemoryId, ...]
    documents: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]
    """documents that still hold it, and why"""


async def blast_radius(learning: Learning, candidate_id: str, caller: Visibility) -> Radius:
    return await learning.store.db.read(lambda tx: _radius(tx, find_candidate(tx, candidate_id, caller)))


async def quarantine(
    learning: Learning, candidate_id: str, caller: Visibility, actor: Actor, reason: str = ""
) -> Quarantined:
    """In one transaction. What was forgotten stays in the history, and in the tape it came from."""
    check_person(actor)
    reason = check_reason(reason)

    def decide(tx: ReadTx) -> Decision[Quarantined]:
        radius = _radius(tx, find_candidate(tx, candidate_id, caller))
        found = radius.candidate
        drafts = _moves((found, *radius.candidates), actor, reason or _REASON)
        if not drafts and not radius.memories:
            raise FailedPrecondition(
                f"candidate {candidate_id} is {found.state.value}, and nothing holds what it says",
                hint="nothing to do",
            )
        events, gone, back = _forgotten(tx, radius)
        place, _ = place_of(found.scope.principal, found.scope.channel)
        drafts += [draft_of_event(event, origin_of(place, actor)) for event in events]
        removed = withdrawal(tx, _item_ids(radius), (), found.scope.principal, actor)
        refused = [(path, "its managed block was edited by hand") for _, path in removed.outcome.refused]
        drafts += removed.events
        if found.document:
            try:
                drafts += taken_back(tx, found, actor)
            except FailedPrecondition as error:
                refused.append((found.document, error.message))
        kept = {path for path, _ in refused}
        documents = tuple(path for path in radius.documents if path not in kept)
        return Decision(tuple(drafts), Quarantined(radius, gone, back, documents, tuple(refused)))

    committed = await learning.journal.commit(decide)
    learning.memory.follower.wake()
    await sync(learning.workspace, Visibility(caller.principal))
    return committed.outcome


def _radius(tx: ReadTx, found: LearningCandidate) -> Radius:
    place, _ = place_of(found.scope.principal, found.scope.channel)
    words = [span.event_id for span in found.evidence]
    made = items_made_from(tx, words, place.principal, only_open=True) if words else []
    memories = _open(tx, made if found.memory_id is None else [found.memory_id, *made], place)
    ids = [item.memory_id for item in memories]
    replaced = _open(tx, [other for one in ids for other in items_replaced_by(tx, one, place)], place)
    runs = runs_shown(tx, ids, place, _RUNS) if ids else []
    beside = {
        one.candidate_id: one
        for one in (
            *(candidates_resting_on(tx, words, place.principal) if words else ()),
            *candidates_of_items(tx, ids, place.principal),
            *(one for one in candidates_of_runs(tx, [r.run_id for r in runs], place.principal) if _follows(one, found)),
        )
    }
    beside.pop(found.candidate_id, None)
    radius = Radius(found, memories, replaced, (), tuple(runs), tuple(beside.values()))
    held = revisions_with_items(tx, _item_ids(radius), place.principal)
    paths = dict.fromkeys((*([found.document] if found.document else ()), *(path for _, _, path, _ in held)))
    return replace(radius, documents=tuple(paths))


def _follows(one: LearningCandidate, found: LearningCandidate) -> bool:
    """Learned in a run that was told it: in the same words, or from what the assistant or a tool made of it."""
    return one.trust > Trust.OWNER or relate(found.text, one.text).relation is Relation.SAME


def _open(tx: ReadTx, memory_ids: Sequence[str], place: Visibility) -> tuple[MemoryItem, ...]:
    found = [fetch_item(tx, memory_id, place) for memory_id in dict.fromkeys(memory_ids)]
    return tuple(item for item in found if item is not None and item.closed_at_ms is None)


def _item_ids(radius: Radius) -> tuple[str, ...]:
    """As managed blocks name what they hold."""
    texts = [radius.candidate.text, *(item.text for item in radius.memories)]
    return tuple(dict.fromkeys(fingerprint(text)[:ITEM_CHARS] for text in texts))


def _moves(candidates: Sequence[LearningCandidate], actor: Actor, reason: str) -> list[EventDraft]:
    drafts: list[EventDraft] = []
    for one in candidates:
        state = one.state.withdrawn
        if state is None:
            continue
        place, _ = place_of(one.scope.principal, one.scope.channel)
        moved = CandidateMoved(one.candidate_id, state.value, reason=reason)
        drafts.append(draft_of_event(moved, origin_of(place, actor)))
    return drafts


def _forgotten(tx: ReadTx, radius: Radius) -> tuple[list[MemoryEvent], tuple[MemoryId, ...], tuple[MemoryId, ...]]:
    """Its memories, those of the other candidates that go with it, and what they had replaced comes back."""
    place, _ = place_of(radius.candidate.scope.principal, radius.candidate.scope.channel)
    own = [one.memory_id for one in radius.candidates if one.state.is_in_force and one.made_item and one.memory_id]
    more = _open(tx, own, place)
    gone = tuple(dict.fromkeys(item.memory_id for item in (*radius.memories, *more)))
    events: list[MemoryEvent] = []
    if gone:
        events.append(MemoryDeleted(gone, _REASON))
    back: list[MemoryId] = []
    for memory_id in gone:
        for other in items_replaced_by(tx, memory_id, place):
            if other not in gone and other not in back:
                events.append(MemoryReinstated(other, memory_id, (_REASON,)))
                back.append(other)
    return events, gone, tuple(back)
