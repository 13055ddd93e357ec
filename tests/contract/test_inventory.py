"""Every way in, and who may take it: walked with every credential that must not work.

A new route, method or tool is walked without anybody adding it here; one that is open to anyone must be added below.
"""

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from contract.samples import request_of
from palyra.api import learning, memory
from palyra.api.operations import OPERATIONS
from palyra.core.clock import ManualClock
from palyra.domain.access import GRANTABLE, PERSONS_ONLY, Capability
from palyra.domain.tokens import read_token
from palyra.transports.grpc import learning as grpc_learning
from palyra.transports.grpc import service
from palyra.transports.grpc.generated import learning_pb2, memory_pb2
from palyra.transports.http.console import COOKIE, CSRF_HEADER
from palyra.transports.http.server import ROUTES
from palyra.transports.http.site import Door, Route
from palyra.transports.mcp.tools import TOOLS
from support import ANA
from transports.http.support import Serving, serving

OPEN_TO_ANYONE = {
    ("GET", "/healthz"),
    ("HEAD", "/healthz"),
    ("GET", "/readyz"),
    ("HEAD", "/readyz"),
    ("GET", "/v1/openapi.json"),
    ("GET", "/"),
    ("GET", "/console/"),
    ("GET", "/console/assets/{name}"),
    ("GET", "/console/login"),
    ("POST", "/console/v1/login"),
}
"""alive, ready, what there is, the console's pages, and its way in"""

OPEN_TO_WHOEVER_IS_SIGNED_IN = {("GET", "/console/v1/session"), ("POST", "/console/v1/logout")}

OPEN_TO_WHOEVER_READS_OR_WRITES = {
    ("POST", "/v1/chat/completions"),
    ("POST", "/v1/responses"),
    ("POST", "/v1/messages"),
    ("POST", "/v1/messages/count_tokens"),
    ("GET", "/v1/models"),
    ("GET", "/v1/models/{model_id}"),
}
"""the proxy: with less than both of them, there is less of memory in it"""

GUARDED = [route for route in ROUTES if route.door is not Door.ANYONE]
FOR_PROGRAMS = [route for route in GUARDED if route.door in (Door.BEARER, Door.API_KEY)]
WITH_AN_API_KEY = [route for route in GUARDED if route.door is Door.API_KEY]
FOR_THE_CONSOLE = [route for route in GUARDED if route.door is Door.CONSOLE]
OPERATION_NAMES = {operation.name for operation in OPERATIONS}


def title(route: Route) -> str:
    return f"{route.method} {route.path}"


def ask(client: httpx2.Client, route: Route, **headers: str) -> httpx2.Response:
    name = route.name.removeprefix("console.") if route.door is Door.CONSOLE else route.name
    if name in OPERATION_NAMES:
        return client.request(**request_of(name, route.method, route.path), headers=headers)
    return client.request(route.method, route.path, headers=headers)


def refused(answer: httpx2.Response, status: int, code: str) -> None:
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text
    assert "set-cookie" not in answer.headers


@dataclass
class Walk:
    served: Serving
    clock: ManualClock
    strangers: dict[str, httpx2.Client]
    """what they show is no credential, or none any more"""
    lacking: dict[Capability, httpx2.Client]
    """may do everything else"""
    neither_reads_nor_writes: httpx2.Client
    ana: httpx2.Client
    """speaks for herself alone"""
    browser: httpx2.Client
    browsers_strangers: dict[str, httpx2.Client]


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    clock = ManualClock()
    with serving(tmp_path_factory.mktemp("http") / "data", clock) as served:
        session = served.browser().cookies[COOKIE]
        strangers = _strangers(served, clock)
        clock.advance(served.app.settings.console.session_hours * 3_600_000)
        lacking = {one: served.client(served.token(GRANTABLE - {one})) for one in Capability}
        neither = served.client(served.token(GRANTABLE - {Capability.READ, Capability.WRITE}))
        ana = served.client(served.token(GRANTABLE - {Capability.ANY_PRINCIPAL}))
        browsers = {
            "no cookie": served.client(),
            "an empty cookie": served.client(cookie=f"{COOKIE}="),
            "a cookie of nothing": served.client(cookie=f"{COOKIE}={secrets.token_urlsafe(32)}"),
            "an expired session": served.client(cookie=f"{COOKIE}={session}"),
            "the owner's secret": served.owner(),
            "a token": served.anybody_who_may(),
        }
        yield Walk(served, clock, strangers, lacking, neither, ana, served.browser(), browsers)


