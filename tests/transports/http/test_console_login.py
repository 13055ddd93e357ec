"""Signing in to the console: once per link, throttled by password, and nothing without the cookie and its token."""

import re
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import httpx2
import pytest

from palyra.api.operations import OPERATIONS
from palyra.core.clock import ManualClock
from palyra.core.hashing import sha256
from palyra.domain.access import Capability
from palyra.services import console
from palyra.services.console import ATTEMPTS, ATTEMPTS_MS, LINK_MS, LINKS, LONGEST_SESSION_MS
from palyra.transports.http.console import COOKIE, CSRF_HEADER
from palyra.transports.http.server import ROUTES
from transports.http.support import Serving, serving

HOUR_MS = 3_600_000
IDLE_MS = 12 * HOUR_MS
LOGIN, SESSION, ITEMS = "/console/v1/login", "/console/v1/session", "/console/v1/memory/items"
PASSWORD = secrets.token_hex(10)


@pytest.fixture(scope="module")
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, clock: ManualClock) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("http") / "data", clock) as server:
        yield server


def code_of(answer: httpx2.Response) -> str:
    return str(answer.json()["error"]["code"])


def set_password(served: Serving, password: str | None) -> None:
    answer = served.owner().post("/v1/console/password", json={"password": password})
    assert answer.status_code == 200, answer.text


# -- links


def test_a_link_signs_one_browser_in_once(served: Serving) -> None:
    link = f"/console/login?code={served.link_code()}"
    browser = served.client()
    answer = browser.get(link)
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/")
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert browser.get(SESSION).json()["signed_in"] is True
    again = served.client().get(link)
    assert (again.status_code, code_of(again)) == (401, "unauthenticated")
    assert "set-cookie" not in again.headers


def test_the_code_of_a_link_can_be_posted_too(served: Serving) -> None:
    code = served.link_code()
    answer = served.client().post(LOGIN, json={"code": code})
    assert answer.status_code == 200
    assert set(answer.json()) == {"signed_in", "principal", "csrf_token"}
    assert served.client().post(LOGIN, json={"code": code}).status_code == 401


def test_looking_at_a_link_does_not_use_it_up(served: Serving) -> None:
    link = f"/console/login?code={served.link_code()}"
    assert served.client().head(link).status_code == 405
    assert served.client().get(link).status_code == 303


def test_a_link_grows_old(served: Serving, clock: ManualClock) -> None:
    fresh, old = served.link_code(), served.link_code()
    clock.advance(LINK_MS - 1)
    assert served.client().get(f"/console/login?code={fresh}").status_code == 303
    clock.advance(1)
    assert served.client().get(f"/console/login?code={old}").status_code == 401


def test_only_so_many_links_wait_to_be_followed(served: Serving) -> None:
    codes = [served.link_code() for _ in range(LINKS + 1)]
    assert served.client().post(LOGIN, json={"code": codes[0]}).status_code == 401
    assert served.client().post(LOGIN, json={"code": codes[1]}).status_code == 200


@pytest.mark.parametrize("query", ["", "?code=", "?code=a&code=b", "?kode=x", "?code=%ff", "?code=%00", "?code=é"])
def test_a_link_without_its_code_is_no_link(served: Serving, query: str) -> None:
    answer = served.client().get(f"/console/login{query}")
    assert answer.status_code in (400, 401)
    assert "set-cookie" not in answer.headers


BAD_SIGN_INS: list[Any] = [{}, {"code": "a", "password": "b"}, {"code": 5}, [], {"user": "ana"}, None, {"code": ""}]


@pytest.mark.parametrize("body", BAD_SIGN_INS)
def test_a_sign_in_that_is_none_is_refused(served: Serving, body: Any) -> None:
    answer = served.client().post(LOGIN, json=body)
    assert code_of(answer) == ("unauthenticated" if body == {"code": ""} else "invalid_argument")
    assert "set-cookie" not in answer.headers


def test_a_form_cannot_sign_in(served: Serving) -> None:
    """A page elsewhere can post a form without asking us first, but no JSON."""
    content = b'{"code": "' + served.link_code().encode() + b'"}'
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        answer = served.client().post(LOGIN, content=content, headers={"content-type": kind})
        assert (answer.status_code, code_of(answer)) == (400, "invalid_argument")


