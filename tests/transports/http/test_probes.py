"""What a service manager, a load balancer and a metrics collector ask."""

from collections.abc import Iterator

import pytest
from prometheus_client.parser import text_string_to_metric_families

from palyra.domain.access import Capability
from palyra.transports.http.openapi import render
from transports.http.support import Serving, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("http") / "data") as server:
        yield server


def test_it_says_that_it_lives_and_when_it_is_ready(served: Serving) -> None:
    anybody = served.client()
    assert anybody.get("/healthz").json() == {"status": "ok"}
    assert anybody.get("/readyz").json() == {"status": "ready"}
    served.site.ready = False
    try:
        answer = anybody.get("/readyz")
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
        assert anybody.get("/healthz").status_code == 200
    finally:
        served.site.ready = True


def test_counters_count_what_was_asked_and_say_nothing_about_it(served: Serving) -> None:
    word = "rhinoceros"
    client = served.client(served.token(principal=f"user:{word}"))
    assert client.post("/v1/memory/items", json={"text": f"I saw a {word}"}).status_code == 200
    assert client.post("/v1/memory/search", json={"query": word, "top_k": -1}).status_code == 400
    assert client.get(f"/{word}").status_code == 404
    answer = served.client(served.token([Capability.METRICS])).get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert word not in answer.text
    samples = {
        (sample.name, sample.labels.get("operation"), sample.labels.get("code")): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
        if sample.name != "palyra_request_seconds_bucket"
    }
    assert samples["palyra_requests_total", "memory.retain", "ok"] == 1
    assert samples["palyra_requests_total", "memory.search", "invalid_argument"] == 1
    assert samples["palyra_requests_total", "not_found", "not_found"] == 1
    assert samples["palyra_journal_size", None, None] == served.journal_size
    assert samples["palyra_journal_read_only", None, None] == 0
    assert samples["palyra_resident_bytes", None, None] > 10_000_000


def test_names_of_counters_do_not_grow_with_what_is_asked(served: Serving) -> None:
    """Otherwise anybody could fill our memory with labels."""
    client = served.client()

    def names() -> int:
        return sum(len(family.samples) for family in served.site.observer.metrics.requests.collect())

    client.get("/nowhere")
    before = len(list(served.site.observer.metrics.registry.collect()))
    labels = names()
    for n in range(50):
        client.get(f"/nowhere/{n}")
        client.request(f"METHOD{n}" if n % 2 else "GET", "/healthz")
    assert len(list(served.site.observer.metrics.registry.collect())) == before
    assert names() <= labels + 8


def test_the_document_is_there_for_anyone(served: Serving) -> None:
    answer = served.client().get("/v1/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    assert answer.content == render()
