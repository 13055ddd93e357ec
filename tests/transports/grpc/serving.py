"""A real server on loopback, and a client that knows only the published table."""

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from palyra.api.authenticate import Gate
from palyra.app import App
from palyra.core.clock import Clock
from palyra.domain.access import Capability
from palyra.domain.journal import Actor
from palyra.domain.tokens import TokenGrant
from palyra.services.tokens import NewToken
from palyra.transports.grpc.server import GrpcServer, make_server
from palyra.transports.limits import RateLimit
from palyra.transports.observe import Metrics, Observer
from support import ANA, an_app
from transports.grpc.wire_table import MEMORY, message

READ, WRITE, FORGET = Capability.READ, Capability.WRITE, Capability.FORGET
EVERYDAY = (READ, WRITE, FORGET)


@dataclass
class Serving:
    app: App
    server: GrpcServer
    metrics: Metrics
    channel: grpc.aio.Channel
    port: int
    secret: str

    async def token(
        self,
        principal: str = "user:ana",
        can: Iterable[Capability] = EVERYDAY,
        *,
        channels: tuple[str, ...] = ("*",),
        actor: Actor = Actor.USER,
        expires_at_ms: int | None = None,
    ) -> NewToken:
        return await self.app.tokens.create(
            TokenGrant(principal, actor, channels, frozenset(can), "", expires_at_ms), ANA
        )

    async def client(self, principal: str = "user:ana", can: Iterable[Capability] = EVERYDAY, **more: Any) -> "Client":
        return Client(self.channel, (await self.token(principal, can, **more)).text)


@dataclass
class Client:
    channel: grpc.aio.Channel
    token: str | None
    metadata: tuple[tuple[str, str], ...] = ()

    async def call(self, method: str, *, seconds: float | None = 30, v: int = 1, **fields: Any) -> Any:
        return await self.send(method, message(f"{method}Request")(v=v, **fields), seconds=seconds)

    async def send(self, method: str, request: Any, *, seconds: float | None = 30) -> Any:
        return await self.start(method, request, seconds=seconds)

    def start(self, method: str, request: Any, *, seconds: float | None = 30) -> Any:
        rpc = self.channel.unary_unary(
            f"/{MEMORY}.MemoryService/{method}",
            request_serializer=None if isinstance(request, bytes) else type(request).SerializeToString,
            response_deserializer=message(f"{method}Response").FromString,
        )
        authorization = () if self.token is None else (("authorization", f"Bearer {self.token}"),)
        return rpc(request, metadata=(*authorization, *self.metadata), timeout=seconds)

    async def ingest(self, text: str, **fields: Any) -> Any:
        return await self.call("IngestMemory", content_text=text, **{"source": 4, **fields})


@asynccontextmanager
async def serving(
    root: Path, clock: Clock | None = None, rate: RateLimit | None = None, port: int = 0, **options: Any
) -> AsyncIterator[Serving]:
    async with an_app(root, clock, PALYRA_MEMORY_EMBEDDINGS_PROVIDER="hash") as app:
        metrics, secret = Metrics(), "the owner's own commands know this"
        server = make_server(app, Gate(app, secret), Observer(metrics), rate or RateLimit(0, 0), **options)
        port = await server.start("127.0.0.1", port)
        try:
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                yield Serving(app, server, metrics, channel, port, secret)
        finally:
            await server.stop(0)


def error_of(failure: grpc.aio.AioRpcError) -> dict[str, Any]:
    """The one shape of an error, out of the trailing metadata."""
    trailing: Any = failure.trailing_metadata()
    found: dict[str, Any] = dict(trailing)
    error: dict[str, Any] = json.loads(found["palyra-error-bin"])["error"]
    assert error["code"] == found["palyra-code"]
    return error


async def status_of(answer: Any) -> grpc.StatusCode:
    """How a call ended."""
    try:
        await answer
    except grpc.aio.AioRpcError as failure:
        return failure.code()
    return grpc.StatusCode.OK
