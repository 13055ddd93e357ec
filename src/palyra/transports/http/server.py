"""The HTTP server: routes, a socket, and an end that loses nothing."""

import asyncio
import contextlib
import errno
import re
import resource
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import uvicorn
from starlette.exceptions import HTTPException
from starlette.routing import Route as StarletteRoute
from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send

from palyra.core.errors import FailedPrecondition, InvalidArgument, NotFound, PalyraError, Unavailable
from palyra.transports.http import console, operations, probes
from palyra.transports.http.answers import error_answer
from palyra.transports.http.connection import ConnectionLimits, GuardedConnection
from palyra.transports.http.proxy import routes as proxy
from palyra.transports.http.site import Door, Route, Site, Visit, endpoint
from palyra.transports.ports import port_taken

_BACKLOG = 2_048
_OTHER_FILES = 256

ROUTES: tuple[Route, ...] = (*probes.ROUTES, *console.ROUTES, *operations.ROUTES, *proxy.ROUTES)
"""Every way in, with who may take it."""


def make_asgi(site: Site, mounts: dict[str, ASGIApp] | None = None) -> ASGIApp:
    """`mounts`: other surfaces that speak HTTP, by their exact path."""
    mounted = mounts or {}
    made = {(route.method, route.path): endpoint(site, route) for route in ROUTES}
    fixed = {route: asgi for route, asgi in made.items() if "{" not in route[1]}
    router = Router([_starlette(*route, asgi) for route, asgi in made.items()], redirect_slashes=False)
    nowhere = {kind: endpoint(site, _no_route(kind)) for kind in ("not_found", "wrong_method")}

    async def asgi(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if (other := mounted.get(scope["path"])) is not None:
            await other(scope, receive, send)
            return
        if b"%2f" in scope["raw_path"].lower():  # decoded it would part what is one name
            await nowhere["not_found"](scope, receive, send)
            return
        if (known := fixed.get((scope["method"], scope["path"]))) is not None:  # most of them, without a search
            await known(scope, receive, send)
            return
        scope["app"] = site  # has Starlette raise what it would otherwise answer itself
        try:
            await router(scope, receive, send)
        except HTTPException as error:
            await nowhere["wrong_method" if error.status_code == 405 else "not_found"](scope, receive, send)

    return asgi


def _starlette(method: str, path: str, asgi: ASGIApp) -> StarletteRoute:
    route = StarletteRoute(path, _Endpoint(asgi), methods=[method])
    route.methods = {method}  # Starlette adds HEAD, which would follow a link that works once
    return route


class _Endpoint:
    """Starlette wraps functions and leaves objects alone."""

    def __init__(self, asgi: ASGIApp) -> None:
        self._asgi = asgi

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._asgi(scope, receive, send)


def _no_route(kind: str) -> Route:
    async def answer(visit: Visit) -> ASGIApp:
        http = visit.http
        error: PalyraError
        if kind == "not_found":
            error = NotFound(f"nothing is at {http.url.path[:128]!r}", hint="GET /v1/openapi.json lists what there is")
            return error_answer(visit.seen.fail(error), visit.seen.request_id)
        allowed = sorted(route.method for route in ROUTES if _matches(route.path, http.url.path))
        error = InvalidArgument(f"{http.method} is not possible here", hint=f"use {' or '.join(allowed)}")
        answer = error_answer(visit.seen.fail(error), visit.seen.request_id, 405)
        answer.headers += ((b"allow", ", ".join(allowed).encode()),)
        return answer

    return Route(kind, "ANY", "", Door.ANYONE, None, answer)


def _matches(pattern: str, path: str) -> bool:
    return re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(pattern)), path) is not None


class HttpServer(uvicorn.Server):
    """uvicorn with our own signals, our own socket and a guard on every connection."""

    def __init__(
        self,
        asgi: ASGIApp,
        *,
        max_connections: int,
        drain_seconds: int,
        tls: tuple[Path, Path] | None = None,
        limits: ConnectionLimits | None = None,
    ) -> None:
        self.listening = asyncio.Event()
        self._limits = limits or ConnectionLimits()
        self._max_connections = max_connections
        self._protocol: Any = type(
            "Connection",
            (GuardedConnection,),
            {"limits": self._limits, "max_connections": max_connections},
        )
        certificate, key = (str(tls[0]), str(tls[1])) if tls else (None, None)
        super().__init__(
            uvicorn.Config(
                asgi,
                http=self._protocol,
                ws="none",
                lifespan="off",
                loop="none",
                log_config=None,
                log_level="error",  # whoever sends garbage does not write our log
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=drain_seconds,
                ssl_certfile=certificate,
                ssl_keyfile=key,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn does it, but nobody holds a connection by beginning TLS and saying no more."""
        _allow_open_files(self._max_connections)
        ssl_only: dict[str, Any] = {"ssl_handshake_timeout": self._limits.header_seconds} if self.config.ssl else {}
        loop = asyncio.get_running_loop()
        self.servers = [
            await loop.create_server(self._connection, sock=sock, ssl=self.config.ssl, backlog=_BACKLOG, **ssl_only)
            for sock in sockets or ()
        ]
        self.started = True
        self.listening.set()

    def _connection(self) -> GuardedConnection:
        made: GuardedConnection = self._protocol(self.config, self.server_state, {})
        return made

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # the daemon listens for signals

    def stop(self) -> None:
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        # Whoever took too long was cancelled; the journal is closed once they are really gone.
        await asyncio.gather(*self.server_state.tasks, return_exceptions=True)


def _allow_open_files(connections: int) -> None:
    """Each connection is an open file, and what a process may usually have is less than what we promise to take."""
    least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * connections + _OTHER_FILES
    if least < wanted:
        allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))


def check_tls(certificate: Path, key: Path) -> None:
    """Refuses what no server could use, and a key behind a passphrase: nobody is there to type it."""
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key, password="")
    except (OSError, ValueError) as error:
        raise FailedPrecondition(
            f"{certificate} and {key} cannot be used for TLS: {error}",
            hint="give a certificate and the key that belongs to it, both in PEM format, the key without passphrase",
        ) from None


def listen(host: str, port: int) -> socket.socket:
    """Ours from now on: two that only bind would both believe they have the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With its protocol named: otherwise asyncio lets every small answer wait for an acknowledgement.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
        sock.listen(_BACKLOG)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            raise port_taken(host, port, "--port", "daemon.http_port") from None
        raise Unavailable(
            f"cannot listen on {host} port {port}: {error.strerror}", hint="choose another address: --host and --port"
        ) from None
    return sock
