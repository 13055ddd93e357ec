"""`palyrad`: settings, the app, every surface in one task group, signals, drain.

Stopping loses nothing: no new connection is taken, what was accepted is finished, streams end with a line that says
so, and only then is the journal closed.
"""

import argparse
import asyncio
import gc
import ipaddress
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from palyra.api.authenticate import Gate
from palyra.api.running import Running, announce, find_daemon, retract
from palyra.app import App, build_app
from palyra.core.errors import FailedPrecondition, PalyraError
from palyra.core.redact import redact_text
from palyra.settings import DaemonSettings, Settings, load, quiet_grpc
from palyra.transports import logs, observe
from palyra.transports.collect import AppCollector
from palyra.transports.http.console import authorize_console_session
from palyra.transports.http.guard import HostCheck
from palyra.transports.http.server import HttpServer, check_tls, listen, make_asgi
from palyra.transports.http.site import Site
from palyra.transports.limits import RateLimit
from palyra.transports.mcp.http import McpEndpoint
from palyra.transports.observe import Metrics, Observer

if TYPE_CHECKING:
    from palyra.transports.grpc.server import GrpcServer


COLLECT_AFTER = 20_000
"""objects made before the interpreter looks for cycles; its own 700 cost a tenth of what long work takes"""

_LOOK_SECONDS = 1.0
"""how often it looks whether the journal is lost to it"""


@dataclass(frozen=True, slots=True)
class Started:
    """What a person wants to know when it is up."""

    http: str
    grpc: str
    data_dir: Path
    embedding_model: str
    chat_model: str
    """with what is wrong with it, if anything is"""
    login_link: str
    events: int


def main() -> None:
    """`palyrad`: for service managers. `palyra serve` is the same with a screen for people."""
    parser = argparse.ArgumentParser(prog="palyrad", description="Serves one journal over HTTP, gRPC and MCP.")
    flags = {"data-dir": "daemon.data_dir", "host": "daemon.host", "port": "daemon.http_port"}
    flags["grpc-port"] = "daemon.grpc_port"
    for flag, key in flags.items():
        parser.add_argument(f"--{flag}", dest=key, metavar=flag.upper(), help=f"setting {key}")
    given = {key: value for key, value in vars(parser.parse_args()).items() if value is not None}
    try:
        loaded = load(given)
        for warning in loaded.warnings:
            sys.stderr.write(f"warning: {redact_text(str(warning)).text}\n")
        run(loaded.settings, _log_start)
    except PalyraError as error:
        body = redact_text(f"{error.message}  [{error.code}]   hint: {error.hint}").text
        sys.exit(_complain(body, error.exit_code))


def _complain(message: str, exit_code: int) -> int:
    sys.stderr.write(f"error: {message}\n")
    return exit_code


def _log_start(started: Started) -> None:
    observe.log.info(
        "ready", http=started.http, grpc=started.grpc, data_dir=str(started.data_dir), model=started.embedding_model
    )


def run(settings: Settings, started: Callable[[Started], None]) -> None:
    """Serves until SIGINT or SIGTERM. `started` is called once everything listens."""
    logs.configure(settings.daemon.log_level, settings.daemon.log_format)
    check_exposure(settings.daemon)
    if (other := find_daemon(settings.data_dir)) is not None:
        raise FailedPrecondition(
            f"a daemon serves {settings.data_dir} already, at {other.http} (process {other.pid})",
            hint=f"use that one, or stop it: kill {other.pid}",
        )
    gc.set_threshold(COLLECT_AFTER, 10, 10)
    with asyncio.Runner(loop_factory=_fast_loop()) as runner:
        runner.run(serve(settings, started))


async def serve(settings: Settings, started: Callable[[Started], None]) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    # The port first: somebody else's daemon there should be found out before a journal is opened.
    sock = listen(settings.daemon.host, settings.daemon.http_port)
    try:
        async with build_app(settings, wait_seconds=5.0, serving=True) as app:
            await _serve_app(app, sock, stop, started)
            if app.store.db.is_lost and app.store.db.broken is not None:
                raise app.store.db.broken  # its exit code is one on which a service manager starts another
    finally:
        sock.close()


