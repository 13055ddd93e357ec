"""The cache of query vectors."""

import sys
import threading

import numpy as np
import pytest

from palyra.domain.retrieval.vectors import Floats
from palyra.ports import EmbeddingIdentity
from palyra.providers.embeddings.cache import QueryVectorCache

ONE, TWO = EmbeddingIdentity("m", 2, "1"), EmbeddingIdentity("m", 2, "2")


def a_vector(number: int) -> Floats:
    return np.array([number, 1], dtype=np.float32)


def test_a_vector_is_found_by_its_model_and_its_text() -> None:
    cache = QueryVectorCache()
    cache.put(ONE, "tea?", a_vector(1))
    found = cache.get(ONE, "tea?")
    assert found is not None
    assert found.tolist() == [1.0, 1.0]
    assert cache.get(TWO, "tea?") is None
    assert cache.get(ONE, "tea") is None


def test_the_least_recently_used_goes_first() -> None:
    cache = QueryVectorCache(entries=2)
    cache.put(ONE, "a", a_vector(1))
    cache.put(ONE, "b", a_vector(2))
    cache.get(ONE, "a")
    cache.put(ONE, "c", a_vector(3))
    assert [cache.get(ONE, text) is not None for text in "abc"] == [True, False, True]
    assert len(cache) == 2


def test_what_an_asker_does_to_a_vector_changes_nothing_for_the_next() -> None:
    cache, mine = QueryVectorCache(), a_vector(1)
    cache.put(ONE, "a", mine)
    mine[0] = 9
    found = cache.get(ONE, "a")
    assert found is not None
    assert found[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 9


def test_any_text_may_be_a_key_and_none_is_kept() -> None:
    cache, question = QueryVectorCache(), "what did I say about \udc80 the orchard?"
    cache.put(ONE, question, a_vector(1))
    assert cache.get(ONE, question) is not None
    kept = sys.getrefcount(question)
    cache.put(ONE, question, a_vector(2))
    assert sys.getrefcount(question) == kept


def test_threads_share_one_bound() -> None:
    cache = QueryVectorCache(entries=16)

    def fill(start: int) -> None:
        for number in range(start, start + 500):
            cache.put(ONE, str(number), a_vector(number))
            cache.get(ONE, str(number - 3))

    threads = [threading.Thread(target=fill, args=(start,)) for start in (0, 250, 500)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache) == 16
