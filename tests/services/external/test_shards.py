"""Three real servers: principals are spread over them, move between them online, and fail apart from each other."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mirroring import ANIMALS, a_mirrored_app, ask, clean, remember, rows, texts_of
from palyra.core.errors import InvalidArgument
from palyra.domain.scope import Visibility
from palyra.external_wiring import parse_addresses
from palyra.services.external.runtime import ExternalRuntime
from postgres import Postgres, a_postgres
from support import run

WHO = [Visibility(f"user:{number}") for number in range(9)]


@pytest.fixture(scope="module")
def three() -> Iterator[list[Postgres]]:
    with ExitStack() as stack:
        yield [stack.enter_context(a_postgres(fsync="off", shared_buffers="32MB")) for _ in range(3)]


async def homes(external: ExternalRuntime) -> dict[str, str]:
    return dict((await external._opened()).homes)


def test_principals_live_on_several_servers_and_move_online(tmp_path: Path, three: list[Postgres]) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, *three[:2]) as (app, external):
            for who in WHO:
                await remember(app, ANIMALS[:12], who)
            first = await homes(external)
            assert set(first.values()) == {"a", "b"}
            assert rows(three[0]) + rows(three[1]) == 12 * len(WHO)
        async with a_mirrored_app(tmp_path, *three) as (app, external):
            await external.catch_up()
            assert await homes(external) == first, "a new server pulls nobody away by itself"
            before = {who.principal: texts_of(await ask(app, "who makes music?", who)) for who in WHO}
            moved = WHO[0].principal
            assert await external.switch(moved, "c") == 12
            assert rows(three[2]) == 12
            assert sum(map(rows, three)) == 12 * len(WHO)
            for who in WHO:
                found = await ask(app, "who makes music?", who)
                assert (texts_of(found), found.degraded) == (before[who.principal], ())
            assert (await external.drift()).count == 0

            lost = (await homes(external))[WHO[1].principal]
            three["abc".index(lost)].kill()
            for who in WHO:
                found = await ask(app, "who makes music?", who)
                gone = (await homes(external))[who.principal] == lost
                assert found.degraded == (("external",) if gone else ())
                assert texts_of(found) == before[who.principal]
            status = await external.status()
            assert status.state in ("healthy", "degraded")  # it takes three failures to call a server down
            three["abc".index(lost)].start()

    run(work())


def test_who_lived_on_a_server_that_is_taken_away_settles_elsewhere(tmp_path: Path, three: list[Postgres]) -> None:
    async def work() -> None:
        for server in three:
            clean(server)
        async with a_mirrored_app(tmp_path, *three[:2]) as (app, external):
            for who in WHO[:6]:
                await remember(app, ANIMALS[:12], who)
            assert set((await homes(external)).values()) == {"a", "b"}
        async with a_mirrored_app(tmp_path, three[0]) as (app, external):  # alone it is called main
            await external.catch_up()
            assert set((await homes(external)).values()) == {"main"}
            status = await external.status()
            assert sum(status.elsewhere.values()) == 12 * 6, "what the others may hold is not forgotten"
            assert (await ask(app, "who makes music?", WHO[0])).degraded == ()

    run(work())


def test_addresses_have_names_and_no_error_quotes_them() -> None:
    assert parse_addresses("postgresql://db/x?sslmode=require") == {"main": "postgresql://db/x?sslmode=require"}
    assert parse_addresses("a=postgresql://one/x b=postgresql://two/x") == {
        "a": "postgresql://one/x",
        "b": "postgresql://two/x",
    }
    word = "pass" + "word1"
    for wrong in ("", f"postgresql://u:{word}@one/x b=postgresql://two/x", "a=postgresql://one/x a=postgresql://two/x"):
        with pytest.raises(InvalidArgument) as refused:
            parse_addresses(wrong)
        assert word not in refused.value.message + refused.value.hint
