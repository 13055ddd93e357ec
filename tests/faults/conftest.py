"""The numbers of the fault tests are shown even when every test passes: they are the claim."""

import asyncio
import inspect
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

_LINES = pytest.StashKey[list[str]]()


@pytest.fixture
def cycles(request: pytest.FixtureRequest) -> int:
    """How hard to try: 200 is the full run, which leaves out nothing."""
    return int(request.config.getoption("--fault-cycles"))


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Path]:
    """A directory in memory, for tests that make hundreds of journals: what a kill leaves is in the page cache
    anyway, and a sync costs nothing there."""
    memory = Path("/dev/shm")  # noqa: S108 - a directory of our own beneath it
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory, prefix="palyra-faults-") as directory:
        yield Path(directory)


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Adds a line to what pytest prints at its end."""
    return request.config.stash.setdefault(_LINES, []).append


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Coroutine tests run in an event loop of their own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    asyncio.run(
        pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters})
    )
    return True


@pytest.hookimpl(wrapper=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> Iterator[None]:
    lines = config.stash.get(_LINES, [])
    if lines:
        terminalreporter.section("faults")
        for line in lines:
            terminalreporter.write_line(line)
    yield
