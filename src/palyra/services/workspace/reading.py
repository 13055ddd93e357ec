"""Reading documents: one, all of them, and how one came to be.

Whatever a person has saved is taken in first, so that nobody reads what the file no longer says."""

from dataclasses import dataclass

from palyra.core.errors import InvalidArgument, NotFound
from palyra.core.text import has_lone_surrogate
from palyra.domain.chat.continuity_events import MAIN, Line
from palyra.domain.memory import AsOf
from palyra.domain.scope import Visibility
from palyra.domain.workspace.documents import check_path
from palyra.domain.workspace.linediff import diff as unified_diff
from palyra.services.workspace.context import Workspace, check_line, find_document, seq_of
from palyra.services.workspace.sync import read_files
from palyra.store.connection import ReadTx
from palyra.store.workspace.records import (
    KnownFile,
    Mark,
    Revision,
    documents_of,
    known_file,
    known_files,
    marks_of,
    newest,
    revision_at,
    revisions_of,
)

_PREFIX_BYTES = 512


@dataclass(frozen=True, slots=True)
class DocumentState:
    """A revision, what a person said about it, and how its file stands."""

    revision: Revision
    mark: Mark
    file: str
    """in_step, pending, or none where there is no file to be"""
    problem: str = ""

    @property
    def is_released(self) -> bool:
        return bool(self.revision.sha256) and self.mark.released_sha256 == self.revision.sha256

    @property
    def may_be_injected(self) -> bool:
        """Whether a prompt, a summary or learning may use it."""
        return not self.revision.deleted and (self.revision.risk != "quarantined" or self.is_released)


@dataclass(frozen=True, slots=True)
class Status:
    documents: int
    pending: tuple[str, ...]
    """whose files are not yet what the journal says"""
    quarantined: tuple[str, ...]
    problems: dict[str, str]
    watched: bool
    """saved files are taken in at once; else when somebody looks"""
    unwatched_because: str


async def read(
    workspace: Workspace,
    path: str,
    caller: Visibility,
    line: Line = MAIN,
    as_of: AsOf | None = None,
    revision: int | None = None,
) -> DocumentState:
    await read_files(workspace, caller)
    as_of = as_of or AsOf()

    def find(tx: ReadTx) -> DocumentState:
        one = find_document(tx, path, caller, line, revision, seq_of(tx, as_of))
        return to_document(workspace, one, marks_of(tx, caller, line), known_file(tx, path, caller))

    return await workspace.store.db.read(find)


async def list_(
    workspace: Workspace,
    caller: Visibility,
    prefix: str = "",
    line: Line = MAIN,
    as_of: AsOf | None = None,
    *,
    deleted: bool = False,
) -> list[DocumentState]:
    """By path, without their text. `deleted`: those that were, too."""
    if has_lone_surrogate(prefix) or len(prefix.encode()) > _PREFIX_BYTES:
        raise InvalidArgument("the prefix is no beginning of a path", hint="such as projects/")
    await read_files(workspace, caller)
    as_of = as_of or AsOf()

    def find(tx: ReadTx) -> list[DocumentState]:
        check_line(tx, line, caller)
        marks, files = marks_of(tx, caller, line), known_files(tx, caller)
        found = documents_of(tx, caller, line, seq_of(tx, as_of))
        return [
            to_document(workspace, one, marks, files.get(one.path))
            for one in found
            if one.path.startswith(prefix) and (deleted or not one.deleted)
        ]

    return await workspace.store.db.read(find)


async def versions(workspace: Workspace, path: str, caller: Visibility, line: Line = MAIN) -> list[Revision]:
    """Newest first, without their text."""
    await read_files(workspace, caller)

    def find(tx: ReadTx) -> list[Revision]:
        check_path(path)
        check_line(tx, line, caller)
        found = revisions_of(tx, path, caller, line)
        if not found:
            raise NotFound(f"no document {path}", hint="palyra workspace list --deleted")
        return found

    return await workspace.store.db.read(find)


async def diff(
    workspace: Workspace, path: str, caller: Visibility, old: int, new: int | None = None, line: Line = MAIN
) -> str:
    """What changed from one revision to another, or to the newest, as a unified diff."""
    await read_files(workspace, caller)

    def find(tx: ReadTx) -> str:
        first = find_document(tx, path, caller, line, old)
        last = find_document(tx, path, caller, line, new)
        names = f"{path} (revision {first.revision})", f"{path} (revision {last.revision})"
        return unified_diff(first.text or "", last.text or "", *names)

    return await workspace.store.db.read(find)


async def status(workspace: Workspace, caller: Visibility) -> Status:
    documents = await list_(workspace, caller)
    folder = workspace.folder(caller.principal)
    return Status(
        len(documents),
        tuple(one.revision.path for one in documents if one.file == "pending"),
        tuple(one.revision.path for one in documents if not one.may_be_injected),
        {} if folder is None else dict(folder.problems),
        workspace.watching.works,
        workspace.watching.why,
    )


async def document_at(
    workspace: Workspace, path: str, caller: Visibility, line: Line, revision: int | None
) -> DocumentState:
    """Straight from the journal; the newest if no revision is named, also one that was deleted."""

    def find(tx: ReadTx) -> DocumentState:
        one = newest(tx, path, caller, line) if revision is None else revision_at(tx, path, revision, caller, line)
        if one is None:
            raise NotFound(f"no document {path}", hint="palyra workspace list")
        return to_document(workspace, one, marks_of(tx, caller, line), known_file(tx, path, caller))

    return await workspace.store.db.read(find)


def to_document(workspace: Workspace, one: Revision, marks: dict[str, Mark], known: KnownFile | None) -> DocumentState:
    folder = workspace.folder(one.principal)
    mark = marks.get(one.path, Mark())
    if folder is None or one.line != MAIN:
        return DocumentState(one, mark, "none")
    is_sha256 = None if known is None else known.sha256
    state = "none" if one.deleted and is_sha256 is None else "in_step" if is_sha256 == one.sha256 else "pending"
    return DocumentState(one, mark, state, folder.problems.get(one.path, ""))
