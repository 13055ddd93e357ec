"""The OpenAI-compatible provider against a real server on loopback."""

import secrets
import threading
import time
import traceback

import numpy as np
import pytest

from palyra.core.errors import Deadline, Exhausted, FailedPrecondition, InvalidArgument, PalyraError, Unavailable
from palyra.providers.embeddings.hash import DIMS, HashMemoryEmbeddingProvider
from palyra.providers.embeddings.openai import ATTEMPTS, OpenAIEmbedding
from palyra.providers.embeddings.table import EmbeddingOptions, make_provider
from providers import embedding_server as server
from providers.embedding_server import Answer, Script, embedding_server

TEXTS = ["Ana drinks tea", "the launch is on Friday", "茶が好き"]


def provider(script: Script, *, key: str = "", timeout_ms: int = 5_000) -> OpenAIEmbedding:
    return OpenAIEmbedding(
        base_url=script.url, model="test", dims=DIMS, api_key=key, timeout_ms=timeout_ms, backoff_ms=2
    )


def failure_of(*answers: Answer, key: str = "", timeout_ms: int = 5_000) -> tuple[PalyraError, Script]:
    with embedding_server(*answers) as script:
        embedding = provider(script, key=key, timeout_ms=timeout_ms)
        with pytest.raises(PalyraError) as failed:
            embedding.embed(TEXTS, "document")
        embedding.close()
    assert failed.value.hint
    return failed.value, script


def test_vectors_come_back_at_unit_length_in_the_order_of_the_texts() -> None:
    with embedding_server(server.wrong_order) as script:
        embedding = provider(script)
        vectors = embedding.embed(TEXTS, "query")
        embedding.close()
    np.testing.assert_allclose(vectors, HashMemoryEmbeddingProvider().embed(TEXTS, "query"), atol=1e-6)
    assert script.asked[0].path == "/v1/embeddings"
    assert script.asked[0].model == "test"


def test_many_texts_are_asked_in_batches() -> None:
    texts = [f"text number {number}" for number in range(600)]
    with embedding_server() as script:
        embedding = provider(script)
        vectors = embedding.embed(texts, "document")
        embedding.close()
    assert [len(asked.texts) for asked in script.asked] == [256, 256, 88]
    np.testing.assert_allclose(vectors, HashMemoryEmbeddingProvider().embed(texts, "document"), atol=1e-6)


def test_the_key_is_sent_and_appears_in_no_error_and_no_repr() -> None:
    key = "sk-" + secrets.token_hex(24)
    error, script = failure_of(server.status(401), key=key)
    assert script.asked[0].authorization == f"Bearer {key}"
    shown = "".join(traceback.format_exception(error)) + repr(error.body()) + repr(provider(script, key=key))
    assert key not in shown
    assert key not in repr(EmbeddingOptions(api_key=key))


def test_without_a_key_no_authorization_is_sent() -> None:
    with embedding_server() as script:
        embedding = provider(script)
        embedding.embed(TEXTS, "document")
        embedding.close()
    assert script.asked[0].authorization == ""


@pytest.mark.parametrize("code", [400, 401, 403, 404, 302])
def test_a_refusal_is_not_repeated(code: int) -> None:
    error, script = failure_of(server.status(code))
    assert isinstance(error, FailedPrecondition)
    assert f"HTTP {code}" in error.message
    assert len(script.asked) == 1


@pytest.mark.parametrize("answer", [server.status(500), server.status(503), server.hung_up, server.truncated])
def test_a_server_in_trouble_is_asked_again(answer: Answer) -> None:
    with embedding_server(answer, answer) as script:
        embedding = provider(script)
        assert embedding.embed(TEXTS, "document").shape == (3, DIMS)
        embedding.close()
    assert len(script.asked) == 3


@pytest.mark.parametrize("answer", [server.status(500), server.hung_up, server.truncated])
def test_a_server_that_stays_in_trouble_is_unavailable(answer: Answer) -> None:
    error, script = failure_of(*[answer] * 9)
    assert isinstance(error, Unavailable)
    assert len(script.asked) == ATTEMPTS


def test_retry_after_is_honoured() -> None:
    with embedding_server(server.status(429, "0.3")) as script:
        embedding = provider(script)
        started = time.monotonic()
        assert embedding.embed(TEXTS, "document").shape == (3, DIMS)
        assert time.monotonic() - started >= 0.3
        embedding.close()
    assert len(script.asked) == 2


