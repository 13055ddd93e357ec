"""What a candidate becomes: a memory, the place of an older preference, or a document; and how that is taken back."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from palyra.core.errors import FailedPrecondition, InvalidArgument
from palyra.core.hashing import Json
from palyra.core.ids import MemoryId
from palyra.domain.chat.continuity_events import MAIN
from palyra.domain.ingest import Ready
from palyra.domain.journal import Actor, EventDraft, draft_of_event
from palyra.domain.labels import Category
from palyra.domain.learning.candidate import LearningCandidate
from palyra.domain.learning.proposal import LearnedKind
from palyra.domain.memory import ACTOR_TRUST, ConflictFound, Draft, MemoryItem, MemorySource, Merged, Stored, Trust
from palyra.domain.memory_events import (
    MemoryDeleted,
    MemoryEvent,
    MemoryReinstated,
    MemorySuperseded,
    MemoryUpdated,
)
from palyra.domain.scope import Visibility
from palyra.language.wording import fingerprint
from palyra.services.learning.context import Learning, place_of
from palyra.services.memory.comparing import Looked, decide_looked
from palyra.services.memory.context import origin_of
from palyra.services.memory.ingest import check_draft
from palyra.services.workspace.decisions import WantedDocument, Writer, revise
from palyra.store.connection import ReadTx
from palyra.store.learning.records import same_slot, undo_of
from palyra.store.memory.items import fetch_item, items_replaced_by
from palyra.store.workspace.records import newest

_LASTING = (MemorySource.DURABLE_FACT, MemorySource.MANUAL)
_CATEGORIES = {LearnedKind.PREFERENCE: Category.PREFERENCE, LearnedKind.PROCEDURE: Category.PROCEDURE}
_SLUG_CHARS = 48
_NAMES = 50


@dataclass(frozen=True, slots=True)
class Written:
    """What applying a candidate takes: events, and what its last step has to say about them."""

    drafts: tuple[EventDraft, ...]
    memory_id: MemoryId | None = None
    made_item: bool = False
    document: str = ""
    before: dict[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Unresolved:
    """It contradicts these, and nobody has said which of them holds."""

    conflicts: tuple[MemoryId, ...]


def ready_for(
    learning: Learning,
    candidate: LearningCandidate,
    text: str,
    thread: str,
    said_at_ms: int | None,
    actor: Actor,
) -> Ready:
    """The memory it would be. What a person has approved waits for nobody."""
    draft = Draft(
        text,
        MemorySource.DURABLE_FACT,
        category=_CATEGORIES.get(candidate.kind),
        confidence_bps=candidate.confidence_bps,
        thread=thread,
        said_at_ms=said_at_ms,
        provenance=tuple(dict.fromkeys(span.event_id for span in candidate.evidence)),
        rests_on=candidate.trust,
    )
    ready = check_draft(learning.memory, draft, candidate.scope, actor)
    is_decided = actor is not Actor.SYSTEM
    # A person has decided: it is as near to the owner as the words it rests on.
    trust = max(candidate.trust, ACTOR_TRUST[actor]) if is_decided else Trust(ready.stored.trust)
    stored = replace(ready.stored, candidate_id=candidate.candidate_id, vouched=is_decided, trust=int(trust))
    if is_decided and "secret" in ready.because:
        raise InvalidArgument("the text holds a secret", hint="approve it with --text, without the secret")
    return replace(ready, stored=stored, because=() if is_decided else ready.because)


def write_memory(
    tx: ReadTx, learning: Learning, candidate: LearningCandidate, looked: Looked, actor: Actor
) -> Written | Unresolved:
    """A fact or a preference. By itself it replaces nothing that it cannot; a person's word replaces what it denies."""
    place, _ = place_of(candidate.scope.principal, candidate.scope.channel)
    origin, is_decided = origin_of(place, actor), actor is not Actor.SYSTEM
    found, outcome = decide_looked(tx, learning.memory, looked)
    events, made, before = list(found), True, None
    match outcome:
        case Stored(memory_id=memory_id):
            pass
        case ConflictFound(memory_id=memory_id, conflicts_with=others, superseded=gone):
            left = [one for one in others if one not in gone]
            if left and not is_decided:
                return Unresolved(tuple(left))
        case Merged(memory_id=memory_id):
            item = fetch_item(tx, memory_id, place)
            if item is not None and item.source not in _LASTING:
                events, memory_id, made, before = _promoted(learning, item, looked)
            else:
                made = False
        case _:
            raise FailedPrecondition("it cannot become memory as it is", hint="approve it with --text")
    if is_decided:
        denied = [*(outcome.conflicts_with if isinstance(outcome, ConflictFound) else ()), *candidate.conflicts]
        events += _replaced(tx, learning, denied, memory_id, place, "approved", events)
    if candidate.kind is LearnedKind.PREFERENCE and candidate.slot:
        older = [one.memory_id for one in same_slot(tx, candidate.scope, candidate.slot) if one.memory_id]
        events += _replaced(tx, learning, older, memory_id, place, "newer_preference", events)
    return Written(tuple(draft_of_event(one, origin) for one in events), memory_id, made, "", before)


