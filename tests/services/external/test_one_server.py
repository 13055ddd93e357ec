"""One server holds the mirror: what an earlier version had spread over several comes to it."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import apsw
import pytest

from mirroring import ANIMALS, a_mirrored_app, ask, remember, rows
from palyra import settings
from palyra.core.errors import InvalidArgument
from palyra.domain.scope import Visibility
from palyra.external_wiring import parse_address
from postgres import Postgres, a_postgres
from support import run

WHO = [Visibility(f"user:{number}") for number in range(6)]


@pytest.fixture
def two() -> Iterator[list[Postgres]]:
    with ExitStack() as stack:
        yield [stack.enter_context(a_postgres(fsync="off", shared_buffers="32MB")) for _ in range(2)]


def test_of_several_servers_the_first_holds_everything_and_a_warning_says_so(
    tmp_path: Path, two: list[Postgres]
) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, *two) as (app, external):
            for who in WHO:
                await remember(app, ANIMALS[:12], who)
            assert [rows(server) for server in two] == [12 * len(WHO), 0]
            assert (await external.status()).server.principals == len(WHO)

    run(work())
    environ = {"PALYRA_HOME": str(tmp_path), "PALYRA_MEMORY_EXTERNAL_DSN": "a=postgresql://one b=postgresql://two"}
    [warning] = settings.load({}, environ).warnings
    assert "the first holds the whole mirror" in str(warning)
    assert "postgresql" not in str(warning), "an address may hold a password"


def test_what_was_on_another_server_is_told_to_this_one(tmp_path: Path, two: list[Postgres]) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, *two) as (app, external):  # named, the first is called a
            for who in WHO:
                await remember(app, ANIMALS[:12], who)
        async with a_mirrored_app(tmp_path, two[1]) as (app, external):  # alone it is called main
            await external.catch_up()
            assert rows(two[1]) == 12 * len(WHO)
            status = await external.status()
            assert status.elsewhere == {place: 12 * len(WHO) for place in status.elsewhere}
            assert len(status.elsewhere) == 1, "what the other may hold is not forgotten"
            assert (await ask(app, "who makes music?", WHO[0])).degraded == ()

    run(work())


def test_whom_an_earlier_version_had_settled_on_another_server_comes_back_to_the_first(
    tmp_path: Path, two: list[Postgres]
) -> None:
    async def work() -> None:
        async with a_mirrored_app(tmp_path, two[0]) as (app, external):
            await remember(app, ANIMALS[:12], WHO[0])
        file = apsw.Connection(str(tmp_path / "palyra.db"))  # as it is left by a version that had two
        file.execute("INSERT INTO external_homes VALUES ('user:0', 'b')")
        file.execute("DELETE FROM external_ledger")
        file.execute("INSERT INTO external_ledger SELECT DISTINCT memory_id, 'b/t', 'p', NULL FROM memory_items")
        file.close()
        two[0].sql(f"TRUNCATE {' ,'.join(two[0].sql(_TABLES).split())}")
        async with a_mirrored_app(tmp_path, two[0]) as (app, external):
            await external.catch_up()
            assert rows(two[0]) == 12

    run(work())


_TABLES = "SELECT relname FROM pg_class WHERE relkind = 'p' AND relname LIKE 'palyra%'"


def test_an_address_may_have_a_name_and_no_error_quotes_it() -> None:
    assert parse_address("postgresql://db/x?sslmode=require") == ("main", "postgresql://db/x?sslmode=require")
    assert parse_address("a=postgresql://one/x") == ("a", "postgresql://one/x")
    with pytest.raises(InvalidArgument, match="dsn is empty"):
        parse_address(" ")
