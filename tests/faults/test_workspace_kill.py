"""kill -9 at every step of a change: what was acknowledged is there, and every file is what the journal says."""

import hashlib
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

from faults.children import running
from palyra.domain.scope import Visibility
from palyra.services.workspace import reading
from palyra.services.workspace.reading import DocumentState
from palyra.store.workspace.records import has_text
from support import an_app, run, verify_directory

ME = Visibility("user:local")
_STEPS = 45
"""of one life that nobody ends"""


def test_acknowledged_documents_survive_a_kill_at_any_step_and_files_come_in_step(
    tmp_path: Path, cycles: int, tally: Callable[[str], None]
) -> None:
    chance = random.Random(5)
    folder = tmp_path / "workspace"
    saved: set[str] = set()
    kept = 0
    lives = max(3, min(cycles // 8, _STEPS))
    for life, last_step in enumerate(chance.sample(range(1, _STEPS + 1), lives)):
        mine = f"the person's {life}\n"
        (folder / "daily").mkdir(parents=True, exist_ok=True)
        (folder / "daily" / "0.md").write_text(mine)
        saved.add(hashlib.sha256(mine.encode()).hexdigest())
        with running("document_writer", tmp_path, life, last_step) as process:
            said, _ = process.communicate(timeout=60)
        acknowledged = [line.split() for line in said.splitlines()]
        kept += len(acknowledged)
        run(check(tmp_path, folder, acknowledged, saved))
        assert list(folder.rglob(".palyra-*.tmp")) == []
    assert verify_directory(tmp_path).ok
    tally(f"workspace: {lives} kills, {kept} acknowledged changes and {len(saved)} texts of a person, 0 lost")


async def check(root: Path, folder: Path, acknowledged: list[list[str]], saved: set[str]) -> None:
    async with an_app(root) as app:
        app.workspace.patience_seconds = 0.0
        documents = await reading.list_(app.workspace, ME, deleted=True)
        assert (await reading.status(app.workspace, ME)).problems == {}
        assert {one.revision.path for one in documents if one.file == "pending"} == set()
        assert [one.revision.path for one in documents if _sha256(folder, one) != one.revision.file_sha256] == []
        for path, revision, sha256 in acknowledged:
            found = await reading.read(app.workspace, path, ME, revision=int(revision))
            assert sha256 in ("-", found.revision.sha256)
        for sha256 in saved:
            known = await app.store.db.read(partial(has_text, sha256=sha256, seer=ME))
            assert known, "a text that the person saved is nowhere"


def _sha256(folder: Path, one: DocumentState) -> str | None:
    file = folder / one.revision.path
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None
