"""The web console's own doors: signing in and out, the session, the page. A browser shows a cookie, not a token.

A cookie comes along with requests that other pages cause, so whatever changes something must also carry the session's
CSRF token in a header, which only our own page can read.
"""

import hmac
from urllib.parse import parse_qs

from starlette.requests import Request as HttpRequest
from starlette.types import Receive, Scope, Send

from palyra.api.authenticate import standing
from palyra.api.call import Caller
from palyra.core.errors import InvalidArgument, PalyraError, PermissionDenied, Unauthenticated
from palyra.domain.access import GRANTABLE
from palyra.domain.journal import Actor
from palyra.services.console import ConsoleSession
from palyra.transports.http import bundle
from palyra.transports.http.answers import Headers, WholeBody, error_answer, json_answer
from palyra.transports.http.decode import convert, json_object
from palyra.transports.http.headers import standing_headers
from palyra.transports.http.site import Door, Route, Site, Visit
from palyra.wire.base import Request

COOKIE = "palyra_session"
CSRF_HEADER = "x-palyra-csrf"
_HTML = (b"content-type", b"text/html; charset=utf-8")
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
_CSP = (b"content-security-policy", _POLICY.encode())
_PRIVATE = ((b"referrer-policy", b"no-referrer"), (b"x-frame-options", b"DENY"))
_ALONE = (
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_FOR_GOOD = ((b"cache-control", b"public, max-age=31536000, immutable"), (b"x-content-type-options", b"nosniff"))


class SignIn(Request):
    code: str | None = None
    password: str | None = None


def authorize_console_session(site: Site, http: HttpRequest) -> Caller:
    """The person at the console: everything a token can be given, over all principals, each crossing journaled."""
    session = _session(site, http)
    if http.method not in ("GET", "HEAD"):
        shown = http.headers.get(CSRF_HEADER, "")
        if not hmac.compare_digest(shown.encode(), session.csrf_token.encode()):
            raise PermissionDenied(
                f"the {CSRF_HEADER} header is missing or wrong", hint="GET /console/v1/session has the token"
            )
    principal = site.app.settings.memory.default_principal
    caller = Caller(principal, GRANTABLE, Actor.USER, None, None, "the console")
    return standing(caller, *standing_headers(http))


def _session(site: Site, http: HttpRequest) -> ConsoleSession:
    session_id = _shown_session(http)
    if not session_id:
        raise Unauthenticated("not signed in to the console", hint="palyra console link prints a link to sign in with")
    return site.app.console.session(session_id)


def _shown_session(http: HttpRequest) -> str:
    return http.cookies.get(COOKIE, "")


async def _follow_link(visit: Visit) -> WholeBody:
    query = parse_qs(visit.http.scope["query_string"].decode("latin-1"))
    if len(query.get("code", ())) != 1:
        raise InvalidArgument("the link has no code", hint="palyra console link prints a whole one")
    console = visit.site.app.console
    session_id = console.redeem(query["code"][0])
    console.end(_shown_session(visit.http))
    return WholeBody(b"", 303, ((b"location", b"/console/"), _cookie(visit, session_id), *_PRIVATE))


def _refuse_link(http: HttpRequest, error: PalyraError, request_id: str) -> WholeBody:
    """To a person with a browser the page, which says what is wrong with the link and offers another way in."""
    if error.http == 401 and "text/html" in http.headers.get("accept", ""):
        return WholeBody(bundle.page(), 401, (_HTML, _CSP, *_PRIVATE, *_ALONE))
    return error_answer(error, request_id)


async def _sign_in(visit: Visit) -> WholeBody:
    asked = convert(json_object(visit.http, visit.body), SignIn)
    console = visit.site.app.console
    if (asked.code is None) == (asked.password is None):
        raise InvalidArgument("give a code or a password", hint='{"code": "…"} or {"password": "…"}')
    if asked.code is not None:
        session_id = console.redeem(asked.code)
    else:
        session_id = await console.sign_in(asked.password or "")
    console.end(_shown_session(visit.http))
    return json_answer(_describe(visit, console.session(session_id)), headers=(_cookie(visit, session_id),))


async def _show_session(visit: Visit) -> WholeBody:
    return json_answer(_describe(visit, _session(visit.site, visit.http)))


async def _sign_out(visit: Visit) -> WholeBody:
    visit.site.app.console.end(_shown_session(visit.http))
    return json_answer({"signed_in": False}, headers=(_cookie(visit, "", max_age=0),))


async def _page(_visit: Visit) -> WholeBody:
    """The same for everybody: the page itself asks whether somebody is signed in, and stays where a link led to."""
    return WholeBody(bundle.page(), 200, (_HTML, _CSP, *_PRIVATE, *_ALONE))


class _Kept:
    """An answer that a browser may keep, unlike all others."""

    def __init__(self, body: bytes, headers: Headers) -> None:
        self._body = body
        self._headers = [*headers, *_FOR_GOOD, (b"content-length", b"%d" % len(body))]

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self._headers})
        await send({"type": "http.response.body", "body": self._body})


async def _asset(visit: Visit) -> _Kept:
    found = bundle.asset(visit.http.path_params["name"])
    headers = ((b"content-type", found.content_type), (b"vary", b"accept-encoding"), *_ALONE[1:2])
    if "gzip" in visit.http.headers.get("accept-encoding", ""):
        return _Kept(found.gzipped, (*headers, (b"content-encoding", b"gzip")))
    return _Kept(found.plain, headers)


async def _to_console(_visit: Visit) -> WholeBody:
    return WholeBody(b"", 303, ((b"location", b"/console/"),))


def _describe(visit: Visit, session: ConsoleSession) -> dict[str, object]:
    return {
        "signed_in": True,
        "principal": visit.site.app.settings.memory.default_principal,
        "csrf_token": session.csrf_token,
    }


def _cookie(visit: Visit, session_id: str, max_age: int = 30 * 86_400) -> tuple[bytes, bytes]:
    secure = "; Secure" if visit.http.url.scheme == "https" else ""
    value = f"{COOKIE}={session_id}; Path=/; HttpOnly; SameSite=Strict; Max-Age={max_age}{secure}"
    return b"set-cookie", value.encode()


ROUTES = (
    Route("console.home", "GET", "/", Door.ANYONE, None, _to_console),
    Route("console.page", "GET", "/console/", Door.ANYONE, None, _page),
    Route("console.asset", "GET", "/console/assets/{name}", Door.ANYONE, None, _asset),
    Route("console.follow_link", "GET", "/console/login", Door.ANYONE, None, _follow_link, _refuse_link),
    Route("console.sign_in", "POST", "/console/v1/login", Door.ANYONE, None, _sign_in),
    Route("console.session", "GET", "/console/v1/session", Door.CONSOLE, None, _show_session),
    Route("console.sign_out", "POST", "/console/v1/logout", Door.CONSOLE, None, _sign_out),
)
