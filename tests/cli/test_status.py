"""`palyra status`, with a daemon and without one."""

import re
from pathlib import Path

import pytest

from cli.daemon import a_daemon
from shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path / "data")
    shell.environment |= {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash"}
    return shell


def test_without_a_daemon_the_status_is_read_from_the_files(shell: Shell) -> None:
    shell.json("memory", "retain", "I prefer tea")
    found = shell.json("status")
    assert (found["serving"], found["events"], found["memories"], found["refuses_writes"]) == (False, 1, 1, None)
    shown = shell("status").stdout.decode()
    assert "daemon          not running" in shown
    assert "journal         1 event, " in shown
    assert "due" not in shown


def test_a_daemon_says_since_when_it_serves_and_what_it_does_by_itself(shell: Shell) -> None:
    with a_daemon(shell) as daemon:
        found = shell.json("status")
        assert (found["serving"], found["pid"], found["failing_jobs"]) == (True, daemon.pid, [])
        assert f"process {daemon.pid}, since" in shell("status").stdout.decode()
        shown = shell("status").stdout.decode()
        assert "jobs            " in shown
        assert re.search(r"due \(UTC\) +.*retention \d{4}-\d\d-\d\d", shown)
