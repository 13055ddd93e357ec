"""What documents hold of a conversation: managed blocks are a view of the statements that are memory."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from palyra.core.errors import FailedPrecondition, PalyraError
from palyra.domain.chat.continuity_events import Line
from palyra.domain.compaction.plan import CandidateKind, Disposition, DurableCandidate
from palyra.domain.journal import Actor, EventDraft
from palyra.domain.memory import Trust
from palyra.domain.scope import Visibility
from palyra.domain.workspace.blocks import BlockItem, edit, items, parse
from palyra.domain.workspace.risk import RiskLevel
from palyra.language.wording import fingerprint
from palyra.services.continuity.planning import Planned
from palyra.services.continuity.withdrawing import ITEM_CHARS
from palyra.services.workspace.decisions import WantedDocument, Writer, holds_secret, revise
from palyra.store.connection import ReadTx
from palyra.store.continuity.memories import replaced_items
from palyra.store.workspace.records import Revision, marks_of, newest

_BLOCKS = {
    CandidateKind.FACT: "facts",
    CandidateKind.PREFERENCE: "preferences",
    CandidateKind.DECISION: "decisions",
    CandidateKind.PROCEDURE: "procedures",
    CandidateKind.OPEN_TASK: "tasks",
}
_KEPT_UP = ("MEMORY.md", "HEARTBEAT.md", "context/decisions.md", "context/procedures.md")
"""looked through each time: what was replaced since leaves them"""


@dataclass(frozen=True, slots=True)
class DocumentDrafts:
    drafts: tuple[EventDraft, ...]
    refused: tuple[tuple[str, str], ...]
    """path, and why nothing was written there"""


def document_drafts(tx: ReadTx, planned: Planned, caller: Visibility, line: Line, because: str) -> DocumentDrafts:
    """A document that must not be written to is left alone and named; it holds up nothing else."""
    wanted: dict[str, list[DurableCandidate]] = defaultdict(list, {path: [] for path in _KEPT_UP})
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
    there = {block.block_id: block.items for block in parse(text).blocks}
    new = {_BLOCKS[one.kind]: [other for other in wanted if other.kind is one.kind] for one in wanted}
    replaced = replaced_items(tx, caller.principal, [item.item_id for held in there.values() for item in held])
    block_ids = [*(name for name, held in there.items() if any(one.item_id in replaced for one in held)), *new]
    for block_id in dict.fromkeys(block_ids):
        left = [item for item in items(text, block_id, path=path) if item.item_id not in replaced]
        text = edit(text, block_id, _with_new(left, [one.text for one in new.get(block_id, ())]), path=path)
    if not block_ids:
        return None
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
    """What is said again stays where it is."""
    known = {item.item_id for item in there} | {fingerprint(item.text)[:ITEM_CHARS] for item in there}
    new = {fingerprint(text)[:ITEM_CHARS]: text for text in texts}
    return [*there, *(BlockItem(item_id, text) for item_id, text in new.items() if item_id not in known)]
