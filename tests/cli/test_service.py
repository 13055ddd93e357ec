"""`palyra service`: the files are what systemd and launchd read, and what they start serves this memory."""

import os
import plistlib
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from palyra.api.running import find_daemon
from shell import Shell

SYSTEMCTL = """#!{python}
# What systemd does with our unit, where none runs: `restart` starts its ExecStart, `disable --now` stops it.
import os, pathlib, shlex, signal, subprocess, sys, time
unit, pid = pathlib.Path({unit!r}), pathlib.Path({pid!r})
asked = sys.argv[2]
if asked == "restart":
    line = next(line for line in unit.read_text().splitlines() if line.startswith("ExecStart="))
    command = [part.replace("%%", "%").replace("$$", "$") for part in shlex.split(line.partition("=")[2])]
    quiet = subprocess.DEVNULL
    pid.write_text(str(subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True).pid))
elif asked == "is-active":
    sys.exit(0 if pid.exists() else 3)
elif asked == "disable":
    os.kill(int(pid.read_text()), signal.SIGTERM)
    pid.unlink()
"""


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    """A home that no service manager knows, with a name that has to be quoted."""
    home = tmp_path / 'my "höme" 100%'
    home.mkdir()
    shell = Shell(home / "the $memory")
    shell.environment |= {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "PATH": f"{tmp_path}/bin:/usr/bin:/bin",
    }
    (shell.home).mkdir()
    (shell.home / "palyra.toml").write_text(
        "[daemon]\nhttp_port = 0\ngrpc_port = -1\n[memory]\nencoder = 'off'\nembeddings.provider = 'hash'\n"
    )
    yield shell
    if (left := find_daemon(shell.home)) is not None:
        os.kill(left.pid, signal.SIGKILL)


def the_unit(shell: Shell) -> Path:
    return Path(shell.environment["XDG_CONFIG_HOME"]) / "systemd" / "user" / "palyra.service"


def exec_start(unit: Path) -> list[str]:
    """As systemd reads it."""
    (line,) = [line for line in unit.read_text("utf-8").splitlines() if line.startswith("ExecStart=")]
    return [part.replace("%%", "%").replace("$$", "$") for part in shlex.split(line.partition("=")[2])]


@contextmanager
def running(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=30)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_finds_nothing_wrong_with_the_unit(shell: Shell, tmp_path: Path) -> None:
    shell.json("service", "install", "--manager", "systemd", "--no-start")
    told = subprocess.run(
        ["systemd-analyze", "verify", "--user", the_unit(shell)],
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert (told.returncode, told.stderr.decode()) == (0, "")


def test_what_the_unit_starts_serves_this_memory_and_stops_when_told(shell: Shell) -> None:
    written = shell.json("service", "install", "--manager", "systemd", "--no-start")
    assert written["written"]
    assert Path(written["file"]) == the_unit(shell)
    assert "Restart=on-failure" in the_unit(shell).read_text("utf-8")
    plain = {"HOME": shell.environment["HOME"], "PATH": "/usr/bin:/bin"}  # all that a service manager hands on
    with running(exec_start(the_unit(shell)), plain) as process:
        assert process.stderr is not None
        assert any(b"ready" in line for line in process.stderr)
        daemon = find_daemon(shell.home)
        assert daemon is not None
        assert daemon.pid == process.pid
        with urllib.request.urlopen(f"{daemon.http}/healthz", timeout=10) as answer:  # noqa: S310 - our own
            assert answer.status == 200
        assert shell.json("service", "status", "--manager", "systemd")["daemon"]["pid"] == process.pid
    assert process.returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="systemd")
