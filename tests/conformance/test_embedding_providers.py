"""What every embedding provider promises, run over the table. A new row is tested by being there."""

import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palyra.ports import EmbeddingIdentity, EmbeddingProvider, Role
from palyra.providers.embeddings.hash import DIMS
from palyra.providers.embeddings.table import PROVIDERS, EmbeddingOptions, make_provider
from providers.embedding_server import embedding_server

ODD = [
    "",
    " ",
    "\n\t",
    "\x00",
    "\ud800",
    "half a pair \udc80 inside",
    "👩‍👩‍👧‍👦",
    "مرحبا",
    "ภาษาไทย",
    "茶が好きです",
    "e\u0301",
    "a" * 16_384,
    "茶" * 5_000,
    "\u202e\u200b\ufeff",
    "?!…",
    "</s><s><unk>",
]


@pytest.fixture(scope="module", params=sorted(PROVIDERS))
def provider(request: pytest.FixtureRequest) -> Iterator[EmbeddingProvider]:
    with embedding_server() as script:
        made = make_provider(request.param, EmbeddingOptions("test", DIMS, script.url))
        yield made
        made.close()


def assert_unit(vectors: object, rows: int, dims: int) -> None:
    assert isinstance(vectors, np.ndarray)
    assert vectors.dtype == np.float32
    assert vectors.shape == (rows, dims)
    np.testing.assert_allclose(np.linalg.norm(vectors.astype(np.float64), axis=1), 1.0, atol=1e-4)


def test_identity_is_stable_and_survives_its_string_form(provider: EmbeddingProvider) -> None:
    identity = provider.identity
    provider.embed(["tea"], "document")
    assert provider.identity == identity
    assert EmbeddingIdentity.parse(str(identity)) == identity


@pytest.mark.parametrize("role", ["query", "document"])
def test_any_text_has_a_unit_vector(provider: EmbeddingProvider, role: Role) -> None:
    assert_unit(provider.embed(ODD, role), len(ODD), provider.identity.dims)


def test_no_texts_give_no_vectors(provider: EmbeddingProvider) -> None:
    assert provider.embed([], "document").shape == (0, provider.identity.dims)


def test_the_same_text_always_has_the_same_vector(provider: EmbeddingProvider) -> None:
    texts = ["Ana drinks tea", *ODD]
    assert provider.embed(texts, "document").tobytes() == provider.embed(texts, "document").tobytes()


def test_a_batch_gives_what_each_text_gives_alone(provider: EmbeddingProvider) -> None:
    texts = [*ODD, *(f"note {number}: the {['red', 'blue', 'green'][number % 3]} door" for number in range(300))]
    together = provider.embed(texts, "document")
    some = [*range(len(ODD)), 50, 200, len(texts) - 1]
    alone = np.concatenate([provider.embed([texts[place]], "document") for place in some])
    assert together[some].tobytes() == alone.tobytes()


def test_a_text_is_nearest_to_itself_and_nearer_to_kin_than_to_strangers(provider: EmbeddingProvider) -> None:
    texts = ["the launch is planned for Friday", "is the launch planned for Friday?", "my cat sleeps on warm bricks"]
    vectors = provider.embed(texts, "document")
    cosines = vectors @ vectors[0]
    assert cosines[0] == pytest.approx(1.0, abs=1e-5)
    assert cosines[1] > cosines[2]


def test_the_caller_owns_what_it_gets(provider: EmbeddingProvider) -> None:
    first = provider.embed(["tea"], "query")
    kept = first.copy()
    first[:] = 0.0
    assert provider.embed(["tea"], "query").tobytes() == kept.tobytes()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(st.characters(), max_size=40), max_size=5))
def test_any_texts_have_unit_vectors(provider: EmbeddingProvider, texts: list[str]) -> None:
    assert_unit(provider.embed(texts, "document"), len(texts), provider.identity.dims)


@pytest.mark.parametrize("name", ["hash", "local"])
def test_another_process_gets_the_same_bits(name: str) -> None:
    code = (
        "from palyra.providers.embeddings.table import make_provider;"
        f"print(make_provider({name!r}).embed(['Ana drinks tea', ''], 'document').tobytes().hex())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == make_provider(name).embed(["Ana drinks tea", ""], "document").tobytes().hex()


def test_closing_twice_is_allowed(provider: EmbeddingProvider) -> None:
    with embedding_server() as script:
        for name in PROVIDERS:
            made = make_provider(name, EmbeddingOptions("test", DIMS, script.url))
            made.embed(["tea"], "query")
            made.close()
            made.close()


@pytest.mark.parametrize("text", ["", "m", "m/8", "/8/1", "m/x/1", "m/8/", "m/-8/1", "m/٨/1"])
def test_what_is_no_identity_is_refused(text: str) -> None:
    from palyra.core.errors import InvalidArgument

    with pytest.raises(InvalidArgument, match="identity"):
        EmbeddingIdentity.parse(text)
