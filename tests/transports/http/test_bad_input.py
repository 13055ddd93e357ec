"""Requests that are none: each gets one clear error of the table, in its one shape, and changes nothing."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import msgspec
import pytest

from palyra.api.operations import OPERATIONS
from palyra.core.errors import TABLE
from palyra.domain.access import GRANTABLE
from transports.http.support import Serving, request_bytes, serving

NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
"""a well-formed id of nothing"""
ITEMS, EVENTS, SEARCH = "/v1/memory/items", "/v1/journal/events", "/v1/memory/search"
STATUSES = {error.code: error.http for error in TABLE}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("http") / "data") as server:
        yield server


@pytest.fixture(scope="module")
def token(served: Serving) -> str:
    return served.token(GRANTABLE)


@pytest.fixture(scope="module")
def client(served: Serving, token: str) -> httpx2.Client:
    return served.client(token)


def refused(served: Serving, answer: httpx2.Response, status: int, code: str) -> str:
    """The error's message, once everything else about it is right."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "hint", "details", "request_id"}
    assert error["code"] == code
    assert error["message"]
    assert error["hint"]
    assert error["request_id"]
    return str(error["message"])


def nested(depth: int, opening: str = "[", closing: str = "]") -> str:
    return opening * depth + closing * depth


BODIES = {
    "nothing of JSON": (ITEMS, b"text=hello"),
    "half of it": (ITEMS, b'{"text": "hel'),
    "two objects": (ITEMS, b'{"text": "a"}{"text": "b"}'),
    "an array": (ITEMS, b'[{"text": "a"}]'),
    "a string": (ITEMS, b'"text"'),
    "null": (ITEMS, b"null"),
    "nothing": (ITEMS, b""),
    "spaces": (ITEMS, b"   "),
    "an empty object": (ITEMS, b"{}"),
    "a wrong type": (ITEMS, b'{"text": 5}'),
    "a number as text": (SEARCH, b'{"query": "a", "top_k": "8"}'),
    "a number with a point": (SEARCH, b'{"query": "a", "top_k": 8.5}'),
    "true as number": (SEARCH, b'{"query": "a", "top_k": true}'),
    "an unknown field": (ITEMS, b'{"text": "a", "colour": "red"}'),
    "an unknown field within": ("/v1/memory/items/batch", b'{"items": [{"text": "a", "colour": "red"}]}'),
    "a body that is no UTF-8": (ITEMS, b'{"text": "\xff\xfe"}'),
    "a lone surrogate": (ITEMS, b'{"text": "\\ud800"}'),
    "a lone low surrogate": (ITEMS, b'{"text": "\\udc00 and more"}'),
    "a surrogate in a name": (EVENTS, b'{"kind": "a.b", "payload": {"\\ud800": 1}}'),
    "NaN": (SEARCH, b'{"query": "a", "min_score": NaN}'),
    "Infinity": (SEARCH, b'{"query": "a", "min_score": -Infinity}'),
    "a number beyond all floats": (SEARCH, b'{"query": "a", "min_score": 1e999}'),
    "confidence beyond one": (ITEMS, b'{"text": "a", "confidence": 1e300}'),
    "a number of a thousand digits": (SEARCH, b'{"query": "a", "top_k": ' + b"9" * 1000 + b"}"),
    "a number of ten thousand digits": (EVENTS, b'{"kind": "a.b", "payload": {"n": ' + b"9" * 10_000 + b"}}"),
    "a time beyond all integers": (ITEMS, b'{"text": "a", "said_at_ms": 9223372036854775808}'),
    "a time before all others": (ITEMS, b'{"text": "a", "valid_from_ms": -9223372036854775809}'),
    "arrays within arrays": (ITEMS, nested(100_000).encode()),
    "objects within objects": (ITEMS, nested(100_000, '{"a":', "}").encode()),
    "a payload within payloads": (EVENTS, b'{"kind": "a.b", "payload": {"a": ' + nested(900).encode() + b"}}"),
    "a payload just too deep": (EVENTS, b'{"kind": "a.b", "payload": {"a": ' + nested(200).encode() + b"}}"),
    "a NUL": (ITEMS, b'{"text": "a\\u0000", "request_id": "\\u0000"}'),
    "an empty text": (ITEMS, b'{"text": ""}'),
    "an unknown source": (ITEMS, b'{"text": "a", "source": "gossip"}'),
    "an unknown actor": (ITEMS, b'{"text": "a", "actor": "king"}'),
    "a reserved kind": (EVENTS, b'{"kind": "token.created", "payload": {}}'),
    "an empty principal": (ITEMS, b'{"text": "a", "principal": ""}'),
    "a principal over two lines": (ITEMS, b'{"text": "a", "principal": "user:ana\\nuser:bob"}'),
    "a version of nothing": (EVENTS, b'{"kind": "a.b", "payload": {}, "v": -1}'),
    "a version beyond all": (EVENTS, b'{"kind": "a.b", "payload": {}, "v": 99999999999999999999}'),
    "an id that is none": (EVENTS, b'{"kind": "a.b", "payload": {}, "id": "last"}'),
    "nobody's capability": ("/v1/tokens", b'{"capabilities": ["fly"]}'),
    "the owner's capability": ("/v1/tokens", b'{"capabilities": ["own"], "actor": "user"}'),
    "a time to live in the past": ("/v1/tokens", b'{"ttl_ms": -5}'),
    "a time to live beyond time": ("/v1/tokens", b'{"ttl_ms": 9223372036854775807}'),
    "ids that are none": ("/v1/memory/delete", b'{"memory_ids": ["x"]}'),
    "erasing what is no id": ("/v1/memory/erase", b'{"ids": ["x"]}'),
    "erasing what is no event": ("/v1/journal/erase", b'{"event_ids": [""]}'),
    "a checkpoint that is none": ("/v1/journal/verify", b'{"checkpoints": [5]}'),
}


