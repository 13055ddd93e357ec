"""The database file itself is destroyed: a backup must be able to take its place."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from faults.ledger import Ack, append, settings_for, settle
from palyra.app import build_app
from palyra.core.clock import SystemClock
from palyra.domain.access import Access
from palyra.services.backup import create, restore
from palyra.store.datadir import DataDir
from palyra.store.journal_store import StoreOptions


def _overwrite_first_page(database: Path) -> None:
    with database.open("r+b") as file:
        file.write(b"\xa5" * 4096)


def _overwrite_everything(database: Path) -> None:
    database.write_bytes(b"\xa5" * database.stat().st_size)


def _cut_in_half(database: Path) -> None:
    with database.open("r+b") as file:
        file.truncate(database.stat().st_size // 2)


@pytest.mark.parametrize("destroy", [_overwrite_first_page, _overwrite_everything, _cut_in_half])
def test_backup_can_replace_a_database_that_is_no_database_any_more(
    destroy: Callable[[Path], None], tmp_path: Path
) -> None:
    async def make() -> list[Ack]:
        async with build_app(settings_for(tmp_path / "data"), access=Access.OWN) as app:
            acks = [await append(app, 1, n) for n in range(1, 6)]
            await create(app.store, tmp_path / "backup", lambda _done, _total: None)
            return acks

    acks = asyncio.run(make())
    destroy(tmp_path / "data" / "palyra.db")
    directory = DataDir(tmp_path / "data")
    asyncio.run(restore(tmp_path / "backup", directory, SystemClock(), StoreOptions(), replace=True))
    asyncio.run(settle(tmp_path / "data", acks)).check()
