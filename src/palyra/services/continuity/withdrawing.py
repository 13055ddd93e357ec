"""Taking back out of documents what a compaction put there, for whoever erases what was said.

The items go from the documents as they stand, as new revisions; the revisions that held them are then erased with the
rest. A document that must not be written to, because a block was edited by hand, is left alone and named.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from palyra.core.errors import PalyraError
from palyra.domain.chat.continuity_events import Line
from palyra.domain.compaction.plan import Disposition
from palyra.domain.journal import Actor, Decision, EventDraft
from palyra.domain.memory import Trust
from palyra.domain.scope import Visibility
from palyra.domain.similarity import fingerprint
from palyra.domain.workspace.blocks import Item, parse
from palyra.services.continuity.context import Continuity
from palyra.services.sessions.context import find_session
from palyra.services.sessions.transcripts import runs_to_erase
from palyra.services.workspace.decisions import Writer, edit_blocks
from palyra.services.workspace.sync import sync
from palyra.store.connection import ReadTx
from palyra.store.continuity.erasing import candidates_over
from palyra.store.workspace.records import lines_of, newest, revisions_with_items

ITEM_CHARS = 16


@dataclass(frozen=True, slots=True)
class Withdrawn:
    item_ids: tuple[str, ...]
    refused: tuple[tuple[str, str], ...] = ()
    """line and path of documents that still hold them"""

    def revisions(self, tx: ReadTx, principal: str) -> list[str]:
        """Events that hold the text of these items, but for what a document needs to stand."""
        held = revisions_with_items(tx, self.item_ids, principal) if self.item_ids else []
        return [event_id for event_id, line, path, _ in held if (line, path) not in self.refused]


async def withdraw(
    continuity: Continuity, name: str, run_ids: Sequence[str], caller: Visibility, actor: Actor
) -> Withdrawn:
    def decide(tx: ReadTx) -> Decision[Withdrawn]:
        session = find_session(tx, name, caller)
        wanted = runs_to_erase(tx, session, run_ids, caller)
        item_ids = tuple(
            dict.fromkeys(
                fingerprint(candidate["text"])[:ITEM_CHARS]
                for candidate in candidates_over(tx, wanted, session.principal)
                if candidate["disposition"] == Disposition.AUTO_WRITE.value
            )
        )
        owner = Visibility(session.principal)
        held = revisions_with_items(tx, item_ids, session.principal)
        drafts: list[EventDraft] = []
        refused: list[tuple[str, str]] = []
        for line in lines_of(tx, session.principal):
            for path in sorted({place for _, where, place, _ in held if where == line}):
                try:
                    draft = _without(tx, path, frozenset(item_ids), owner, line, actor)
                except PalyraError:
                    refused.append((line, path))
                else:
                    drafts += [] if draft is None else [draft]
        return Decision(tuple(drafts), Withdrawn(item_ids, tuple(refused)))

    committed = await continuity.sessions.journal.commit(decide)
    if committed.receipts:
        await sync(continuity.workspace, Visibility(caller.principal))
    return committed.outcome


def _without(
    tx: ReadTx, path: str, item_ids: frozenset[str], owner: Visibility, line: Line, actor: Actor
) -> EventDraft | None:
    current = newest(tx, path, owner, line)
    if current is None or current.deleted or not current.text:
        return None
    left: dict[str, list[Item]] = {
        block.block_id: [item for item in block.items if item.item_id not in item_ids]
        for block in parse(current.text).blocks
        if any(item.item_id in item_ids for item in block.items)
    }
    if not left:
        return None
    writer = Writer(owner, actor, "agent", Trust(current.trust), "", "what it was made of was erased")
    return edit_blocks(tx, path, left, writer, line)
