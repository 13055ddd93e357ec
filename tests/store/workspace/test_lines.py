"""A branch shows the documents of its checkpoint until it writes one of them; the main line never notices."""

from pathlib import Path

from palyra.core.hashing import Json
from palyra.core.ids import SessionId
from palyra.domain.chat.continuity_events import MAIN, CheckpointCreated, CheckpointId, Line, LineOpened
from palyra.domain.journal import Actor, Decision, Origin, draft_of_event
from palyra.domain.scope import Visibility
from palyra.services.workspace import changes, reading
from palyra.services.workspace.changes import By
from palyra.services.workspace.context import Workspace
from palyra.store.workspace.records import documents_of
from support import an_app, run

ME = Visibility("user:local")


async def branch(workspace: Workspace, name: str, line: Line) -> Line:
    """A checkpoint of `line`, opened as a branch."""
    heads = await workspace.store.db.read(lambda tx: documents_of(tx, ME, line))
    marks: tuple[dict[str, Json], ...] = tuple(
        {"path": one.path, "revision": one.revision, "sha256": one.sha256} for one in heads
    )
    made = CheckpointCreated(CheckpointId(f"checkpoint-{name}"), SessionId("session"), 0, marks, line)
    opened = LineOpened(Line(name), made.checkpoint_id)
    origin = Origin(ME.principal)
    drafts = (draft_of_event(made, origin), draft_of_event(opened, origin))
    await workspace.journal.commit(lambda _tx: Decision(drafts, None))
    return opened.line


def test_a_branch_keeps_what_it_began_with_and_what_it_writes(tmp_path: Path) -> None:
    async def work() -> None:
        async with an_app(tmp_path / "data") as app:
            workspace = app.workspace

            async def text(path: str, line: Line) -> str | None:
                return (await reading.read(workspace, path, ME, line)).revision.text

            async def write(path: str, text: str, line: Line) -> int:
                done = await changes.write(workspace, path, text, By(ME, Actor.USER, line))
                return done.revision.revision

            await write("a.md", "one\n", MAIN)
            await write("b.md", "b\n", MAIN)
            first = await branch(workspace, "first", MAIN)
            await write("a.md", "main\n", MAIN)
            assert await text("a.md", first) == "one\n"
            second = await branch(workspace, "second", first)
            assert await write("a.md", "first\n", first) == 2
            assert await write("a.md", "second\n", second) == 2
            assert [await text("a.md", line) for line in (MAIN, first, second)] == ["main\n", "first\n", "second\n"]
            assert await text("b.md", second) == "b\n"
            history = await reading.versions(workspace, "a.md", ME, second)
            assert [(one.revision, one.line) for one in history] == [(2, "second"), (1, "")]
            await changes.delete(workspace, "b.md", By(ME, Actor.USER, second))
            assert [one.revision.path for one in await reading.list_(workspace, ME, "b", second)] == []
            assert [one.revision.path for one in await reading.list_(workspace, ME, "b", first)] == ["b.md"]
            folder = app.workspace_folder(ME.principal)
            assert folder is not None
            assert (folder / "a.md").read_text() == "main\n"
            assert (folder / "b.md").read_text() == "b\n"
            before, after = await app.journal.rebuild(lambda _seq: None)
            assert before == after

    run(work())
