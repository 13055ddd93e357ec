"""Changing documents: write, restore, move, delete, pin, release, repair, erase.

Each takes in what a person has saved, decides, commits, and lets the file follow. A file that cannot follow now does
so later; the answer says that it is pending, and why.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

import msgspec

from palyra.core.errors import AlreadyExists, Conflict, FailedPrecondition
from palyra.core.hashing import Json
from palyra.domain.chat.continuity_events import MAIN, DocumentMarked, DocumentWritten, Line
from palyra.domain.journal import Actor, Decision, EventDraft, EventRecord, RequestKey, draft_of_event
from palyra.domain.memory import ACTOR_TRUST, Trust
from palyra.domain.scope import Visibility
from palyra.domain.workspace import blocks
from palyra.domain.workspace.documents import check_path
from palyra.services.workspace.context import Workspace, find_document
from palyra.services.workspace.decisions import WantedDocument, Writer, rehearse, revise, sound_blocks
from palyra.services.workspace.reading import DocumentState, document_at
from palyra.services.workspace.sync import reconcile, sync_locked
from palyra.store.connection import ReadTx
from palyra.store.journal_store import Once
from palyra.store.workspace.records import Mark, Revision, marks_of, newest, revision_at, revisions_of

_LOOKED_AT = 500
"""revisions that are searched for a sound block"""


@dataclass(frozen=True, slots=True)
class By:
    """Who changes a document, and where."""

    caller: Visibility
    actor: Actor
    line: Line = MAIN
    reason: str = ""
    request: RequestKey | None = None

    def writer(self, source: str | None = None, trust: Trust | None = None) -> Writer:
        own = ACTOR_TRUST[self.actor]
        by_person = "person" if own is Trust.OWNER else "agent"
        return Writer(
            self.caller, self.actor, source or by_person, own if trust is None else max(own, trust), reason=self.reason
        )


async def write(workspace: Workspace, path: str, text: str, by: By, base_sha256: str | None = None) -> DocumentState:
    """The document says `text`. Conflict if it is not what `base_sha256` says; empty: if it is there at all."""

    def decide(tx: ReadTx) -> list[EventDraft | None]:
        return [revise(tx, WantedDocument(path, text, by.line, base_sha256=base_sha256), by.writer())]

    return await _change(workspace, by, path, decide)


async def restore(workspace: Workspace, path: str, revision: int, by: By) -> DocumentState:
    """An earlier text as a new revision, trusted no more than it was."""

    def decide(tx: ReadTx) -> list[EventDraft | None]:
        old = find_document(tx, path, by.caller, by.line, revision)
        if old.deleted or old.masked:
            why = "is that it was deleted" if old.deleted else "is masked: the journal does not have its secret"
            raise FailedPrecondition(
                f"revision {revision} of {path} {why}; nothing was written", hint=f"palyra workspace versions {path}"
            )
        change = WantedDocument(path, old.text or "", by.line, own_blocks=sound_blocks(old.text or ""))
        return [revise(tx, change, by.writer("restore", Trust(old.trust)))]

    return await _change(workspace, by, path, decide)


async def move(workspace: Workspace, path: str, target: str, by: By) -> DocumentState:
    """The same text, pin and release under another name. AlreadyExists if that is taken."""

    def decide(tx: ReadTx) -> list[EventDraft | None]:
        old = find_document(tx, path, by.caller, by.line)
        there = newest(tx, check_path(target), by.caller, by.line)
        if there is not None and not there.deleted:
            raise AlreadyExists(f"{target} is there already; nothing was moved", hint="choose another name")
        writer = by.writer("move", Trust(old.trust))
        text = old.text or ""
        made = revise(tx, WantedDocument(target, text, by.line, path, sound_blocks(text)), writer)
        mark = marks_of(tx, by.caller, by.line).get(path, Mark())
        moved = DocumentMarked(target, by.line, int(mark.pinned), mark.released_sha256)
        marked = draft_of_event(moved, writer.origin) if mark != Mark() else None
        return [made, revise(tx, WantedDocument(path, None, by.line), writer), marked]

    return await _change(workspace, by, target, decide, path)


async def delete(workspace: Workspace, path: str, by: By, base_sha256: str | None = None) -> DocumentState:
    """Its revisions stay, and `restore` brings it back."""

    def decide(tx: ReadTx) -> list[EventDraft | None]:
        find_document(tx, path, by.caller, by.line)
        return [revise(tx, WantedDocument(path, None, by.line, base_sha256=base_sha256), by.writer())]

    return await _change(workspace, by, path, decide)


async def pin(workspace: Workspace, path: str, by: By, *, pinned: bool) -> DocumentState:
    def decide(tx: ReadTx) -> list[EventDraft | None]:
        find_document(tx, path, by.caller, by.line)
        if marks_of(tx, by.caller, by.line).get(path, Mark()).pinned == pinned:
            return []
        return [draft_of_event(DocumentMarked(path, by.line, int(pinned)), by.writer().origin)]

    return await _change(workspace, by, path, decide)


async def release(workspace: Workspace, path: str, by: By, sha256: str | None = None) -> DocumentState:
    """A person has read what is quarantined and lets it be used: that very text, and no later one."""

    def decide(tx: ReadTx) -> list[EventDraft | None]:
        one = find_document(tx, path, by.caller, by.line)
        if sha256 is not None and sha256 != one.sha256:
            raise Conflict(
                f"{path} has changed since it was read; nothing was released",
                hint="read it again",
                expected_sha256=sha256,
                current_sha256=one.sha256,
            )
        if one.risk != "quarantined":
            raise FailedPrecondition(f"{path} is {one.risk}, not quarantined", hint="palyra workspace status")
        mark = DocumentMarked(path, by.line, released_sha256=one.sha256)
        return [draft_of_event(mark, by.writer().origin)]

    return await _change(workspace, by, path, decide)


async def repair(
    workspace: Workspace, path: str, by: By, block_id: str | None = None, keep: Literal["mine", "ours"] = "mine"
) -> DocumentState:
    """Makes managed blocks writable again: with what stands in them now, or with what we wrote last.

    No block named: all that were changed by hand. Markers that belong to no block become plain text."""

    def decide(tx: ReadTx) -> list[EventDraft | None]:
        one = find_document(tx, path, by.caller, by.line)
        text = one.text or ""
        edited = [block.block_id for block in blocks.parse(text).blocks if block.edited is not None]
        wanted = edited if block_id is None else [block_id]
        text = blocks.repair(text, None, keep, path=path).text
        for name in wanted:
            known = _last_known(tx, one, name, by) if keep == "ours" else ()
            text = blocks.repair(text, name, keep, known, path=path).text
        return [revise(tx, WantedDocument(path, text, by.line, own_blocks=sound_blocks(text)), by.writer())]

    return await _change(workspace, by, path, decide)


def _last_known(tx: ReadTx, one: Revision, block_id: str, by: By) -> tuple[blocks.BlockItem, ...]:
    for head in revisions_of(tx, one.path, by.caller, by.line)[:_LOOKED_AT]:
        old = revision_at(tx, one.path, head.revision, by.caller, by.line)
        block = None if old is None else blocks.parse(old.text or "").block(block_id)
        if block is not None and block.edited is None:
            return block.items
    raise FailedPrecondition(
        f"no revision of {one.path} has block {block_id[:64]!r} as it was written", hint="repair it with --keep mine"
    )


async def _change(
    workspace: Workspace, by: By, path: str, decide: Callable[[ReadTx], list[EventDraft | None]], *others: str
) -> DocumentState:
    def decision(tx: ReadTx) -> Decision[int | None]:
        events = tuple(draft for draft in decide(tx) if draft is not None)
        return Decision(events, _revision_in([(draft.kind, draft.body) for draft in events], path))

    once = None if by.request is None else Once(by.caller.principal, by.request, lambda events: _repeated(events, path))
    async with workspace.lock:
        await sync_locked(workspace, by.caller, begin=True)
        await rehearse(workspace.store, decision)
        revision = (await workspace.journal.commit(decision, once)).outcome
        workspace.on_step("committed")
        if by.line == MAIN:
            for one in (path, *others):
                await reconcile(workspace, by.caller, one)
        return await document_at(workspace, path, by.caller, by.line, revision)


def _revision_in(events: list[tuple[str, dict[str, Json]]], path: str) -> int | None:
    """None: no new one."""
    made = [body["revision"] for kind, body in events if kind == DocumentWritten.KIND and body.get("path") == path]
    return cast("int", made[0]) if made else None


def _repeated(events: list[EventRecord], path: str) -> int | None:
    bodies = [(one.kind, msgspec.json.decode(one.payload)) for one in events if one.payload is not None]
    return _revision_in(bodies, path)
