"""The disk of a daemon under load fills up, or takes its journal away: it mends that by itself, or ends."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from faults.daemon import Daemon
from faults.disk import fill, tiny_disk
from faults.ledger import Ack, kind_of, payload_of, settle
from faults.strace import failing, why_not

_AT_MOST_SECONDS = 15.0
_FULL_MIB = 24


class Writers:
    """Four that append without pause, whatever they are told."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._stopping = threading.Event()
        self.acks: list[Ack] = []
        self.refusals: list[dict[str, object]] = []

    def write(self, who: int) -> None:
        n = 0
        while not self._stopping.is_set():
            n += 1
            payload = payload_of(who, n)
            answer = self._daemon.post("/v1/journal/events", {"kind": kind_of(n), "payload": payload})
            body = answer.json()
            if answer.status_code == 200:
                self.acks.append(Ack(body["event_id"], kind_of(n), who, n, body["seq"], body["hash"]))
            else:
                self.refusals.append({"status": answer.status_code, **body["error"]})
                time.sleep(0.02)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        with ThreadPoolExecutor(4) as pool:
            done = [pool.submit(self.write, who) for who in range(1, 5)]
            try:
                yield
            finally:
                self._stopping.set()
        for one in done:
            one.result()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with tiny_disk(tmp_path / "disk", _FULL_MIB) as mount:
        yield mount


@pytest.mark.timeout(300)
def test_a_daemon_whose_disk_fills_up_under_load_reads_on_and_writes_again_by_itself_once_there_is_space(
    disk: Path, tmp_path: Path, tally: Callable[[str], None]
) -> None:
    with _daemon(disk / "data", tmp_path / "log") as daemon:
        daemon.post("/v1/memory/items", {"text": "The staging port is 6543"})
        writers = Writers(daemon)
        with writers.at_work():
            _until(lambda: len(writers.acks) > 20)
            with fill(disk):
                _until(lambda: bool(writers.refusals))
                _check_what_it_says(daemon)
            freed_at, before = time.monotonic(), len(writers.acks)
            _until(lambda: len(writers.acks) > before)
            seconds = time.monotonic() - freed_at
            assert daemon.get("/readyz").status_code == 200
        assert {one["status"] for one in writers.refusals} == {503}
        assert all("by itself" in str(one["hint"]) for one in writers.refusals)
        assert seconds < _AT_MOST_SECONDS
        verified = daemon.run("journal", "verify")
        assert verified.returncode == 0, verified.stdout + verified.stderr
        assert daemon.stop() == 0
    account = asyncio.run(settle(disk / "data", writers.acks))
    tally(f"full disk under a daemon: {account.balance}; writing again {seconds:.1f} s after there was space")
    account.check()


def test_a_daemon_that_cannot_open_its_journal_again_ends_with_a_code_on_which_it_is_started_anew(
    disk: Path, tmp_path: Path
) -> None:
    database, away = disk / "data" / "palyra.db", disk / "away.db"
    with _daemon(disk / "data", tmp_path / "log") as daemon:
        writers = Writers(daemon)
        with writers.at_work():
            _until(lambda: len(writers.acks) > 20)
            with fill(disk):
                _until(lambda: bool(writers.refusals))
                database.rename(away)
                database.mkdir()
        assert daemon.wait(60) == 6
    assert "cannot be opened again" in (tmp_path / "log").read_text()
    database.rmdir()
    away.rename(database)
    asyncio.run(settle(disk / "data", writers.acks)).check()


@pytest.mark.parametrize(
    "fails", ["fdatasync:error=EIO:when=1", "pwrite64:error=EIO:when=2", "pwrite64:error=EROFS:when=1..4"]
)
def test_a_daemon_whose_system_calls_fail_for_a_while_under_load_goes_on_by_itself(
    scratch: Path, fails: str, tally: Callable[[str], None]
) -> None:
    if (reason := why_not()) is not None:
        pytest.skip(f"NOT TESTED, no system call was made to fail: {reason}")
    with _daemon(scratch / "data", scratch / "log") as daemon:
        writers = Writers(daemon)
        with writers.at_work():
            _until(lambda: len(writers.acks) > 20)
            with failing(daemon.pid, fails):
                _until(lambda: bool(writers.refusals))
                before = len(writers.acks)
                _until(lambda: len(writers.acks) > before + 20)
        assert daemon.stop() == 0
    account = asyncio.run(settle(scratch / "data", writers.acks))
    tally(f"{fails} under a daemon: {account.balance}, {len(writers.refusals)} refused")
    account.check()


def test_a_daemon_on_a_full_disk_stops_when_it_is_told_to(disk: Path, tmp_path: Path) -> None:
    with _daemon(disk / "data", tmp_path / "log") as daemon:
        writers = Writers(daemon)
        with fill(disk):
            with writers.at_work():
                _until(lambda: bool(writers.refusals))
            assert daemon.stop() == 0
    asyncio.run(settle(disk / "data", writers.acks)).check()


def _check_what_it_says(daemon: Daemon) -> None:
    ready = daemon.get("/readyz")
    assert ready.status_code == 503
    assert "the disk is full" in ready.json()["error"]["message"]
    assert daemon.get("/healthz").status_code == 200
    found = daemon.post("/v1/memory/search", {"query": "staging port"})
    assert [hit["snippet"] for hit in found.json()["hits"]] == ["The staging port is 6543"]
    recalled = daemon.post("/v1/memory/recall", {"query": "what is the staging port?"})
    assert recalled.status_code == 200, recalled.text
    assert (recalled.json()["receipt"], recalled.json()["degraded"]) == ("", ["receipt"])
    doctor = daemon.run("doctor")
    assert doctor.returncode == 8
    assert "error    writable     writing has stopped: the disk is full" in doctor.stdout
    assert "writes are refused: writing has stopped: the disk is full" in daemon.run("status").stdout


@contextmanager
def _daemon(directory: Path, log: Path) -> Iterator[Daemon]:
    with ExitStack() as stack:
        daemon = Daemon(directory, log)
        stack.callback(daemon.kill)
        daemon.wait_until_ready()
        yield daemon


def _until(is_so: Callable[[], bool], seconds: float = 60.0) -> None:
    since = time.monotonic()
    while not is_so():
        assert time.monotonic() < since + seconds, "it did not come to that"
        time.sleep(0.01)
