"""Another program opens the database with SQLite while we own it, looks, and closes: that must cost nothing.

The last one to close a database removes its WAL. Our locks on the file tell the other program that it is not the
last; but a process that opens and closes the file beside SQLite drops its own locks without noticing.
"""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from faults.ledger import CHILD_ENVIRONMENT, read_acks, settings_for
from faults.watched_owner import DEEDS
from palyra.app import Access, build_app
from palyra.services.verify import verify


@pytest.mark.parametrize("deed", DEEDS)
def test_look_by_another_program_costs_nothing_that_is_acknowledged_later(deed: str, tmp_path: Path) -> None:
    owner = subprocess.run(
        [sys.executable, "-m", "faults.watched_owner", str(tmp_path), deed],
        env=CHILD_ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert owner.returncode == -9, owner.stderr

    async def read() -> list[str]:
        async with build_app(settings_for(tmp_path), access=Access.OWN) as app:
            assert (await verify(app.store)).findings == ()
            return [(await app.journal.get(str(ack.seq))).event_id for ack in read_acks(owner.stdout)]

    assert asyncio.run(read()) == [ack.event_id for ack in read_acks(owner.stdout)]
