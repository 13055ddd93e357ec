"""A person and the product change the same documents, and it crashes at any step: nobody's text is ever lost."""

import hashlib
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from palyra.app import App
from palyra.core.errors import PalyraError
from palyra.domain.journal import Actor, Decision
from palyra.domain.memory import Trust
from palyra.domain.scope import Visibility
from palyra.domain.workspace.blocks import BlockItem
from palyra.providers.workspace.files import DocumentFolder
from palyra.services.workspace import changes
from palyra.services.workspace.changes import By
from palyra.services.workspace.context import Workspace
from palyra.services.workspace.decisions import Writer, edit_blocks
from palyra.services.workspace.sync import FileVerdict, compare, sync
from palyra.store.connection import ReadTx
from palyra.store.workspace.records import documents_of, has_text, known_files
from support import an_app, run

ME = Visibility("user:local")
PATHS = ("MEMORY.md", "README.md", "daily/one.md", "projects/two.md")


class Crash(BaseException):
    """What kill -9 is to a process: nothing that follows is done."""


class Story:
    """`saved`: hashes of what the person has saved and not thrown away themselves."""

    def __init__(self, app: App, seed: int) -> None:
        self.app = app
        self.random = random.Random(seed)
        self.saved: set[str] = set()
        self.count = 0
        self.crashes = 0
        self.meddled = 0
        self.is_over = False
        self.busy = PATHS[0]
        """what the product is working on, and the person, too"""
        folder = app.workspace_folder(ME.principal)
        assert folder is not None
        self.root = folder
        self.workspace = self.a_process()

    def a_process(self) -> Workspace:
        def files(_principal: str) -> DocumentFolder:
            return DocumentFolder(self.root, "ours", 131_072, self.on_step)

        return Workspace(self.app.store, self.app.journal, self.app.clock, ME.principal, files, True, self.on_step, 0.0)

    def on_step(self, step: str) -> None:
        if self.is_over:
            return
        chance = self.random.random()
        if chance < (0.3 if step in ("exchanged", "set aside") else 0.06):
            self.crashes += 1
            raise Crash
        if chance < (0.4 if step in ("settled", "written beside") else 0.16):
            self.meddled += 1
            self.random.choice((self.person_saves, self.person_saves, self.person_deletes))()

    # -- what the person does

    def person_saves(self) -> None:
        path = self.root / self.random.choice((*PATHS, self.busy, self.busy))
        self.throw_away(path)
        self.count += 1
        old = path.read_bytes() if path.is_file() else b""
        data = old + b"note %d\n" % self.count if self.random.random() < 0.7 else b"\xef\xbb\xbfnew %d\r\n" % self.count
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.random.random() < 0.5:
            path.write_bytes(data)
        else:
            beside = path.with_suffix(".md~")
            beside.write_bytes(data)
            beside.replace(path)
        self.saved.add(hashlib.sha256(data).hexdigest())

    def person_deletes(self) -> None:
        path = self.root / self.random.choice(PATHS)
        self.throw_away(path)
        path.unlink(missing_ok=True)

    def throw_away(self, path: Path) -> None:
        """What the person replaces before anybody has seen it is nobody else's loss."""
        if path.is_file():
            self.saved.discard(hashlib.sha256(path.read_bytes()).hexdigest())

    # -- what the product does

    async def product_acts(self) -> None:
        path = self.busy = self.random.choice(PATHS)
        self.count += 1
        by = By(ME, self.random.choice((Actor.USER, Actor.AGENT)))
        act = self.random.randrange(7)
        if act == 0:
            await changes.write(self.workspace, path, f"agent {self.count}\n", by)
        elif act == 1:
            await changes.delete(self.workspace, path, by)
        elif act == 2:
            await changes.restore(self.workspace, path, 1, by)
        elif act == 3:
            await changes.move(self.workspace, path, self.random.choice(PATHS), by)
        elif act == 4:
            await sync(self.workspace, ME, begin=True)
        else:
            await self.compaction(path)

    async def compaction(self, path: str) -> None:
        """Documents as a part of a larger decision, which does not hold the lock."""
        writer = Writer(ME, Actor.SYSTEM, "compaction", Trust.OWNER)
        items = [BlockItem(f"item-{self.count}", f"fact {self.count}")]

        def decide(tx: ReadTx) -> Decision[None]:
            draft = edit_blocks(tx, path, {"facts": items}, writer)
            return Decision(() if draft is None else (draft,), None)

        await sync(self.workspace, ME)
        await self.app.journal.commit(decide)
        self.on_step("compacted")
        await sync(self.workspace, ME)

    # -- what must hold

    async def check_nothing_lost(self) -> None:
        on_disk = {hashlib.sha256(path.read_bytes()).hexdigest() for path in self.root.rglob("*") if path.is_file()}
        for sha256 in self.saved - on_disk:
            assert await self.app.store.db.read(_asked(sha256)), "a text that the person saved is nowhere"
            self.saved.discard(sha256)  # a revision stays for good

    async def check_in_step(self) -> None:
        def read(tx: ReadTx) -> list[str]:
            bases = known_files(tx, ME)
            return [
                one.path
                for one in documents_of(tx, ME)
                if compare(self.hash_of(one.path), bases.get(one.path), one) is not FileVerdict.IN_STEP
            ]

        assert await self.app.store.db.read(read) == []
        assert self.workspace.folders[ME.principal].problems == {}
        assert list(self.root.rglob(".palyra-*.tmp")) == []

    def hash_of(self, path: str) -> str | None:
        file = self.root / path
        return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None


def _asked(sha256: str) -> Callable[[ReadTx], bool]:
    return lambda tx: has_text(tx, sha256, ME)


STEPS = 150
"""of one story"""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    stories = -(-int(metafunc.config.getoption("--workspace-steps")) // STEPS)
    metafunc.parametrize("seed", range(stories))


def test_no_text_of_a_person_is_lost_whatever_happens_in_between(tmp_path: Path, seed: int) -> None:
    async def work() -> None:
        async with an_app(tmp_path / "data") as app:
            story = Story(app, seed)
            for _ in range(STEPS):
                if story.random.random() < 0.4:
                    story.person_saves()
                try:
                    with suppress(PalyraError):
                        await story.product_acts()
                except Crash:
                    story.workspace = story.a_process()
                await story.check_nothing_lost()
            story.is_over = True
            story.workspace = story.a_process()
            await sync(story.workspace, ME)
            await story.check_nothing_lost()
            await story.check_in_step()
            assert story.crashes > STEPS // 40
            assert story.meddled > STEPS // 40

    run(work())
