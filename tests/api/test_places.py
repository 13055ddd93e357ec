"""Which principals and channels there are: for whoever may speak for all of them, and for nobody else."""

from pathlib import Path

import pytest

from palyra.api.call import Call, Caller, owner
from palyra.api.dispatch import run as dispatch
from palyra.api.operating.console import places
from palyra.core.errors import PermissionDenied
from palyra.domain.access import Capability
from palyra.domain.journal import Actor
from palyra.domain.memory import Draft
from palyra.domain.scope import Visibility
from palyra.services.memory.ingest import ingest
from palyra.services.memory.lifecycle import delete
from palyra.services.sessions import lifecycle
from palyra.wire.console import ListPlaces
from support import an_app, run


def test_places_are_counted_by_principal_and_channel(tmp_path: Path) -> None:
    async def story() -> None:
        async with an_app(tmp_path) as app:
            await ingest(app.memory, Draft("Ana lives in Lisbon"), Visibility("user:ana"))
            gone = (await ingest(app.memory, Draft("Ana lives in a boat"), Visibility("user:ana"))).outcome
            await delete(app.memory, [gone.memory_id], Visibility("user:ana"))  # type: ignore[union-attr]
            await ingest(app.memory, Draft("The launch is in May"), Visibility("user:ana", "discord:1"))
            await lifecycle.create(app.sessions, Visibility("user:bob"), Actor.USER, "talk", "Talk")
            found = await dispatch(Call(app, owner("user:local")), places, ListPlaces())
            assert [(one.principal, one.channel, one.memories, one.sessions) for one in found.places] == [
                ("user:ana", None, 1, 0),
                ("user:ana", "discord:1", 1, 0),
                ("user:bob", None, 0, 1),
            ]

    run(story())


@pytest.mark.parametrize("lacking", [Capability.OPERATE, Capability.ANY_PRINCIPAL])
def test_who_speaks_for_one_principal_learns_of_no_other(tmp_path: Path, lacking: Capability) -> None:
    async def story() -> None:
        async with an_app(tmp_path) as app:
            caller = Caller("user:ana", frozenset(Capability) - {Capability.OWN, lacking})
            with pytest.raises(PermissionDenied):
                await dispatch(Call(app, caller), places, ListPlaces())

    run(story())
