"""Which core a process stays on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from palyra.core.one_core import OneCore, find_one_core, roomiest

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux lets a process choose")


@pytest.mark.parametrize(
    ("others", "here", "best"),
    [
        ({}, None, None),
        ({0: 0.9, 1: 0.1}, None, 1),
        ({0: 0.1, 1: 0.1}, None, 0),
        ({0: 0.3, 1: 0.15}, 0, None),
        ({0: 0.5, 1: 0.1}, 0, 1),
        ({0: 0.5, 1: 0.1}, 1, None),
        ({0: 0.0, 1: 0.0}, 1, None),
        ({1: 0.4}, 0, 1),
    ],
    ids=["none", "free", "first of equals", "not worth it", "worth it", "here is best", "all idle", "here is gone"],
)
def test_it_moves_only_when_that_is_worth_it(others: dict[int, float], here: int | None, best: int | None) -> None:
    assert roomiest(others, here, worth=0.2) == best


_THREADS = """
import os, threading
from palyra.core.one_core import find_one_core, work_elsewhere

def cores():
    return {frozenset(os.sched_getaffinity(int(task))) for task in os.listdir("/proc/self/task")}

end = threading.Event()
threading.Thread(target=end.wait).start()
before, one_core = cores(), find_one_core()
one_core.settle()
threading.Thread(target=end.wait).start()
together, core = cores(), one_core.core

beside, seen = threading.Event(), []
def copy():
    work_elsewhere()
    seen.append(os.sched_getaffinity(0))
    beside.set()
    end.wait()
    seen.append(os.sched_getaffinity(0))
copier = threading.Thread(target=copy)
copier.start()
beside.wait()
one_core.settle()
mixed = cores()
one_core.leave()
free = cores()
end.set()
copier.join()
print(len(before), together == {frozenset({core})}, mixed == {frozenset({core})} | before, free == before)
print({frozenset(each) for each in seen} == before)
"""


@pytest.mark.skipif(find_one_core() is None, reason="there is one core only")
def test_every_thread_but_those_that_work_elsewhere_stays_there_and_is_let_go_again() -> None:
    told = subprocess.run([sys.executable, "-c", _THREADS], capture_output=True, text=True, check=True, timeout=60)
    assert told.stdout.split() == ["1", "True", "True", "True", "True"]


def test_a_process_with_one_core_has_nothing_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0})
    assert find_one_core() is None


@pytest.mark.parametrize("told", ["", "cpu0 much\n", "cpu0 1 2\n"], ids=["nothing", "words", "too little"])
def test_a_system_that_speaks_otherwise_leaves_the_threads_as_they_are(
    told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stat = tmp_path / "stat"
    stat.write_text(told)
    monkeypatch.setattr("palyra.core.one_core._STAT", stat)
    allowed = os.sched_getaffinity(0)
    one_core = OneCore()
    one_core.settle()
    assert one_core.core is None
    assert os.sched_getaffinity(0) == allowed


def test_a_system_that_does_not_tell_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("palyra.core.one_core._STAT", tmp_path / "stat")
    assert find_one_core() is None
