"""What differs between two checkpoints, or between one and now; and the tree that sessions and checkpoints make."""

from collections.abc import Iterator
from dataclasses import dataclass

from palyra.core.errors import InvalidArgument
from palyra.core.ids import RunId, SessionId
from palyra.core.redact import redact_memory_text_for_output
from palyra.domain.chat.session import Session, TapeRecord
from palyra.domain.scope import Visibility
from palyra.domain.workspace.linediff import diff
from palyra.services.continuity.checkpoints import marked
from palyra.services.continuity.context import Continuity, find_checkpoint, marks_on
from palyra.services.sessions.context import find_session
from palyra.services.sessions.lifecycle import question_of
from palyra.services.workspace.sync import sync
from palyra.store.connection import ReadTx
from palyra.store.continuity.memories import MemoryChange, memory_changes
from palyra.store.continuity.records import (
    DocumentMark,
    SessionCheckpoint,
    checkpoint_of_line,
    conversation_at,
    line_of,
    list_checkpoints,
)
from palyra.store.sessions.records import children_of, conversation_runs, fetch_session, tape_of
from palyra.store.upkeep.integrity import journal_size
from palyra.store.workspace.records import newest

_RUNS = 20_000
_SHOWN_RUNS = 200
_CHANGES = 500
_LINEAGE = 64
_NODES = 1_000
_ASKED_CHARS = 120


@dataclass(frozen=True, slots=True)
class OneTurn:
    run_id: RunId
    asked: str


@dataclass(frozen=True, slots=True)
class DocumentChange:
    path: str
    change: str
    """added, removed or changed: from the first point to the second"""
    diff: str
    """empty where a text was erased"""
    missing: tuple[str, ...]
    """of which points the text was erased: first, second"""


@dataclass(frozen=True, slots=True)
class BranchComparison:
    shared_runs: int
    only_first: tuple[OneTurn, ...]
    only_second: tuple[OneTurn, ...]
    only_first_count: int
    only_second_count: int
    documents: tuple[DocumentChange, ...]
    memories: tuple[MemoryChange, ...]
    """what became of memory from the earlier point to the later one, at most `_CHANGES`"""


@dataclass(frozen=True, slots=True)
class _Point:
    seq: int
    runs: tuple[RunId, ...]
    documents: dict[str, DocumentMark]
    texts: dict[str, str | None]


async def compare(continuity: Continuity, first: str, second: str | None, caller: Visibility) -> BranchComparison:
    """From the first to the second; without one, to how things stand now in the session of the first."""
    await sync(continuity.workspace, caller)
    return await continuity.sessions.store.db.read(lambda tx: _compare(tx, first, second, caller))


def _compare(tx: ReadTx, first: str, second: str | None, caller: Visibility) -> BranchComparison:
    checkpoint = find_checkpoint(tx, first, caller)
    one = _then(tx, checkpoint, caller)
    two = _now(tx, checkpoint, caller) if second is None else _then(tx, find_checkpoint(tx, second, caller), caller)
    ones, twos = set(one.runs), set(two.runs)
    gone, new = [run for run in one.runs if run not in twos], [run for run in two.runs if run not in ones]
    earlier, later = sorted((one.seq, two.seq))
    memories = memory_changes(tx, caller, earlier, later, _CHANGES)
    return BranchComparison(
        len(ones & twos),
        _turns(tx, gone),
        _turns(tx, new),
        len(gone),
        len(new),
        tuple(_changes(one, two)),
        tuple(memories),
    )


def _then(tx: ReadTx, checkpoint: SessionCheckpoint, caller: Visibility) -> _Point:
    texts: dict[str, str | None] = {}
    for mark in checkpoint.documents:
        found = marked(tx, checkpoint, mark, caller)
        texts[mark.path] = None if found is None else found.text
    runs = tuple(conversation_at(tx, checkpoint, _RUNS))
    return _Point(checkpoint.seq, runs, {mark.path: mark for mark in checkpoint.documents}, texts)


def _now(tx: ReadTx, checkpoint: SessionCheckpoint, caller: Visibility) -> _Point:
    session = find_session(tx, checkpoint.session_id, caller)
    line = line_of(tx, session)
    marks = marks_on(tx, line, caller)
    texts: dict[str, str | None] = {}
    for mark in marks:
        found = newest(tx, mark.path, caller, line)
        texts[mark.path] = None if found is None else found.text
    runs = tuple(run.run_id for run in conversation_runs(tx, session, _RUNS))
    return _Point(journal_size(tx), runs, {mark.path: mark for mark in marks}, texts)


def _turns(tx: ReadTx, run_ids: list[RunId]) -> tuple[OneTurn, ...]:
    shown = run_ids[:_SHOWN_RUNS]
    asked: dict[RunId, list[TapeRecord]] = {run_id: [] for run_id in shown}
    for record in tape_of(tx, shown) if shown else ():
        asked[record.run_id].append(record)
    return tuple(OneTurn(run_id, _glance(question_of(records, clean=True))) for run_id, records in asked.items())


def _glance(text: str) -> str:
    return " ".join(redact_memory_text_for_output(text).split())[:_ASKED_CHARS]


def _changes(one: _Point, two: _Point) -> Iterator[DocumentChange]:
    for path in sorted(one.documents.keys() | two.documents.keys()):
        old, new = one.documents.get(path), two.documents.get(path)
        if old is not None and new is not None and old.sha256 == new.sha256:
            continue
        change = "added" if old is None else "removed" if new is None else "changed"
        before, after = one.texts.get(path), two.texts.get(path)
        missing = tuple(
            name
            for name, mark, text in (("first", old, before), ("second", new, after))
            if mark is not None and text is None
        )
        shown = "" if missing else redact_memory_text_for_output(diff(before or "", after or "", path, path))
        yield DocumentChange(path, change, shown, missing)


# -- the tree


@dataclass(frozen=True, slots=True)
class Node:
    session: Session
    depth: int
    from_checkpoint: str | None
    """it is a branch with documents of its own"""
    checkpoints: tuple[SessionCheckpoint, ...]
    """oldest first"""


async def tree(continuity: Continuity, name: str, caller: Visibility) -> list[Node]:
    """All that belongs together with that session, parents before their branches."""

    def read(tx: ReadTx) -> list[Node]:
        root = _root(tx, find_session(tx, name, caller), caller)
        nodes: list[Node] = []
        waiting = [(root, 0)]
        while waiting:
            session, depth = waiting.pop()
            if len(nodes) >= _NODES:
                raise InvalidArgument(f"more than {_NODES} sessions belong together here", hint="palyra session list")
            opened = checkpoint_of_line(tx, session.session_id)
            made = list_checkpoints(tx, caller, session.session_id, 1 << 62, _NODES)
            nodes.append(Node(session, depth, None if opened is None else opened[0], tuple(reversed(made))))
            waiting += [(child, depth + 1) for child in reversed(children_of(tx, session.session_id, caller))]
        return nodes

    return await continuity.sessions.store.db.read(read)


def _root(tx: ReadTx, session: Session, caller: Visibility) -> Session:
    seen: set[SessionId] = set()
    while session.parent_id is not None and len(seen) < _LINEAGE:
        seen.add(session.session_id)
        parent = fetch_session(tx, session.parent_id, caller)
        if parent is None:
            break
        session = parent
    return session
