"""A process that changes documents and kills itself at a numbered step, and says what was acknowledged."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.providers.workspace.files import DocumentFolder
from palyra.services.workspace import changes
from palyra.services.workspace.changes import By
from palyra.services.workspace.context import Workspace
from palyra.services.workspace.sync import sync
from support import an_app

ME = Visibility("user:local")
BY = By(ME, Actor.AGENT)


async def change_documents(root: Path, life: int, last_step: int) -> None:
    steps = 0

    def on_step(_step: str) -> None:
        nonlocal steps
        steps += 1
        if steps == last_step:
            os.kill(os.getpid(), signal.SIGKILL)

    async with an_app(root) as app:
        folder = app.workspace_folder(ME.principal)
        assert folder is not None

        def files(_principal: str) -> DocumentFolder:
            return DocumentFolder(folder, "ours", 131_072, on_step)

        workspace = Workspace(app.store, app.journal, app.clock, ME.principal, files, True, on_step, 0.0)
        await sync(workspace, ME, begin=True)
        for number in range(4):
            text = f"life {life}, text {number}\n"
            done = await changes.write(workspace, f"daily/{number % 2}.md", text, BY)
            os.write(1, f"{done.revision.path} {done.revision.revision} {done.revision.sha256}\n".encode())
        target = f"projects/{life}.md"
        await changes.move(workspace, "daily/0.md", target, BY)
        os.write(1, f"{target} 1 -\n".encode())
        await changes.delete(workspace, "daily/1.md", BY)


if __name__ == "__main__":
    asyncio.run(change_documents(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
