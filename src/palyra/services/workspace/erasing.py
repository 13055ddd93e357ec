"""Destroying a document: every revision of it on every line, what was said about it, and the file."""

import asyncio
import hashlib

from palyra.core.errors import NotFound
from palyra.domain.journal import Origin
from palyra.domain.workspace.documents import check_path
from palyra.services.erase import EraseReport, erase_events
from palyra.services.workspace.changes import By
from palyra.services.workspace.context import Workspace
from palyra.services.workspace.decisions import forget_texts
from palyra.services.workspace.sync import sync_locked
from palyra.store.connection import ReadTx
from palyra.store.workspace.records import events_of


async def erase(workspace: Workspace, path: str, by: By) -> EraseReport:
    """The file goes first: should a crash come between, the document is deleted and can be erased again.

    Conflict, and nothing erased, if a person is changing the file."""
    check_path(path)

    def find(tx: ReadTx) -> list[str]:
        found = events_of(tx, path, by.caller)
        if not found:
            raise NotFound(f"no document {path}; nothing was erased", hint="palyra workspace list --deleted")
        return found

    async with workspace.lock:
        await sync_locked(workspace, by.caller)
        await workspace.store.db.read(find)
        folder = workspace.folder(by.caller.principal)
        if folder is not None:
            data = await asyncio.to_thread(folder.files.read, path)
            if data is not None:
                await asyncio.to_thread(folder.files.replace, path, None, hashlib.sha256(data).hexdigest())
        workspace.on_step("file removed")
        forget_texts()
        origin = Origin(by.caller.principal, by.actor)
        return await erase_events(workspace.store, workspace.journal, find, by.reason, origin)
