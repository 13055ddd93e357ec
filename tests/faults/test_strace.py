"""Killed at exact system calls: whatever an operation was doing, reopening finds the state before or after it."""

import asyncio
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from faults.ledger import (
    Account,
    Ack,
    append,
    files_holding,
    origin_of,
    read_acks,
    read_all,
    settings_for,
    settle,
    words_of,
)
from faults.operations import OPERATIONS, TARGET_SEQ, THREADED, checkpoint_file
from faults.strace import CALLS, Ending, Kill, Stage, stage, why_not
from palyra.app import App, build_app
from palyra.core.errors import NotFound, PalyraError
from palyra.domain.access import Access
from palyra.domain.events import JournalRestored
from palyra.services import backup
from palyra.services.erase import erase
from palyra.services.verify import verify
from palyra.store.datadir import DataDir

ERASED_SEQ = 2
"""erased before the operation began, but readable in the backup outside"""
ERASED_AFTER_SEQ = 4
IN_BACKUP = 6
"""events in the backups"""

COUNTED = [(call, False) for call in CALLS] + [("pwrite64", True), ("fdatasync", True)]
"""the writer thread makes only those two"""


@dataclass(frozen=True, slots=True)
class Template:
    root: Path
    acks: list[Ack]

    def words(self, seq: int) -> str:
        ack = self.acks[seq - 1]
        return words_of(ack.who, ack.n)

    def event_id(self, seq: int) -> str:
        return self.acks[seq - 1].event_id


@pytest.fixture
def on_stage(scratch: Path) -> Iterator[Stage]:
    reason = why_not()
    if reason is not None:
        pytest.skip(f"NOT TESTED, nothing was killed at a system call: {reason}")
    with stage(scratch / "said") as ready:
        yield ready


@pytest.mark.timeout(300)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_operation_killed_at_any_system_call_leaves_the_state_before_or_after_it(
    operation: str, scratch: Path, on_stage: Stage, cycles: int, tally: Callable[[str], None]
) -> None:
    (scratch / "template").mkdir()
    template = asyncio.run(_make_template(scratch / "template", signed_elsewhere=operation.endswith("elsewhere")))
    total, kills = Account(), 0
    for call, all_threads in COUNTED:
        if call == "pwrite64" and operation in ("restore_signed_elsewhere", "backup_while_erasing"):
            continue  # differs from its simple form by a rename or two
        for n in count(1, 1 if cycles >= 200 else 9 if call == "pwrite64" else 3):
            root, kill = scratch / "run", Kill(call, n, all_threads or operation in THREADED)
            _copy(template, root, operation)
            ending = on_stage.run(root / "data", operation, kill)
            account = asyncio.run(_examine(template, root / "data", operation, ending))
            account.problems = [f"{operation}, {kill}: {problem}" for problem in account.problems]
            total.add(account)
            if not ending.was_killed:
                break
            kills += 1
    tally(f"strace, {operation}: {kills} kills, {total.balance}")
    total.check()


async def _make_template(root: Path, *, signed_elsewhere: bool) -> Template:
    directory = root / "data"
    elsewhere = str(checkpoint_file(directory)) if signed_elsewhere else ""
    async with build_app(settings_for(directory, checkpoint_file=elsewhere), access=Access.OWN) as app:
        acks = [await append(app, 1, n) for n in range(1, IN_BACKUP + 1)]
        await backup.create(app.store, root / "outside", lambda _done, _total: None)
        await backup.create(app.store, directory / "backups" / "old", lambda _done, _total: None)
        await _erase(app, acks[ERASED_SEQ - 1].event_id)
        acks += [await append(app, 1, n) for n in range(IN_BACKUP + 1, IN_BACKUP + 3)]
    return Template(root, acks)


def _copy(template: Template, root: Path, operation: str) -> None:
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(template.root, root)
    if operation == "create":
        shutil.rmtree(root / "data")


