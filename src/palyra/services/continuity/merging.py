"""A branch's documents come back to where they were taken from: a three-way merge, all of it or nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from palyra.core.errors import FailedPrecondition, InvalidArgument
from palyra.domain.chat.continuity_events import DocumentWritten, Line
from palyra.domain.journal import Actor, Decision, EventDraft, EventRecord, RequestKey
from palyra.domain.memory import Trust
from palyra.domain.scope import Visibility
from palyra.domain.workspace.merge import MergeConflict, merge
from palyra.services.continuity.checkpoints import body_of, mark_in, marked
from palyra.services.continuity.context import Continuity, find_checkpoint
from palyra.services.sessions.context import find_session
from palyra.services.workspace.decisions import WantedDocument, Writer, holds_secret, revise, sound_blocks
from palyra.services.workspace.sync import sync
from palyra.store.connection import ReadTx
from palyra.store.continuity.records import DocumentMark, SessionCheckpoint, checkpoint_of_line
from palyra.store.journal_store import Once
from palyra.store.workspace.records import Revision, documents_of, newest

Side: TypeAlias = Literal["mine", "theirs"]
"""mine: as it stands where the branch came from; theirs: as the branch has it"""


@dataclass(frozen=True, slots=True)
class UnmergedPath:
    path: str
    conflicts: tuple[MergeConflict, ...]
    what: str
    """in words, where it is not about lines: deleted on one side, changed on the other"""


@dataclass(frozen=True, slots=True)
class MergedBack:
    written: tuple[DocumentMark, ...]
    conflicts: tuple[UnmergedPath, ...]
    """while there are any, nothing was written"""
    deleted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Result:
    path: str
    text: str | None
    """None: deleted"""
    trust: Trust
    conflicts: tuple[MergeConflict, ...] = ()
    what: str = ""


async def merge_back(
    continuity: Continuity,
    name: str,
    caller: Visibility,
    actor: Actor,
    sides: Mapping[str, Side],
    request: RequestKey | None = None,
) -> MergedBack:
    """`name`: the branch. `sides` decides for documents that both have changed, one by one."""
    await sync(continuity.workspace, caller)

    def decide(tx: ReadTx) -> Decision[MergedBack]:
        session = find_session(tx, name, caller)
        opened = checkpoint_of_line(tx, session.session_id)
        if opened is None:
            raise FailedPrecondition(
                f"session {session.key!r} has no documents of its own", hint="palyra checkpoint restore makes a branch"
            )
        checkpoint = find_checkpoint(tx, opened[0], caller)
        results = _results(tx, checkpoint, Line(session.session_id), caller, sides)
        conflicts = tuple(UnmergedPath(r.path, r.conflicts, r.what) for r in results if r.conflicts or r.what)
        if conflicts:
            return Decision((), MergedBack((), conflicts))
        drafts: list[EventDraft] = []
        for result in results:
            writer = Writer(caller, actor, "merge", result.trust, session.session_id)
            own_blocks = sound_blocks(result.text or "")
            draft = revise(tx, WantedDocument(result.path, result.text, checkpoint.line, own_blocks=own_blocks), writer)
            drafts += [] if draft is None else [draft]
        return Decision(tuple(drafts), _merged([draft.body for draft in drafts]))

    once = None if request is None else Once(caller.principal, request, _first_merged)
    committed = await continuity.sessions.journal.commit(decide, once)
    await sync(continuity.workspace, caller)
    return committed.outcome


def _first_merged(written: list[EventRecord]) -> MergedBack:
    return _merged([body_of(record, DocumentWritten.KIND) for record in written])


def _merged(bodies: list[Mapping[str, object]]) -> MergedBack:
    kept = tuple(mark_in(body) for body in bodies if not body.get("deleted"))
    return MergedBack(kept, (), tuple(str(body["path"]) for body in bodies if body.get("deleted")))


def _results(
    tx: ReadTx, checkpoint: SessionCheckpoint, line: Line, caller: Visibility, sides: Mapping[str, Side]
) -> list[_Result]:
    """Of the documents that the branch has written."""
    changed = [one.path for one in documents_of(tx, caller, line) if one.line == line]
    unknown = sorted(set(sides) - set(changed))
    if unknown:
        raise InvalidArgument(
            f"the branch has not changed {unknown[0][:64]!r}", hint="name only documents that are in conflict"
        )
    bases = {mark.path: marked(tx, checkpoint, mark, caller) for mark in checkpoint.documents}
    found: list[_Result] = []
    for path in changed:
        theirs, ours = newest(tx, path, caller, line), newest(tx, path, caller, checkpoint.line)
        assert theirs is not None  # noqa: S101 - it is in the list of those that the branch has
        for revision in (theirs, ours):
            if revision is not None and revision.masked and not revision.deleted:
                raise holds_secret(path)
        found.append(_one(bases.get(path), _live(ours), theirs, sides.get(path)))
    return found


def _live(revision: Revision | None) -> Revision | None:
    return None if revision is None or revision.deleted else revision


def _one(base: Revision | None, ours: Revision | None, theirs: Revision, side: Side | None) -> _Result:
    path = theirs.path
    # Of two texts that become one, the less trusted decides.
    trust = Trust(max(theirs.trust, 0 if ours is None else ours.trust))
    mine = None if ours is None else ours.text or ""
    other = None if theirs.deleted else theirs.text or ""
    if side is not None:
        return _Result(path, mine if side == "mine" else other, trust)
    was = None if base is None else base.text or ""
    if other in (mine, was):
        return _Result(path, mine, trust)
    if mine == was:
        return _Result(path, other, trust)
    if mine is None or other is None:
        gone = "where the branch came from" if mine is None else "in the branch"
        return _Result(path, mine, trust, what=f"deleted {gone}, and changed on the other side")
    merged = merge(was or "", mine, other)
    return _Result(path, merged.text, trust, merged.conflicts)
