"""The HTTP site: every door with who may come through it, and what every request passes on its way in."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.types import ASGIApp, Receive, Scope, Send

from palyra.api.authenticate import Gate
from palyra.api.call import Caller
from palyra.app import App
from palyra.core.errors import Cancelled, Deadline, PalyraError, TooLarge, Unavailable
from palyra.domain.access import Capability
from palyra.transports.http.answers import JsonLines, WholeBody, error_answer
from palyra.transports.http.guard import HostCheck
from palyra.transports.http.headers import header, standing_headers
from palyra.transports.limits import RateLimit
from palyra.transports.observe import Observed, Observer

BODY_SECONDS = 30.0
ANYONES_BODY_BYTES = 16_384
"""of somebody unknown: enough to sign in"""
_DISCARDED_BYTES = 33_554_432
"""of a body that is too large: a client that is still sending would never read the answer"""


class Door(Enum):
    """How a caller shows who it is."""

    ANYONE = "anyone"
    BEARER = "bearer"
    API_KEY = "api_key"
    """as a bearer, or with the same token in `x-api-key`, where Anthropic's clients put it"""
    CONSOLE = "console"


Reply: TypeAlias = "WholeBody | JsonLines | ASGIApp"


@dataclass(frozen=True, slots=True)
class Visit:
    """One request on its way through."""

    site: "Site"
    http: HttpRequest
    caller: Caller | None
    """None where anyone may come"""
    body: bytes
    seen: Observed


def _refuse(_http: HttpRequest, error: PalyraError, request_id: str) -> WholeBody:
    return error_answer(error, request_id)


@dataclass(frozen=True, slots=True)
class Route:
    name: str
    method: str
    path: str
    door: Door
    needs: Capability | None
    """None: whoever comes through the door"""
    answer: Callable[[Visit], Awaitable[Reply]]
    refuse: Callable[[HttpRequest, PalyraError, str], WholeBody] = _refuse
    """an error in the shape its clients know"""


class Site:
    """What routes share."""

    def __init__(
        self,
        app: App,
        gate: Gate,
        observer: Observer,
        rate: RateLimit,
        hosts: HostCheck,
        max_body_bytes: int,
        authorize_console_session: "Callable[[Site, HttpRequest], Caller]",
        body_seconds: float = BODY_SECONDS,
    ) -> None:
        self.app = app
        self.gate = gate
        self.observer = observer
        self.rate = rate
        self.hosts = hosts
        self.max_body_bytes = max_body_bytes
        self.authorize_console_session = authorize_console_session
        self.body_seconds = body_seconds
        self.stopping = asyncio.Event()
        self.ready = False
        self.exits = AsyncExitStack()
        """what routes have opened for all their requests: closed after the last one, before the app"""


def endpoint(site: Site, route: Route) -> ASGIApp:
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        http = HttpRequest(scope, receive)
        with site.observer.request("http", route.name) as seen:
            try:
                reply = await _answer(site, route, http, seen)
            except Exception as error:  # noqa: BLE001 - becomes the one shape of an error
                reply = route.refuse(http, seen.fail(error), seen.request_id)
            except asyncio.CancelledError:  # by the server alone, when it has waited long enough for us to finish
                stopping = Unavailable("palyrad is stopping", hint="repeat; under its request id nothing is done twice")
                reply = route.refuse(http, seen.fail(stopping), seen.request_id)
            await reply(scope, receive, send)

    return serve


async def _answer(site: Site, route: Route, http: HttpRequest, seen: Observed) -> Reply:
    site.hosts.check(http)
    caller = await _caller(site, route, http)
    if caller is not None:
        seen.caller = caller.name
        site.rate.admit(caller.name)
    limit = ANYONES_BODY_BYTES if caller is None else site.max_body_bytes
    body = await read_body(http, limit, site.body_seconds)
    return await route.answer(Visit(site, http, caller, body, seen))


async def _caller(site: Site, route: Route, http: HttpRequest) -> Caller | None:
    if route.door is Door.ANYONE:
        site.rate.admit("anyone")
        return None
    return await site.rate.identify(_shown(site, route.door, http))


async def _shown(site: Site, door: Door, http: HttpRequest) -> Caller:
    if door is Door.CONSOLE:
        return site.authorize_console_session(site, http)
    shown = header(http, "authorization")
    if door is Door.API_KEY and shown is None and (key := header(http, "x-api-key")):
        shown = f"Bearer {key}"
    return await site.gate.caller(shown, *standing_headers(http))


async def read_body(http: HttpRequest, limit: int, seconds: float = BODY_SECONDS) -> bytes:
    """At most `limit` bytes, and not for ever."""
    announced = http.headers.get("content-length", "0")
    size = int(announced) if announced.isascii() and announced.isdigit() else 0
    parts: list[bytes] = []
    total = 0
    try:
        async with asyncio.timeout(seconds):
            async for part in http.stream():
                total += len(part)
                if total <= limit:
                    parts.append(part)
                    continue
                parts.clear()
                if total > _DISCARDED_BYTES:
                    break
    except TimeoutError:
        raise Deadline(f"the body did not arrive within {seconds:g} s", hint="send it faster") from None
    except ClientDisconnect:
        raise Cancelled("the client went away before its request was whole", hint="send all of it") from None
    if total > limit:
        raise TooLarge(f"the body has {max(size, total)} bytes; at most {limit}", hint="send less at once")
    return b"".join(parts)
