"""VectorBlock against sorting every score."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palyra.core.errors import InvalidArgument
from palyra.domain.retrieval.vectors import CHUNK_ROWS, DECIMALS, Floats, Mask, Rows, VectorBlock, best

DIMS = 32


def unit(seed: int, n: int, dims: int = DIMS) -> Floats:
    """Clustered like real sentences, so that near ties happen."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((n, dims)) + 2 * rng.standard_normal((8, dims))[rng.integers(0, 8, n)]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32)


def block_of(vectors: Floats) -> VectorBlock:
    block = VectorBlock(vectors.shape[1])
    block.put(np.arange(len(vectors)), vectors)
    return block


def by_sorting(vectors: Floats, query: Floats, n: int, allowed: Mask | None = None) -> tuple[Rows, Floats]:
    scores = np.round(query @ np.ascontiguousarray(vectors.T), DECIMALS)
    rows = np.arange(len(vectors)) if allowed is None else np.flatnonzero(allowed)
    order = rows[np.lexsort((rows, -scores[rows]))][:n]
    return order, scores[order]


def assert_same(found: tuple[Rows, Floats], expected: tuple[Rows, Floats]) -> None:
    """Equal rows, except where two scores are one rounding step apart and BLAS added them up in another order."""
    np.testing.assert_allclose(found[1], expected[1], atol=1.5e-6)
    differing = np.flatnonzero(found[0] != expected[0])
    for place in differing:
        assert np.any(np.abs(expected[1] - found[1][place]) <= 2e-6)


@pytest.mark.parametrize("count", [1, 63, 64, 65, 1_000, CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1, 20_000])
@pytest.mark.parametrize("n", [1, 10, 64, 200])
def test_top_equals_sorting_every_score(count: int, n: int) -> None:
    vectors = unit(count, count)
    block = block_of(vectors)
    for query in unit(7, 5):
        found = block.top(query, n)
        assert_same(found, by_sorting(vectors, query, n))
        assert len(found[0]) == min(n, count)


def test_top_sees_only_allowed_rows() -> None:
    vectors = unit(1, 9_000)
    block = block_of(vectors)
    allowed = np.random.default_rng(2).random(9_000) < 0.1
    query = unit(3, 1)[0]
    rows, _ = block.top(query, 200, allowed)
    assert allowed[rows].all()
    assert_same(block.top(query, 200, allowed), by_sorting(vectors, query, 200, allowed))


def test_rows_beyond_a_short_mask_are_not_allowed() -> None:
    block = block_of(unit(1, 50))
    rows, _ = block.top(unit(2, 1)[0], 50, np.ones(20, dtype=np.bool_))
    assert sorted(rows) == list(range(20))


def test_equal_vectors_rank_by_row_wherever_they_are_stored() -> None:
    vectors = np.repeat(unit(5, 1), CHUNK_ROWS + 100, axis=0)
    rows, cosines = block_of(vectors).top(vectors[0], 64)
    assert list(rows) == list(range(64))
    assert set(cosines.tolist()) == {1.0}


def test_a_replaced_row_is_found_by_its_new_vector_only() -> None:
    vectors, new = unit(1, 100), unit(9, 1)
    block = block_of(vectors)
    block.put(np.array([40]), new)
    assert block.top(new[0], 1)[0].tolist() == [40]
    assert block.cosines(vectors[40], np.array([40]))[0] == pytest.approx(float(vectors[40] @ new[0]), abs=1e-5)
    assert len(block) == 100


def test_a_discarded_row_is_never_found_and_scores_zero() -> None:
    vectors = unit(1, 100)
    block = block_of(vectors)
    block.discard(np.array([3, 3, 500, -1]))
    assert 3 not in block.top(vectors[3], 100)[0]
    assert block.cosines(vectors[3], np.array([3, 500, -1])).tolist() == [0.0, 0.0, 0.0]
    assert len(block) == 99


def test_rows_may_arrive_in_any_order_with_holes() -> None:
    block = VectorBlock(DIMS)
    vectors = unit(4, 3)
    block.put(np.array([CHUNK_ROWS + 5, 2, 70]), vectors)
    assert len(block) == 3
    assert block.top(vectors[0], 9)[0][0] == CHUNK_ROWS + 5
    assert len(block.top(vectors[0], 9)[0]) == 3


