"""Keeps the files of the main line and the journal in step. Neither side's text is ever lost.

Three hashes decide about a document: what is on the disk, what the file was when we last wrote or read it, and the
newest revision. A revision that the file is not yet is an intent; it is closed when the file has become that revision
and a `FileApplied` says so. Whatever happens in between, the next sync finds the same three hashes and goes on.
"""

import asyncio
import hashlib
from dataclasses import dataclass
from enum import Enum
from functools import partial

from palyra.core.errors import Conflict, PalyraError
from palyra.domain.journal import Actor, Decision, EventDraft
from palyra.domain.memory import Trust
from palyra.domain.scope import Visibility
from palyra.domain.workspace.documents import TEMPLATES, check_content, check_path
from palyra.services.workspace.context import Folder, Workspace
from palyra.services.workspace.copies import kept_copy
from palyra.services.workspace.decisions import (
    WantedDocument,
    Writer,
    applied,
    holds_secret,
    rehearse,
    revise,
    sha256_of,
)
from palyra.store.connection import ReadTx
from palyra.store.workspace.records import (
    KnownFile,
    Revision,
    documents_of,
    has_text,
    known_file,
    known_files,
    newest,
    principals,
)

_ATTEMPTS = 5
_SETTLED_MS = 2_000
"""a file that was changed less long ago may change again under the same stamp"""


class FileVerdict(Enum):
    IN_STEP = "in_step"
    CLOSE = "close"
    """the file is the newest revision, and nothing says so yet"""
    APPLY = "apply"
    """only the journal has changed: the file follows"""
    TAKE = "take"
    """only the file has changed: it becomes a revision"""
    BOTH = "both"


def compare(disk: str | None, base: KnownFile | None, current: Revision | None) -> FileVerdict:
    was = None if base is None else base.sha256
    wanted = None if current is None else current.file_sha256
    if disk == wanted:
        is_noted = base is None or current is None or base.revision == current.revision
        return FileVerdict.IN_STEP if was == wanted and is_noted else FileVerdict.CLOSE
    if current is not None and disk == was:
        return FileVerdict.APPLY
    return FileVerdict.TAKE if current is None or was == wanted else FileVerdict.BOTH


async def read_files(workspace: Workspace, caller: Visibility) -> None:
    """What a person has saved becomes revisions; the owner of the house gets the templates if there is nothing yet."""
    if workspace.may_write:
        async with workspace.lock:
            await sync_locked(workspace, caller, begin=caller.principal == workspace.default_principal)


async def sync(workspace: Workspace, caller: Visibility, *, begin: bool = False) -> None:
    """Both ways. What cannot be brought in step is told by `Folder.problems`, and tried again the next time.

    `begin`: who has no documents gets the templates."""
    async with workspace.lock:
        await sync_locked(workspace, caller, begin=begin)


async def sync_everybody(workspace: Workspace) -> None:
    """For the daemon, now and then."""
    known = await workspace.store.db.read(principals)
    for principal in dict.fromkeys((workspace.default_principal, *known)):
        await sync(workspace, Visibility(principal))


async def sync_locked(workspace: Workspace, caller: Visibility, *, begin: bool = False) -> None:
    """Brings everything of one principal in step. `begin`: who has no documents gets the templates."""
    folder = workspace.folder(caller.principal)
    heads = {one.path: one for one in await workspace.store.db.read(lambda tx: documents_of(tx, caller))}
    if folder is None:
        await _begin(workspace, caller, None, frozenset(), begin=begin and not heads)
        return
    try:
        stamps = await _look(workspace, caller, folder)
        if not (stamps or heads or begin):
            return
        if not await asyncio.to_thread(folder.files.is_ours):
            await _arrive(workspace, caller, folder, stamps)
    except PalyraError as error:  # the journal serves all the same
        folder.problems = {".": error.message}
        return
    bases = await workspace.store.db.read(lambda tx: known_files(tx, caller))
    waited = False
    for path in sorted(stamps.keys() | heads.keys() | bases.keys()):
        if path in folder.problems:
            continue
        disk = await _hash(workspace, folder, path, stamps.get(path))
        if path in folder.problems or compare(disk, bases.get(path), heads.get(path)) is FileVerdict.IN_STEP:
            continue
        if disk is None and bases.get(path) is not None and not waited:
            await asyncio.sleep(workspace.patience_seconds)  # some editors take the file away before they put it back
            waited = True
        await reconcile(workspace, caller, path)
    await _begin(workspace, caller, folder, frozenset(stamps), begin=begin and not heads)


async def reconcile(workspace: Workspace, caller: Visibility, path: str) -> None:
    """Brings one document in step; the caller holds the lock."""
    folder = workspace.folder(caller.principal)
    if folder is None:
        return
    folder.problems.pop(path, None)
    try:
        for _ in range(_ATTEMPTS):
            if await _step(workspace, caller, folder, path):
                return
        folder.problems[path] = "somebody keeps changing it"
    except PalyraError as error:
        folder.problems[path] = error.message


@dataclass(frozen=True, slots=True)
class _Settled:
    verdict: FileVerdict
    revision: Revision | None = None
    copies: tuple[str, ...] = ()


