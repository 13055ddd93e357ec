"""`palyra demo`, with a daemon and without one."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from cli.daemon import a_daemon
from shell import PALYRA, Shell
from support import files_holding, verify_directory


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path / "data").begin()
    shell.environment |= {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash"}
    return shell


def test_it_is_loaded_shown_and_removed(shell: Shell, tmp_path: Path) -> None:
    assert shell("demo", "--status").stdout == b"not loaded   hint: palyra demo\n"
    assert b"there is no sample" in shell("demo", "--remove").stdout
    assert b"loaded in" in shell("demo").stdout
    assert b"is there already" in shell("demo").stdout
    assert shell.json("demo", "--status")["state"] == "loaded"
    assert b"Moving to Porto" in shell("session", "list", "--principal", "user:demo").stdout
    assert shell.json("session", "list")["sessions"] == []
    for command in (["session", "list"], ["session", "show", "the-move"], ["memory", "search", "movers"]):
        told = shell(*command, "--principal", "user:demo").stderr
        assert told.count(b"sample: somebody made up, not your memory") == 1, command
        assert b"sample:" not in shell(*command[:2]).stderr
    assert b"nothing of yours is written there" in shell("memory", "retain", "Mine.", "--principal", "user:demo").stderr
    assert b"nothing of yours is written there" in shell("chat", "-m", "Mine.", "--principal", "user:demo").stderr
    assert b"are destroyed" in shell("demo", "--remove").stdout
    assert files_holding(tmp_path, "Larkspur") == []


def test_a_daemon_loads_and_removes_it_while_it_serves(shell: Shell, tmp_path: Path) -> None:
    with a_daemon(shell):
        assert not shell.json("demo")["repeated"]
        assert shell.json("demo")["repeated"]
        assert len(shell.json("session", "list", "--principal", "user:demo")["sessions"]) == 4
        time.sleep(1)  # the watcher of the documents has seen them come
        assert shell.json("demo", "--remove")["erased"] > 200
        time.sleep(1)  # and go
        assert shell.json("demo", "--status")["state"] == "absent"
        assert files_holding(tmp_path, "Larkspur") == []
    assert files_holding(tmp_path, "Larkspur") == []
    report = verify_directory(tmp_path / "data")
    assert report.ok, report.findings


def test_a_load_that_was_killed_is_begun_anew(shell: Shell, tmp_path: Path) -> None:
    loading = subprocess.Popen([*PALYRA, "demo"], stdout=subprocess.DEVNULL, env=shell.environment)
    deadline = time.monotonic() + 30
    while not files_holding(tmp_path, "Larkspur") and time.monotonic() < deadline:
        time.sleep(0.02)
    loading.send_signal(signal.SIGKILL)
    loading.wait(timeout=30)
    assert shell.json("demo", "--status")["state"] == "partial"
    assert not shell.json("demo")["repeated"]
    assert shell.json("demo", "--status")["state"] == "loaded"
    shell.json("demo", "--remove")
    assert files_holding(tmp_path, "Larkspur") == []


def test_two_wishes_at_once_are_refused(shell: Shell) -> None:
    assert "do not go together" in shell.fails("demo", "--remove", "--status", code="invalid_argument", exit_code=2)
