import pytest
from hypothesis import given
from hypothesis import strategies as st

from palyra.core import literals
from palyra.core.literals import Literals

WORDS = ("pass", "pw", "as", "a", "sandi", "and", "é", " -u", "密码")
TEXTS = st.lists(st.sampled_from((*WORDS, "p", "s", " ", "-", "i", "x", "\ud800", "\n"))).map("".join)


@given(TEXTS)
def test_one_pass_finds_what_a_search_for_each_finds(text: str) -> None:
    octets = text.encode("utf-8", "surrogatepass")
    one_by_one = {number for number, word in enumerate(WORDS) if word in text}
    assert Literals(WORDS).all_in(octets) == one_by_one
    assert Literals(WORDS).any_in(octets) == bool(one_by_one)


@given(TEXTS, st.integers(0, 12))
def test_a_long_text_is_read_in_pieces_that_cut_nothing_in_two(text: str, before_the_end: int) -> None:
    octets = text.encode("utf-8", "surrogatepass")
    long = b"." * (literals._PIECE - before_the_end) + octets + b"." * literals._PIECE
    assert Literals(WORDS).all_in(long) == Literals(WORDS).all_in(octets)
    assert Literals(WORDS).any_in(long) == Literals(WORDS).any_in(octets)


def test_an_empty_literal_is_refused() -> None:
    with pytest.raises(ValueError, match="every text"):
        Literals(("", "a"))
