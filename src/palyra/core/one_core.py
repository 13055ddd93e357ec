"""One processor core for all threads of the interpreter.

The interpreter runs one thread at a time. Threads that hand it to each other across cores wait, at every hand-over,
until the other core has woken up and has fetched what the first one wrote: measured, that is half of what a busy daemon
costs. On one core the same threads take turns for a fraction of it. Which core that is changes: where others work, we
move away. A thread that hardly needs the interpreter says so, and goes where it likes.

Linux only; elsewhere the system keeps the threads as it likes.
"""

import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from weakref import WeakSet

_TASKS = Path("/proc/self/task")
_STAT = Path("/proc/stat")
_MOVE_FOR = 0.2
"""of a core: so much less must be going on elsewhere to be worth a move"""
_elsewhere: WeakSet[threading.Thread] = WeakSet()
_in_force: "set[OneCore]" = set()


class OneCore:
    def __init__(self) -> None:
        """Where this process may run now, it may run later: what an administrator has set stays."""
        self._allowed = frozenset(os.sched_getaffinity(0))
        self._busy = _busy_seconds()
        self._own = time.process_time()
        self._at = time.monotonic()
        self.core: int | None = None

    def settle(self) -> None:
        """Takes the core with most room; moves on when another one has clearly more. Call now and then."""
        busy, own, at = _busy_seconds(), time.process_time(), time.monotonic()
        others = {core: max(0.0, busy[core] - self._busy.get(core, 0.0)) for core in busy if core in self._allowed}
        if self.core in others:
            others[self.core] = max(0.0, others[self.core] - (own - self._own))
        best = roomiest(others, self.core, (at - self._at) * _MOVE_FOR)
        self._busy, self._own, self._at = busy, own, at
        if best is not None:
            self.core = best
        _in_force.add(self)
        _keep_threads_on(self.core, self._allowed)  # also those that are new: they take after whoever started them

    def leave(self) -> None:
        """Every core again."""
        self.core = None
        _in_force.discard(self)
        _keep_threads_on(None, self._allowed)

    def let_go(self) -> None:
        """The calling thread, which has just been started by one that stays."""
        with suppress(OSError):  # the next `settle` tries again
            os.sched_setaffinity(0, self._allowed)


def work_elsewhere() -> None:
    """For a thread whose work is mostly outside the interpreter, such as copying pages: it runs beside the others."""
    _elsewhere.add(threading.current_thread())
    for one_core in tuple(_in_force):
        one_core.let_go()


def find_one_core() -> OneCore | None:
    """None where there is nothing to choose from."""
    if not hasattr(os, "sched_setaffinity") or not _STAT.exists() or len(os.sched_getaffinity(0)) < 2:
        return None
    return OneCore()


def roomiest(others: Mapping[int, float], here: int | None, worth: float) -> int | None:
    """The core where others do least, unless `here` is as good but for `worth`."""
    if not others:
        return None
    best = min(others, key=lambda core: (others[core], core != here))
    if here is not None and here in others and others[here] - others[best] < worth:
        return None
    return best


def _busy_seconds() -> dict[int, float]:
    """By core, since the machine started: all but idle and waiting for a disk. None of them if the system won't say."""
    ticks = os.sysconf("SC_CLK_TCK")
    busy: dict[int, float] = {}
    try:
        for line in _STAT.read_text().splitlines():
            name, *fields = line.split()
            if name.startswith("cpu") and name[3:].isdigit():
                user, nice, system, _idle, _waiting, *rest = map(int, fields[:8])
                busy[int(name[3:])] = (user + nice + system + sum(rest)) / ticks
    except (OSError, ValueError):
        return {}  # a daemon that cannot choose goes on without
    return busy


def _keep_threads_on(core: int | None, allowed: frozenset[int]) -> None:
    """Those of the interpreter on `core`; the others, such as gRPC's own, wherever they may run."""
    ours = {thread.native_id for thread in threading.enumerate() if thread not in _elsewhere}
    for task in _TASKS.iterdir():
        number = int(task.name)
        try:
            os.sched_setaffinity(number, {core} if core is not None and number in ours else allowed)
        except OSError:
            continue  # that thread has ended, or the core has just been taken from us: both mend themselves
