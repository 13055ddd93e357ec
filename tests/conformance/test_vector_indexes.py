"""What every vector index promises, run over the table, and over an exact one that shows what an answer should be.

An index on another machine keeps half of the bits: its cosines are as near as that."""

import threading
from collections.abc import Iterator
from uuid import uuid4

import numpy as np
import pytest

from exact_index import ExactVectorIndex
from palyra.core.errors import InvalidArgument
from palyra.core.ids import MemoryId
from palyra.domain.retrieval.vectors import Floats
from palyra.ports import VectorIndex
from palyra.providers.vectors.table import MIRRORS, make_mirror

DIMS = 24
ANA, BEN = "user:ana", "user:ben"
_TABLE = f"t{uuid4().hex}"


@pytest.fixture(params=["exact", *MIRRORS])
def index(request: pytest.FixtureRequest) -> Iterator[VectorIndex]:
    if request.param in MIRRORS:
        dsn = request.getfixturevalue("postgres").dsn
        made: VectorIndex = make_mirror(request.param, "a", dsn, _TABLE, DIMS, search_seconds=20)
    else:
        made = ExactVectorIndex(DIMS)
    yield made
    for principal in (ANA, BEN) if request.param in MIRRORS else ():
        made.drop(principal)  # tables take seconds to make in some engines: all tests use one
    made.close()
    made.close()


def unit(seed: int, n: int, dims: int = DIMS) -> Floats:
    vectors = np.random.default_rng(seed).standard_normal((n, dims))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32)


def names(n: int, start: int = 0) -> list[MemoryId]:
    return [MemoryId(f"item-{number}") for number in range(start, start + n)]


def ids(found: object) -> list[str]:
    return [near.id for near in found]  # type: ignore[attr-defined]


@pytest.fixture
def tolerance(index: VectorIndex) -> float:
    return 1e-5 if isinstance(index, ExactVectorIndex) else 2e-3


def test_top_equals_brute_force(index: VectorIndex, tolerance: float) -> None:
    vectors = unit(1, 3_000)
    for start in range(0, 3_000, 500):
        index.put(ANA, names(500, start), vectors[start : start + 500])
    for query in unit(2, 5):
        found = index.top(ANA, query, 64)
        cosines = vectors @ query
        np.testing.assert_allclose([near.cosine for near in found], np.sort(cosines)[::-1][:64], atol=tolerance)
        places = [int(near.id.removeprefix("item-")) for near in found]
        assert len(set(places)) == 64
        np.testing.assert_allclose([near.cosine for near in found], cosines[places], atol=tolerance)


def test_fewer_are_returned_when_there_are_fewer(index: VectorIndex) -> None:
    index.put(ANA, names(3), unit(1, 3))
    assert len(index.top(ANA, unit(2, 1)[0], 10)) == 3
    assert list(index.top(ANA, unit(2, 1)[0], 0)) == []


def test_only_allowed_ids_are_found_and_unknown_ones_ignored(index: VectorIndex) -> None:
    vectors = unit(1, 200)
    index.put(ANA, names(200), vectors)
    allowed = {*names(10, 50), MemoryId("never stored")}
    found = index.top(ANA, vectors[0], 20, allowed)
    assert set(ids(found)) == set(names(10, 50))
    assert list(index.top(ANA, vectors[0], 20, set())) == []


def test_a_replaced_vector_is_found_where_it_is_now(index: VectorIndex, tolerance: float) -> None:
    vectors, new = unit(1, 50), unit(9, 1)
    index.put(ANA, names(50), vectors)
    index.put(ANA, names(1, 7), new)
    assert ids(index.top(ANA, new[0], 1)) == ["item-7"]
    assert index.count(ANA) == 50
    assert float(index.cosines(ANA, new[0], names(1, 7))[0]) == pytest.approx(1.0, abs=tolerance)


def test_a_discarded_id_is_gone_until_it_is_put_again(index: VectorIndex) -> None:
    vectors = unit(1, 50)
    index.put(ANA, names(50), vectors)
    index.discard(ANA, [*names(2, 3), MemoryId("never stored")])
    assert not {"item-3", "item-4"} & set(ids(index.top(ANA, vectors[3], 50)))
    assert index.cosines(ANA, vectors[3], names(1, 3)).tolist() == [0.0]
    assert index.count(ANA) == 48
    index.put(ANA, names(1, 3), vectors[10:11])
    assert set(ids(index.top(ANA, vectors[10], 2))) == {"item-3", "item-10"}
    assert "item-4" not in ids(index.top(ANA, vectors[4], 50))


