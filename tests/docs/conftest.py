"""`make docs` writes what was printed into the pages; without it they are compared."""

import pytest


@pytest.fixture
def write(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--write-docs"))