async def _examine(template: Template, directory: Path, operation: str, ending: Ending) -> Account:
    """What a user finds who opens the journal after the kill."""
    problems: list[str] = []
    if operation == "create":
        acks = read_acks(ending.said)
        problems += await _read_first(directory, may_be_none=not acks)
        account = await settle(directory, acks)
        account.problems += problems
        return account
    elsewhere = str(checkpoint_file(directory)) if operation.endswith("elsewhere") else ""
    async with build_app(settings_for(directory, checkpoint_file=elsewhere), access=Access.OWN) as app:
        records = await read_all(app)
    acks = list(template.acks)
    erased, notes = {template.event_id(ERASED_SEQ)}, []
    gone = [template.words(ERASED_SEQ)]
    match operation:
        case "append":
            acks += read_acks(ending.said)
        case "checkpoint":
            notes = [ending.said] if ending.said else []
        case "erase" | "backup_while_erasing" if ending.said or records[TARGET_SEQ - 1].is_erased:
            erased.add(template.event_id(TARGET_SEQ))
            gone.append(template.words(TARGET_SEQ))
        case "backup":
            problems += _check_backup(directory / "backups" / "new", must_exist=bool(ending.said))
        case "restore" | "restore_signed_elsewhere":
            was_restored = any(record.kind == JournalRestored.KIND for record in records)
            if was_restored:
                acks = acks[:IN_BACKUP]
            elif ending.said:
                problems.append("the restore was acknowledged and has not happened")
    account = await settle(directory, acks, erased=erased, notes=notes, checkpoint_file=elsewhere)
    account.problems += problems
    account.problems += _check_all_backups(directory)
    account.problems += [f"erased, but there: {found}" for found in files_holding(directory, gone)]
    account.problems += await _erase_one_more(template, directory, elsewhere)
    return account


async def _read_first(directory: Path, *, may_be_none: bool) -> list[str]:
    """The first command after the crash may well be one that only reads: it finds the store, or is told that there is
    none, as before the operation, and makes none."""
    had_store, before = DataDir(directory).has_store, _files(directory)
    try:
        async with build_app(settings_for(directory), access=Access.READ) as app:
            return [f"a reader finds {finding}" for finding in (await verify(app.store)).findings]
    except NotFound as error:
        if had_store or not may_be_none:
            return [f"a reader is told {error!r}"]
        return [] if _files(directory) == before else ["a reader who found no store has changed its directory"]
    except PalyraError as error:
        return [f"a reader is told {error!r}"]


def _files(directory: Path) -> list[tuple[Path, bytes]]:
    return [(path, path.read_bytes() if path.is_file() else b"") for path in sorted(directory.rglob("*"))]


def _check_backup(root: Path, *, must_exist: bool) -> list[str]:
    if not root.exists():
        return ["the backup was acknowledged and is not there"] if must_exist else []
    try:
        backup.verify(root)
    except PalyraError as error:
        return [f"the backup is not whole: {error!r}"]
    return []


def _check_all_backups(directory: Path) -> list[str]:
    """Also those that an erasure was changing when it was cut off."""
    roots = [manifest.parent for manifest in directory.glob("backups/*/manifest.json")]
    return [problem for root in roots for problem in _check_backup(root, must_exist=True)]


async def _erase_one_more(template: Template, directory: Path, elsewhere: str) -> list[str]:
    """Whatever the crash left lying about, an erasure after it must find every copy."""
    try:
        async with build_app(settings_for(directory, checkpoint_file=elsewhere), access=Access.OWN) as app:
            await _erase(app, template.event_id(ERASED_AFTER_SEQ))
    except PalyraError as error:
        return [f"erasing after the crash fails: {error!r}"]
    left = files_holding(directory, [template.words(ERASED_AFTER_SEQ)])
    return [f"erased after the crash, but there: {found}" for found in left]


async def _erase(app: App, event_id: str) -> None:
    await erase(app.store, app.journal, [event_id], "asked for", origin_of(0))