def _promoted(
    learning: Learning, item: MemoryItem, looked: Looked
) -> tuple[list[MemoryEvent], MemoryId, bool, dict[str, Json] | None]:
    """What was said becomes what is known. It stays the same memory if it says the same, else a new one replaces it."""
    stored = looked.ready.stored
    if item.trust <= stored.trust and fingerprint(item.text) == fingerprint(stored.text):
        sure = max(item.confidence_bps, stored.confidence_bps)
        before: dict[str, Json] = {
            "source": item.source.value,
            "category": item.category.value,
            "confidence_bps": item.confidence_bps,
        }
        promoted = MemoryUpdated(
            item.memory_id, category=stored.category, confidence_bps=sure, reason="learned", source=stored.source
        )
        return [promoted], item.memory_id, False, before
    valid_to_ms = max(learning.clock.now_ms(), item.valid_from_ms)
    replaced = MemorySuperseded(item.memory_id, stored.memory_id, valid_to_ms, ("learned",))
    return [replace(stored, supersedes=item.memory_id), replaced], stored.memory_id, True, None


def _replaced(
    tx: ReadTx,
    learning: Learning,
    older: Sequence[MemoryId],
    by: MemoryId,
    place: Visibility,
    why: str,
    so_far: Sequence[MemoryEvent],
) -> list[MemoryEvent]:
    """Once each. Pinned ones stay: whoever pinned them said so."""
    gone = {by, *(event.memory_id for event in so_far if isinstance(event, MemorySuperseded))}
    events: list[MemoryEvent] = []
    for memory_id in dict.fromkeys(older):
        item = None if memory_id in gone else fetch_item(tx, memory_id, place)
        if item is None or item.closed_at_ms or item.superseded_by or item.pinned:
            continue
        valid_to_ms = max(learning.clock.now_ms(), item.valid_from_ms)
        events.append(MemorySuperseded(memory_id, by, valid_to_ms, (why,)))
    return events


# -- procedures


def write_procedure(tx: ReadTx, candidate: LearningCandidate, text: str, actor: Actor) -> Written:
    """A document with the steps. It stands in no prompt by itself: whoever wants it names it."""
    owner = Visibility(candidate.scope.principal)
    path = _free_path(tx, candidate.title or text, owner)
    # A person has read it. What it is made of keeps its trust.
    writer = Writer(owner, actor, "learning", candidate.trust, candidate.candidate_id)
    draft = revise(tx, WantedDocument(path, _document(candidate, text)), writer)
    return Written(() if draft is None else (draft,), document=path)


def _document(candidate: LearningCandidate, text: str) -> str:
    title = " ".join((candidate.title or text).split())
    steps = candidate.steps or tuple(line.strip() for line in text.splitlines() if line.strip())
    lines = [f"{number}. {' '.join(step.split())}" for number, step in enumerate(steps, 1)]
    return f"# {title}\n\n" + "\n".join(lines) + "\n"


def _free_path(tx: ReadTx, title: str, owner: Visibility) -> str:
    slug = re.sub(r"[^\w]+", "-", title.lower()).strip("-_")[:_SLUG_CHARS].strip("-_") or "procedure"
    for number in range(1, _NAMES):
        path = f"procedures/{slug}.md" if number == 1 else f"procedures/{slug}-{number}.md"
        there = newest(tx, path, owner, MAIN)
        if there is None or there.deleted:
            return path
    raise FailedPrecondition(f"{_NAMES} procedures are named {slug}", hint="remove some of them first")


# -- taking back


def taken_back(tx: ReadTx, candidate: LearningCandidate, actor: Actor) -> tuple[EventDraft, ...]:
    """The inverse of what applying did, and no more: what was there before is there again."""
    if candidate.document:
        return _document_removed(tx, candidate, actor)
    place, _ = place_of(candidate.scope.principal, candidate.scope.channel)
    memory_id = candidate.memory_id
    item = None if memory_id is None else fetch_item(tx, memory_id, place)
    if memory_id is None or item is None or item.closed_at_ms is not None:
        return ()  # somebody has deleted it since
    if item.superseded_by is not None:
        raise FailedPrecondition(
            f"what candidate {candidate.candidate_id} became is superseded by memory {item.superseded_by}",
            hint=f"roll that one back first, or forget both: palyra learning quarantine {candidate.candidate_id}",
            superseded_by=item.superseded_by,
        )
    events: list[MemoryEvent] = []
    if candidate.made_item:
        events.append(MemoryDeleted((memory_id,), "rolled_back"))
    elif before := undo_of(tx, candidate.candidate_id):
        events.append(
            MemoryUpdated(
                memory_id,
                category=before["category"],
                confidence_bps=before["confidence_bps"],
                reason="rolled back",
                source=before["source"],
            )
        )
    replaced = items_replaced_by(tx, memory_id, place)
    events += [MemoryReinstated(other, memory_id, ("rolled_back",)) for other in replaced]
    return tuple(draft_of_event(event, origin_of(place, actor)) for event in events)


def _document_removed(tx: ReadTx, candidate: LearningCandidate, actor: Actor) -> tuple[EventDraft, ...]:
    owner = Visibility(candidate.scope.principal)
    current = newest(tx, candidate.document, owner, MAIN)
    if current is None or current.deleted:
        return ()
    if current.because != candidate.candidate_id:
        raise FailedPrecondition(
            f"{candidate.document} was changed since it was learned; nothing was taken back",
            hint=f"palyra workspace delete {candidate.document} if you do not want it",
        )
    writer = Writer(owner, actor, "learning", Trust(current.trust), candidate.candidate_id, "rolled back")
    draft = revise(tx, WantedDocument(candidate.document, None), writer)
    return () if draft is None else (draft,)
