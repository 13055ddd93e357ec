"""One PostgreSQL for the tests of a file; each test begins with an empty one."""

from collections.abc import Iterator

import pytest

from mirroring import clean
from postgres import Postgres, a_postgres


@pytest.fixture(scope="module")
def one_server() -> Iterator[Postgres]:
    with a_postgres(fsync="off") as server:
        yield server


@pytest.fixture
def server(one_server: Postgres) -> Iterator[Postgres]:
    yield one_server
    clean(one_server)
