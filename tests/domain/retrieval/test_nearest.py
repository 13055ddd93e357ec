"""Nearest rows by sign bits."""

import numpy as np
import pytest

from palyra.core.errors import InvalidArgument
from palyra.domain.retrieval.nearest import EXACT_ROWS, RESCORED, NearestRows
from palyra.domain.retrieval.vectors import Floats


def unit(n: int, dims: int, seed: int = 1) -> Floats:
    vectors = np.random.default_rng(seed).standard_normal((n, dims)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def test_few_rows_are_all_compared() -> None:
    vectors = unit(50, 256)
    block = NearestRows(256)
    block.put(np.arange(1, 51), vectors, np.zeros(len(vectors), np.int64))
    rows, cosines = block.near(vectors[7], np.ones(51, np.bool_))
    assert rows.tolist() == list(range(1, 51))
    assert np.allclose(cosines, vectors @ vectors[7], atol=5e-3)


def test_the_nearest_of_many_rows_are_among_those_looked_at() -> None:
    n = 2 * EXACT_ROWS
    vectors = unit(n, 256)
    block = NearestRows(256)
    block.put(np.arange(n), vectors, np.zeros(len(vectors), np.int64))
    query = vectors[5] + 0.3 * vectors[6] + 0.2 * vectors[9]
    query /= np.linalg.norm(query)
    rows, cosines = block.near(query, np.ones(n, np.bool_))
    assert len(rows) < EXACT_ROWS
    assert {5, 6} <= set(rows.tolist())
    assert np.allclose(cosines, vectors[rows] @ query, atol=5e-3)


def test_rows_that_are_not_allowed_or_discarded_are_not_returned() -> None:
    n = 2 * EXACT_ROWS
    vectors = unit(n, 256)
    block = NearestRows(256)
    block.put(np.arange(n), vectors, np.zeros(len(vectors), np.int64))
    block.discard(np.array([5]))
    allowed = np.ones(n, np.bool_)
    allowed[6] = False
    rows, _ = block.near(vectors[5], allowed)
    assert not {5, 6} & set(rows.tolist())
    assert block.cosines(vectors[5], np.array([5, n + 3])).tolist() == [0.0, 0.0]
    assert len(block) == n - 1


@pytest.mark.parametrize(("dims", "bits"), [(192, 192), (256, 255), (300, 300)])
@pytest.mark.parametrize("hidden", [0, 1_000])
def test_those_looked_at_are_the_ones_whose_signs_differ_least(dims: int, bits: int, hidden: int) -> None:
    n = 2 * EXACT_ROWS
    vectors, query = unit(n, dims), unit(1, dims, seed=2)[0]
    block = NearestRows(dims)
    block.put(np.arange(n), vectors, np.zeros(n, np.int64))
    allowed = np.ones(n, np.bool_)
    allowed[:hidden] = False
    rows, _ = block.near(query, allowed)
    differing = ((vectors[:, :bits] > 0) != (query[:bits] > 0)).sum(axis=1)
    differing[:hidden] = dims + 1
    assert rows.tolist() == (differing <= np.sort(differing)[RESCORED - 1]).nonzero()[0].tolist()


@pytest.mark.parametrize("dims", [1, 64, 70, 300])
def test_any_number_of_dimensions_works(dims: int) -> None:
    vectors = unit(20, dims)
    block = NearestRows(dims)
    block.put(np.arange(20), vectors, np.zeros(len(vectors), np.int64))
    rows, cosines = block.near(vectors[3], np.ones(20, np.bool_))
    assert rows[np.argmax(cosines)] == 3 or dims == 1


def test_a_vector_that_is_not_of_unit_length_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        NearestRows(4).put(np.array([1]), np.full((1, 4), 2.0, np.float32), np.zeros(1, np.int64))


def test_what_all_vectors_share_is_taken_out_of_a_question_and_depends_on_visible_scopes_only() -> None:
    block, other = NearestRows(8), NearestRows(8)
    shared = np.eye(8, dtype=np.float32)[[0] * 100]
    block.put(np.arange(100), shared, np.zeros(100, np.int64))
    other.put(np.arange(100), shared, np.zeros(100, np.int64))
    other.put(np.arange(100, 150), unit(50, 8), np.ones(50, np.int64))
    query = unit(1, 8, seed=2)[0]
    plain = block.distinctive(query, frozenset({0}))
    assert abs(plain[0]) < abs(query[0]) / 2
    assert np.array_equal(plain, other.distinctive(query, frozenset({0})))
    assert np.allclose(query, block.distinctive(query, frozenset({7})))


def test_the_shared_direction_forgets_what_is_discarded() -> None:
    block, fresh = NearestRows(8), NearestRows(8)
    kept = unit(60, 8)
    block.put(np.arange(60), unit(60, 8, seed=5), np.zeros(60, np.int64))
    block.put(np.arange(60), kept, np.zeros(60, np.int64))
    block.put(np.arange(60, 90), unit(30, 8, seed=6), np.zeros(30, np.int64))
    block.discard(np.arange(60, 90))
    fresh.put(np.arange(60), kept, np.zeros(60, np.int64))
    assert np.array_equal(block.distinctive(kept[3], frozenset({0})), fresh.distinctive(kept[3], frozenset({0})))
