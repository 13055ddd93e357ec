"""One server for all that is tested against a real one."""

from collections.abc import Iterator

import pytest

from postgres import Postgres, a_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with a_postgres(fsync="off") as server:
        yield server
