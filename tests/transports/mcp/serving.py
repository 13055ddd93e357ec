"""The MCP surface as a client meets it: a real uvicorn on loopback with real tokens, and `palyra mcp` as a process."""

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import uvicorn
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from palyra.api import access, dispatch, journal
from palyra.api.authenticate import Gate
from palyra.api.call import Call, owner
from palyra.app import App
from palyra.transports.http.guard import HostCheck
from palyra.transports.limits import RateLimit
from palyra.transports.mcp.http import McpEndpoint
from palyra.transports.observe import Metrics, Observer
from palyra.wire.access import CreateToken
from palyra.wire.journal import GetStatus
from shell import PALYRA, Shell
from support import an_app

MODES = ("2026-07-28", "legacy")
HASH = {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash"}
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@dataclass
class Site:
    app: App
    url: str
    secret: str
    metrics: Metrics

    async def token(self, principal: str = "user:ana", *capabilities: str, actor: str = "agent") -> str:
        made = await dispatch.run(
            Call(self.app, owner("user:local")),
            access.create,
            CreateToken(principal=principal, actor=actor, capabilities=capabilities or ("read", "write")),
        )
        return made.token

    async def size(self) -> int:
        """Of the journal: whatever is written makes it longer."""
        status = await dispatch.run(Call(self.app, owner("user:local")), journal.status, GetStatus())
        return status.size

    @asynccontextmanager
    async def client(self, token: str, mode: str = MODES[0], **given: Any) -> AsyncIterator[Client]:
        async with (
            httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=30) as http,
            Client(streamable_http_client(self.url, http_client=http), mode=mode, **given) as client,
        ):
            yield client

    async def post(self, body: bytes, token: str | None = None, **headers: str) -> httpx2.Response:
        shown = {} if token is None else {"authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(timeout=30) as http:
            return await http.post(self.url, content=body, headers={**JSON, **shown, **headers})


@asynccontextmanager
async def a_site(root: Path, *, per_second: int = 0, max_body_bytes: int = 1_048_576) -> AsyncIterator[Site]:
    secret, metrics = secrets.token_urlsafe(32), Metrics()
    async with an_app(root, PALYRA_MEMORY_EMBEDDINGS_PROVIDER="hash") as app:
        endpoint = McpEndpoint(
            app,
            Gate(app, secret),
            Observer(metrics),
            RateLimit(per_second, per_second, lambda: 0.0),
            HostCheck(frozenset()),
            max_body_bytes,
        )
        config = uvicorn.Config(endpoint, lifespan="off", http="httptools", log_level="critical")
        server = uvicorn.Server(config)
        # With the protocol named: asyncio turns Nagle's algorithm off only then.
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.bind(("127.0.0.1", 0))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield Site(app, f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", secret, metrics)
        finally:
            server.should_exit = True
            await serving
            await endpoint.close()


@asynccontextmanager
async def over_stdio(shell: Shell, *options: str, mode: str = MODES[0], **given: Any) -> AsyncIterator[Client]:
    arguments = [*PALYRA[1:], "mcp", *options]
    started = StdioServerParameters(command=PALYRA[0], args=arguments, env={**shell.environment, **HASH})
    async with Client(stdio_client(started), mode=mode, **given) as client:
        yield client


def text_of(result: Any) -> str:
    return str(result.content[0].text)