async def _serve_app(app: App, sock: socket.socket, stop: asyncio.Event, started: Callable[[Started], None]) -> None:
    daemon, secret = app.settings.daemon, secrets.token_urlsafe(32)
    loading = asyncio.create_task(app.memory.follower.prepare())  # on a thread, while the surfaces are put up
    observer = Observer(Metrics())
    observer.metrics.registry.register(AppCollector(app))
    rate = RateLimit(daemon.requests_per_second, 2 * daemon.requests_per_second)
    gate = Gate(app, secret)
    hosts = HostCheck(_allowed_hosts(daemon))
    site = Site(app, gate, observer, rate, hosts, daemon.max_body_bytes, authorize_console_session)
    mcp = McpEndpoint(app, gate, observer, rate, hosts)
    asgi = make_asgi(site, {"/mcp": mcp})
    grpc = _make_grpc(app, gate, observer, rate)
    try:
        grpc_port = None if grpc is None else await grpc.start(daemon.host, daemon.grpc_port)
    except PalyraError:
        loading.cancel()
        await asyncio.gather(loading, return_exceptions=True)  # nobody else would take what became of it
        raise
    tls = _tls_files(daemon)
    sockets = [(sock, tls)]
    if tls is not None:
        # The owner's own commands come by loopback, where no certificate fits.
        sockets.append((listen("127.0.0.1", 0), None))
    servers = [
        HttpServer(asgi, max_connections=daemon.max_connections, drain_seconds=daemon.drain_seconds, tls=files)
        for _, files in sockets
    ]
    async with asyncio.TaskGroup() as surfaces:
        for server, (listener, _) in zip(servers, sockets, strict=True):
            surfaces.create_task(server.serve([listener]))
            await server.listening.wait()
        await loading  # ready means ready to search
        site.ready = True
        address = f"{'https' if tls else 'http'}://{_shown(daemon)}:{sock.getsockname()[1]}"
        grpc_address = "" if grpc_port is None else f"{_shown(daemon)}:{grpc_port}"
        own_address = f"http://127.0.0.1:{sockets[-1][0].getsockname()[1]}" if tls else address
        announce(app.directory.root, Running(os.getpid(), own_address, grpc_address, secret))
        size, _ = await app.journal.head()
        link = f"{address}/console/login?code={app.console.new_link_code()}"
        chat = await _chat_model(app)
        gc.freeze()  # what is there now stays: no need to look through it again and again
        started(Started(address, grpc_address, app.directory.root, app.memory.follower.identity, chat, link, size))
        surfaces.create_task(_load_encoder(app))  # behind: nobody has to wait for it to be served
        surfaces.create_task(_stop_if_lost(app, stop))
        await stop.wait()
        retract(app.directory.root)
        site.ready = False
        site.stopping.set()
        for server in servers:
            server.stop()
        if grpc is not None:
            await grpc.stop(daemon.drain_seconds)
    await mcp.close()
    await site.exits.aclose()


async def _stop_if_lost(app: App, stop: asyncio.Event) -> None:
    """What this process cannot mend, the next one may."""
    while not stop.is_set():
        if app.store.db.is_lost:
            stop.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS):
                await stop.wait()


async def _load_encoder(app: App) -> None:
    encoder = app.memory.encoder
    if encoder is None:
        return
    try:
        await asyncio.to_thread(encoder.load)
    except PalyraError as error:  # sentences are read by their words alone
        observe.log.warning("no sentence encoder", error=redact_text(error.message).text)


async def _chat_model(app: App) -> str:
    """Made before somebody talks to it: some bring a tokenizer that takes a second to load."""
    try:
        await asyncio.to_thread(lambda: app.model)
    except PalyraError as error:  # memory works without one
        observe.log.warning("no chat", error=redact_text(error.message).text)
        return f"{app.chat_model}: {redact_text(error.message).text} ({error.hint})"
    return app.chat_model


def check_exposure(daemon: DaemonSettings) -> None:
    """Beyond loopback only with TLS and a name: tokens must not cross a network in the clear."""
    if bool(daemon.tls_certificate) != bool(daemon.tls_key):
        raise FailedPrecondition(
            "daemon.tls_certificate and daemon.tls_key belong together", hint="set both, or neither"
        )
    for name, file in (("tls_certificate", daemon.tls_certificate), ("tls_key", daemon.tls_key)):
        if file and not Path(file).expanduser().is_file():
            raise FailedPrecondition(f"daemon.{name}: there is no file {file!r}", hint="give a PEM file")
    if (tls := _tls_files(daemon)) is not None:
        check_tls(*tls)
    if _is_loopback(daemon.host):
        return
    missing = [
        name
        for name, value in (
            ("daemon.tls_certificate and daemon.tls_key", daemon.tls_key),
            ("daemon.allowed_hosts", daemon.allowed_hosts),
        )
        if not value
    ]
    if missing:
        raise FailedPrecondition(
            f"listening on {daemon.host!r} would offer this memory to the network without {' and '.join(missing)}",
            hint="set them, or listen on 127.0.0.1",
        )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _allowed_hosts(daemon: DaemonSettings) -> frozenset[str]:
    return frozenset(name.strip() for name in daemon.allowed_hosts.split(",") if name.strip())


def _tls_files(daemon: DaemonSettings) -> tuple[Path, Path] | None:
    if not daemon.tls_certificate:
        return None
    return Path(daemon.tls_certificate).expanduser(), Path(daemon.tls_key).expanduser()


def _make_grpc(app: App, gate: Gate, observer: Observer, rate: RateLimit) -> "GrpcServer | None":
    if app.settings.daemon.grpc_port < 0:
        return None
    quiet_grpc()
    from palyra.transports.grpc.server import make_server  # noqa: PLC0415 - grpc is loaded only where it is served

    tls = _tls_files(app.settings.daemon)
    return make_server(
        app, gate, observer, rate, tls=None if tls is None else (tls[0].read_bytes(), tls[1].read_bytes())
    )


def _shown(daemon: DaemonSettings) -> str:
    """The name to call it by: an address that means "everywhere" is none."""
    names = sorted(_allowed_hosts(daemon))
    if daemon.host in ("0.0.0.0", "::") and names:  # noqa: S104 - looked for, not bound to
        return names[0]
    return f"[{daemon.host}]" if ":" in daemon.host else daemon.host


def _fast_loop() -> "Callable[[], asyncio.AbstractEventLoop] | None":
    if sys.platform == "win32":
        return None
    import uvloop  # noqa: PLC0415 - not everywhere

    return uvloop.new_event_loop