def test_it_is_started_found_kept_and_removed(shell: Shell, tmp_path: Path) -> None:
    systemctl = tmp_path / "bin" / "systemctl"
    systemctl.parent.mkdir()
    systemctl.write_text(SYSTEMCTL.format(python=sys.executable, unit=str(the_unit(shell)), pid=str(tmp_path / "pid")))
    systemctl.chmod(0o755)
    first = shell.json("service", "install")
    assert first["started"]
    assert first["http"].startswith("http://127.0.0.1:")
    assert shell.json("memory", "retain", "The lighthouse opens at nine")["outcome"] == "stored"
    stood = shell.json("service", "status")
    assert stood["installed"]
    assert stood["current"]
    assert stood["active"]
    assert stood["daemon"]["http"] == first["http"]
    assert shell.json("service", "remove")["stopped"]
    assert not the_unit(shell).exists()
    shell.fails("service", "remove", code="not_found", exit_code=3)
    assert not shell.json("service", "status")["installed"]


@pytest.mark.skipif(sys.platform != "linux", reason="systemd")
def test_a_daemon_that_runs_already_is_named_and_nothing_is_written(shell: Shell, tmp_path: Path) -> None:
    systemctl = tmp_path / "bin" / "systemctl"
    systemctl.parent.mkdir()
    systemctl.write_text('#!/bin/sh\n[ "$2" != is-active ]\n')
    systemctl.chmod(0o755)
    serve = [sys.executable, "-m", "palyra", "serve", "--json"]
    process = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=shell.environment)
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        message = shell.fails("service", "install", code="failed_precondition", exit_code=5)
        assert str(process.pid) in message
        assert not the_unit(shell).exists()
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_without_systemd_it_says_what_starts_it(shell: Shell) -> None:
    told = shell("service", "install", "--manager", "systemd")
    assert told.returncode == 0, told.stderr
    assert b"not started" in told.stdout
    assert b"systemctl --user enable palyra.service" in told.stdout


def test_settings_of_this_terminal_alone_are_named(shell: Shell) -> None:
    shell.environment["PALYRA_CHAT_MAX_TOOL_ROUNDS"] = "3"
    written = shell.json("service", "install", "--manager", "systemd", "--no-start")
    assert written["left_in_this_terminal"] == ["PALYRA_CHAT_MAX_TOOL_ROUNDS"]


def test_a_unit_that_somebody_else_wrote_stays_as_it_is(shell: Shell) -> None:
    the_unit(shell).parent.mkdir(parents=True)
    the_unit(shell).write_text("[Service]\nExecStart=/bin/true\n")
    shell.fails("service", "install", "--manager", "systemd", code="already_exists", exit_code=5)
    assert the_unit(shell).read_text() == "[Service]\nExecStart=/bin/true\n"


def test_a_place_that_cannot_be_written_to_is_named(shell: Shell) -> None:
    Path(shell.environment["XDG_CONFIG_HOME"]).write_text("a file, where a directory should be")
    message = shell.fails("service", "install", "--manager", "systemd", code="failed_precondition", exit_code=5)
    assert "palyra.service" in message


def test_settings_that_are_wrong_are_refused_before_anything_is_written(shell: Shell) -> None:
    (shell.home / "palyra.toml").write_text("[daemon]\nhttp_port = 'x'\n")
    shell.fails("service", "install", "--manager", "systemd", code="invalid_argument", exit_code=2)
    assert not the_unit(shell).exists()


def test_the_list_for_launchd_is_what_it_reads(shell: Shell) -> None:
    shown: dict[str, Any] = shell.json("service", "install", "--manager", "launchd", "--print")
    told = plistlib.loads(shown["text"].encode())
    assert shown["file"].endswith(f"/Library/LaunchAgents/{told['Label']}.plist")
    assert told["ProgramArguments"][1:] == ["--data-dir", str(shell.home)]
    assert Path(told["ProgramArguments"][0]).name == "palyrad"
    assert told["KeepAlive"] == {"SuccessfulExit": False}
    assert told["RunAtLoad"] is True
    assert told["Umask"] == 0o077
    assert not Path(shown["file"]).exists()
