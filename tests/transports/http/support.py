"""The real HTTP server over a real app, on a loopback socket and a thread of its own; and ways to speak to it."""

import asyncio
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx2

from palyra.api.authenticate import Gate
from palyra.app import App, build_app
from palyra.core.clock import Clock
from palyra.daemon import _fast_loop
from palyra.domain.access import GRANTABLE, Capability
from palyra.domain.journal import Actor
from palyra.domain.tokens import TokenGrant
from palyra.settings import load
from palyra.transports.collect import AppCollector
from palyra.transports.http.connection import ConnectionLimits
from palyra.transports.http.console import COOKIE, CSRF_HEADER, authorize_console_session
from palyra.transports.http.guard import HostCheck
from palyra.transports.http.server import HttpServer, listen, make_asgi
from palyra.transports.http.site import Site
from palyra.transports.limits import RateLimit
from palyra.transports.observe import Metrics, Observer
from support import ANA

T = TypeVar("T")

READ, WRITE, FORGET = Capability.READ, Capability.WRITE, Capability.FORGET
EVERYDAY = (READ, WRITE, FORGET)
OWNER_SECRET = "what the owner's own commands know"  # noqa: S105 - of a server that lives for one test
_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""not used, but otherwise made for every client, with all the world's certificates"""
WAIT_SECONDS = 20.0
"""for what must happen at all; nothing that passes waits that long"""


@dataclass
class Serving:
    app: App
    site: Site
    server: HttpServer
    port: int
    loop: asyncio.AbstractEventLoop
    _clients: list[httpx2.Client] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def journal_size(self) -> int:
        return self.app.store.chain.size

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """In the server's own loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(WAIT_SECONDS)

    def token(
        self,
        can: Iterable[Capability] = EVERYDAY,
        principal: str = "user:ana",
        *,
        channels: tuple[str, ...] = ("*",),
        actor: Actor = Actor.USER,
        expires_at_ms: int | None = None,
    ) -> str:
        grant = TokenGrant(principal, actor, channels, frozenset(can), "", expires_at_ms)
        return self.run(self.app.tokens.create(grant, ANA)).text

    def client(self, token: str | None = None, **headers: str) -> httpx2.Client:
        """Closed with the server."""
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        made = httpx2.Client(base_url=self.url, headers=headers, timeout=WAIT_SECONDS, verify=_TLS, trust_env=False)
        self._clients.append(made)
        return made

    def owner(self) -> httpx2.Client:
        return self.client(OWNER_SECRET)

    def anybody_who_may(self) -> httpx2.Client:
        """With everything that a token can be given."""
        return self.client(self.token(GRANTABLE))

    def link_code(self) -> str:
        return self.app.console.new_link_code()

    def browser(self) -> httpx2.Client:
        """Signed in to the console, with its CSRF token."""
        made = self.client()
        answer = made.post("/console/v1/login", json={"code": self.link_code()})
        assert answer.status_code == 200, answer.text
        # httpx2 keeps cookies per host as a browser would.
        assert made.cookies.get(COOKIE)
        made.headers[CSRF_HEADER] = answer.json()["csrf_token"]
        return made

    def connect(self) -> "Wire":
        return Wire(socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_SECONDS))

    def close_clients(self) -> None:
        for client in self._clients:
            client.close()


class Wire:
    """One connection, byte by byte."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._unread = b""

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_error: object) -> None:
        self.sock.close()

    def send(self, data: bytes) -> "Wire":
        self.sock.sendall(data)
        return self

    def read_all(self) -> bytes:
        """Until the server hangs up, whichever way it does."""
        parts = [self._unread]
        self._unread = b""
        try:
            while part := self.sock.recv(65_536):
                parts.append(part)
        except ConnectionError:
            pass
        return b"".join(parts)

    def read_until(self, end: bytes) -> bytes:
        while end not in self._unread:
            part = self.sock.recv(65_536)
            assert part, f"hung up after {self._unread!r}"
            self._unread += part
        found, _, self._unread = self._unread.partition(end)
        return found + end

    def read_answer(self) -> "RawAnswer":
        """One answer with a content-length."""
        head = self.read_until(b"\r\n\r\n")
        size = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        while len(self._unread) < size:
            part = self.sock.recv(65_536)
            assert part, "hung up within a body"
            self._unread += part
        body, self._unread = self._unread[:size], self._unread[size:]
        return RawAnswer(head, body)