# -- the password


@pytest.fixture
def with_password(served: Serving, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    """Its hash is a quick one, so that guessing takes no time here."""
    monkeypatch.setattr(console, "_hash", lambda password, salt: sha256(salt + password.encode()))
    clock.advance(ATTEMPTS_MS)
    set_password(served, PASSWORD)
    yield served
    set_password(served, None)
    clock.advance(ATTEMPTS_MS)


def test_a_password_signs_in_until_it_is_removed(served: Serving) -> None:
    set_password(served, PASSWORD)
    browser = served.client()
    answer = browser.post(LOGIN, json={"password": PASSWORD})
    assert answer.status_code == 200
    assert browser.get(SESSION).json() == answer.json()
    set_password(served, None)
    assert browser.get(SESSION).status_code == 401
    gone = served.client().post(LOGIN, json={"password": PASSWORD})
    assert (gone.status_code, code_of(gone)) == (401, "unauthenticated")


def test_setting_the_password_signs_everybody_out(with_password: Serving) -> None:
    browsers = [with_password.browser(), with_password.browser()]
    set_password(with_password, PASSWORD + "!")
    assert [browser.get(SESSION).status_code for browser in browsers] == [401, 401]
    assert with_password.client().post(LOGIN, json={"password": PASSWORD}).status_code == 401


def test_a_wrong_password_is_refused_and_kept_nowhere(with_password: Serving, clock: ManualClock) -> None:
    size = with_password.journal_size
    for wrong in ("", PASSWORD[:-1], PASSWORD + " ", PASSWORD.upper(), "é" * 300, "\x00"):
        answer = with_password.client().post(LOGIN, json={"password": wrong})
        assert (answer.status_code, code_of(answer)) == (401, "unauthenticated")
        assert "set-cookie" not in answer.headers
    assert with_password.journal_size == size


def test_guessing_is_throttled_and_locks_nobody_out(with_password: Serving, clock: ManualClock) -> None:
    answers = [with_password.client().post(LOGIN, json={"password": f"guess {n}"}) for n in range(ATTEMPTS)]
    assert {answer.status_code for answer in answers} == {401}
    refused = with_password.client().post(LOGIN, json={"password": PASSWORD})
    assert (refused.status_code, code_of(refused)) == (429, "exhausted")
    assert int(refused.headers["retry-after"]) == ATTEMPTS_MS // 1000
    clock.advance(ATTEMPTS_MS)
    assert with_password.client().post(LOGIN, json={"password": PASSWORD}).status_code == 200
    for n in range(ATTEMPTS + 1):
        with_password.client().post(LOGIN, json={"password": f"guess {n}"})
    assert with_password.client().post(LOGIN, json={"code": with_password.link_code()}).status_code == 200


def test_many_guesses_at_once_are_throttled_all_the_same(
    with_password: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    real = console._hash

    def noted(password: str, salt: bytes) -> bytes:
        tried.append(password)
        return real(password, salt)

    monkeypatch.setattr(console, "_hash", noted)
    with ThreadPoolExecutor(30) as many:
        statuses = list(
            many.map(lambda n: with_password.client().post(LOGIN, json={"password": f"{n}"}).status_code, range(30))
        )
    assert statuses.count(401) == ATTEMPTS
    assert statuses.count(429) == 30 - ATTEMPTS
    assert len(tried) == ATTEMPTS


@pytest.mark.parametrize("password", ["", "short", "x" * 257])
def test_a_password_is_neither_short_nor_endless(served: Serving, password: str) -> None:
    size = served.journal_size
    answer = served.owner().post("/v1/console/password", json={"password": password})
    assert (answer.status_code, code_of(answer)) == (400, "invalid_argument")
    assert served.journal_size == size


def test_neither_the_password_nor_its_hash_is_in_the_journal(with_password: Serving) -> None:
    kept = with_password.app.directory.console_password.read_bytes()
    assert with_password.app.directory.console_password.stat().st_mode & 0o777 == 0o600
    assert PASSWORD.encode() not in kept
    events = with_password.owner().get("/v1/journal/events?kind=console.password_set").json()["events"]
    assert events[-1]["payload"] == {"is_set": True}


# -- the session


def test_a_session_lasts_while_it_is_used_and_not_for_ever(served: Serving, clock: ManualClock) -> None:
    used, left = served.browser(), served.browser()
    started_at_ms = clock.ms
    clock.advance(IDLE_MS - 1)
    assert used.get(SESSION).status_code == 200
    clock.advance(1)
    assert left.get(SESSION).status_code == 401
    assert used.get(SESSION).status_code == 200
    while clock.ms - started_at_ms < LONGEST_SESSION_MS - IDLE_MS:
        clock.advance(IDLE_MS - 1)
        assert used.get(SESSION).status_code == 200
    clock.ms = started_at_ms + LONGEST_SESSION_MS - 1
    assert used.get(SESSION).status_code == 200
    clock.advance(1)
    expired = used.get(SESSION)
    assert (expired.status_code, code_of(expired)) == (401, "unauthenticated")


def test_signing_out_ends_the_session_here_and_everywhere(served: Serving) -> None:
    browser = served.browser()
    stolen = served.client(cookie=f"{COOKIE}={browser.cookies[COOKIE]}")
    assert stolen.get(SESSION).status_code == 200
    answer = browser.post("/console/v1/logout")
    assert answer.status_code == 200
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert stolen.get(SESSION).status_code == 401
    assert browser.get(SESSION).status_code == 401


def test_a_session_ends_with_the_server(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as first:
        cookie = f"{COOKIE}={first.browser().cookies[COOKIE]}"
    with serving(tmp_path / "data") as second:
        assert second.client(cookie=cookie).get(SESSION).status_code == 401


def test_the_cookie_is_for_this_site_and_no_script(served: Serving) -> None:
    answer = served.client().post(LOGIN, json={"code": served.link_code()})
    [cookie] = SimpleCookie(answer.headers["set-cookie"]).values()
    assert cookie.key == COOKIE
    assert len(cookie.value) >= 43
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", "/")
    assert not cookie["domain"]
    assert not cookie["secure"]  # plain HTTP on loopback: a browser would not send it back


def test_a_planted_session_id_is_not_adopted(served: Serving) -> None:
    planted = secrets.token_urlsafe(32)
    victim = served.client(cookie=f"{COOKIE}={planted}")
    answer = victim.post(LOGIN, json={"code": served.link_code()})
    assert answer.status_code == 200
    assert planted not in answer.headers["set-cookie"]
    assert served.client(cookie=f"{COOKIE}={planted}").get(SESSION).status_code == 401


def test_signing_in_again_ends_the_session_before(served: Serving) -> None:
    browser = served.browser()
    before = served.client(cookie=f"{COOKIE}={browser.cookies[COOKIE]}")
    assert browser.get(f"/console/login?code={served.link_code()}").status_code == 303
    assert before.get(SESSION).status_code == 401
    assert browser.get(SESSION).status_code == 200


def test_only_so_many_sessions_are_kept_and_the_longest_unused_goes_first(
    served: Serving, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "SESSIONS", 2)
    first = served.browser()
    clock.advance(1)
    second = served.browser()
    clock.advance(1)
    assert first.get(SESSION).status_code == 200
    clock.advance(1)
    third = served.browser()
    assert [browser.get(SESSION).status_code for browser in (first, second, third)] == [200, 401, 200]


COOKIES = ["", f"{COOKIE}=", f"{COOKIE}=x", "other=1", f"{COOKIE}", f"{COOKIE}=é", ";;;=;", f"{COOKIE}=" + "x" * 9000]


@pytest.mark.parametrize("cookie", COOKIES)
def test_a_cookie_that_is_none_opens_nothing(served: Serving, cookie: str) -> None:
    answer = served.client().get(ITEMS, headers=[(b"cookie", cookie.encode())])
    assert (answer.status_code, code_of(answer)) == (401, "unauthenticated")


# -- what the session may do


def test_what_changes_something_needs_the_token_of_this_session(served: Serving) -> None:
    browser, other = served.browser(), served.browser()
    size = served.journal_size
    for token in (None, "", "x", other.headers[CSRF_HEADER], browser.headers[CSRF_HEADER] + "x"):
        plain = served.client(cookie=f"{COOKIE}={browser.cookies[COOKIE]}")
        if token is not None:
            plain.headers[CSRF_HEADER] = token
        answer = plain.post(ITEMS, json={"text": "planted by another page"})
        assert (answer.status_code, code_of(answer)) == (403, "permission_denied")
    assert served.journal_size == size
    assert browser.post(ITEMS, json={"text": "I wrote this myself"}).status_code == 200


def test_a_csrf_token_alone_opens_nothing(served: Serving) -> None:
    token = served.browser().headers[CSRF_HEADER]
    stranger = served.client()
    stranger.headers[CSRF_HEADER] = token
    assert stranger.post(ITEMS, json={"text": "a"}).status_code == 401


def test_a_cookie_opens_no_door_for_programs_and_a_token_none_for_browsers(served: Serving) -> None:
    browser = served.browser()
    assert browser.get("/v1/memory/items").status_code == 401
    assert browser.get("/metrics").status_code == 401
    assert served.owner().get(ITEMS).status_code == 401


def test_speaking_for_another_principal_is_journaled(served: Serving) -> None:
    browser = served.browser()
    size = served.journal_size
    assert browser.get("/console/v1/memory/status").json()["principal"] == served.app.settings.memory.default_principal
    assert served.journal_size == size
    answer = browser.get("/console/v1/memory/status", headers={"x-palyra-principal": "user:bob"})
    assert answer.json()["principal"] == "user:bob"
    [event] = served.owner().get(f"/v1/journal/events?after_seq={size}").json()["events"]
    assert (event["kind"], event["principal"]) == ("access.crossed", "user:bob")
    assert event["payload"] == {"by": "the console", "operation": "memory.status"}


@pytest.mark.parametrize("principal", ["", "x" * 2000])
def test_a_principal_that_is_none_is_refused(served: Serving, principal: str) -> None:
    size = served.journal_size
    answer = served.browser().get(ITEMS, headers={"x-palyra-principal": principal})
    assert (answer.status_code, code_of(answer)) == (400, "invalid_argument")
    assert served.journal_size == size


def test_what_only_the_owner_may_do_is_not_in_the_console(served: Serving) -> None:
    paths = {route.path for route in ROUTES if route.path.startswith("/console")}
    own = [row for row in OPERATIONS if row.needs is Capability.OWN]
    assert own
    assert not {f"/console{row.path}" for row in own} & paths
    browser = served.browser()
    for row in own:
        if row.is_served:
            assert browser.post(f"/console{row.path}", json={}).status_code == 404


def test_the_pages_run_nothing_that_is_not_ours(served: Serving) -> None:
    for browser in (served.client(), served.browser()):
        page = browser.get("/console/")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        policy = dict(part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert "unsafe" not in page.headers["content-security-policy"]
        assert page.headers["x-frame-options"] == "DENY"
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["cache-control"] == "no-store"
        assert not re.search(r"<script(?![^>]* src=)|\son\w+=|style=", page.text)


def test_every_file_the_page_names_is_there_and_may_be_kept(served: Serving) -> None:
    browser = served.client()
    targets = re.findall(r'(?:href|src)="([^"]+)"', browser.get("/console/").text)
    assert len(targets) == 3
    assert all(target.startswith("/console/assets/") for target in targets)
    for target in targets:
        plain = browser.get(target, headers={"accept-encoding": "identity"})
        assert plain.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert "content-encoding" not in plain.headers
        small = browser.get(target, headers={"accept-encoding": "gzip"})
        assert small.headers["content-encoding"] == "gzip"
        assert small.content == plain.content


@pytest.mark.parametrize("name", ["nothing.js", "..", "index.html", "%2e%2e%2findex.html"])
def test_nothing_but_the_consoles_own_files_is_served(served: Serving, name: str) -> None:
    answer = served.client().get(f"/console/assets/{name}")
    assert (answer.status_code, code_of(answer)) == (404, "not_found")


def test_whoever_opens_a_used_link_in_a_browser_sees_the_page_and_is_not_signed_in(served: Serving) -> None:
    answer = served.client().get("/console/login?code=used", headers={"accept": "text/html,*/*"})
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "set-cookie" not in answer.headers
