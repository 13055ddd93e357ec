import pytest
from hypothesis import given
from hypothesis import strategies as st

from palyra.core.literals import Literals

WORDS = ("pass", "pw", "as", "a", "sandi", "and", "é", " -u", "密码")
TEXTS = st.lists(st.sampled_from((*WORDS, "p", "s", " ", "-", "i", "x", "\ud800", "\n"))).map("".join)


@given(TEXTS)
def test_one_pass_finds_what_a_search_for_each_finds(text: str) -> None:
    octets = text.encode("utf-8", "surrogatepass")
    one_by_one = {number for number, word in enumerate(WORDS) if word in text}
    assert Literals(WORDS).all_in(octets) == one_by_one
    assert Literals(WORDS).any_in(octets) == bool(one_by_one)


@given(TEXTS)
def test_a_long_text_gets_the_same_answer(text: str) -> None:
    octets = b"." * 70_000 + text.encode("utf-8", "surrogatepass")
    assert Literals(WORDS).all_in(octets) == Literals(WORDS).all_in(octets[70_000:])
    assert Literals(WORDS).any_in(octets) == Literals(WORDS).any_in(octets[70_000:])


def test_an_empty_literal_is_refused() -> None:
    with pytest.raises(ValueError, match="every text"):
        Literals(("", "a"))
