"""Another program opens the database with SQLite while we own it, looks, and closes: that must cost nothing.

The last one to close a database removes its WAL. Our locks on the file tell the other program that it is not the
last; but a process that opens and closes the file beside SQLite drops its own locks without noticing.
"""

import asyncio
import signal
from pathlib import Path

import pytest

from faults import children
from faults.ledger import read_acks, settings_for
from faults.watched_owner import DEEDS
from palyra.app import build_app
from palyra.domain.access import Access
from palyra.services.verify import verify


@pytest.mark.parametrize("deed", DEEDS)
def test_look_by_another_program_costs_nothing_that_is_acknowledged_later(deed: str, tmp_path: Path) -> None:
    with children.running("watched_owner", tmp_path, deed) as owner:
        said, _ = owner.communicate(timeout=60)
    assert owner.returncode == -signal.SIGKILL

    async def read() -> list[str]:
        async with build_app(settings_for(tmp_path), access=Access.OWN) as app:
            assert (await verify(app.store)).findings == ()
            return [(await app.journal.get(str(ack.seq))).event_id for ack in read_acks(said)]

    assert asyncio.run(read()) == [ack.event_id for ack in read_acks(said)]
