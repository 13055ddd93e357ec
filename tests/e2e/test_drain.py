"""Stopping loses nothing: what was accepted is answered and in the journal, and streams end with a line saying so."""

import json
import signal
import socket
import ssl
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from e2e.palyrad import WAIT_SECONDS, Daemon, make_certificate, palyrad
from palyra.core.errors import FailedPrecondition
from palyra.daemon import check_exposure
from palyra.settings import DaemonSettings
from shell import Shell

WRITERS = 4


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path / "data")
    made.environment["PALYRA_MEMORY_EMBEDDINGS_PROVIDER"] = "hash"
    return made


class Load:
    """Writers that never stop, one long request, one follower, and two clients that have nothing to say."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.accepted: list[str] = []
        self.wrong: list[str] = []
        self.followed: list[dict[str, Any]] = []
        self.long: list[httpx2.Response] = []
        self.threads = [threading.Thread(target=self._write, args=(number,)) for number in range(WRITERS)]
        self.threads += [threading.Thread(target=self._follow), threading.Thread(target=self._ask_for_much)]
        self.silent = [socket.create_connection(("127.0.0.1", daemon.port)) for _ in range(2)]
        self.silent[1].sendall(b"POST /v1/journal/events HTTP/1.1\r\nhost: ")

    def begin(self) -> None:
        for thread in self.threads:
            thread.start()
        with self.daemon.client() as client:
            until = time.monotonic() + WAIT_SECONDS
            while len(self.accepted) < 50 or not self.followed or not self._is_long_one_running(client):
                assert time.monotonic() < until
                assert not self.wrong
                time.sleep(0.01)

    def end(self) -> None:
        for thread in self.threads:
            thread.join(WAIT_SECONDS)
            assert not thread.is_alive()
        for sock in self.silent:
            sock.close()

    def _is_long_one_running(self, client: httpx2.Client) -> bool:
        # The follower and this question are the others; a writer is never there for long.
        active = [
            line for line in client.get("/metrics").text.splitlines() if line.startswith("palyra_requests_active")
        ]
        return bool(active) and float(active[0].split()[-1]) >= 3

    def _write(self, number: int) -> None:
        with self.daemon.client() as client:
            for n in range(1_000_000):
                key = f"{number}-{n}"
                event = {"kind": "test.happened", "payload": {"key": key}, "request_id": key}
                try:
                    answer = client.post("/v1/journal/events", json=event)
                except httpx2.TransportError:
                    return  # not accepted, or so it seems to a client: it would ask again under the same key
                if answer.status_code != 200:
                    self.wrong.append(answer.text)
                    return
                self.accepted.append(key)

    def _follow(self) -> None:
        with self.daemon.client() as client, client.stream("GET", "/v1/journal/tail?follow=true") as answer:
            for line in answer.iter_lines():
                self.followed.append(json.loads(line))

    def _ask_for_much(self) -> None:
        items = [{"text": f"the train number {n} leaves at {n % 24} o'clock for {n * 7919}"} for n in range(300)]
        with self.daemon.client() as client:
            self.long.append(client.post("/v1/memory/items/batch", json={"items": items}))


@pytest.mark.parametrize(
    "signals", [[signal.SIGTERM], [signal.SIGINT, signal.SIGTERM, signal.SIGTERM]], ids=["once", "thrice"]
)
def test_what_was_accepted_is_answered_and_kept(shell: Shell, signals: list[signal.Signals]) -> None:
    # On a busy machine the long request may take longer than people want to wait.
    with palyrad(shell, environment={"PALYRA_DAEMON_DRAIN_SECONDS": "60"}) as daemon:
        load = Load(daemon)
        load.begin()
        for number in signals:
            daemon.process.send_signal(number)
            time.sleep(0.05)
        assert daemon.wait() == 0
        load.end()
        assert not daemon.announced.exists()
    assert load.wrong == []
    assert load.followed[-1]["error"]["code"] == "unavailable"
    [much] = load.long
    assert much.status_code == 200, much.text
    with palyrad(shell) as again, again.client() as client:
        kept = [json.loads(line) for line in client.get("/v1/journal/tail").text.splitlines()]
        keys = [event["payload"]["key"] for event in kept if event["kind"] == "test.happened"]
        assert len(keys) == len(set(keys))
        assert set(load.accepted) <= set(keys)
        stored = {one["memory_id"] for one in much.json()["results"]} - {None}
        exported = {json.loads(line)["memory_id"] for line in client.get("/v1/memory/export").text.splitlines()}
        assert stored <= exported
        assert client.post("/v1/journal/verify", json={}).json()["ok"] is True
        # The one whose answer was lost is asked for again, and is not written twice.
        for key in set(keys) - set(load.accepted):
            event = {"kind": "test.happened", "payload": {"key": key}, "request_id": key}
            assert client.post("/v1/journal/events", json=event).json()["repeated"] is True
        assert again.stop() == 0


def test_a_taken_port_is_one_clear_error(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        message = shell.fails("serve", "--port", port, "--grpc-port", "-1", code="unavailable", exit_code=6)
        assert port in message
        result = shell("serve", "--port", "0", "--grpc-port", port, "--json")
        assert result.returncode == 6
        error = json.loads(result.stderr.splitlines()[-1])["error"]  # gRPC itself has a word to say before
        assert error["code"] == "unavailable"
        assert port in error["message"]
    assert not list(shell.home.rglob("palyrad.json"))


def test_a_second_daemon_on_the_same_data_is_one_clear_error(shell: Shell) -> None:
    with palyrad(shell) as first:
        asked = ("serve", "--port", "0", "--grpc-port", "-1")
        assert first.http in shell.fails(*asked, code="failed_precondition", exit_code=5)
        with first.client() as client:
            assert client.get("/readyz").status_code == 200
        assert first.announced.exists()
        assert first.stop() == 0


def test_nothing_is_offered_to_the_network_in_the_clear(shell: Shell) -> None:
    shell.fails("serve", "--host", "0.0.0.0", "--port", "0", code="failed_precondition", exit_code=5)  # noqa: S104
    assert not shell.home.exists()
    for host in ("::", "192.0.2.1", "palyra.example"):
        with pytest.raises(FailedPrecondition):
            check_exposure(DaemonSettings(host=host))


def test_with_a_certificate_it_serves_https(shell: Shell, tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    tls = {
        "PALYRA_DAEMON_TLS_CERTIFICATE": str(certificate),
        "PALYRA_DAEMON_TLS_KEY": str(key),
        "PALYRA_DAEMON_ALLOWED_HOSTS": "palyra.example",
        "PALYRA_DAEMON_DRAIN_SECONDS": "60",
    }
    with palyrad(shell, "--host", "0.0.0.0", environment=tls) as daemon:  # noqa: S104 - with TLS and a name
        assert daemon.public.startswith("https://")
        with daemon.client() as own:
            assert own.get("/readyz").status_code == 200
        daemon.http = f"https://127.0.0.1:{daemon.public.rpartition(':')[2]}"
        with daemon.client(ssl.create_default_context(cafile=str(certificate))) as client:
            assert client.get("/readyz").status_code == 200
            assert client.get("/readyz", headers={"host": "palyra.example"}).status_code == 200
            assert client.get("/readyz", headers={"host": "evil.example"}).status_code == 403
            assert client.get("/readyz", headers={"origin": "https://palyra.example"}).status_code == 200
            link = client.post("/v1/console/link", json={}).json()["link"]
            answer = client.get(f"/console/login?{link.partition('?')[2]}")
            assert "; Secure" in answer.headers["set-cookie"]
            with client.stream("GET", "/v1/journal/tail?follow=true") as lines:
                assert lines.status_code == 200
                # Nobody reads meanwhile: TLS would wait for this client to say goodbye, too.
                began = time.monotonic()
                assert daemon.stop() == 0
                assert time.monotonic() - began < 30
                assert [json.loads(line)["error"]["code"] for line in lines.iter_lines()][-1:] == ["unavailable"]
        with pytest.raises(httpx2.TransportError):
            httpx2.get(f"http://127.0.0.1:{daemon.port}/healthz", trust_env=False)


def test_a_certificate_that_is_none_is_one_clear_error(shell: Shell, tmp_path: Path) -> None:
    certificate, _key = make_certificate(tmp_path)
    broken = tmp_path / "broken.pem"
    broken.write_text("not a key")
    shell.environment |= {"PALYRA_DAEMON_TLS_CERTIFICATE": str(certificate), "PALYRA_DAEMON_TLS_KEY": str(broken)}
    shell.fails("serve", "--port", "0", "--grpc-port", "-1", code="failed_precondition", exit_code=5)
    for key in ("", str(tmp_path / "nowhere.pem"), str(certificate)):
        with pytest.raises(FailedPrecondition):
            check_exposure(DaemonSettings(tls_certificate=str(certificate), tls_key=key))


def test_more_connections_than_open_files_are_still_told_so(shell: Shell) -> None:
    """A process may usually have 1,024 files; the journal must not be without one because of idle connections."""
    limited = ("bash", "-c", 'ulimit -S -n 64; exec "$@"', "bash")
    few = {"PALYRA_DAEMON_MAX_CONNECTIONS": "100"}
    with palyrad(shell, under=limited, environment=few) as daemon, ExitStack() as open_sockets:

        def connect() -> socket.socket:
            sock = socket.create_connection(("127.0.0.1", daemon.port), timeout=WAIT_SECONDS)
            return open_sockets.enter_context(sock)

        idle = [connect() for _ in range(100)]
        assert connect().recv(100).startswith(b"HTTP/1.1 429 ")
        for sock in idle[:10]:
            sock.close()
        answers: list[int] = []
        until = time.monotonic() + WAIT_SECONDS
        while answers[-1:] != [200] and time.monotonic() < until:  # until those are known to be gone
            with daemon.client() as client:
                answers.append(client.post("/v1/backups", json={}).status_code)
        assert set(answers) <= {429, 200}
        assert answers[-1] == 200
        assert daemon.stop() == 0
