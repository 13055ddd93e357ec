"""Taking back out of documents what a compaction put there, for whoever erases what was said.

The items go from the documents as they stand, as new revisions; the revisions that held them are then erased with the
rest. A document that must not be written to, because a block was edited by hand, is left alone and named.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from palyra.core.errors import PalyraError
from palyra.core.text import normalise
from palyra.domain.chat.continuity_events import Line
from palyra.domain.compaction.plan import Disposition
from palyra.domain.journal import Actor, Decision, EventDraft
from palyra.domain.memory import Trust
from palyra.domain.scope import Visibility
from palyra.domain.workspace.blocks import BlockItem, parse
from palyra.language.wording import fingerprint
from palyra.services.continuity.context import Continuity
from palyra.services.memory.lifecycle import events_with_text
from palyra.services.sessions.context import find_session
from palyra.services.sessions.transcripts import runs_to_erase
from palyra.services.workspace.decisions import Writer, edit_blocks
from palyra.services.workspace.sync import sync
from palyra.store.connection import ReadTx
from palyra.store.continuity.erasing import candidates_over, compactions_over
from palyra.store.memory.items import texts_of
from palyra.store.sessions.erasing import runs_with_events
from palyra.store.workspace.records import lines_of, newest, revisions_with_items

ITEM_CHARS = 16


@dataclass(frozen=True, slots=True)
class Withdrawn:
    item_ids: tuple[str, ...]
    refused: tuple[tuple[str, str], ...] = ()
    """line and path of documents that still hold them"""
    run_ids: tuple[str, ...] = ()
    """turns whose summaries go, too"""

    @property
    def still_holding(self) -> list[str]:
        """For the certificate."""
        return [f"document {path}" for _, path in self.refused]

    def events(self, tx: ReadTx, principal: str) -> list[str]:
        """Those that hold the text of these items, but for what a document needs to stand."""
        held = revisions_with_items(tx, self.item_ids, principal) if self.item_ids else []
        found = [event_id for event_id, line, path, _ in held if (line, path) not in self.refused]
        return found + (compactions_over(tx, self.run_ids, principal) if self.run_ids else [])


async def withdraw(
    continuity: Continuity, name: str, run_ids: Sequence[str], caller: Visibility, actor: Actor
) -> Withdrawn:
    """Of turns that are erased: all that was written in their words."""

    def decide(tx: ReadTx) -> Decision[Withdrawn]:
        session = find_session(tx, name, caller)
        wanted = runs_to_erase(tx, session, run_ids, caller)
        item_ids = [_item_id(one) for one in candidates_over(tx, wanted, session.principal) if _is_written(one)]
        return withdrawal(tx, item_ids, (), session.principal, actor)

    return await _committed(continuity, decide, caller)


async def withdraw_memories(continuity: Continuity, ids: Sequence[str], caller: Visibility, actor: Actor) -> Withdrawn:
    """Of memories that are erased: items that say the same, or a part of it that was said there.

    What else was said in the same turn stays in the documents. Its summary cannot: it is one text."""

    def decide(tx: ReadTx) -> Decision[Withdrawn]:
        wanted = list(dict.fromkeys(ids))
        events = [event_id for one in wanted for event_id in events_with_text(tx, one, caller)]
        run_ids = runs_with_events(tx, events, caller.principal)
        texts = [text for one in wanted for text in texts_of(tx, one, caller)]
        item_ids = [fingerprint(text)[:ITEM_CHARS] for text in texts]
        wholes = list(map(_folded, texts))
        for candidate in candidates_over(tx, run_ids, caller.principal):
            part = _folded(candidate["text"]).rstrip(".")
            if _is_written(candidate) and any(part in whole for whole in wholes):
                item_ids.append(_item_id(candidate))
        return withdrawal(tx, item_ids, run_ids, caller.principal, actor)

    return await _committed(continuity, decide, caller)


async def _committed(
    continuity: Continuity, decide: Callable[[ReadTx], Decision[Withdrawn]], caller: Visibility
) -> Withdrawn:
    await sync(continuity.workspace, Visibility(caller.principal))  # what a person has saved is looked through, too
    committed = await continuity.sessions.journal.commit(decide)
    if committed.receipts:
        await sync(continuity.workspace, Visibility(caller.principal))
    return committed.outcome


def withdrawal(
    tx: ReadTx,
    items: Sequence[str],
    run_ids: Sequence[str],
    principal: str,
    actor: Actor,
    why: str = "what it was made of was erased",
) -> Decision[Withdrawn]:
    """New revisions of the documents as they stand, on every line. `why` is what the revisions say."""
    item_ids = tuple(dict.fromkeys(items))
    owner = Visibility(principal)
    held = revisions_with_items(tx, item_ids, principal)
    drafts: list[EventDraft] = []
    refused: list[tuple[str, str]] = []
    for line in lines_of(tx, principal):
        for path in sorted({place for _, where, place, _ in held if where == line}):
            try:
                draft = _without(tx, path, frozenset(item_ids), owner, line, actor, why)
            except PalyraError:
                refused.append((line, path))
            else:
                drafts += [] if draft is None else [draft]
    return Decision(tuple(drafts), Withdrawn(item_ids, tuple(refused), tuple(dict.fromkeys(run_ids))))


def _is_written(candidate: dict[str, Any]) -> bool:
    return bool(candidate["disposition"] == Disposition.AUTO_WRITE.value)


def _item_id(candidate: dict[str, Any]) -> str:
    return fingerprint(candidate["text"])[:ITEM_CHARS]


def _folded(text: str) -> str:
    return normalise(text).casefold()


def _without(
    tx: ReadTx, path: str, item_ids: frozenset[str], owner: Visibility, line: Line, actor: Actor, why: str
) -> EventDraft | None:
    current = newest(tx, path, owner, line)
    if current is None or current.deleted or not current.text:
        return None
    left: dict[str, list[BlockItem]] = {
        block.block_id: [item for item in block.items if item.item_id not in item_ids]
        for block in parse(current.text).blocks
        if any(item.item_id in item_ids for item in block.items)
    }
    if not left:
        return None
    writer = Writer(owner, actor, "agent", Trust(current.trust), "", why)
    return edit_blocks(tx, path, left, writer, line)