@pytest.mark.parametrize(("path", "body"), BODIES.values(), ids=BODIES)
def test_a_body_that_is_no_request_is_refused(served: Serving, client: httpx2.Client, path: str, body: bytes) -> None:
    before = served.journal_size
    answer = client.post(path, content=body, headers={"content-type": "application/json"})
    refused(served, answer, 400, "invalid_argument")
    assert served.journal_size == before


def test_a_text_that_is_too_long_is_refused(served: Serving, client: httpx2.Client) -> None:
    before = served.journal_size
    refused(served, client.post(ITEMS, json={"text": "long " * 100_000}), 400, "invalid_argument")
    refused(served, client.post(EVENTS, json={"kind": "a.b", "payload": {"a": "b" * 300_000}}), 413, "too_large")
    assert served.journal_size == before


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "*/*", "", "json"]
)
def test_a_body_of_another_content_type_is_refused(served: Serving, client: httpx2.Client, kind: str) -> None:
    answer = client.post(ITEMS, content=b'{"text": "a"}', headers={"content-type": kind})
    refused(served, answer, 400, "invalid_argument")


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "Application/JSON"])
def test_json_is_json_however_it_is_spelt(client: httpx2.Client, kind: str) -> None:
    answer = client.post(SEARCH, content=b'{"query": "a"}', headers={"content-type": kind})
    assert answer.status_code == 200, answer.text


def test_two_content_types_are_none(served: Serving, client: httpx2.Client) -> None:
    twice = [("content-type", "application/json"), ("content-type", "text/plain")]
    refused(served, client.post(SEARCH, content=b'{"query": "a"}', headers=twice), 400, "invalid_argument")


QUERIES = [
    "limit=many",
    "limit=",
    "limit=0",
    "limit=-1",
    "limit=1e3",
    "limit=99999999999999999999",
    "limit=" + "9" * 5000,
    "limit=5&limit=6",
    "colour=red",
    "after=x",
    "after=%00",
    "after=%ff",
    "include_past=perhaps",
    "principal=",
    "principal=%0a",
    "session_id=" + "s" * 2000,
    "sources=gossip",
    "&".join(f"tags={n}" for n in range(300)),
    "=",
    "%",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_that_is_none_is_refused(served: Serving, client: httpx2.Client, query: str) -> None:
    before = served.journal_size
    refused(served, client.get(f"{ITEMS}?{query}"), 400, "invalid_argument")
    assert served.journal_size == before


@pytest.mark.parametrize(
    "query", ["after_seq=-1", "since_ms=9223372036854775808", "from_id=x", "kind=%20", "actor=king", "after_seq=null"]
)
def test_events_that_cannot_be_are_not_looked_for(served: Serving, client: httpx2.Client, query: str) -> None:
    answer = client.get(f"{EVENTS}?{query}")
    assert answer.status_code in (200, 400), answer.text
    if answer.status_code == 400:
        refused(served, answer, 400, "invalid_argument")
    else:
        assert answer.json()["events"] == []


def test_fields_stand_where_they_belong(served: Serving, client: httpx2.Client) -> None:
    refused(served, client.post(f"{SEARCH}?query=a", json={"query": "a"}), 400, "invalid_argument")
    refused(served, client.request("GET", ITEMS, json={"limit": 5}), 400, "invalid_argument")
    path = f"{ITEMS}/{NOBODY}"
    refused(served, client.patch(path, json={"memory_id": NOBODY[:-1] + "W", "text": "a"}), 400, "invalid_argument")


IDS = {
    "x": 400,
    "..": 400,
    "%00": 400,
    NOBODY + "%00": 400,
    "%ff": 400,
    "%F0%9F%98%80": 400,
    "-1": 400,
    "8" + NOBODY[1:]: 400,
    NOBODY + "A": 400,
    "x" * 8000: 400,
    "%20": 400,
    NOBODY: 404,
    "%2F": 404,
    "%2fhistory": 404,
    NOBODY + "%2Fhistory": 404,
    NOBODY + "/": 404,
    "": 404,
    "/": 404,
}


@pytest.mark.parametrize(("memory_id", "status"), IDS.items())
def test_an_id_that_is_none_is_refused(served: Serving, client: httpx2.Client, memory_id: str, status: int) -> None:
    before = served.journal_size
    code = {400: "invalid_argument", 404: "not_found"}[status]
    with served.connect() as wire:
        token = client.headers["authorization"].removeprefix("Bearer ")
        answer = wire.send(request_bytes("GET", f"{ITEMS}/{memory_id}", token)).read_answer()
    assert (answer.status, answer.code) == (status, code), answer
    assert served.journal_size == before


def test_an_encoded_slash_parts_nothing(served: Serving, client: httpx2.Client, token: str) -> None:
    made = client.post(ITEMS, json={"text": "I have a sister in Porto"}).json()["memory_id"]
    for path in (f"{ITEMS}/{made}%2fhistory", f"/v1%2Fmemory/items/{made}"):
        with served.connect() as wire:
            assert wire.send(request_bytes("GET", path, token)).read_answer().status == 404


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "PROPFIND"])
def test_a_method_that_is_not_there_is_named(served: Serving, token: str, method: str) -> None:
    with served.connect() as wire:
        answer = wire.send(request_bytes(method, ITEMS, token, b"", "connection: close")).read_all()
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.split()[1] == b"405"
    assert b"\r\nallow: GET, POST\r\n" in head
    assert b"access-control" not in head.lower()
    if method == "HEAD":
        assert body == b""
    else:
        assert json.loads(body)["error"]["code"] == "invalid_argument"