@dataclass(frozen=True)
class RawAnswer:
    head: bytes
    body: bytes

    @property
    def status(self) -> int:
        return int(self.head.split()[1])

    @property
    def code(self) -> str:
        return str(json.loads(self.body)["error"]["code"])


def raw_answer(data: bytes) -> RawAnswer:
    head, _, body = data.partition(b"\r\n\r\n")
    return RawAnswer(head, body)


def request_bytes(method: str, path: str, token: str | None = None, body: bytes = b"", *more: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1", *more]
    if token is not None:
        lines.append(f"authorization: Bearer {token}")
    if body:
        lines.append(f"content-length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


@contextmanager
def serving(
    root: Path,
    clock: Clock | None = None,
    *,
    limits: ConnectionLimits | None = None,
    body_seconds: float = WAIT_SECONDS,
    rate: RateLimit | None = None,
    drain_seconds: int = 5,
    tls: tuple[Path, Path] | None = None,
    **settings: str,
) -> Iterator[Serving]:
    """Until the block ends; then it is stopped as the daemon stops it, and must have stopped."""
    environ = {"PALYRA_MEMORY_EMBEDDINGS_PROVIDER": "hash", **settings}
    app = build_app(load({"daemon.data_dir": str(root)}, environ).settings, clock, wait_seconds=5, serving=True)
    up: list[Serving] = []
    ready, broke = threading.Event(), []

    async def serve() -> None:
        sock = listen("127.0.0.1", 0)
        async with app:
            daemon = app.settings.daemon
            observer = Observer(Metrics())
            observer.metrics.registry.register(AppCollector(app))
            site = Site(
                app,
                Gate(app, OWNER_SECRET),
                observer,
                rate or RateLimit(0, 0),
                HostCheck(frozenset()),
                daemon.max_body_bytes,
                authorize_console_session,
                body_seconds=body_seconds,
            )
            server = HttpServer(
                make_asgi(site),
                max_connections=daemon.max_connections,
                drain_seconds=drain_seconds,
                tls=tls,
                limits=limits or ConnectionLimits(),
            )
            running = asyncio.create_task(server.serve([sock]))
            await server.listening.wait()
            site.ready = True
            up.append(Serving(app, site, server, sock.getsockname()[1], asyncio.get_running_loop()))
            ready.set()
            await running
            await site.exits.aclose()

    def work() -> None:
        try:
            with asyncio.Runner(loop_factory=_fast_loop()) as runner:  # as the daemon does
                runner.run(serve())
        except BaseException as error:  # noqa: BLE001 - raised again where somebody looks
            broke.append(error)
        finally:
            ready.set()

    thread = threading.Thread(target=work, name="http server")
    thread.start()
    ready.wait(WAIT_SECONDS)
    if broke:
        thread.join()
        raise broke[0]
    try:
        yield up[0]
    finally:
        up[0].close_clients()
        stop(up[0])
        thread.join(WAIT_SECONDS)
        assert not thread.is_alive(), "the server did not stop"
        if broke:
            raise broke[0]


def stop(served: Serving) -> None:
    """As a signal does."""

    def begin() -> None:
        served.site.ready = False
        served.site.stopping.set()
        served.server.stop()

    served.loop.call_soon_threadsafe(begin)


def eventually(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT_SECONDS
    while not holds():
        assert time.monotonic() < until, "it never came true"
        time.sleep(0.005)


def is_idle(server: Serving) -> bool:
    state = server.server.server_state
    return not state.connections and not state.tasks


def requests_seen(server: Serving, operation: str, code: str) -> float:
    labels = {"surface": "http", "operation": operation, "code": code}
    return server.site.observer.metrics.registry.get_sample_value("palyra_requests_total", labels) or 0.0
