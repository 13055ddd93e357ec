"""Taking the sample out: its files, its tokens, and every event that holds a word of it."""

import asyncio
import shutil
from contextlib import suppress
from pathlib import Path

from palyra.domain.journal import Origin
from palyra.services.demo.story import PRINCIPAL
from palyra.services.erase import PrincipalGone, check_quiet, erase_principal
from palyra.services.tokens import Tokens
from palyra.services.workspace.context import Workspace
from palyra.services.workspace.decisions import forget_texts

_TOKENS = 500
_REASON = "the sample was removed"


async def remove(workspace: Workspace, folder: Path | None, tokens: Tokens, by: Origin) -> PrincipalGone:
    """The files go first: should a crash come between, the events still say that there is something to remove.

    The caller has seen to it that the principal is the sample's own."""
    await workspace.store.db.read(lambda tx: check_quiet(tx, PRINCIPAL))
    await _revoke(tokens, by)
    async with workspace.lock:
        if folder is not None:
            await asyncio.to_thread(_delete, folder)
        workspace.folders.pop(PRINCIPAL, None)
        forget_texts()
        return await erase_principal(workspace.store, workspace.journal, PRINCIPAL, _REASON, by)


async def _revoke(tokens: Tokens, by: Origin) -> None:
    """A token that is remembered would work until the daemon ends."""
    after = ""
    while page := await tokens.list(after, _TOKENS):
        for token in page:
            if token.grant.principal == PRINCIPAL and token.revoked_at_ms is None:
                await tokens.revoke(token.token_id, by)
        after = page[-1].token_id


def _delete(folder: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
    with suppress(OSError):  # others have folders there, too
        folder.parent.rmdir()