async def _step(workspace: Workspace, caller: Visibility, folder: Folder, path: str) -> bool:
    """False: a person was faster, look again."""
    data = await asyncio.to_thread(folder.files.read, path)
    decide = partial(_settle, path=path, data=data, caller=caller)
    await rehearse(workspace.store, decide)
    settled = (await workspace.journal.commit(decide)).outcome
    workspace.on_step("settled")
    for copy in settled.copies:
        await reconcile(workspace, caller, copy)
    revision = settled.revision
    if settled.verdict is not FileVerdict.APPLY or revision is None:
        return True
    text = None if revision.deleted else (revision.text or "").encode()
    try:
        await asyncio.to_thread(folder.files.replace, path, text, _sha256(data))
    except Conflict:
        return False
    workspace.on_step("file written")
    done = applied(path, revision.revision, revision.file_sha256, caller)
    await workspace.journal.commit(lambda _tx: Decision((done,), None))
    workspace.on_step("file applied")
    return True


def _settle(tx: ReadTx, *, path: str, data: bytes | None, caller: Visibility) -> Decision[_Settled]:
    current, disk = newest(tx, path, caller), _sha256(data)
    verdict = compare(disk, known_file(tx, path, caller), current)
    if verdict is FileVerdict.APPLY:
        if current is not None and not current.deleted and sha256_of(current.text or "") != current.sha256:
            raise holds_secret(path)
        return Decision((), _Settled(verdict, current))
    events: list[EventDraft] = []
    copies: tuple[str, ...] = ()
    number = 0 if current is None else current.revision
    if verdict in (FileVerdict.TAKE, FileVerdict.BOTH):
        text = None if data is None else check_content(data)
        theirs = revise(tx, WantedDocument(path, text), Writer(caller, Actor.USER, "file", Trust.OWNER), from_file=True)
        if theirs is not None:
            events.append(theirs)
            number += 1
        copy = kept_copy(tx, current, caller) if verdict is FileVerdict.BOTH and current is not None else None
        if copy is not None:
            events.append(copy[1])
            copies = (copy[0],)
    if verdict is not FileVerdict.IN_STEP:
        events.append(applied(path, number, disk, caller))
    return Decision(tuple(events), _Settled(verdict, current, copies))


async def _look(workspace: Workspace, caller: Visibility, folder: Folder) -> dict[str, tuple[int, ...]]:
    """What is in the folder. What a crash left is put right first."""
    stamps, problems, leftovers = await asyncio.to_thread(folder.files.scan)
    unsettled: dict[str, str] = {}
    for leftover in leftovers:
        try:
            sha256 = _sha256(await asyncio.to_thread(folder.files.read, leftover)) or ""
            known = await workspace.store.db.read(partial(has_text, sha256=sha256, seer=caller))
            await asyncio.to_thread(partial(folder.files.settle, leftover, keep=not known))
        except PalyraError as error:
            unsettled[leftover] = error.message
    if leftovers:
        stamps, problems, _ = await asyncio.to_thread(folder.files.scan)
        problems |= unsettled
    folder.problems = problems
    for path in list(stamps):
        try:
            check_path(path)
        except PalyraError as error:
            problems[path] = error.message
            del stamps[path]
    folder.hashes = {path: known for path, known in folder.hashes.items() if path in stamps}
    return stamps


async def _arrive(workspace: Workspace, caller: Visibility, folder: Folder, stamps: dict[str, tuple[int, ...]]) -> None:
    """A folder we have not been in: what is missing there was not deleted, it has yet to be written."""

    def decide(tx: ReadTx) -> Decision[None]:
        gone = {path: one for path, one in known_files(tx, caller).items() if path not in stamps and one.sha256}
        return Decision(tuple(applied(path, one.revision, None, caller) for path, one in gone.items()), None)

    await workspace.journal.commit(decide)
    workspace.on_step("arrived")
    await asyncio.to_thread(folder.files.claim)


async def _begin(
    workspace: Workspace, caller: Visibility, folder: Folder | None, there: frozenset[str], *, begin: bool
) -> None:
    """The templates, once, where nothing is."""
    if not begin:
        return
    writer = Writer(caller, Actor.SYSTEM, "bootstrap", Trust.OWNER)

    def decide(tx: ReadTx) -> Decision[list[str]]:
        missing = [path for path in TEMPLATES if path not in there and newest(tx, path, caller) is None]
        missing = [path for path in missing if folder is None or path not in folder.problems]
        drafts = {path: revise(tx, WantedDocument(path, TEMPLATES[path]), writer) for path in missing}
        events = tuple(draft for draft in drafts.values() if draft is not None)
        return Decision(events, missing)

    written = (await workspace.journal.commit(decide)).outcome
    workspace.on_step("begun")
    for path in written:
        await reconcile(workspace, caller, path)


async def _hash(workspace: Workspace, folder: Folder, path: str, stamp: tuple[int, ...] | None) -> str | None:
    if stamp is None:
        return None
    known = folder.hashes.get(path)
    if known is not None and known[0] == stamp:
        return known[1]
    try:
        sha256 = _sha256(await asyncio.to_thread(folder.files.read, path))
    except PalyraError as error:
        folder.problems[path] = error.message
        return None
    changed_ms = max(stamp[-2:]) // 1_000_000
    if sha256 is not None and workspace.clock.now_ms() - changed_ms > _SETTLED_MS:
        folder.hashes[path] = (stamp, sha256)
    return sha256


def _sha256(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()
