"""The gRPC server: memory, learning, health and reflection on one port, in the loop of whoever starts it."""

import asyncio
import errno
import logging
import socket
from typing import TYPE_CHECKING

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from palyra.api.authenticate import Gate
from palyra.core.errors import Unavailable
from palyra.transports.grpc import learning, service
from palyra.transports.grpc.answering import Answering
from palyra.transports.limits import RateLimit
from palyra.transports.observe import Observer
from palyra.transports.ports import port_taken

if TYPE_CHECKING:
    from palyra.app import App

_SERVICES = (service.SERVICE_NAME, learning.SERVICE_NAME)
_METADATA_BYTES = 16_384
_STREAMS_PER_CONNECTION = 100
_OPEN_PER_ANSWERED = 16
"""calls that have only begun, without a message or a token yet, cost little but not nothing"""
_WATCHERS = 64
_FAREWELL_SECONDS = 0.2


def make_server(
    app: "App",
    gate: Gate,
    observer: Observer,
    rate: RateLimit,
    *,
    tls: tuple[bytes, bytes] | None = None,
    max_message_bytes: int = 4_194_304,
    max_concurrent_rpcs: int = 256,
) -> "GrpcServer":
    """`tls`: the certificate chain and its private key, both PEM; without it the port is plain text."""
    logging.getLogger("grpc._cython.cygrpc").addFilter(_names_no_metadata)
    slots = asyncio.Semaphore(max_concurrent_rpcs)
    answering = Answering(app, gate, observer, rate, max_message_bytes, slots)
    return GrpcServer(answering, tls, max_message_bytes, _OPEN_PER_ANSWERED * max_concurrent_rpcs)


class GrpcServer:
    """Start once, stop once."""

    def __init__(
        self, answering: Answering, tls: tuple[bytes, bytes] | None, max_message_bytes: int, max_open_rpcs: int
    ) -> None:
        self._tls = tls
        self._health = _Health()
        self._server = grpc.aio.server(options=_options(max_message_bytes), maximum_concurrent_rpcs=max_open_rpcs)
        services = (service.MemoryService(answering), learning.LearningService(answering))
        self._server.add_generic_rpc_handlers(tuple(one.rpc_handler() for one in services))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        shown = (*_SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(shown, self._server)

    async def start(self, host: str, port: int) -> int:
        """Listens there and says on which port; 0 lets the system choose one."""
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        if port and _is_taken(host, port):
            raise port_taken(host, port, "--grpc-port", "daemon.grpc_port")
        try:
            if self._tls is None:
                bound = self._server.add_insecure_port(address)
            else:
                chain, key = self._tls
                bound = self._server.add_secure_port(address, grpc.ssl_server_credentials([(key, chain)]))
        except RuntimeError:
            hint = "choose another address, or --grpc-port -1 for no gRPC"
            if self._tls is not None:
                hint += "; or is the certificate no PEM chain that fits its key?"
            raise Unavailable(f"gRPC cannot listen on {address}", hint=hint) from None
        for name in _SERVICES:
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        await self._server.start()
        return bound

    async def stop(self, grace_seconds: float) -> None:
        """Takes nothing new; what is being answered has `grace_seconds` to end."""
        await self._health.enter_graceful_shutdown()
        self._health.let_go()
        await self._server.stop(grace_seconds)


class _Health(health.aio.HealthServicer):  # type: ignore[name-defined,misc]  # the stubs leave `aio` out
    """Lets go of who watches when the server stops: a watch never ends by itself, and would use up all the grace."""

    def __init__(self) -> None:
        super().__init__()
        self._watching: set[asyncio.Timeout] = set()

    async def Watch(  # noqa: N802 - the name on the wire
        self,
        request: health_pb2.HealthCheckRequest,
        context: "grpc.aio.ServicerContext[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse]",
    ) -> None:
        if len(self._watching) >= _WATCHERS:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{_WATCHERS} callers watch already")
        try:
            async with asyncio.timeout(None) as until:
                self._watching.add(until)
                try:
                    await super().Watch(request, context)
                finally:
                    self._watching.discard(until)
        except TimeoutError:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "this server stops")

    def let_go(self) -> None:
        """Soon: that we stop should reach them first."""
        soon = asyncio.get_running_loop().time() + _FAREWELL_SECONDS
        for until in self._watching:
            until.reschedule(soon)


def _is_taken(host: str, port: int) -> bool:
    """Asked before grpcio tries, which says that it failed, but not why."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, port))
        except OSError as error:
            return error.errno == errno.EADDRINUSE
    return False


def _names_no_metadata(record: logging.LogRecord) -> bool:
    """grpcio logs a metadata value that is not UTF-8, whole and in the clear: it may well be a credential."""
    return "Invalid encoding" not in str(record.msg)


def _options(max_message_bytes: int) -> tuple[tuple[str, int], ...]:
    return (
        # grpcio's own answer to a message that is too long is RESOURCE_EXHAUSTED, without a word of ours. Up to twice
        # the limit a message comes in, to be told so; what is longer is not worth the memory.
        ("grpc.max_receive_message_length", 2 * max_message_bytes),
        ("grpc.max_metadata_size", _METADATA_BYTES),
        ("grpc.absolute_max_metadata_size", 2 * _METADATA_BYTES),
        ("grpc.max_concurrent_streams", _STREAMS_PER_CONNECTION),
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
        ("grpc.so_reuseport", 0),  # a second daemon on the same port must fail, not take half of the calls
    )
