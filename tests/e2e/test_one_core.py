"""The threads of a daemon stay on one core, unless it is told otherwise."""

import os
from pathlib import Path

import pytest

from e2e.palyrad import Daemon, palyrad
from palyra.core.one_core import find_one_core
from shell import Shell

pytestmark = pytest.mark.skipif(find_one_core() is None, reason="Linux alone lets a process choose, and among several")


def _cores_by_thread(daemon: Daemon) -> dict[int, set[int]]:
    with daemon.client() as client:
        assert client.get("/readyz").status_code == 200
        assert client.post("/v1/memory/search", json={"query": "harbour"}).status_code == 200
    tasks = Path(f"/proc/{daemon.process.pid}/task")
    return {int(task.name): os.sched_getaffinity(int(task.name)) for task in tasks.iterdir()}


def test_threads_of_the_interpreter_stay_on_one_core_and_others_go_where_they_like(tmp_path: Path) -> None:
    with palyrad(Shell(tmp_path / "data")) as daemon:
        cores = _cores_by_thread(daemon)
        of_the_loop = cores[daemon.process.pid]
    assert len(of_the_loop) == 1
    assert sum(core == of_the_loop for core in cores.values()) > 3  # the loop, the writer, readers
    assert all(core in (of_the_loop, os.sched_getaffinity(0)) for core in cores.values())


def test_it_may_have_them_all(tmp_path: Path) -> None:
    with palyrad(Shell(tmp_path / "data"), environment={"PALYRA_DAEMON_ONE_CORE": "false"}) as daemon:
        assert all(core == os.sched_getaffinity(0) for core in _cores_by_thread(daemon).values())