def _strangers(served: Serving, clock: ManualClock) -> dict[str, httpx2.Client]:
    def shows(authorization: str) -> httpx2.Client:
        return served.client(authorization=authorization)

    expired = served.token(GRANTABLE, expires_at_ms=clock.ms + 1)
    revoked, good = served.token(GRANTABLE), served.token(GRANTABLE)
    found = read_token(revoked)
    assert found is not None
    served.run(served.app.tokens.revoke(found[0], ANA))
    another_secret = f"{good.rpartition('_')[0]}_{secrets.token_urlsafe(32)}"
    return {
        "nothing": served.client(),
        "an empty header": shows(""),
        "another scheme": shows("Basic YW5hOmFuYQ=="),
        "a scheme alone": shows("Bearer"),
        "a word": shows("Bearer please"),
        "a token without its scheme": shows(good),
        "a token that nobody made": shows(f"Bearer pal_01ARZ3NDEKTSV4RRFFQ69G5FAV_{secrets.token_urlsafe(32)}"),
        "a token with another secret": shows(f"Bearer {another_secret}"),
        "an expired token": shows(f"Bearer {expired}"),
        "a revoked token": shows(f"Bearer {revoked}"),
        "a token in a cookie": served.client(cookie=f"{COOKIE}={good}"),
    }


def test_only_these_are_open_to_anyone() -> None:
    assert {(route.method, route.path) for route in ROUTES if route.door is Door.ANYONE} == OPEN_TO_ANYONE


def test_every_other_route_says_who_may_call_it() -> None:
    silent = {(route.method, route.path) for route in GUARDED if not isinstance(route.needs, Capability)}
    assert silent == OPEN_TO_WHOEVER_IS_SIGNED_IN | OPEN_TO_WHOEVER_READS_OR_WRITES


def test_every_served_operation_has_its_route_and_no_route_is_there_twice() -> None:
    routes = [(route.method, route.path) for route in ROUTES]
    assert len(routes) == len(set(routes))
    assert {(row.method, row.path) for row in OPERATIONS if row.is_served} <= set(routes)
    for row in OPERATIONS:
        if row.is_served:
            [route] = [route for route in FOR_PROGRAMS if (route.method, route.path) == (row.method, row.path)]
            assert route.needs is row.needs


@pytest.mark.parametrize("route", FOR_PROGRAMS, ids=title)
def test_nobody_comes_in_without_a_credential_that_is_good_now(walk: Walk, route: Route) -> None:
    size = walk.served.journal_size
    for client in walk.strangers.values():
        answer = ask(client, route)
        refused(answer, 401, "unauthenticated")
        assert answer.headers["www-authenticate"] == "Bearer"
    assert walk.served.journal_size == size


@pytest.mark.parametrize("route", [route for route in FOR_PROGRAMS if route.needs is not None], ids=title)
def test_whoever_lacks_the_capability_is_refused(walk: Walk, route: Route) -> None:
    assert route.needs is not None
    size = walk.served.journal_size
    refused(ask(walk.lacking[route.needs], route), 403, "permission_denied")
    # What only a person may do leaves a note that somebody tried, and nothing else.
    assert walk.served.journal_size == size + (route.needs in PERSONS_ONLY)


@pytest.mark.parametrize("route", [route for route in WITH_AN_API_KEY if route.needs is None], ids=title)
def test_whoever_may_neither_read_nor_write_is_refused(walk: Walk, route: Route) -> None:
    size = walk.served.journal_size
    refused(ask(walk.neither_reads_nor_writes, route), 403, "permission_denied")
    assert walk.served.journal_size == size


@pytest.mark.parametrize("route", WITH_AN_API_KEY, ids=title)
def test_nobody_comes_in_with_an_api_key_that_is_none(walk: Walk, route: Route) -> None:
    size = walk.served.journal_size
    for client in walk.strangers.values():
        shown = client.headers.get("authorization", "").removeprefix("Bearer")
        if not shown.startswith("pal_"):  # a token as it is: that is what the header is for
            refused(ask(walk.served.client(), route, **{"x-api-key": shown.strip()}), 401, "unauthenticated")
    assert walk.served.journal_size == size


