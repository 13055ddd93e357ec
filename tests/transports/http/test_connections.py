"""Connections that would be held, flooded or broken: the server lets go of each, and answers everybody else."""

import asyncio
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from e2e.palyrad import make_certificate
from palyra.core.errors import Unavailable
from palyra.domain.access import GRANTABLE
from palyra.transports.http.connection import ConnectionLimits
from palyra.transports.http.server import listen
from palyra.transports.limits import RateLimit
from transports.http.support import (
    WAIT_SECONDS,
    Serving,
    Wire,
    eventually,
    is_idle,
    raw_answer,
    request_bytes,
    requests_seen,
    serving,
)

HURRIED = ConnectionLimits(header_seconds=0.1, leftover_seconds=0.1, stalled_seconds=0.2, stalled_bytes=10_000_000)
ITEMS, SEARCH, TAIL = "/v1/memory/items", "/v1/memory/search", "/v1/journal/tail"
HEALTH = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("http") / "data") as server:
        yield server


@pytest.fixture(scope="module")
def token(served: Serving) -> str:
    return served.token(GRANTABLE)


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """Everything that runs out of time does so at once."""
    directory = tmp_path_factory.mktemp("http") / "data"
    with serving(directory, limits=HURRIED, body_seconds=0.1) as server:
        # A client that does not read should be noticed after kilobytes, not after megabytes.
        server.server.servers[0].sockets[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        yield server


# -- clients that keep us waiting

HALVES = {
    "nothing at all": b"",
    "empty lines": b"\r\n\r\n\r\n",
    "half a method": b"GE",
    "half a request line": b"GET /heal",
    "headers without end": b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n",
    "half a header": b"GET /healthz HTTP/1.1\r\nhost: local",
    "a second request without end": HEALTH + b"GET /healthz HT",
}


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
def test_half_a_request_is_not_waited_for(hurried: Serving, half: bytes) -> None:
    with hurried.connect() as wire:
        answer = wire.send(half).read_all()
    assert answer.count(b"HTTP/1.1") == half.count(HEALTH)
    eventually(lambda: is_idle(hurried))


def test_sending_a_little_now_and_then_buys_no_time(hurried: Serving) -> None:
    with hurried.connect() as wire:
        wire.send(b"GET /healthz HTTP/1.1\r\n")

        def trickle() -> bool:
            try:
                wire.send(b"a: b\r\n")
            except ConnectionError:
                return True
            return False

        eventually(trickle)
    with hurried.connect() as wire:

        def empty_lines() -> bool:
            try:
                wire.send(b"\r\n")
            except ConnectionError:
                return True
            return False

        eventually(empty_lines)
    eventually(lambda: is_idle(hurried))


def test_a_body_without_end_is_not_waited_for(hurried: Serving) -> None:
    token = hurried.token()
    for framing in ("content-length: 100", "transfer-encoding: chunked"):
        with hurried.connect() as wire:
            wire.send(request_bytes("POST", SEARCH, token, b"", framing))
            wire.send(b"4\r\n{   \r\n" if "chunked" in framing else b"{   ")
            answer = wire.read_answer()
            assert (answer.status, answer.code) == (504, "deadline")
            assert wire.read_all() == b""
    eventually(lambda: is_idle(hurried))


def test_a_body_that_trickles_in_after_its_answer_holds_nothing(hurried: Serving) -> None:
    with hurried.connect() as wire:
        wire.send(request_bytes("POST", SEARCH, None, b"", "content-length: 100000000"))
        assert wire.read_answer().status == 401

        def trickle() -> bool:
            try:
                wire.send(b"x")
            except ConnectionError:
                return True
            return False

        eventually(trickle)
    eventually(lambda: is_idle(hurried))


def test_a_connection_whose_last_body_came_late_is_not_kept_for_ever(hurried: Serving) -> None:
    with hurried.connect() as wire:
        wire.send(request_bytes("POST", SEARCH, None, b"", "content-length: 4"))
        assert wire.read_answer().status == 401
        wire.send(b"late")
        assert wire.read_all() == b""
    eventually(lambda: is_idle(hurried))


def test_a_client_that_goes_away_within_its_request_breaks_nothing(served: Serving, token: str) -> None:
    before = requests_seen(served, "memory.search", "cancelled")
    with served.connect() as wire:
        wire.send(request_bytes("POST", SEARCH, token, b"", "content-length: 100", "expect: 100-continue"))
        wire.read_until(b"\r\n\r\n")
        wire.send(b'{"query"')
    eventually(lambda: requests_seen(served, "memory.search", "cancelled") == before + 1)
    assert requests_seen(served, "memory.search", "internal") == 0


def test_a_request_in_progress_is_answered_though_the_next_never_ends(
    hurried: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = hurried.token(GRANTABLE)
    real = hurried.app.journal.status

    async def slow() -> object:
        await asyncio.sleep(0.4)
        return await real()

    monkeypatch.setattr(hurried.app.journal, "status", slow)
    with hurried.connect() as wire:
        wire.send(request_bytes("GET", "/v1/journal/status", token) + b"GET /hea")
        assert wire.read_answer().status == 200
        assert wire.read_all() == b""


def test_nobody_holds_a_connection_by_beginning_tls(tmp_path: Path) -> None:
    with serving(tmp_path / "data", limits=HURRIED, tls=make_certificate(tmp_path)) as server:
        for hello in (b"", b"\x16\x03\x01\x02\x00\x01\x00"):
            with server.connect() as wire:
                assert wire.send(hello).read_all() == b""


# -- clients that do not read


def _not_reading(server: Serving, request: bytes) -> socket.socket:
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.settimeout(WAIT_SECONDS)
    sock.connect(("127.0.0.1", server.port))
    sock.sendall(request)
    return sock


@pytest.fixture(scope="module")
def full(hurried: Serving) -> str:
    """A token, once there is a megabyte to read."""
    client = hurried.owner()
    for n in range(8):
        made = client.post("/v1/journal/events", json={"kind": "test.happened", "payload": {"a": f"{n} " * 60_000}})
        assert made.status_code == 200, made.text
    client.close()
    return hurried.token(GRANTABLE)


@pytest.mark.parametrize("path", [TAIL, f"{TAIL}?follow=true", "/v1/journal/events"])
def test_a_reader_that_stalls_is_let_go(hurried: Serving, full: str, path: str) -> None:
    sock = _not_reading(hurried, request_bytes("GET", path, full))
    try:
        eventually(lambda: bool(hurried.server.server_state.connections))
        eventually(lambda: is_idle(hurried))
        assert not hurried.app.store._listeners
    finally:
        sock.close()


def test_answers_that_nobody_reads_are_not_piled_up(hurried: Serving, full: str) -> None:
    """Small ones: each fits into a buffer, all of them do not."""
    sock = _not_reading(hurried, b"")
    try:
        with suppress(ConnectionError, TimeoutError):
            sock.sendall(b"GET /v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n" * 100_000)
        eventually(lambda: is_idle(hurried))
    finally:
        sock.close()


def test_a_slow_reader_gets_everything(served: Serving, token: str) -> None:
    owner = served.owner()
    for n in range(4):
        owner.post("/v1/journal/events", json={"kind": "test.happened", "payload": {"a": f"{n} " * 60_000}})
    sock = _not_reading(served, request_bytes("GET", f"{TAIL}?kind=test.happened", token, b"", "connection: close"))
    received = bytearray()
    with sock:
        while part := sock.recv(3000):
            received += part
    assert received.endswith(b"\r\n0\r\n\r\n")
    assert received.count(b'"kind":"test.happened"') == 4


# -- floods


def test_too_many_headers_are_refused(served: Serving) -> None:
    flood = b"".join(b"x-%d: y\r\n" % n for n in range(200))
    with served.connect() as wire:
        answer = raw_answer(wire.send(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n" + flood + b"\r\n").read_all())
    assert (answer.status, answer.code) == (413, "too_large")


@pytest.mark.parametrize("end", [b"\r\n\r\n", b""], ids=["whole", "without end"])
def test_too_many_bytes_of_headers_are_refused(served: Serving, end: bytes) -> None:
    for flood in (
        b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: " + b"y" * 60_000,
        b"GET /" + b"y" * 60_000,
        b"G" * 60_000,
    ):
        with served.connect() as wire:
            answer = raw_answer(wire.send(flood + end).read_all())
        assert answer.status in (400, 413), answer


def test_a_flood_on_a_kept_connection_is_refused_too(served: Serving) -> None:
    with served.connect() as wire:
        assert wire.send(HEALTH).read_answer().status == 200
        answer = raw_answer(wire.send(HEALTH[:-2] + b"x: " + b"y" * 60_000).read_all())
    assert (answer.status, answer.code) == (413, "too_large")


def test_a_large_body_is_refused_and_the_answer_can_be_read(served: Serving, token: str) -> None:
    client = served.client(token)
    whole = b'{"query": "' + b"a" * 20_000_000 + b'"}'

    def parts() -> Iterator[bytes]:
        for start in range(0, len(whole), 65_536):
            yield whole[start : start + 65_536]

    before = served.journal_size
    for content in (whole, parts()):
        answer = client.post(SEARCH, content=content, headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    assert client.get("/healthz").status_code == 200
    assert served.journal_size == before


def test_somebody_unknown_cannot_fill_our_memory(served: Serving) -> None:
    for path in ("/console/v1/login", "/nowhere"):
        answer = served.client().post(path, content=b" " * 100_000, headers={"content-type": "application/json"})
        assert answer.json()["error"]["code"] == "too_large"


def test_a_length_that_is_a_lie_is_not_believed(served: Serving, token: str) -> None:
    for length in ("99999999999999999999999999", "-1", "0x10", "1e3", "1,1", "ten", ""):
        with served.connect() as wire:
            head = request_bytes("POST", SEARCH, token, b"", f"content-length: {length}")
            answer = raw_answer(wire.send(head).read_all())
        assert (answer.status, answer.code) == (400, "invalid_argument"), length


def test_pipelined_requests_are_answered_in_order(served: Serving, token: str) -> None:
    paths = ["/healthz", "/v1/journal/status", "/nowhere", "/readyz", "/v1/memory/status"] * 8
    with served.connect() as wire:
        wire.send(b"".join(request_bytes("GET", path, token) for path in paths))
        assert [wire.read_answer().status for _ in paths] == [200, 200, 404, 200, 200] * 8


def test_pipelining_has_an_end(served: Serving) -> None:
    with served.connect() as wire:
        answers = wire.send(HEALTH * 500).read_all()
    assert 1 <= answers.count(b"HTTP/1.1 200 OK") < 500
    assert answers.endswith(b'{"status":"ok"}')


def test_garbage_after_a_request_does_not_spoil_its_answer(served: Serving) -> None:
    with served.connect() as wire:
        answers = wire.send(HEALTH + b"\x00\x01\x02\r\n\r\n" + HEALTH).read_all()
    assert answers.startswith(b"HTTP/1.1 200 OK")
    assert answers.count(b"HTTP/1.1 200") == 1


def test_too_many_connections_are_told_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    directory = tmp_path_factory.mktemp("http") / "data"
    with serving(directory, PALYRA_DAEMON_MAX_CONNECTIONS="3") as server:
        kept = [server.connect() for _ in range(3)]
        for wire in kept:
            assert wire.send(HEALTH).read_answer().status == 200
        with server.connect() as wire:
            answer = raw_answer(wire.read_all())
        assert (answer.status, answer.code) == (429, "exhausted")
        kept.pop().__exit__()
        eventually(lambda: len(server.server.server_state.connections) == 2)
        with server.connect() as wire:
            assert wire.send(HEALTH).read_answer().status == 200
        for wire in kept:
            wire.__exit__()


def test_too_many_requests_are_told_when_to_come_back(tmp_path_factory: pytest.TempPathFactory) -> None:
    with serving(tmp_path_factory.mktemp("http") / "data", rate=RateLimit(1, 5, lambda: 0.0)) as server:
        client = server.client()
        answers = [client.get("/healthz") for _ in range(8)]
    assert [answer.status_code for answer in answers[:5]] == [200] * 5
    last = answers[-1]
    assert (last.status_code, last.json()["error"]["code"], last.headers["retry-after"]) == (429, "exhausted", "1")


# -- bytes that are not quite HTTP

POST = b"POST /healthz HTTP/1.1\r\nhost: localhost\r\n"
GARBAGE = {
    "bytes": bytes(range(256)),
    "NULs": b"\x00" * 4096,
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a version to come": b"GET /healthz HTTP/2.0\r\nhost: localhost\r\n\r\n",
    "no version": b"GET /healthz\r\n\r\n",
    "a method that is none": b"G@T /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "lower case": b"get /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "no path": b"GET  HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "a relative path": b"GET healthz HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "another's address": b"GET http://evil.example/healthz HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "a tunnel": b"CONNECT evil.example:443 HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "an asterisk": b"OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "a space before the colon": b"GET /healthz HTTP/1.1\r\nhost : localhost\r\n\r\n",
    "a header without colon": b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nnonsense\r\n\r\n",
    "a NUL in a header": b"GET /healthz HTTP/1.1\r\nhost: local\x00host\r\n\r\n",
    "a lone return in a header": b"GET /healthz HTTP/1.1\r\nhost: localhost\rx: y\r\n\r\n",
    "letters beyond ASCII in the path": "GET /é HTTP/1.1\r\nhost: localhost\r\n\r\n".encode(),
    "two lengths": POST + b"content-length: 1\r\ncontent-length: 2\r\n\r\nab",
    "a length and chunks": POST + b"content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "a coding we do not know": POST + b"transfer-encoding: gzip\r\n\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE)
def test_what_is_not_http_is_told_so(served: Serving, data: bytes) -> None:
    with served.connect() as wire:
        answer = raw_answer(wire.send(data).read_all())
    assert (answer.status, answer.code) == (400, "invalid_argument")


CHUNKS = [b"zz\r\n{}\r\n", b"-1\r\n", b"ffffffffffffffffff\r\n{", b"2\r\n{}XX0\r\n\r\n"]


@pytest.mark.parametrize("chunk", CHUNKS)
def test_broken_chunks_are_told_so(served: Serving, token: str, chunk: bytes) -> None:
    before = served.journal_size
    with served.connect() as wire:
        wire.send(
            request_bytes("POST", ITEMS, token, b"", "transfer-encoding: chunked", "content-type: application/json")
        )
        answer = raw_answer(wire.send(chunk).read_all())
    assert (answer.status, answer.code) == (400, "invalid_argument")
    assert served.journal_size == before


def test_http_1_0_is_answered_once(served: Serving) -> None:
    with served.connect() as wire:
        answer = wire.send(b"GET /healthz HTTP/1.0\r\nhost: localhost\r\n\r\n").read_all()
    assert answer.startswith(b"HTTP/1.1 200 OK")
    with served.connect() as wire:
        answer = wire.send(b"GET /healthz HTTP/1.0\r\n\r\n").read_all()
    assert raw_answer(answer).code == "permission_denied"


def test_no_other_protocol_is_changed_to(served: Serving) -> None:
    for upgrade in (b"websocket", b"h2c"):
        with served.connect() as wire:
            wire.send(HEALTH[:-2] + b"connection: upgrade\r\nupgrade: " + upgrade + b"\r\n\r\n" + b"\x81\x05hello")
            answer = wire.read_all()
        assert answer.startswith(b"HTTP/1.1 200 OK"), answer
        assert b"connection: close" in answer


def test_whoever_asks_first_is_told_to_continue(served: Serving, token: str) -> None:
    body = b'{"query": "a"}'
    with served.connect() as wire:
        wire.send(request_bytes("POST", SEARCH, token, b"", f"content-length: {len(body)}", "expect: 100-continue"))
        assert wire.read_until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert wire.send(body).read_answer().status == 200


def test_whoever_asks_first_and_may_not_is_told_at_once(served: Serving) -> None:
    with served.connect() as wire:
        wire.send(request_bytes("POST", SEARCH, None, b"", "content-length: 10", "expect: 100-continue"))
        answer = wire.read_answer()
        assert answer.status == 401
        # Nobody could say whether the next bytes are that body.
        assert b"connection: close" in answer.head
        assert wire.read_all() == b""


def test_the_next_request_is_not_taken_for_a_body_that_was_refused(served: Serving) -> None:
    with served.connect() as wire:
        wire.send(request_bytes("POST", SEARCH, None, b"{}") + HEALTH)
        assert [wire.read_answer().status, wire.read_answer().status] == [401, 200]


def test_a_reset_in_the_middle_breaks_nothing(served: Serving, token: str) -> None:
    for request in (HEALTH, request_bytes("GET", TAIL, token), request_bytes("GET", f"{TAIL}?follow=true", token)):
        wire: Wire = served.connect()
        wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with wire:
            wire.send(request)
    eventually(lambda: not served.app.store._listeners)
    assert served.client().get("/healthz").status_code == 200


def test_small_answers_do_not_wait_for_an_acknowledgement() -> None:
    with listen("127.0.0.1", 0) as sock:  # asyncio sends at once only on sockets that say that they are TCP
        assert sock.proto == socket.IPPROTO_TCP


def test_a_port_is_given_to_one_only() -> None:
    with listen("127.0.0.1", 0) as first, pytest.raises(Unavailable, match="is taken by"):
        listen("127.0.0.1", first.getsockname()[1])
    with pytest.raises(Unavailable):
        listen("192.0.2.1", 0)


def test_the_server_still_answers_after_all_of_this(served: Serving, token: str) -> None:
    assert isinstance(client := served.client(token), httpx2.Client)
    assert client.get("/v1/memory/status").status_code == 200
