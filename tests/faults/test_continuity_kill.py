"""kill -9 at every point of a compaction, a restore, a roll-back and a merge: before or after, never between."""

import asyncio
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from chatting import ANA, Chat
from faults.children import running
from faults.continuer import OPERATIONS, SETTINGS
from palyra.api import continuity as api
from palyra.api import workspace as documents
from palyra.api.call import owner
from palyra.domain.access import Access
from palyra.store.connection import ReadTx
from palyra.store.upkeep.rebuild import find_drift
from services.continuity.continuing import record, turns, write
from support import an_app, run, verify_directory


async def prepare(root: Path) -> None:
    """A session with a checkpoint and a branch whose documents have gone other ways."""
    async with an_app(root, None, Access.OWN, **SETTINGS) as app:
        chat = Chat(app, owner(ANA))
        session = await chat.new("trip")
        await record(chat, session, turns(10))
        for path in ("MEMORY.md", "a.md", "b.md"):
            await write(chat, path, f"{path} then\n")
        await chat.do(api.create, session="trip", name="then")
        branch = (await chat.do(api.restore, checkpoint="then", key="other")).session.session_id
        for path in ("a.md", "new.md"):
            await write(chat, path, f"{path} of the branch\n", line=branch)
        for path in ("MEMORY.md", "b.md"):
            await write(chat, path, f"{path} now\n")


_FULL = 200
"""cycles: every point of every operation"""
_FEW = 32
"""points that are tried in every run"""
_COUNTED = ("session_compactions", "session_checkpoints", "workspace_lines", "sessions", "memory_items")


async def state(root: Path) -> dict[str, Any]:
    """All that the operations change, without ids; files are brought in step first, as every start does."""
    async with an_app(root, None, Access.OWN, **SETTINGS) as app:
        app.workspace.patience_seconds = 0.0
        chat = Chat(app, owner(ANA))
        return await _state(chat, root)


async def _state(chat: Chat, root: Path) -> dict[str, Any]:
    listed = (await chat.do(documents.list_)).documents
    texts = {one.path: (await chat.do(documents.get, path=one.path)).text for one in listed}
    assert _files(root / "workspace") == texts

    def counts(tx: ReadTx) -> dict[str, int]:
        found = {table: tx.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0] for table in _COUNTED}
        waiting = tx.execute("SELECT count(*) FROM memory_candidates").fetchall()[0][0]
        return {**{table: int(str(count)) for table, count in found.items()}, "waiting": int(str(waiting))}

    return {
        "texts": texts,
        "revisions": {one.path: one.revision for one in listed},
        **await chat.app.store.db.read(counts),
    }


def _files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.md")}


async def repeat(root: Path, name: str) -> dict[str, Any]:
    """Whoever got no answer asks again, with the same request id."""
    async with an_app(root, None, Access.OWN, **SETTINGS) as app:
        app.workspace.patience_seconds = 0.0
        chat = Chat(app, owner(ANA))
        await OPERATIONS[name](chat)
        return await _state(chat, root)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("continuity") / "data"
    asyncio.run(prepare(root))
    return root


@pytest.fixture(scope="module")
def ask() -> Iterator[Callable[[Path, str, int], int]]:
    with running("continuer") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        to, back = process.stdin, process.stdout

        def asked(directory: Path, name: str, point: int) -> int:
            to.write(f"{directory} {name} {point}\n")
            to.flush()
            return int(back.readline())

        yield asked


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_kill_leaves_the_state_before_or_after_and_repeating_finishes(
    scratch: Path,
    prepared: Path,
    ask: Callable[[Path, str, int], int],
    name: str,
    cycles: int,
    tally: Callable[[str], None],
) -> None:
    whole = scratch / "whole"
    shutil.copytree(prepared, whole)
    before = run(state(whole))
    points = ask(whole, name, 0)
    after = run(state(whole))
    assert points > 0
    assert before != after
    chosen: Sequence[int] = range(1, points + 1)
    if points > _FEW and cycles < _FULL:
        chosen = sorted(random.Random(7).sample(chosen, min(points, max(4, cycles // 25))))
    seen: list[str] = []
    for point in chosen:
        root = scratch / str(point)
        shutil.copytree(prepared, root)
        passed = ask(root, name, point)
        assert passed == -9 or points - 4 <= passed < point, "what goes on in the background commits sooner or later"
        left = run(state(root))
        assert left in (before, after), f"between, after a kill at point {point} of {points}"
        assert passed == -9 or left == after
        seen.append("after" if left == after else "before")
        assert run(repeat(root, name)) == after
        assert verify_directory(root).ok
        shutil.rmtree(root)
    assert seen == sorted(seen, reverse=True), "once it is done, it is done"

    async def drift() -> list[Any]:
        async with an_app(whole, None, Access.OWN, **SETTINGS) as app:
            return (await app.store.db.read(find_drift))[1]

    assert run(drift()) == []
    tally(f"continuity: {len(seen)} kills in {name} at {points} points, {seen.count('after')} after the commit")
