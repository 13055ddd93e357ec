"""A data directory on a medium that takes no writes: what only reads works there, and leaves nothing."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults import children
from faults.daemon import Daemon
from faults.disk import remount, tiny_disk

VERIFIER = Path(__file__).parents[2] / "verifier" / "palyra_verify.py"
FACT = "The staging port is 6543"


def palyra(directory: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    arguments = (sys.executable, "-m", "palyra", *command, "--data-dir", str(directory))
    return subprocess.run(
        arguments, capture_output=True, text=True, check=False, env={**children.ENVIRONMENT, "COLUMNS": "120"}
    )


def answer(directory: Path, *command: str) -> str:
    done = palyra(directory, *command)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A store with a fact and an event that no checkpoint covers, still writable."""
    with tiny_disk(tmp_path / "disk", 32) as mount:
        directory = mount / "data"
        answer(directory, "memory", "retain", FACT)
        answer(directory, "journal", "append", "--kind", "note", '{"text": "hello"}')
        yield directory
        remount(mount, "rw")


def test_a_read_only_medium_is_searched_recalled_verified_and_exported(data: Path, tmp_path: Path) -> None:
    remount(data.parent, "ro")
    before = sorted(data.rglob("*"))
    assert FACT in answer(data, "memory", "search", "staging port")
    assert FACT in answer(data, "memory", "export")
    assert answer(data, "journal", "verify").startswith("ok: 2 events")
    recalled = json.loads(answer(data, "memory", "recall", "what is the staging port?", "--json"))
    assert FACT in recalled["block"]
    assert (recalled["receipt"], recalled["degraded"]) == ("", ["receipt"])
    answer(data, "journal", "export", str(tmp_path / "bundle"))
    told = subprocess.run([sys.executable, VERIFIER, tmp_path / "bundle"], capture_output=True, text=True, check=False)
    assert told.stdout.startswith("ok: 2 events"), told.stdout + told.stderr
    assert sorted(data.rglob("*")) == before


def test_a_read_only_medium_takes_nothing_new_and_says_so_in_one_error(data: Path) -> None:
    remount(data.parent, "ro")
    done = palyra(data, "memory", "retain", "something else")
    assert done.returncode == 6
    assert "Read-only" in done.stderr
    assert "[unavailable]" in done.stderr


def test_what_a_killed_process_left_beside_the_database_is_read_too_or_its_absence_is_said(
    data: Path, tmp_path: Path
) -> None:
    """Never an older state as if it were the newest."""
    daemon = Daemon(data, tmp_path / "log")
    try:
        daemon.wait_until_ready()
        daemon.post("/v1/memory/items", {"text": "Bo is allergic to penicillin"})
    finally:
        daemon.kill()
    remount(data.parent, "ro")
    assert "penicillin" in answer(data, "memory", "search", "allergic to penicillin")
    remount(data.parent, "rw")
    (data / "palyra.db-shm").unlink()
    remount(data.parent, "ro")
    done = palyra(data, "memory", "search", "allergic to penicillin")
    assert done.returncode == 6
    assert "whoever wrote it last was cut off" in done.stderr
