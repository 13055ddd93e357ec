"""Saves become revisions by themselves, whether the system tells of them or not."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

import pytest
from watchfiles import Change

from chatting import Chat
from palyra.api import workspace as api
from palyra.api.call import owner
from palyra.core.errors import Unavailable
from palyra.domain.scope import Visibility
from palyra.providers.workspace import watcher
from palyra.providers.workspace.watcher import folder_changes
from palyra.services.workspace import watching
from palyra.services.workspace.context import Workspace
from palyra.services.workspace.watching import look, watch
from palyra.store.workspace.records import documents_of
from services.workspace.document_desk import ME, Desk, a_desk
from support import run


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60.0):
        while not await is_so():  # noqa: ASYNC110 - nobody tells when a file was taken in
            await asyncio.sleep(0.01)


async def recorded(desk: Desk, who: Visibility = ME) -> set[str]:
    """From the journal alone, without looking at the files."""
    found = await desk.workspace.store.db.read(lambda tx: documents_of(tx, who))
    return {one.path for one in found if not one.deleted}


async def watched(desk: Desk) -> "asyncio.Task[None]":
    await desk.sync()
    await desk.write("first.md", "one\n")
    task = asyncio.create_task(watch(desk.workspace, lambda: folder_changes(desk.root), 0.05))

    async def works() -> bool:
        return desk.workspace.watching.works

    await until(works)
    return task


async def stop(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_a_save_becomes_a_revision_without_anybody_looking(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            task = await watched(desk)
            for path in ("saved.md", "projects/deep/saved.md", "projects/deep/again.md"):
                desk.save(path, "by hand\n")

                async def is_there(path: str = path) -> bool:
                    return path in await recorded(desk)

                await until(is_there)
            (desk.root / "saved.md").unlink()

            async def is_gone() -> bool:
                return "saved.md" not in await recorded(desk)

            await until(is_gone)
            await stop(task)

    run(work())


def test_two_thousand_files_at_once_are_few_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0

    async def counted(_workspace: Workspace) -> None:
        nonlocal looks
        looks += 1

    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            task = await watched(desk)
            await asyncio.sleep(0.2)
            monkeypatch.setattr(watching, "sync_everybody", counted)

            def storm() -> None:
                for n in range(2_000):
                    desk.save(f"daily/{n}.md", "x\n")

            await asyncio.to_thread(storm)

            async def has_looked() -> bool:
                return looks > 0

            await until(has_looked)
            await asyncio.sleep(0.3)
            await stop(task)
            assert looks < 100, "a busy machine makes pauses, but not one for every file"

    run(work())


def test_while_the_folder_is_watched_the_scan_comes_less_often(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            state = desk.workspace.watching
            assert await look(desk.workspace)
            assert await look(desk.workspace)
            state.works = True
            assert not await look(desk.workspace)
            state.looked_at = time.monotonic() - watching.SCAN_WATCHED_SECONDS
            assert await look(desk.workspace)
            desk.save("a.md", "x\n")
            state.works = False
            assert await look(desk.workspace)
            assert "a.md" in await recorded(desk)

    run(work())


def test_a_watcher_that_dies_is_begun_anew_and_the_scan_is_back_meanwhile(tmp_path: Path) -> None:
    began = 0
    die = asyncio.Event()

    async def listen() -> AsyncGenerator[bool, None]:
        nonlocal began
        began += 1
        if began == 2:
            raise Unavailable("the system refuses", hint="none")
        if began == 3:
            raise ValueError("a defect")
        yield False
        await die.wait()
        die.clear()

    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            state = desk.workspace.watching
            task = asyncio.create_task(watch(desk.workspace, listen, 0.01))

            async def has_begun() -> bool:
                return state.works

            await until(has_begun)
            assert began == 1
            die.set()

            async def has_begun_anew() -> bool:
                return began == 4 and state.works

            await until(has_begun_anew)
            assert not task.done()
            await stop(task)

    run(work())


def test_a_folder_that_is_not_there_yet_is_no_news_and_watched_once_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            state, looked = desk.workspace.watching, 0

            def listen() -> AsyncGenerator[bool, None]:
                nonlocal looked
                looked += 1
                return folder_changes(desk.root)

            task = asyncio.create_task(watch(desk.workspace, listen, 0.01))

            async def has_looked_twice() -> bool:
                return looked > 1

            await until(has_looked_twice)
            assert "not there yet" in state.why
            await desk.write("first.md", "one\n")

            async def works() -> bool:
                return state.works

            await until(works)
            await stop(task)

    run(work())
    assert [record.message for record in caplog.records if record.name == "palyra.workspace"] == []


def test_a_folder_that_was_replaced_is_watched_anew(tmp_path: Path) -> None:
    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            task = await watched(desk)
            desk.root.rename(tmp_path / "aside")
            desk.save("other.md", "in a new folder\n")

            async def is_there() -> bool:
                return "other.md" in await recorded(desk)

            await until(is_there)
            desk.save("later.md", "x\n")

            async def is_later_there() -> bool:
                return "later.md" in await recorded(desk)

            await until(is_later_there)
            assert await recorded(desk) >= {"first.md"}
            await stop(task)

    run(work())


def test_a_link_in_the_folder_is_not_followed_and_new_folders_are(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "deep").mkdir(parents=True)
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(elsewhere)
    (root / "round").symlink_to(root)

    async def work() -> None:
        async with aclosing(folder_changes(root)) as changes:
            assert await anext(changes)  # it listens
            while await anext(changes):
                pass
            (elsewhere / "deep" / "a.md").write_text("x")
            (elsewhere / "b.md").write_text("x")
            assert not await anext(changes)
            (root / "new").mkdir()
            assert await anext(changes)
            while await anext(changes):
                pass
            (root / "new" / "a.md").write_text("x")
            assert await anext(changes)

    run(work())


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
def test_a_folder_on_another_machine_is_scanned_and_status_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    root = str(tmp_path).replace(" ", "\\040")
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"1 0 0:1 / / rw - ext4 /dev/a rw\n2 1 0:2 / {root} rw shared:1 - {kind} far:/away rw\n")
    monkeypatch.setattr(watcher, "_MOUNTS", mounts)

    async def work() -> None:
        async with a_desk(tmp_path / "data") as desk:
            await desk.sync()
            await desk.write("a.md", "x\n")
            task = asyncio.create_task(watch(desk.workspace, lambda: folder_changes(desk.root), 0.01))

            async def says_why() -> bool:
                return kind in desk.workspace.watching.why

            await until(says_why)
            status = await Chat(desk.app, owner(ME.principal)).do(api.status)
            assert not status.watched
            assert kind in status.unwatched_because
            await stop(task)

    run(work())


def test_what_is_hidden_wakes_nobody_and_the_folders_of_others_do(tmp_path: Path) -> None:
    wanted = watcher._wanted(tmp_path)
    seen = {
        path: wanted(Change.added, str(tmp_path / path))
        for path in ("a.md", "x/a.md", "x", ".a.md.swp", ".git/a.md", ".principals/0a/a.md", ".principals/0a/.a.tmp")
    }
    assert [path for path, is_wanted in seen.items() if is_wanted] == ["a.md", "x/a.md", "x", ".principals/0a/a.md"]
