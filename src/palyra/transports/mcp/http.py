"""MCP over streamable HTTP, without sessions: each POST stands alone, so nothing of a client is kept between them.

The SDK takes a second to load; it is loaded when the first request gets past the gate.
"""

import asyncio
from importlib import import_module
from typing import Any, Literal, TypeVar

import msgspec
from starlette.requests import Request as HttpRequest
from starlette.types import Receive, Scope, Send

from palyra.api import dispatch
from palyra.api.authenticate import Gate
from palyra.api.call import Call, Caller
from palyra.api.operation import AnyOperation, Operation
from palyra.app import App
from palyra.core.errors import InvalidArgument, PalyraError, Unavailable
from palyra.domain.journal import Actor
from palyra.domain.memory import ACTOR_TRUST
from palyra.domain.scope import visibility
from palyra.transports.http.answers import WholeBody, error_answer, json_answer
from palyra.transports.http.guard import HostCheck
from palyra.transports.http.headers import header, standing_headers
from palyra.transports.http.site import read_body
from palyra.transports.limits import RateLimit
from palyra.transports.observe import Observer, public_body
from palyra.wire.base import Request, Response

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=Response)

_SURFACE = "mcp"
_DESK = "palyra.desk"
_CALL_SECONDS = 60.0


class McpEndpoint:
    """An ASGI application. `close` it before the app it serves."""

    def __init__(
        self,
        app: App,
        gate: Gate,
        observer: Observer,
        rate: RateLimit,
        hosts: HostCheck,
        max_body_bytes: int = 1_048_576,
    ) -> None:
        self._app = app
        self._gate = gate
        self._observer = observer
        self._rate = rate
        self._hosts = hosts
        self._max_body_bytes = max_body_bytes
        self._starting = asyncio.Lock()
        self._started = asyncio.Event()
        self._stopping = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._sessions: Any = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        http = HttpRequest(scope, receive)
        try:
            desk = await self._admit(http)
            body = await read_body(http, self._max_body_bytes)
            _check(body)
            answer = await self._ask_sdk({**scope, _DESK: desk}, body, receive)
        except Exception as error:  # noqa: BLE001 - becomes the one shape of an error
            with self._observer.request(_SURFACE, "refused") as seen:
                answer = _refusal(seen.fail(error), seen.request_id)
        await answer(scope, receive, send)

    async def close(self) -> None:
        self._stopping.set()
        if self._running is not None:
            await self._running

    async def _admit(self, http: HttpRequest) -> "CallerDesk":
        self._hosts.check(http)
        shown = self._gate.caller(header(http, "authorization"), *standing_headers(http))
        caller = await self._rate.identify(shown)
        self._rate.admit(caller.name)
        session_id = header(http, "x-palyra-session")
        visibility(caller.principal, None, session_id)
        if http.method != "POST":
            raise _NotPost(f"{http.method} is not served here", hint="POST one JSON-RPC message; there are no sessions")
        return CallerDesk(self._app, caller, session_id)

    async def _ask_sdk(self, scope: Scope, body: bytes, receive: Receive) -> WholeBody:
        if self._stopping.is_set():
            raise Unavailable("palyrad is stopping", hint="repeat in a moment")
        async with self._starting:
            if self._running is None:
                await asyncio.to_thread(import_module, "palyra.transports.mcp.sessions")
                from palyra.transports.mcp.sessions import build_sessions  # noqa: PLC0415 - loads the SDK

                self._sessions = build_sessions(lambda http: http.scope[_DESK], self._observer, self._max_body_bytes)
                self._running = asyncio.create_task(self._run())
        await self._started.wait()
        answer: WholeBody = await self._sessions.answer(scope, body, receive)
        return answer

    async def _run(self) -> None:
        """In a task of its own: what the SDK opens must be closed by whoever opened it."""
        async with self._sessions.run():
            self._started.set()
            await self._stopping.wait()


class CallerDesk:
    """A caller over HTTP, speaking as an agent at most."""

    def __init__(self, app: App, caller: Caller, session_id: str | None) -> None:
        self._call = Call(app, caller)
        self.name = caller.name
        self.actor = Actor.AGENT.value if ACTOR_TRUST[caller.actor] < ACTOR_TRUST[Actor.AGENT] else None
        self.standing: dict[str, Any] = {"principal": None, "channel": None, "session_id": session_id}

    def may(self, operation: AnyOperation) -> bool:
        return self._call.caller.may(operation.needs)

    async def call(self, operation: Operation[Q, R], request: Q) -> R:
        async with asyncio.timeout(_CALL_SECONDS):
            return await dispatch.run(self._call, operation, request)


class _NotPost(InvalidArgument):
    """GET and DELETE belong to sessions, and there are none."""

    http = 405


class _NoMessage(InvalidArgument):
    """Answered as JSON-RPC wants it, with the number it has for this."""

    number: int


class _NoJson(_NoMessage):
    number = -32700


class _NoRequest(_NoMessage):
    number = -32600


class _Envelope(msgspec.Struct):
    jsonrpc: Literal["2.0"]
    method: str
    id: str | int | msgspec.UnsetType = msgspec.UNSET
    params: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


def _check(body: bytes) -> None:
    """One request or notification, before the SDK sees it: its own answer would quote the input."""
    hint = "POST one JSON-RPC 2.0 message"
    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _NoJson("the body is no JSON", hint=hint) from None
    try:
        msgspec.json.decode(body, type=_Envelope)
    except msgspec.ValidationError:
        raise _NoRequest("the body is no single JSON-RPC 2.0 request or notification", hint=hint) from None


def _refusal(error: PalyraError, request_id: str) -> WholeBody:
    body = public_body(error, request_id)
    match error:
        case _NotPost():
            return json_answer(body, error.http, ((b"allow", b"POST"),))
        case _NoMessage():
            shape = {"code": error.number, "message": error.message, "data": body}
            return json_answer({"jsonrpc": "2.0", "id": None, "error": shape}, error.http)
        case _:
            return error_answer(error, request_id)
