"""One server of each kind for all that is tested against a real one."""

from collections.abc import Iterator

import pytest

from milvus_server import Milvus, a_milvus
from postgres import Postgres, a_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with a_postgres(fsync="off") as server:
        yield server


@pytest.fixture(scope="session")
def milvus() -> Iterator[Milvus]:
    """Ticks ten times as often as usual: a write waits for the next tick."""
    with a_milvus(**{"proxy.timeTickInterval": 20}) as server:
        yield server
