"""Answers in lines: live, ended in order, and freed when nobody reads them any more."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from palyra.api import dispatch
from palyra.domain.access import GRANTABLE
from transports.http.support import Serving, eventually, is_idle, request_bytes, requests_seen, serving, stop

LINES = {"accept": "application/x-ndjson"}
FOLLOW = "/v1/journal/tail?follow=true"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("http") / "data") as server:
        yield server


@contextmanager
def reading(client: httpx2.Client, path: str) -> Iterator[Iterator[Any]]:
    """The lines of a stream as they come."""
    with client.stream("GET", path) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"] == "application/x-ndjson"
        yield (json.loads(line) for line in answer.iter_lines())


def append(client: httpx2.Client, n: int) -> int:
    answer = client.post("/v1/journal/events", json={"kind": "test.happened", "payload": {"n": n}})
    assert answer.status_code == 200, answer.text
    return int(answer.json()["seq"])


def test_following_shows_events_as_they_happen(served: Serving) -> None:
    client = served.anybody_who_may()
    writer = served.anybody_who_may()
    first = append(writer, 0)
    with reading(client, f"{FOLLOW}&kind=test.happened&after_seq={first - 1}") as lines:
        assert next(lines)["seq"] == first
        for n in range(1, 4):
            seq = append(writer, n)
            event = next(lines)
            assert (event["seq"], event["payload"]) == (seq, {"n": n})


def test_a_follower_that_goes_away_is_forgotten(served: Serving) -> None:
    client = served.anybody_who_may()
    before = requests_seen(served, "journal.tail", "cancelled")
    with reading(client, FOLLOW) as lines:
        next(lines)
        assert len(served.app.store._listeners) == 1
    eventually(lambda: not served.app.store._listeners)
    eventually(lambda: requests_seen(served, "journal.tail", "cancelled") == before + 1)


def test_a_stream_of_nothing_is_empty(served: Serving) -> None:
    answer = served.anybody_who_may().get("/v1/journal/tail?kind=test.never")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"] == "application/x-ndjson"


def test_an_export_holds_every_memory_once(served: Serving) -> None:
    client = served.client(served.token(GRANTABLE, "user:exporter"))
    items = [{"text": f"fact number {n} is about {word}"} for n, word in enumerate(["tea", "rain", "trains"] * 70)]
    for start in range(0, len(items), 30):
        made = client.post("/v1/memory/items/batch", json={"items": items[start : start + 30]})
        assert made.status_code == 200, made.text
    expected = {item["memory_id"] for item in _all_items(client)}
    with reading(client, "/v1/memory/export") as lines:
        exported = [item["memory_id"] for item in lines]
    assert len(exported) > 100
    assert len(exported) == len(set(exported))
    assert set(exported) == expected


def _all_items(client: httpx2.Client) -> Iterator[dict[str, Any]]:
    after = ""
    while True:
        page = client.get("/v1/memory/items", params={"after": after, "limit": 50}).json()
        yield from page["items"]
        if page["next_after"] is None:
            return
        after = page["next_after"]


def test_an_error_before_the_first_line_is_a_status(served: Serving) -> None:
    client = served.anybody_who_may()
    wrong = client.get("/v1/journal/tail?from_id=x")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "invalid_argument")
    denied = served.client(served.token()).get("/v1/journal/tail")
    assert (denied.status_code, denied.json()["error"]["code"]) == (403, "permission_denied")
    progress = client.post("/v1/memory/search", json={"query": "a", "top_k": -1}, headers=LINES)
    assert (progress.status_code, progress.json()["error"]["code"]) == (400, "invalid_argument")


def test_an_error_after_the_first_line_is_the_last_line(served: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    real = served.app.journal.tail

    async def breaks(*arguments: Any, **options: Any) -> AsyncIterator[Any]:
        async for record in real(*arguments, **options):
            yield record
            raise RuntimeError("the colour of the vault is green")

    client = served.anybody_who_may()
    monkeypatch.setattr(served.app.journal, "tail", breaks)
    with reading(client, "/v1/journal/tail") as lines:
        found = list(lines)
    assert found[0]["seq"] == 1
    assert found[1]["error"]["code"] == "internal"
    assert found[1]["error"]["request_id"]
    assert "vault" not in json.dumps(found)
    assert len(found) == 2


def test_work_reports_its_progress_and_then_its_result(served: Serving) -> None:
    client = served.anybody_who_may()
    append(client, 5)
    answer = client.post("/v1/journal/verify", json={}, headers=LINES)
    assert answer.headers["content-type"] == "application/x-ndjson"
    *progress, last = [json.loads(line) for line in answer.text.splitlines()]
    assert all(set(line["progress"]) == {"what", "done", "total"} for line in progress)
    plain = client.post("/v1/journal/verify", json={}).json()
    assert last["result"]["ok"], last["result"]["problems"]
    assert set(last["result"]) == set(plain)


@pytest.fixture
def slow_search(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, threading.Event, list[str]]]:
    """A search that begins, then waits to be let go on; and who reached its end."""
    begun, go_on, finished = threading.Event(), threading.Event(), []
    real = dispatch.run

    async def slow(call: Any, operation: Any, request: Any) -> Any:
        if operation.name != "memory.search":
            return await real(call, operation, request)
        begun.set()
        call.progress("waiting", 0, 1)
        while not go_on.is_set():  # noqa: ASYNC110 - set by another thread
            await asyncio.sleep(0.005)
        found = await real(call, operation, request)
        finished.append(request.query)
        return found

    monkeypatch.setattr(dispatch, "run", slow)
    yield begun, go_on, finished
    go_on.set()


@pytest.mark.parametrize("headers", [{}, LINES], ids=["whole", "in lines"])
def test_what_was_asked_is_finished_though_nobody_waits_for_it(
    served: Serving, slow_search: tuple[threading.Event, threading.Event, list[str]], headers: dict[str, str]
) -> None:
    begun, go_on, finished = slow_search
    token = served.token(GRANTABLE)
    more = [f"{name}: {value}" for name, value in headers.items()]
    with served.connect() as wire:
        wire.send(request_bytes("POST", "/v1/memory/search", token, b'{"query": "asked for"}', *more))
        assert begun.wait(10)
    eventually(lambda: not [one for one in served.server.server_state.connections if one.transport.is_closing()])
    go_on.set()
    eventually(lambda: finished == ["asked for"])


def test_a_stopping_server_ends_streams_and_finishes_work(
    tmp_path: Path, slow_search: tuple[threading.Event, threading.Event, list[str]]
) -> None:
    begun, go_on, finished = slow_search
    answers: dict[str, Any] = {}

    def ask(name: str, client: httpx2.Client, headers: dict[str, str]) -> threading.Thread:
        def work() -> None:
            answers[name] = client.post("/v1/memory/search", json={"query": name}, headers=headers)

        thread = threading.Thread(target=work)
        thread.start()
        return thread

    with serving(tmp_path / "data") as server:
        asked = [ask("whole", server.anybody_who_may(), {}), ask("lines", server.anybody_who_may(), LINES)]
        client = server.anybody_who_may()
        with reading(client, FOLLOW) as lines:
            next(lines)
            assert begun.wait(10)
            stop(server)
            last = _last(lines)
        go_on.set()
        for thread in asked:
            thread.join()
    assert last["error"]["code"] == "unavailable"
    assert sorted(finished) == ["lines", "whole"]
    assert answers["whole"].json()["hits"] == []
    assert json.loads(answers["lines"].text.splitlines()[-1])["result"]["hits"] == []


def test_whoever_comes_while_it_stops_is_told_so(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        client = server.anybody_who_may()
        server.site.ready = False
        not_ready = client.get("/readyz")
        assert (not_ready.status_code, not_ready.json()["error"]["code"]) == (503, "unavailable")
        assert client.get("/healthz").status_code == 200
        server.loop.call_soon_threadsafe(server.site.stopping.set)
        late = client.get(f"{FOLLOW}&kind=test.never")
        assert (late.status_code, late.json()["error"]["code"]) == (503, "unavailable")


def test_work_that_never_ends_is_told_that_the_server_stops(
    tmp_path: Path, slow_search: tuple[threading.Event, threading.Event, list[str]]
) -> None:
    begun, _go_on, finished = slow_search
    answers: list[httpx2.Response] = []
    with serving(tmp_path / "data", drain_seconds=1) as server:
        client = server.anybody_who_may()
        thread = threading.Thread(target=lambda: answers.append(client.post("/v1/memory/search", json={"query": "a"})))
        thread.start()
        assert begun.wait(10)
        stop(server)
        thread.join()
    [answer] = answers
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
    assert finished == []


def _last(lines: Iterator[Any]) -> Any:
    found = None
    for line in lines:
        found = line
    return found


def test_many_followers_see_everything_and_leave_nothing(served: Serving) -> None:
    writer = served.anybody_who_may()
    start = append(writer, -1)
    seen: list[list[int]] = []
    ready = threading.Barrier(9)

    def follow(path: str, done: Callable[[list[int]], None]) -> None:
        with reading(served.anybody_who_may(), path) as lines:
            assert next(lines)["seq"] == start
            ready.wait(10)
            done([next(lines)["payload"]["n"] for _ in range(20)])

    path = f"{FOLLOW}&kind=test.happened&after_seq={start - 1}"
    threads = [threading.Thread(target=follow, args=(path, seen.append)) for _ in range(8)]
    for thread in threads:
        thread.start()
    ready.wait(10)
    for n in range(20):
        append(writer, n)
    for thread in threads:
        thread.join()
    assert seen == [list(range(20))] * 8
    served.close_clients()
    eventually(lambda: is_idle(served))
    assert not served.app.store._listeners
