"""Any text, seen from any moment, gives well-formed ranges or none."""

from hypothesis import given
from hypothesis import strategies as st

from palyra.domain import temporal_words
from palyra.domain.temporal import time_ranges

VOCABULARY = sorted(
    temporal_words.KEYS
    | temporal_words.SHIFTS.keys()
    | temporal_words.NUMBERS.keys()
    | temporal_words.BETWEEN
    | temporal_words.AND
    | temporal_words.SINCE
    | temporal_words.BEFORE
    | temporal_words.AFTER
    | temporal_words.UNTIL
    | temporal_words.AGO
    | {
        "of",
        "first",
        "weekend",
        "31",
        "30",
        "0",
        "999",
        "2023",
        "1800",
        "2199",
        "2023-02-30",
        "31/31/2023",
        "9999-12-31",
    }
)
EAST_ASIAN = list("年月日天周週昨今明前后後上下个三十二〇九0129几末的号曜")
TEXTS = st.one_of(
    st.text(),
    st.lists(st.sampled_from(VOCABULARY), max_size=12).map(" ".join),
    st.text(alphabet=EAST_ASIAN, max_size=16),
)
MOMENTS = st.one_of(st.integers(), st.integers(min_value=-(2**62), max_value=2**62), st.integers(0, 2**41))


@given(TEXTS, MOMENTS)
def test_ranges_are_well_formed_and_lie_in_the_text(text: str, anchor_ms: int) -> None:
    last = 0
    for found in time_ranges(text, anchor_ms):
        assert found.start_ms < found.end_ms
        assert last <= found.start_char < found.end_char <= len(text)
        last = found.end_char


@given(TEXTS, st.integers(0, 2**41))
def test_reading_is_repeatable(text: str, anchor_ms: int) -> None:
    assert time_ranges(text, anchor_ms) == time_ranges(text, anchor_ms)


@given(
    st.sampled_from(["yesterday", "last week", "3 days ago", "in March", "on Friday", "昨天", "上周"]),
    st.integers(0, 2**41),
)
def test_what_lies_behind_begins_before_the_anchor(text: str, anchor_ms: int) -> None:
    (found,) = time_ranges(text, anchor_ms)
    assert found.start_ms <= anchor_ms
