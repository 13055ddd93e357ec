"""The server itself: health, reflection, deadlines, limits, TLS, draining, and bytes that are no gRPC at all."""

import asyncio
import datetime
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
import uvloop
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from palyra.api.handlers import HANDLERS
from palyra.core.errors import Unavailable
from support import run
from transports.grpc.serving import Client, error_of, serving, status_of
from transports.grpc.wire_table import MEMORY, message

SERVICE = f"{MEMORY}.MemoryService"
SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING


def _slow(monkeypatch: pytest.MonkeyPatch, operation: str) -> tuple[asyncio.Event, asyncio.Event, asyncio.Event]:
    """(it has begun, let it go on, it was cancelled)"""
    begun, go_on, cancelled = asyncio.Event(), asyncio.Event(), asyncio.Event()
    work: Callable[..., Awaitable[Any]] = HANDLERS[operation]

    async def slowly(call: Any, request: Any) -> Any:
        begun.set()
        try:
            await go_on.wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return await work(call, request)

    monkeypatch.setitem(HANDLERS, operation, slowly)
    return begun, go_on, cancelled


def test_health_says_serving_to_whoever_asks(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            health: Any = health_pb2_grpc.HealthStub(up.channel)
            for name in ("", SERVICE):
                answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
                assert answer.status == SERVING
            unknown = health.Check(health_pb2.HealthCheckRequest(service="other"))
            assert await status_of(unknown) is grpc.StatusCode.NOT_FOUND

    run(story())


def test_who_watches_sees_the_server_stop_and_holds_nothing_up(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            health: Any = health_pb2_grpc.HealthStub(up.channel)
            watch = health.Watch(health_pb2.HealthCheckRequest(service=SERVICE))
            assert (await watch.read()).status == SERVING
            started = asyncio.get_running_loop().time()
            await up.server.stop(30)
            assert asyncio.get_running_loop().time() - started < 5
            assert (await watch.read()).status == NOT_SERVING

    run(story())


def test_watchers_are_counted(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            health: Any = health_pb2_grpc.HealthStub(up.channel)
            watches = [health.Watch(health_pb2.HealthCheckRequest()) for _ in range(64)]
            for watch in watches:
                assert (await watch.read()).status == SERVING
            one_more = health.Watch(health_pb2.HealthCheckRequest())
            assert await status_of(one_more.read()) is grpc.StatusCode.RESOURCE_EXHAUSTED
            watches[0].cancel()
            ana = await up.client()
            assert await status_of(ana.call("ListMemoryItems")) is grpc.StatusCode.OK

    run(story())


def test_reflection_lists_the_services_and_describes_ours(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            reflection: Any = reflection_pb2_grpc.ServerReflectionStub(up.channel)  # type: ignore[arg-type]  # the stubs forget aio
            requests = [
                reflection_pb2.ServerReflectionRequest(list_services=""),
                reflection_pb2.ServerReflectionRequest(file_containing_symbol=SERVICE),
            ]
            listed, described = [answer async for answer in reflection.ServerReflectionInfo(iter(requests))]
            names = {service.name for service in listed.list_services_response.service}
            assert {SERVICE, "grpc.health.v1.Health"} <= names
            assert len(described.file_descriptor_response.file_descriptor_proto) == 2

    run(story())


def test_a_deadline_ends_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        begun, _, cancelled = _slow(monkeypatch, "memory.search")
        async with serving(tmp_path) as up:
            ana = await up.client()
            late = ana.call("SearchMemory", query="x", seconds=0.3)
            assert await status_of(late) is grpc.StatusCode.DEADLINE_EXCEEDED
            assert begun.is_set()
            async with asyncio.timeout(5):
                await cancelled.wait()
            assert await status_of(ana.call("ListMemoryItems")) is grpc.StatusCode.OK

    run(story())


def test_a_caller_who_goes_away_ends_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        begun, _, cancelled = _slow(monkeypatch, "memory.search")
        async with serving(tmp_path) as up:
            ana = await up.client()
            call = ana.start("SearchMemory", message("SearchMemoryRequest")(v=1, query="x"))
            async with asyncio.timeout(5):
                await begun.wait()
                call.cancel()
                await cancelled.wait()
            assert await call.code() is grpc.StatusCode.CANCELLED

    run(story())


def test_what_was_written_when_time_ran_out_stays_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        begun, go_on, _ = _slow(monkeypatch, "memory.get")  # the item is read back after it is stored
        async with serving(tmp_path) as up:
            ana = await up.client()
            late = ana.call("IngestMemory", source=4, content_text="Written in time", seconds=1)
            assert await status_of(late) is grpc.StatusCode.DEADLINE_EXCEEDED
            assert begun.is_set()
            go_on.set()
            [item] = (await ana.call("ListMemoryItems")).items
            assert item.content_text == "Written in time"

    run(story())


def test_draining_lets_a_call_finish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        begun, go_on, _ = _slow(monkeypatch, "memory.retain")
        async with serving(tmp_path) as up:
            ana = await up.client()
            call = asyncio.ensure_future(ana.ingest("On its way"))
            async with asyncio.timeout(10):
                await begun.wait()
                stopping = asyncio.ensure_future(up.server.stop(10))
                await asyncio.sleep(0.05)
                go_on.set()
                assert (await call).item.content_text == "On its way"
                await stopping

    run(story())


def test_more_calls_at_once_than_allowed_are_turned_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        begun, go_on, _ = _slow(monkeypatch, "memory.search")
        async with serving(tmp_path, max_concurrent_rpcs=1) as up:
            ana = await up.client()
            first = asyncio.ensure_future(ana.call("SearchMemory", query="x"))
            async with asyncio.timeout(5):
                await begun.wait()
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await ana.call("ListMemoryItems")
            assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert error_of(caught.value)["code"] == "exhausted"
            go_on.set()
            await first
            assert await status_of(ana.call("ListMemoryItems")) is grpc.StatusCode.OK

    run(story())


def test_calls_that_were_broken_off_leave_room_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        _slow(monkeypatch, "memory.search")
        async with serving(tmp_path, max_concurrent_rpcs=1) as up:
            ana = await up.client()
            for _ in range(20):
                call = ana.start("SearchMemory", message("SearchMemoryRequest")(v=1, query="x"), seconds=0.03)
                assert await status_of(call) is grpc.StatusCode.DEADLINE_EXCEEDED
                async with asyncio.timeout(5):
                    while await status_of(ana.call("ListMemoryItems")) is not grpc.StatusCode.OK:
                        pass  # the server may learn of the deadline a moment later

    run(story())


def test_a_message_over_the_limit_is_too_large_and_says_so(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path, max_message_bytes=100_000) as up:
            ana = await up.client()
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await ana.call("SearchMemory", query="x" * 150_000)
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert error_of(caught.value)["code"] == "too_large"
            far_too_large = ana.call("SearchMemory", query="x" * 300_000)
            assert await status_of(far_too_large) is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert await status_of(ana.call("ListMemoryItems")) is grpc.StatusCode.OK

    run(story())


def test_metadata_over_the_limit_is_turned_away(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            token = (await up.token()).text
            loud = Client(up.channel, token, (("x-note", "x" * 60_000),))
            assert await status_of(loud.call("ListMemoryItems")) is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert await status_of(Client(up.channel, token).call("ListMemoryItems")) is grpc.StatusCode.OK

    run(story())


def test_a_port_that_is_taken_is_one_clear_error(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path / "a") as first:
            with pytest.raises(Unavailable, match="is taken by"):
                async with serving(tmp_path / "b", port=first.port):
                    pass

    run(story())


def test_a_certificate_that_is_none_is_one_clear_error(tmp_path: Path) -> None:
    async def story() -> None:
        with pytest.raises(Unavailable) as caught:
            async with serving(tmp_path, tls=(b"no chain", b"no key")):
                pass
        assert "certificate" in caught.value.hint

    run(story())


def test_it_runs_under_uvloop_too(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            ana = await up.client()
            await ana.ingest("Runs under uvloop")
            assert len((await ana.call("SearchMemory", query="uvloop")).hits) == 1

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(story())


def test_with_a_certificate_it_speaks_tls_and_nothing_else(tmp_path: Path) -> None:
    chain, key = _certificate()

    async def story() -> None:
        async with serving(tmp_path, tls=(chain, key)) as up:
            token = (await up.token()).text
            assert await status_of(Client(up.channel, token).call("ListMemoryItems")) is grpc.StatusCode.UNAVAILABLE
            trusting = grpc.ssl_channel_credentials(root_certificates=chain)
            async with grpc.aio.secure_channel(f"localhost:{up.port}", trusting) as channel:
                assert await status_of(Client(channel, token).call("ListMemoryItems")) is grpc.StatusCode.OK

    run(story())


def _certificate() -> tuple[bytes, bytes]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(serialization.Encoding.PEM), private


NO_TEXT = (b"\xff\xfe\x80", b"Bearer \xc3\x28", b"\x00\x01", b"a\x7fb")


def test_metadata_that_is_no_text_breaks_nothing_and_is_not_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        async with serving(tmp_path) as up:
            for name in (b"authorization", b"x-palyra-channel", b"x-palyra-device-id", b"x-note", b"x-note-bin"):
                for value in NO_TEXT:
                    assert await asyncio.to_thread(_call_by_hand, up.port, name, value)
            for deadline in (b"99999999H", b"1n", b"never"):
                assert await asyncio.to_thread(_call_by_hand, up.port, b"grpc-timeout", deadline)
            ana = await up.client()
            assert await status_of(ana.call("ListMemoryItems")) is grpc.StatusCode.OK
            broken = up.metrics.requests.labels("grpc", "memory.list", "internal")
            assert broken._value.get() == 0
            assert "encoding" not in caplog.text

    run(story())


def _call_by_hand(port: int, name: bytes, value: bytes) -> bytes:
    """Frames as grpcio's own client would never send them, and what is answered to them at once."""
    headers = b"".join(
        _header(*pair)
        for pair in (
            (b":method", b"POST"),
            (b":scheme", b"http"),
            (b":path", f"/{SERVICE}/ListMemoryItems".encode()),
            (b":authority", b"localhost"),
            (b"te", b"trailers"),
            (b"content-type", b"application/grpc"),
            (name, value),
        )
    )
    opening = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(4, 0, 0, b"")
    call = _frame(1, 4, 1, headers) + _frame(0, 1, 1, b"\x00\x00\x00\x00\x02\x08\x01")
    heard = b""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as sock, suppress(TimeoutError):
        sock.sendall(opening + call)
        sock.settimeout(0.1)
        while chunk := sock.recv(65_536):
            heard += chunk
    return heard


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3) + bytes((kind, flags)) + stream.to_bytes(4) + payload


def _header(name: bytes, value: bytes) -> bytes:
    """An HPACK literal without indexing, for values below 127 bytes."""
    return b"\x00" + bytes((len(name),)) + name + bytes((len(value),)) + value
