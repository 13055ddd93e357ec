"""What tests of the workspace share: an app with documents, and a person at their folder."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from palyra.app import App
from palyra.domain.access import Access
from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.services.workspace import changes, reading
from palyra.services.workspace.changes import By
from palyra.services.workspace.context import Workspace
from palyra.services.workspace.reading import DocumentState
from palyra.services.workspace.sync import sync
from support import an_app

ME = Visibility("user:local")
I_DO = By(ME, Actor.USER)
AGENT_DOES = By(ME, Actor.AGENT)


@dataclass(frozen=True, slots=True)
class Desk:
    app: App
    workspace: Workspace
    root: Path

    async def text(self, path: str) -> str | None:
        return (await reading.read(self.workspace, path, ME)).revision.text

    async def write(self, path: str, text: str, by: By = I_DO) -> DocumentState:
        return await changes.write(self.workspace, path, text, by)

    async def paths(self) -> list[str]:
        return [one.revision.path for one in await reading.list_(self.workspace, ME)]

    async def sync(self) -> None:
        await sync(self.workspace, ME)

    async def problems(self) -> dict[str, str]:
        return (await reading.status(self.workspace, ME)).problems

    def save(self, path: str, text: str) -> None:
        """As a person's editor does."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())


@asynccontextmanager
async def a_desk(root: Path, **settings: str) -> AsyncIterator[Desk]:
    async with an_app(root, None, Access.OWN, **settings) as app:
        app.workspace.patience_seconds = 0.0
        folder = app.workspace_folder(ME.principal)
        yield Desk(app, app.workspace, folder or root / "nowhere")