def test_cosines_come_in_the_order_asked_and_are_zero_for_the_unknown(index: VectorIndex, tolerance: float) -> None:
    vectors = unit(1, 20)
    index.put(ANA, names(20), vectors)
    asked = [MemoryId("item-5"), MemoryId("never stored"), MemoryId("item-0"), MemoryId("item-5")]
    expected = vectors[[5, 0, 0, 5]] @ vectors[2]
    expected[1] = 0.0
    np.testing.assert_allclose(index.cosines(ANA, vectors[2], asked), expected, atol=tolerance)
    assert index.cosines(ANA, vectors[2], []).shape == (0,)


def test_partitions_never_cross(index: VectorIndex) -> None:
    """The canary has the very vector asked for, under an id the other principal uses too."""
    canary = unit(77, 1)
    index.put(ANA, names(100), unit(1, 100))
    index.put(BEN, [MemoryId("canary"), MemoryId("item-1")], np.concatenate([canary, canary]))
    for found in (index.top(ANA, canary[0], 100), index.top(ANA, canary[0], 5, [MemoryId("canary")])):
        assert "canary" not in ids(found)
        assert all(near.cosine < 0.95 for near in found)
    assert index.cosines(ANA, canary[0], [MemoryId("canary")]).tolist() == [0.0]
    index.discard(ANA, [MemoryId("canary"), MemoryId("item-1")])
    index.drop(ANA)
    assert index.count(ANA) == 0
    assert list(index.top(ANA, canary[0], 5)) == []
    assert set(ids(index.top(BEN, canary[0], 5))) == {"canary", "item-1"}


def test_an_unknown_principal_has_nothing(index: VectorIndex) -> None:
    assert list(index.top("user:nobody", unit(1, 1)[0], 5)) == []
    assert index.count("user:nobody") == 0
    assert index.cosines("user:nobody", unit(1, 1)[0], names(2)).tolist() == [0.0, 0.0]
    index.discard("user:nobody", names(2))
    index.drop("user:nobody")


@pytest.mark.parametrize(
    "vectors",
    [unit(1, 2, DIMS + 1), np.full((2, DIMS), np.nan), np.zeros((2, DIMS)), 2 * unit(1, 2), unit(1, 3), unit(1, 2)[0]],
    ids=["wrong dims", "NaN", "zeros", "too long", "more vectors than ids", "one vector alone"],
)
def test_a_wrong_vector_is_refused_and_nothing_is_stored(index: VectorIndex, vectors: Floats) -> None:
    with pytest.raises(InvalidArgument) as refused:
        index.put(ANA, names(2), vectors.astype(np.float32))
    assert refused.value.hint
    assert index.count(ANA) == 0


def test_one_wrong_vector_among_good_ones_stores_none_of_them(index: VectorIndex) -> None:
    vectors = unit(1, 3)
    vectors[1, 0] = np.nan
    with pytest.raises(InvalidArgument, match="vector 1"):
        index.put(ANA, names(3), vectors)
    assert index.count(ANA) == 0


def test_an_id_named_twice_in_one_put_is_refused(index: VectorIndex) -> None:
    with pytest.raises(InvalidArgument, match="twice"):
        index.put(ANA, [MemoryId("a"), MemoryId("a")], unit(1, 2))


@pytest.mark.parametrize("query", [unit(1, 1, DIMS - 1)[0], np.full(DIMS, np.nan), np.zeros(DIMS)])
def test_a_wrong_query_is_refused(index: VectorIndex, query: Floats) -> None:
    index.put(ANA, names(3), unit(1, 3))
    for ask in (ANA, "user:nobody"):
        with pytest.raises(InvalidArgument):
            index.top(ask, query.astype(np.float32), 3)


def test_searches_during_writes_see_whole_vectors(index: VectorIndex) -> None:
    """Every vector put is one of two; a search that saw half of each would find a cosine that neither has."""
    both = unit(5, 2)
    index.put(ANA, names(200), both[[0] * 200])
    legal = np.round((both @ both[0]).astype(np.float64), 4).tolist()
    done = threading.Event()

    def write() -> None:
        for turn in range(40):
            index.put(ANA, names(200), both[[turn % 2] * 200])
            index.discard(ANA, names(50))
            index.put(BEN, names(10), both[[1] * 10])
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    while not done.is_set():
        assert all(min(abs(near.cosine - value) for value in legal) < 1e-3 for near in index.top(ANA, both[0], 200))
    thread.join()
