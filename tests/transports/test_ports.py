"""A taken port: who has it, and what to do about it."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from palyra.core.errors import Unavailable
from palyra.transports.http.server import listen
from palyra.transports.ports import port_taken
from shell import Shell


@pytest.fixture
def taken() -> "socket.socket":
    return socket.create_server(("127.0.0.1", 0))


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_the_process_that_listens_there_is_named(taken: socket.socket) -> None:
    port = taken.getsockname()[1]
    with taken, pytest.raises(Unavailable, match=rf"port {port} on 127.0.0.1 is taken by .*\(process {os.getpid()}\)"):
        listen("127.0.0.1", port)


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_a_program_without_a_file_is_called_by_its_interpreter() -> None:
    code = (
        "import socket, sys; held = socket.create_server(('127.0.0.1', 0)); "
        "print(held.getsockname()[1], flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-u", "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as held:
        assert held.stdout is not None
        error = port_taken("127.0.0.1", int(held.stdout.readline()), "--port", "daemon.http_port")
        held.communicate()
    assert re.search(rf"is taken by python[\d.]* \(process {held.pid}\)$", error.message), error.message


def test_what_nobody_is_known_to_hold_is_another_programs() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    error = port_taken("127.0.0.1", port, "--port", "daemon.http_port")
    assert "another program" in error.message
    assert error.hint.startswith(f"choose another: palyra serve --port {port + 1}")


@pytest.mark.parametrize("option", ["--port", "--grpc-port"])
def test_a_daemon_says_so_in_one_line_and_nothing_else(taken: socket.socket, tmp_path: Path, option: str) -> None:
    shell = Shell(tmp_path / "data")
    shell.environment["PALYRA_MEMORY_EMBEDDINGS_PROVIDER"] = "hash"
    ports = {"--port": "0", "--grpc-port": "-1", option: str(taken.getsockname()[1])}
    with taken:
        done = shell("serve", *(word for pair in ports.items() for word in pair))
    assert (done.returncode, done.stdout) == (6, b"")
    [line] = done.stderr.decode().splitlines()
    assert f"choose another: palyra serve {option}" in line
