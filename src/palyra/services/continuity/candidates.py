"""What outlives a session: candidates become items of managed blocks, memories, or wait for a person."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from palyra.core.errors import FailedPrecondition, PalyraError
from palyra.domain.chat.continuity_events import Line
from palyra.domain.compaction.conflicts import Statements
from palyra.domain.compaction.plan import CandidateKind, Disposition, DurableCandidate
from palyra.domain.ingest import Ready
from palyra.domain.journal import Actor, EventDraft, Origin, draft_of_event
from palyra.domain.learning.candidate import LearningPolicy
from palyra.domain.learning.proposal import LearnedKind
from palyra.domain.memory import ConflictFound, Draft, HeldForReview, MemorySource, Stored, Trust
from palyra.domain.scope import ScopeKind, Visibility, scope_for
from palyra.domain.workspace.blocks import BlockItem, edit, items
from palyra.domain.workspace.risk import RiskLevel
from palyra.language.wording import fingerprint
from palyra.services.continuity.planning import Planned
from palyra.services.continuity.withdrawing import ITEM_CHARS
from palyra.services.memory.comparing import Looked, decide_looked, look
from palyra.services.memory.context import Memory, origin_of
from palyra.services.memory.ingest import check_draft
from palyra.services.workspace.decisions import WantedDocument, Writer, holds_secret, revise
from palyra.store.connection import ReadTx
from palyra.store.workspace.records import Revision, marks_of, newest

_BLOCKS = {
    CandidateKind.FACT: "facts",
    CandidateKind.PREFERENCE: "preferences",
    CandidateKind.DECISION: "decisions",
    CandidateKind.PROCEDURE: "procedures",
    CandidateKind.OPEN_TASK: "tasks",
}
_LEARNED_AS = {
    CandidateKind.FACT: LearnedKind.DURABLE_FACT,
    CandidateKind.PREFERENCE: LearnedKind.PREFERENCE,
    CandidateKind.DECISION: LearnedKind.DURABLE_FACT,
    CandidateKind.PROCEDURE: LearnedKind.PROCEDURE,
    CandidateKind.OPEN_TASK: LearnedKind.DURABLE_FACT,
}
"""how sure a candidate must be for anybody to be asked; below, it is on record in the artifact"""
_ASKED_AT_ONCE = 24
"""candidates a person is asked about, the surest first; the others are on record"""
_BECAUSE = "proposed_by_compaction"


# -- documents


@dataclass(frozen=True, slots=True)
class DocumentDrafts:
    drafts: tuple[EventDraft, ...]
    refused: tuple[tuple[str, str], ...]
    """path, and why nothing was written there"""


def document_drafts(tx: ReadTx, planned: Planned, caller: Visibility, line: Line, because: str) -> DocumentDrafts:
    """A document that must not be written to is left alone and named; it holds up nothing else."""
    wanted: dict[str, list[DurableCandidate]] = defaultdict(list)
    for candidate in planned.plan.candidates:
        if candidate.disposition is Disposition.AUTO_WRITE:
            wanted[candidate.target].append(candidate)
    drafts: list[EventDraft] = []
    refused: list[tuple[str, str]] = []
    for path in sorted(wanted):
        try:
            draft = _document_draft(tx, path, wanted[path], caller, line, because)
        except PalyraError as error:
            refused.append((path, f"{error.message}; {error.hint}"))
        else:
            drafts += [] if draft is None else [draft]
    return DocumentDrafts(tuple(drafts), tuple(refused))


def _document_draft(
    tx: ReadTx, path: str, wanted: Sequence[DurableCandidate], caller: Visibility, line: Line, because: str
) -> EventDraft | None:
    current = newest(tx, path, caller, line)
    live = None if current is None or current.deleted else current
    if live is not None and live.masked:
        raise holds_secret(path)
    if live is not None and is_held_back(tx, live, caller, line):
        raise FailedPrecondition(f"{path} is quarantined", hint=f"read it, then palyra workspace release {path}")
    text = "" if live is None else live.text or ""
    block_ids = dict.fromkeys(_BLOCKS[candidate.kind] for candidate in wanted)
    for block_id in block_ids:
        new = [candidate.text for candidate in wanted if _BLOCKS[candidate.kind] == block_id]
        text = edit(text, block_id, _with_new(items(text, block_id, path=path), new), path=path)
    # They are the owner's own words: the document stays as trusted as it was.
    trust = Trust.OWNER if live is None else Trust(live.trust)
    change = WantedDocument(path, text, line, own_blocks=frozenset(block_ids))
    return revise(tx, change, Writer(caller, Actor.SYSTEM, "compaction", trust, because))


def is_held_back(tx: ReadTx, revision: Revision, caller: Visibility, line: Line) -> bool:
    """Quarantined, and no person has released that very text."""
    if revision.risk != RiskLevel.QUARANTINED.label:
        return False
    mark = marks_of(tx, caller, line).get(revision.path)
    return mark is None or mark.released_sha256 != revision.sha256


def _with_new(there: Sequence[BlockItem], texts: Sequence[str]) -> list[BlockItem]:
    """What is said again stays where it is; what contradicts a newer statement makes way for it."""
    statements = Statements()
    found: list[BlockItem | None] = [*there]
    known: dict[str, int] = {}
    for number, item in enumerate(there):
        statements.know(item.text, 0)
        known |= {item.item_id: number, fingerprint(item.text)[:ITEM_CHARS]: number}
    for text in texts:
        item_id = fingerprint(text)[:ITEM_CHARS]
        if item_id in known and found[known[item_id]] is not None:
            continue
        for number in statements.add(text, 0):
            found[number] = None
        known[item_id] = len(found)
        found.append(BlockItem(item_id, text))
    return [item for item in found if item is not None]


# -- memory


@dataclass(frozen=True, slots=True)
class Remembering:
    """Drafts that memory does not hold yet, each compared with its neighbours."""

    drafts: tuple[Looked, ...]
    origin: Origin


@dataclass(frozen=True, slots=True)
class MemoryDrafts:
    drafts: tuple[EventDraft, ...]
    stored: tuple[str, ...]
    held: tuple[str, ...]


async def look_at_candidates(memory: Memory, planned: Planned, policy: LearningPolicy | None) -> Remembering:
    """The slow part, before anything is decided.

    `policy`: of what waits for a person. None where runs are read as they end: what they state was written, asked about
    or left then, once, and a compaction adds nothing to memory."""
    session = planned.session
    place = Visibility(session.principal, session.channel)
    if policy is None:
        return Remembering((), origin_of(place, Actor.SYSTEM))
    # Of the whole principal, or of its channel: the next session has to find it.
    scope = scope_for(place, ScopeKind.PRINCIPAL if session.channel is None else ScopeKind.CHANNEL)
    looked: list[Looked] = []
    for candidate in _lasting(planned.plan.candidates, policy):
        is_sure = candidate.disposition is Disposition.AUTO_WRITE
        provenance = dict.fromkeys(
            planned.event_ids[one.seq] for one in candidate.evidence if one.seq in planned.event_ids
        )
        draft = Draft(
            candidate.text,
            MemorySource.DURABLE_FACT,
            confidence_bps=candidate.confidence_bps,
            thread=session.key,
            provenance=tuple(provenance),
            rests_on=Trust.OWNER if is_sure else None,
        )
        try:
            ready = check_draft(memory, draft, scope, Actor.SYSTEM)
        except PalyraError:
            continue  # too long for memory; the tape has it
        looked.append(await look(memory, ready if is_sure else _waiting(ready)))

    def new(tx: ReadTx) -> tuple[Looked, ...]:
        return tuple(one for one in looked if isinstance(decide_looked(tx, memory, one)[1], _WRITTEN))

    return Remembering(await memory.store.db.read(new), origin_of(place, Actor.SYSTEM))


_WRITTEN = (Stored, ConflictFound, HeldForReview)


def _lasting(candidates: Sequence[DurableCandidate], policy: LearningPolicy) -> list[DurableCandidate]:
    """Those to be remembered, and those to ask about."""
    sure = [one for one in candidates if one.disposition is Disposition.AUTO_WRITE]
    asked = [
        one
        for one in candidates
        if one.disposition is Disposition.REVIEW_REQUIRED
        and one.confidence_bps >= policy.review_from_bps(_LEARNED_AS[one.kind])
    ]
    return sure + sorted(asked, key=lambda one: -one.confidence_bps)[:_ASKED_AT_ONCE]


def _waiting(ready: Ready) -> Ready:
    return replace(ready, because=ready.because or (_BECAUSE,))


def memory_drafts(tx: ReadTx, memory: Memory, remembering: Remembering) -> MemoryDrafts:
    """Decided anew, in the transaction that writes it. What has been remembered meanwhile is left out, too."""
    drafts: list[EventDraft] = []
    stored: list[str] = []
    held: list[str] = []
    seen: set[str] = set()
    for looked in remembering.drafts:
        likeness = looked.ready.stored.likeness
        events, outcome = decide_looked(tx, memory, looked)
        if likeness in seen or not isinstance(outcome, _WRITTEN):
            continue
        seen.add(likeness)
        drafts += [draft_of_event(event, remembering.origin) for event in events]
        if isinstance(outcome, HeldForReview):
            held.append(outcome.candidate_id)
        else:
            stored.append(outcome.memory_id)
    return MemoryDrafts(tuple(drafts), tuple(stored), tuple(held))