def test_probes_answer_head_too(served: Serving) -> None:
    anybody = served.client()
    for path in ("/healthz", "/readyz"):
        answer = anybody.head(path)
        assert (answer.status_code, answer.content) == (200, b"")


def test_what_is_not_there_is_not_found(served: Serving, client: httpx2.Client) -> None:
    for path in ("/nowhere", "/v1", "/v1/", "/healthz/", "/v1/memory/items/", "/console", "/V1/memory/items"):
        refused(served, client.get(path), 404, "not_found")


def test_a_path_is_quoted_short_and_redacted(served: Serving) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    answer = served.client().get(f"/{secret}/" + "x" * 3000)
    message = refused(served, answer, 404, "not_found")
    assert secret not in answer.text
    assert len(message) < 400


def test_a_request_id_names_one_request_only(served: Serving, client: httpx2.Client) -> None:
    key = {"idempotency-key": "the-same"}
    first = client.post(ITEMS, json={"text": "I drink tea in the morning"}, headers=key)
    size = served.journal_size
    again = client.post(ITEMS, json={"text": "I drink tea in the morning"}, headers=key)
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.json()["memory_id"] == first.json()["memory_id"]
    assert again.json()["repeated"] is True
    other = client.post(ITEMS, json={"text": "I drink coffee at noon"}, headers=key)
    assert other.status_code in (400, 409), other.text
    assert served.journal_size == size


@pytest.mark.parametrize(
    ("path", "body", "keys"),
    [
        (ITEMS, {"text": "a", "request_id": "one"}, ["two"]),
        (ITEMS, {"text": "a"}, ["one", "two"]),
        (ITEMS, {"text": "a"}, [""]),
        (ITEMS, {"text": "a"}, ["k" * 5000]),
        (SEARCH, {"query": "a"}, ["one"]),
        ("/v1/tokens", {}, ["one"]),
    ],
    ids=[
        "differs from the body",
        "given twice",
        "empty",
        "too long",
        "where nothing is written",
        "where it has no place",
    ],
)
def test_an_idempotency_key_is_not_misunderstood(
    served: Serving, client: httpx2.Client, path: str, body: dict[str, str], keys: list[str]
) -> None:
    before = served.journal_size
    answer = client.post(path, json=body, headers=[("idempotency-key", key) for key in keys])
    refused(served, answer, 400, "invalid_argument")
    assert served.journal_size == before


@pytest.mark.parametrize("name", ["authorization", "x-palyra-principal", "x-palyra-channel", "idempotency-key"])
def test_a_header_that_decides_something_is_given_once(
    served: Serving, token: str, client: httpx2.Client, name: str
) -> None:
    values = {"authorization": f"Bearer {token}", "x-palyra-principal": "user:ana"}
    value = values.get(name, "c")
    answer = served.client(token).post(ITEMS, json={"text": "a"}, headers=[(name, value), (name, value + "x")])
    assert answer.status_code in (400, 401), answer.text


