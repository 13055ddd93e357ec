"""An engine that dies, hangs, refuses or is full: searches go on, say so, and are back to normal by themselves."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from mirroring import ANA, ANIMALS, a_mirrored_app, ask, clean, remember, rows, tables, texts_of, until
from palyra.domain.memory import Draft
from palyra.services.external.runtime import ExternalRuntime
from palyra.services.external.server import PATIENCE
from palyra.services.memory.ingest import ingest
from postgres import Postgres, a_postgres
from support import run


@pytest.fixture
def own_server() -> Iterator[Postgres]:
    with a_postgres(fsync="off") as server:
        yield server


async def is_healthy(external: ExternalRuntime) -> bool:
    status = await external.status()
    return status.state == "healthy" and status.pending == 0


def test_a_killed_engine_is_missed_by_nobody_and_taken_up_again(tmp_path: Path, own_server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, own_server) as (app, external):
            await remember(app, ANIMALS)
            honest = texts_of(await ask(app, "who makes music?"))
            own_server.kill()
            for _ in range(6):
                found = await ask(app, "who makes music?")
                assert (texts_of(found), found.degraded) == (honest, ("external",))
            await ingest(app.memory, Draft("Dora keeps bees and sells honey"), ANA)
            await app.memory.follower.backfill()
            assert "Dora keeps bees and sells honey" in texts_of(await ask(app, "apiary insects"))
            status = await external.status()
            assert status.state == "down"
            assert status.server.last_error
            own_server.start()
            await until("the engine is asked again", lambda: is_healthy(external))
            found = await ask(app, "who makes music?")
            assert found.degraded == ()
            assert rows(own_server) == len(ANIMALS) + 1
            assert (await external.drift()).count == 0

    run(work())


def test_a_hanging_engine_is_waited_for_until_the_deadline_a_few_times_and_then_not_at_all(
    tmp_path: Path, own_server: Postgres
) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, own_server, PALYRA_MEMORY_EXTERNAL_SEARCH_TIMEOUT_MS="150") as (
            app,
            external,
        ):
            await remember(app, ANIMALS)
            honest = texts_of(await ask(app, "who makes music?"))
            own_server.freeze()
            try:
                for _ in range(8):
                    found = await ask(app, "who makes music?")
                    assert (texts_of(found), found.degraded) == (honest, ("external",))
                fallbacks = (await external.status()).fallbacks
            finally:
                own_server.thaw()
            assert 1 <= fallbacks["deadline"] <= PATIENCE.failures
            assert fallbacks["asleep"] == 8 - fallbacks["deadline"], "an open breaker costs nothing"
            await until("the engine is asked again", lambda: is_healthy(external))
            assert (await ask(app, "who makes music?")).degraded == ()

    run(work())


def test_an_engine_that_takes_nothing_more_loses_nothing(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            await remember(app, ANIMALS[:10])
            [table] = tables(server)
            server.sql(f"ALTER TABLE {table} ADD CONSTRAINT full_up CHECK (false) NOT VALID")
            ids = await remember(app, ANIMALS[10:20])
            assert (await external.status()).pending == 10
            found = await ask(app, "who makes music?", top_k=64)
            assert len({*ids} & {hit.item.memory_id for hit in found.hits}) > 0
            server.sql(f"ALTER TABLE {table} DROP CONSTRAINT full_up")
            await until("the backlog is worked off", lambda: is_healthy(external))
            assert rows(server) == 20

    run(work())


def test_a_table_of_other_dimensions_is_left_alone(tmp_path: Path, server: Postgres) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, server) as (app, external):
            await remember(app, ANIMALS[:10])
            [table] = tables(server)
        clean(server)
        server.sql(f"CREATE TABLE {table} (id text, vector halfvec(8)); INSERT INTO {table} VALUES ('theirs', NULL)")
        async with a_mirrored_app(tmp_path, server) as (app, external):
            found = await ask(app, "who makes music?")
            assert found.hits
            await asyncio.sleep(0.2)
            assert (await ask(app, "who makes music?")).degraded == ("external",)
            assert "8 numbers a vector" in (await external.status()).server.last_error
        assert server.sql(f"SELECT id FROM {table}") == "theirs"
        server.sql(f"DROP TABLE {table}")

    run(work())


def test_no_password_is_told_when_an_address_is_wrong(tmp_path: Path) -> None:
    secret = "s" + "3cr3t" * 3

    async def work() -> None:
        settings = {"PALYRA_MEMORY_EXTERNAL_DSN": f"postgresql://ana:{secret}@127.0.0.1:1/none"}
        async with a_mirrored_app(tmp_path, _Nowhere(), provider="hash", **settings) as (app, external):  # type: ignore[arg-type]
            await remember(app, ANIMALS[:5])
            assert (await ask(app, "music")).hits
            status = await external.status()
            assert status.state == "down"
            assert secret not in str(status)

    run(work())


class _Nowhere:
    dsn = ""
