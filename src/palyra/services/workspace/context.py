"""What every use-case of the workspace works with, and how a document is found."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

from palyra.core.clock import Clock
from palyra.core.errors import InvalidArgument, NotFound
from palyra.core.text import has_lone_surrogate
from palyra.domain.chat.continuity_events import MAIN, Line
from palyra.domain.memory import AsOf
from palyra.domain.scope import Visibility
from palyra.domain.workspace.documents import check_path
from palyra.services.journal import JournalService
from palyra.store.connection import ReadTx
from palyra.store.journal_store import JournalStore
from palyra.store.workspace.records import NOW, Revision, line_is_open, newest, revision_at, seq_at


class DocumentFiles(Protocol):
    """The folder of one principal, on the main line. Synchronous; raises errors of `core.errors`, changing nothing."""

    def is_ours(self) -> bool: ...

    def claim(self) -> None: ...

    def scan(self) -> tuple[dict[str, tuple[int, ...]], dict[str, str], list[str]]:
        """Files with a stamp that changes when they do; what cannot be a document and why; what a crash left."""

    def read(self, path: str) -> bytes | None: ...

    def replace(self, path: str, data: bytes | None, expected: str | None) -> None:
        """Conflict if the file's bytes do not have the hash `expected`, or somebody is writing them."""

    def settle(self, leftover: str, *, keep: bool) -> str | None: ...


@dataclass(slots=True)
class Folder:
    """What is known of one principal's files in this process."""

    files: DocumentFiles
    hashes: dict[str, tuple[tuple[int, ...], str]] = field(default_factory=dict)
    """path -> stamp and hash of what was read under it"""
    problems: dict[str, str] = field(default_factory=dict)
    """path -> why it is not in step, as of the last sync"""


@dataclass(slots=True)
class Watching:
    """Whether the system tells of changes in the folder, in this process."""

    works: bool = False
    why: str = ""
    """why not; empty: nobody has tried"""
    looked_at: float = -inf
    """monotonic seconds"""


@dataclass(slots=True)
class Workspace:
    store: JournalStore
    journal: JournalService
    clock: Clock
    default_principal: str
    folder_of: Callable[[str], DocumentFiles | None] | None
    """None: documents are in the journal alone, and so are those of whom it answers None"""
    may_write: bool = True
    """False in a process that reads beside the one that owns the journal"""
    on_step: Callable[[str], None] = lambda _step: None
    """for tests, which stop here"""
    patience_seconds: float = 0.1
    """how long a file must be gone before it counts as deleted"""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """one change of the files at a time"""
    folders: dict[str, Folder] = field(default_factory=dict)
    watching: Watching = field(default_factory=Watching)

    def folder(self, principal: str) -> Folder | None:
        if self.folder_of is None:
            return None
        if principal not in self.folders:
            files = self.folder_of(principal)
            if files is None:
                return None
            self.folders[principal] = Folder(files)
        return self.folders[principal]


def seq_of(tx: ReadTx, as_of: AsOf) -> int:
    if as_of.seq is not None and as_of.at_ms is not None:
        raise InvalidArgument("as of an event and as of a time were both given", hint="give one of them")
    for value, what in ((as_of.seq, "seq"), (as_of.at_ms, "at_ms")):
        if value is not None and not 0 <= value < NOW:
            raise InvalidArgument(f"as of {what} {value} is outside 0..2**62", hint="palyra workspace versions PATH")
    if as_of.at_ms is not None:
        return seq_at(tx, as_of.at_ms)
    return NOW if as_of.seq is None else as_of.seq


def check_line(tx: ReadTx, line: Line, caller: Visibility) -> None:
    if has_lone_surrogate(line) or not line_is_open(tx, line, caller):
        raise NotFound(f"no branch {line[:64]!a} has documents of its own", hint="palyra checkpoint restore makes one")


def find_document(
    tx: ReadTx, path: str, caller: Visibility, line: Line = MAIN, revision: int | None = None, until_seq: int = NOW
) -> Revision:
    """One that is there; a revision that is asked for by number may be one that was deleted since."""
    check_path(path)
    check_line(tx, line, caller)
    if revision is not None:
        one = revision_at(tx, path, revision, caller, line) if 0 < revision < NOW else None
        if one is None:
            raise NotFound(f"{path} has no revision {revision}", hint=f"palyra workspace versions {path}")
        return one
    found = newest(tx, path, caller, line, until_seq)
    if found is None:
        raise NotFound(f"no document {path}", hint="palyra workspace list")
    if found.deleted:
        raise NotFound(
            f"{path} was deleted with revision {found.revision}",
            hint=f"palyra workspace restore {path} {found.revision - 1} brings it back",
        )
    return found
