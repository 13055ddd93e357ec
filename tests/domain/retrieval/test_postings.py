"""Which rows hold a term."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from palyra.domain.retrieval.postings import Postings

LAST = 0xFFFFFFFF

codes = st.sampled_from([0, 1, 2, 7, LAST - 1, LAST])
segments = st.lists(st.lists(st.tuples(codes, st.integers(1, 50), st.integers(1, 255)), max_size=9), max_size=6)


def postings_of(added: list[list[tuple[int, int, int]]]) -> Postings:
    postings = Postings()
    for segment in added:
        postings.add(
            np.array([code for code, _, _ in segment], np.uint32),
            np.array([row for _, row, _ in segment], np.int32),
            np.array([count for _, _, count in segment], np.uint8),
        )
    return postings


@given(segments, st.lists(codes, unique=True))
def test_all_postings_of_a_code_are_found_up_to_the_last_code_there_is(
    added: list[list[tuple[int, int, int]]], asked: list[int]
) -> None:
    matches = postings_of(added).find(asked)
    found = [
        (asked[which], row, count)
        for row, count, which in zip(
            matches.rows.tolist(), matches.counts.tolist(), matches.which.tolist(), strict=True
        )
    ]
    assert sorted(found) == sorted(one for segment in added for one in segment if one[0] in asked)