def test_a_retry_after_beyond_the_time_limit_is_reported_at_once() -> None:
    error, script = failure_of(server.status(429, "3600"))
    assert isinstance(error, Exhausted)
    assert error.details["retry_after_ms"] == 3_600_000
    assert len(script.asked) == 1


@pytest.mark.parametrize("retry_after", ["Wed, 21 Oct 2026 07:28:00 GMT", "-5", "soon", "1e9", "\xb2", "9" * 400])
def test_a_retry_after_that_is_no_number_of_seconds_means_the_usual_pause(retry_after: str) -> None:
    with embedding_server(server.status(429, retry_after)) as script:
        embedding = provider(script)
        assert embedding.embed(TEXTS, "document").shape == (3, DIMS)
        embedding.close()


@pytest.mark.parametrize("answer", [server.slow(4.0), server.dripping])
def test_a_slow_server_is_a_deadline(answer: Answer) -> None:
    started = time.monotonic()
    error, _ = failure_of(answer, timeout_ms=250)
    assert isinstance(error, Deadline)
    assert "250 ms" in error.message
    assert time.monotonic() - started < 3


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (server.raw(b"<html>busy</html>"), "not JSON"),
        (server.raw(b""), "not JSON"),
        (server.raw(b"[" * 200_000), "not JSON"),
        (server.raw(b"[]"), "no list"),
        (server.raw(b'{"data": 3}'), "no list"),
        (server.raw(b'{"data": [1, 2, 3]}'), "no list"),
        (server.fewer, "2 vectors for 3 texts"),
        (server.more, "4 vectors for 3 texts"),
        (server.same_index, "index"),
        (server.no_index, "index"),
        (server.boolean_index, "index"),
        (server.wrong_dims, f"{DIMS - 1} numbers, not {DIMS}"),
        (server.not_a_number, "NaN"),
        (server.infinite, "infinity"),
        (server.zeros, "zeros"),
        (server.words, "list of numbers"),
        (server.nothing, "list of numbers"),
        (server.endless, "more than"),
    ],
)
def test_an_unusable_answer_is_one_clear_error_and_not_repeated(answer: Answer, what: str) -> None:
    error, script = failure_of(answer)
    assert isinstance(error, Unavailable)
    assert what in error.message
    assert len(script.asked) == 1


def test_a_server_that_is_not_there_is_unavailable() -> None:
    with embedding_server() as script:
        pass
    embedding = provider(script)
    with pytest.raises(Unavailable, match="broke off"):
        embedding.embed(TEXTS, "document")
    embedding.close()


def test_closing_wakes_a_call_that_waits_to_try_again() -> None:
    with embedding_server(server.status(429, "3")) as script:
        embedding = provider(script)
        failed: list[PalyraError] = []

        def call() -> None:
            try:
                embedding.embed(TEXTS, "document")
            except PalyraError as error:
                failed.append(error)

        thread = threading.Thread(target=call)
        thread.start()
        while not script.asked:
            time.sleep(0.005)
        time.sleep(0.05)
        embedding.close()
        thread.join(1.0)
        assert not thread.is_alive()
    assert isinstance(failed[0], Exhausted)
    with pytest.raises(Unavailable, match="closed"):
        embedding.embed(TEXTS, "document")


@pytest.mark.parametrize(
    ("base_url", "model", "dims"),
    [
        ("", "m", 8),
        ("file:///etc/passwd", "m", 8),
        ("http://", "m", 8),
        ("http://ana:secret@127.0.0.1/v1", "m", 8),
        ("http://127.0.0.1/v1?key=1", "m", 8),
        ("http://127.0.0.1/v1", "", 8),
        ("http://127.0.0.1/v1", "unheard-of", 0),
        ("http://127.0.0.1/v1", "m", 9_000),
    ],
)
def test_options_that_cannot_work_are_refused_when_it_is_made(base_url: str, model: str, dims: int) -> None:
    with pytest.raises(InvalidArgument) as refused:
        make_provider("openai", EmbeddingOptions(model, dims, base_url))
    assert refused.value.hint
    assert "secret" not in refused.value.message


def test_the_size_of_a_well_known_model_need_not_be_said() -> None:
    made = make_provider("openai", EmbeddingOptions("text-embedding-3-small", 0, "https://api.openai.com/v1"))
    assert str(made.identity) == "openai:text-embedding-3-small/1536/1"


def test_an_unknown_provider_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(InvalidArgument) as refused:
        make_provider("magic")
    assert "local" in refused.value.hint