@pytest.mark.parametrize("route", FOR_PROGRAMS, ids=title)
def test_nobody_speaks_for_another_principal_unasked(walk: Walk, route: Route) -> None:
    size = walk.served.journal_size
    refused(ask(walk.ana, route, **{"x-palyra-principal": "user:bob"}), 403, "permission_denied")
    assert walk.served.journal_size == size


SPEAK_FOR = {row.name for row in OPERATIONS if "principal" in row.request.__struct_fields__}


@pytest.mark.parametrize("route", [route for route in FOR_PROGRAMS if route.name in SPEAK_FOR], ids=title)
def test_nobody_names_another_principal_in_a_request(walk: Walk, route: Route) -> None:
    size = walk.served.journal_size
    sample: dict[str, Any] = request_of(route.name, route.method, route.path)
    for place in ("params", "json"):
        if place in sample:
            sample[place] = {**sample[place], "principal": "user:bob"}
    refused(walk.ana.request(**sample), 403, "permission_denied")
    assert walk.served.journal_size == size


@pytest.mark.parametrize("route", FOR_THE_CONSOLE, ids=title)
def test_no_console_without_a_session(walk: Walk, route: Route) -> None:
    size = walk.served.journal_size
    for client in walk.browsers_strangers.values():
        refused(ask(client, route, **{CSRF_HEADER: walk.browser.headers[CSRF_HEADER]}), 401, "unauthenticated")
    assert walk.served.journal_size == size


@pytest.mark.parametrize("route", [route for route in FOR_THE_CONSOLE if route.method != "GET"], ids=title)
def test_nothing_is_changed_at_the_console_without_its_csrf_token(walk: Walk, route: Route) -> None:
    size = walk.served.journal_size
    bare = walk.served.client(cookie=f"{COOKIE}={walk.browser.cookies[COOKIE]}")
    refused(ask(bare, route), 403, "permission_denied")
    refused(ask(bare, route, **{CSRF_HEADER: secrets.token_urlsafe(24)}), 403, "permission_denied")
    assert walk.served.journal_size == size
    assert ask(walk.browser, GET_SESSION).status_code == 200


[GET_SESSION] = [route for route in FOR_THE_CONSOLE if route.name == "console.session"]


@pytest.mark.parametrize("route", FOR_PROGRAMS, ids=title)
def test_whoever_may_comes_in(walk: Walk, route: Route) -> None:
    """The other half of the proof: it was the credential that was refused, and nothing else about the request."""
    client = walk.served.owner() if route.needs is Capability.OWN else walk.lacking[Capability.OWN]
    assert ask(client, route).status_code not in (401, 403)


@pytest.mark.parametrize("route", [r for r in FOR_THE_CONSOLE if r.name != "console.sign_out"], ids=title)
def test_whoever_is_signed_in_comes_in(walk: Walk, route: Route) -> None:
    assert ask(walk.served.browser(), route).status_code not in (401, 403)


# -- the other surfaces: who may call them is walked in tests/transports/grpc and tests/transports/mcp


def test_every_method_of_grpc_is_an_operation_of_the_table() -> None:
    for module, rows, messages, name in (
        (service, memory, memory_pb2, "MemoryService"),
        (grpc_learning, learning, learning_pb2, "LearningService"),
    ):
        source = Path(str(module.__file__)).read_text("utf-8")
        found = [getattr(rows, row) for row in re.findall(r"\bmethod\(api\.(\w+),", source)]
        assert len(found) == len(messages.DESCRIPTOR.services_by_name[name].methods)
        assert {row.name for row in found} <= OPERATION_NAMES


def test_a_tool_of_mcp_that_does_what_only_a_person_may_is_offered_to_nobody_else() -> None:
    rows = {row.name: row for row in OPERATIONS}
    made_of_others = {"memory.reflect"}
    assert {tool.operation for tool in TOOLS} - made_of_others <= OPERATION_NAMES
    for tool in TOOLS:
        if tool.operation not in made_of_others:
            needs = rows[tool.operation].needs
            assert needs is not Capability.OWN
            assert tool.reserved is (rows[tool.operation] if needs in PERSONS_ONLY else None), tool.name
