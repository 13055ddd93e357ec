"""`palyra jobs …`, with a daemon and without one."""

import signal
from pathlib import Path

import pytest

from cli.daemon import a_daemon, start, stop
from shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path / "data").begin()
    shell.environment |= {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash"}
    return shell


def test_without_a_daemon_jobs_are_run_here_and_what_is_on_record_is_shown(shell: Shell) -> None:
    done = shell.json("jobs", "run", "verify")
    assert (done["state"], done["error"]) == ("done", "")
    shown = shell("jobs", "list").stdout.decode()
    assert shown.startswith("no daemon is running, so nothing is due by itself")
    [line] = [line for line in shown.splitlines() if line.startswith("verify")]
    assert line.endswith("well")
    assert "every 1 d" in line
    [seen] = shell.json("jobs", "history")["runs"]
    assert (seen["name"], seen["by"]) == ("verify", "the owner")
    assert "the owner" in shell("jobs", "history", "verify").stdout.decode()


def test_wrong_names_and_wishes_are_one_clear_error(shell: Shell) -> None:
    for command, name in (("run", ".."), ("pause", "ret/ention"), ("resume", " "), ("history", "sweep")):
        assert "no job is named" in shell.fails("jobs", command, name, code="not_found", exit_code=3)
    shell.fails("jobs", "run", code="invalid_argument", exit_code=2)
    shell.fails("jobs", "run", "verify", "--no-wait", code="failed_precondition", exit_code=5)
    shell.fails("jobs", "run", "verify", "--wait", "-1", code="invalid_argument", exit_code=2)


def test_a_daemon_runs_pauses_and_resumes_its_jobs_and_a_pause_outlives_it(shell: Shell) -> None:
    first = start(shell)
    try:
        assert "retention: done in" in shell("jobs", "run", "retention").stdout.decode()
        assert shell.json("jobs", "run", "verify", "--no-wait")["state"] == "asked"
        assert b"jobs resume vacuum" in shell("jobs", "pause", "vacuum").stdout
        shell.fails("jobs", "run", "ret ention", code="not_found", exit_code=3)
    finally:
        first.send_signal(signal.SIGKILL)
        first.communicate()
    second = start(shell)
    try:
        status = shell.json("status")
        assert (status["paused_jobs"], status["failing_jobs"]) == (["vacuum"], [])
        assert "vacuum" not in {due["name"] for due in status["due_jobs"]}
        [line] = [line for line in shell("jobs", "list").stdout.decode().splitlines() if line.startswith("vacuum")]
        assert "paused" in line
        assert "vacuum is paused" in shell("doctor").stdout.decode()
        assert shell.json("jobs", "resume", "vacuum")["paused_by"] is None
    finally:
        stop(second)


def test_a_schedule_that_means_nothing_is_told_and_stops_nothing_else(shell: Shell) -> None:
    shell.environment |= {"PALYRA_MEMORY_RETENTION_VACUUM_SCHEDULE": "61 * * * *"}
    with a_daemon(shell):
        assert "61" in shell.fails("jobs", "run", "vacuum", code="failed_precondition", exit_code=5)
        status = shell.json("status")
        assert status["failing_jobs"] == ["vacuum"]
