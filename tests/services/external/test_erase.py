"""An erasure reaches the engine, or says that it has not yet; then it is tried again until it has."""

from pathlib import Path

from mirroring import ANA, ANIMALS, a_mirrored_app, remember, rows, tables
from palyra.services.memory import lifecycle
from postgres import a_postgres
from support import run


def test_an_erased_item_is_gone_from_the_engine_when_the_certificate_is_given(tmp_path: Path) -> None:
    async def work() -> None:
        with a_postgres(fsync="off") as server:
            async with a_mirrored_app(tmp_path, server) as (app, _):
                ids = await remember(app, ANIMALS[:10])
                report = await lifecycle.erase(app.memory, ids[:2], "asked for", ANA)
                assert report.elsewhere == ()
                [table] = tables(server)
                left = server.sql(f"SELECT id FROM {table}").split()
                assert set(left) == set(ids[2:])

    run(work())


def test_while_the_engine_is_down_the_certificate_says_so_and_the_removal_is_made_up_for(tmp_path: Path) -> None:
    async def work() -> None:
        with a_postgres(fsync="off") as server:
            async with a_mirrored_app(tmp_path, server) as (app, _):
                ids = await remember(app, ANIMALS[:10])
                server.kill()
                report = await lifecycle.erase(app.memory, ids[:2], "asked for", ANA)
                assert report.elsewhere == ("external engine main: 2 vectors, to be removed when it answers",)
            async with a_mirrored_app(tmp_path, server) as (app, external):  # another process knows it, too
                assert len(await external.still_held()) == 1
            server.start()
            assert rows(server) == 10
            async with a_mirrored_app(tmp_path, server) as (app, external):
                assert await external.still_held() == ()
                assert rows(server) == 8
                assert (await external.drift()).count == 0

    run(work())
