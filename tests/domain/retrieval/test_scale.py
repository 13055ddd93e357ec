"""A score is a probability: it keeps the order of the sums, and its parts add up to it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palyra.domain.retrieval.query import Scored
from palyra.domain.retrieval.scale import as_probability, probability


def test_nothing_stays_nothing_and_all_is_nearly_certain() -> None:
    assert probability(0.0) == 0.0
    assert 0.99 < probability(1.0) <= 1.0


def test_a_higher_sum_is_a_higher_probability() -> None:
    said = [probability(n / 100) for n in range(101)]
    assert all(lower < higher for lower, higher in pairwise(said))


@given(st.lists(st.floats(0, 0.1), min_size=1, max_size=9))
def test_the_parts_add_up_to_it(parts: list[float]) -> None:
    hit = as_probability(Scored(7, sum(parts), {str(n): part for n, part in enumerate(parts)}))
    assert hit.key == 7
    assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-9)