def test_headers_are_utf_8(served: Serving, token: str) -> None:
    client = served.client(token)
    right = client.get("/v1/memory/status", headers=[(b"x-palyra-principal", "user:josé".encode())])
    assert right.json()["principal"] == "user:josé"
    wrong = client.get("/v1/memory/status", headers=[(b"x-palyra-principal", "user:josé".encode("latin-1"))])
    refused(served, wrong, 400, "invalid_argument")


HOSTS = {
    "127.0.0.1": 200,
    "127.0.0.1:7142": 200,
    "localhost": 200,
    "LocalHost:80": 200,
    "[::1]": 200,
    "[::1]:7142": 200,
    "": 403,
    "evil.example": 403,
    "evil.example:7142": 403,
    "127.0.0.1.evil.example": 403,
    "localhost.": 403,
    "localhost.evil.example": 403,
    "evil.example@127.0.0.1": 403,
    "@127.0.0.1": 403,
    ":@127.0.0.1": 403,
    "127.0.0.1@evil.example": 403,
    "127.0.0.1/evil": 403,
    "127.0.0.1#evil": 403,
    "127.0.0.1?evil": 403,
    "127.0.0.1:port": 403,
    "127.0.0.1:99999": 403,
    "127.0.0.1, evil.example": 403,
    "local\thost": 403,
    "::1": 403,
    "[::1": 403,
    "[::ffff:127.0.0.1]": 403,
    "[::1%25eth0]": 403,
    "0.0.0.0": 403,  # noqa: S104 - asked for, not listened on
    "2130706433": 403,
    "127.1": 403,
    "loc\xe5lhost": 403,
}


@pytest.mark.parametrize(("host", "status"), HOSTS.items())
def test_only_our_own_names_are_answered(served: Serving, host: str, status: int) -> None:
    with served.connect() as wire:
        wire.send(f"GET /healthz HTTP/1.1\r\nhost: {host}\r\n\r\n".encode("latin-1"))
        answer = wire.read_answer()
    assert answer.status == status, answer
    if status != 200:
        assert answer.code == "permission_denied"


def test_one_host_is_named(served: Serving) -> None:
    for head in (
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n",
    ):
        with served.connect() as wire:
            assert wire.send(head).read_answer().status in (400, 403)


def test_pages_of_other_sites_may_not_call(served: Serving, client: httpx2.Client) -> None:
    own = f"127.0.0.1:{served.port}"
    before = served.journal_size
    for origin in (
        "null",
        "",
        "http://evil.example",
        f"http://evil.example:{served.port}",
        f"http://{own}.evil.example",
        f"http://evil.example@{own}",
        f"http://@{own}",
        f"http://{own}/path",
        "http://127.0.0.1:3000",
        f"http://localhost:{served.port}",
        f"ftp://{own}",
        f"file://{own}",
        own,
        "http://",
        f"http://{own} http://evil.example",
    ):
        answer = client.post(ITEMS, json={"text": "planted"}, headers={"origin": origin})
        refused(served, answer, 403, "permission_denied")
    twice = [("origin", f"http://{own}"), ("origin", "http://evil.example")]
    refused(served, client.post(ITEMS, json={"text": "planted"}, headers=twice), 403, "permission_denied")
    assert served.journal_size == before
    assert client.get("/healthz", headers={"origin": f"http://{own}"}).status_code == 200


def test_no_answer_invites_other_sites(served: Serving, client: httpx2.Client) -> None:
    for answer in (client.get("/healthz"), client.get(ITEMS), client.options(ITEMS)):
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers


def test_an_unexpected_failure_tells_nothing_of_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path / "data") as served:
        client = served.anybody_who_may()

        def breaks(*_arguments: object) -> None:
            raise RuntimeError("the colour of the vault is green")

        monkeypatch.setattr(served.app.journal, "status", breaks)
        answer = client.get("/v1/journal/status")
        refused(served, answer, 500, "internal")
        assert "vault" not in answer.text
        assert client.get("/healthz").status_code == 200


NUMBERS = [
    (operation, field.encode_name)
    for operation in OPERATIONS
    for field in msgspec.structs.fields(operation.request)
    if "int" in str(field.type) and "{" not in operation.path
]


@pytest.mark.parametrize("number", [10**30, -(10**30), 2**63])
def test_a_number_that_no_database_can_hold_is_the_callers_mistake_everywhere(
    client: httpx2.Client, number: int
) -> None:
    assert len(NUMBERS) > 50
    for operation, name in NUMBERS:
        fields = msgspec.structs.fields(operation.request)
        given = {field.encode_name: "x" for field in fields if field.required} | {name: number}
        if operation.method == "GET":
            answer = client.get(operation.path, params=given)
        else:
            answer = client.request(operation.method, operation.path, json=given)
        assert answer.status_code < 500, (operation.name, name, answer.text)