def test_cosines_of_a_few_rows_equal_cosines_of_all() -> None:
    vectors = unit(1, 5_000)
    block, query = block_of(vectors), unit(2, 1)[0]
    rows = np.array([4_999, 0, 77, 77])
    np.testing.assert_allclose(block.cosines(query, rows), (vectors @ query)[rows], atol=2e-6)
    np.testing.assert_allclose(block.cosines(query, np.arange(5_000)), vectors @ query, atol=2e-6)


def test_a_write_after_a_search_is_seen_by_the_same_search() -> None:
    block, query = block_of(unit(1, 100)), unit(2, 1)
    block.top(query[0], 5)
    block.put(np.array([100]), query)
    assert block.top(query[0], 1)[0].tolist() == [100]
    block.discard(np.array([100]))
    assert 100 not in block.top(query[0], 200)[0]


def test_what_a_caller_gets_cannot_change_what_the_next_one_gets() -> None:
    block, query = block_of(unit(1, 100)), unit(2, 1)[0]
    with pytest.raises(ValueError, match="read-only"):
        block.scores(query)[0] = 1.0
    before = block.top(query, 100)[1].tolist()
    block.top(query, 100)[1][:] = 0.0
    block.cosines(query, np.arange(100))[:] = 0.0
    assert block.top(query, 100)[1].tolist() == before


def test_an_empty_block_finds_nothing() -> None:
    block = VectorBlock(DIMS)
    rows, cosines = block.top(unit(1, 1)[0], 10)
    assert (len(rows), len(cosines), len(block), block.memory_bytes()) == (0, 0, 0, 0)
    block.put(np.zeros(0, dtype=np.int64), np.zeros((0, DIMS), dtype=np.float32))
    block.discard(np.array([0]))
    assert len(block) == 0


@pytest.mark.parametrize(
    "vectors",
    [
        np.full((1, DIMS), np.nan),
        np.full((1, DIMS), np.inf),
        np.zeros((1, DIMS)),
        np.ones((1, DIMS)),
        unit(1, 1, DIMS + 1),
        unit(1, 1)[0],
        unit(1, 2),
    ],
)
def test_a_wrong_vector_is_refused_and_changes_nothing(vectors: Floats) -> None:
    block = block_of(unit(1, 10))
    before = block.top(unit(2, 1)[0], 10)
    with pytest.raises(InvalidArgument) as refused:
        block.put(np.array([10]), vectors.astype(np.float32))
    assert refused.value.hint
    assert block.top(unit(2, 1)[0], 10)[0].tolist() == before[0].tolist()


def test_memory_grows_with_the_rows_and_small_blocks_stay_small() -> None:
    assert block_of(unit(1, 10)).memory_bytes() < 64 * DIMS * 4 + 1_000
    large = block_of(unit(1, 2 * CHUNK_ROWS + 1))
    assert large.memory_bytes() < 3 * CHUNK_ROWS * (DIMS * 4 + 1) + 1_000


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 150), st.booleans()), max_size=60), st.integers(0, 2**20))
def test_any_run_of_puts_and_discards_equals_a_dictionary(steps: list[tuple[int, bool]], seed: int) -> None:
    block, kept = VectorBlock(DIMS), dict[int, Floats]()
    for number, (row, keep) in enumerate(steps):
        if keep:
            kept[row] = unit(seed + number, 1)[0]
            block.put(np.array([row]), kept[row][np.newaxis])
        else:
            kept.pop(row, None)
            block.discard(np.array([row]))
    query = unit(seed, 1)[0]
    rows, cosines = block.top(query, 200)
    assert set(rows.tolist()) == set(kept)
    for row, cosine in zip(rows.tolist(), cosines, strict=True):
        assert float(kept[row] @ query) == pytest.approx(float(cosine), abs=2e-6)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=40), st.integers(0, 50))
def test_best_breaks_ties_by_position(values: list[int], n: int) -> None:
    scores = np.array([value / 4 for value in values], dtype=np.float32)
    rows, _ = best(scores, n)
    assert rows.tolist() == sorted(range(len(values)), key=lambda place: (-values[place], place))[:n]
