"""Memory as it goes out. Every text passes the redactor once more here."""

from dataclasses import asdict

from palyra.core.redact import redact_memory_text_for_output
from palyra.domain.labels import level_of, read_kinds
from palyra.domain.memory import (
    OUTCOME_NAMES,
    Candidate,
    ConflictFound,
    HeldForReview,
    Ingested,
    MemoryItem,
    Merged,
    Rejected,
    Stored,
    Trust,
)
from palyra.domain.recall import Hit
from palyra.domain.retrieval.passages import PassageHit
from palyra.wire.memory import FoundPassage, HeldCandidate, Item, Retained, SearchHit, Where


def to_wire(item: MemoryItem) -> Item:
    return Item(
        memory_id=item.memory_id,
        principal=item.scope.principal,
        channel=item.scope.channel,
        session_id=item.scope.session_id,
        scope=item.scope.kind.value,
        source=item.source.value,
        category=item.category.value,
        sensitivity=level_of(item.sensitive).value,
        sensitive=list(item.sensitive),
        trust=item.trust.label,
        confidence=item.confidence_bps / 10_000,
        text=redact_memory_text_for_output(item.text),
        content_hash=item.content_hash,
        tags=list(item.tags),
        speaker=item.speaker,
        thread=item.thread,
        said_at_ms=item.said_at_ms,
        provenance=list(item.provenance),
        valid_from_ms=item.valid_from_ms,
        valid_to_ms=item.valid_to_ms,
        supersedes=item.supersedes,
        superseded_by=item.superseded_by,
        pinned=item.pinned,
        expires_at_ms=item.expires_at_ms,
        created_at_ms=item.created_at_ms,
        updated_at_ms=item.updated_at_ms,
        last_recalled_at_ms=item.last_recalled_at_ms,
        recall_count=item.recall_count,
        closed_at_ms=item.closed_at_ms,
        closed_why=item.closed_why,
        seq=item.seq,
    )


def to_retained(done: Ingested) -> Retained:
    outcome = done.outcome
    memory_id, candidate_id = None, None
    reasons: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    match outcome:
        case Stored():
            memory_id = outcome.memory_id
        case Merged():
            memory_id, reasons = outcome.memory_id, outcome.reasons
        case HeldForReview():
            candidate_id, reasons = outcome.candidate_id, outcome.because
        case ConflictFound():
            memory_id, reasons = outcome.memory_id, outcome.reasons
            conflicts_with, superseded = outcome.conflicts_with, outcome.superseded
        case Rejected():
            reasons = outcome.reasons
    return Retained(
        outcome=OUTCOME_NAMES[type(outcome)],
        memory_id=memory_id,
        candidate_id=candidate_id,
        reasons=list(reasons),
        conflicts_with=list(conflicts_with),
        superseded=list(superseded),
        seq=done.receipt.seq,
        hash=done.receipt.hash.hex(),
        repeated=done.receipt.repeated,
    )


def to_hit(hit: Hit, *, with_breakdown: bool) -> SearchHit:
    return SearchHit(
        item=to_wire(hit.item), snippet=hit.snippet, score=hit.score, breakdown=hit.parts if with_breakdown else None
    )


def to_passage(hit: PassageHit, *, with_breakdown: bool) -> FoundPassage:
    passage = hit.passage
    place = asdict(passage.place)
    shown = {name: redact_memory_text_for_output(place[name]) for name in ("session_title", "heading", "name")}
    return FoundPassage(
        profile=passage.profile.value,
        text=redact_memory_text_for_output(passage.text),
        speaker=passage.speaker,
        trust=passage.trust.label,
        said_at_ms=passage.said_at_ms,
        where=Where(**place | shown),
        snippet=hit.snippet,
        score=hit.score,
        breakdown=hit.parts if with_breakdown else None,
    )


def to_candidate(candidate: Candidate) -> HeldCandidate:
    body = candidate.body
    kinds = read_kinds(body["sensitivity"])
    return HeldCandidate(
        candidate_id=candidate.candidate_id,
        seq=candidate.seq,
        text=redact_memory_text_for_output(candidate.text),
        source=body["source"],
        category=body["category"],
        trust=Trust(body.get("trust", 0)).label,
        confidence=body.get("confidence_bps", 0) / 10_000,
        provenance=list(body.get("provenance", ())),
        because=list(candidate.because),
        sensitivity=level_of(kinds).value,
        sensitive=list(kinds),
        risks=list(body.get("risks", ())),
        state=candidate.state.value,
        held_at_ms=candidate.held_at_ms,
        memory_id=candidate.memory_id,
    )
