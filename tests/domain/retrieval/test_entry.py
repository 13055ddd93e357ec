"""Fingerprints: what an index takes from a text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palyra.core.errors import InvalidArgument
from palyra.domain.retrieval.cues import Sign, cues, signs
from palyra.domain.retrieval.entry import Entry, decode, encode, encode_many, is_current, pair_code, term_code
from palyra.domain.retrieval.terms import analyse, is_stop


def entry(text: str) -> Entry:
    return Entry(1, text, "", "", 0, 0, 0)


@given(st.lists(st.text(alphabet=st.characters()), max_size=5))
def test_decoding_gives_back_every_term_and_its_count(texts: list[str]) -> None:
    decoded = decode([encode(entry(text)) for text in texts])
    for i, text in enumerate(texts):
        terms = analyse(text)
        mine = decoded.owner == i
        counts = dict(zip(decoded.codes[mine].tolist(), decoded.counts[mine].tolist(), strict=True))
        assert {term_code(term) for term in terms} <= counts.keys()
        assert decoded.lengths[i] == len([term for term in terms if not is_stop(term)])
        assert decoded.signs[i] == signs(text, terms)


@given(
    st.lists(
        st.text(alphabet=st.characters()) | st.lists(st.sampled_from(("the", "tea", "Group", "a", "3"))).map(" ".join)
    )
)
def test_many_texts_get_the_fingerprints_that_each_gets_alone(texts: list[str]) -> None:
    assert encode_many(texts, [analyse(text) for text in texts]) == [encode(entry(text)) for text in texts]


def test_neighbouring_content_words_have_a_code_of_their_own() -> None:
    decoded = decode([encode(entry("the support of a group"))])
    assert pair_code(term_code("support"), term_code("group")) in decoded.codes
    assert pair_code(term_code("group"), term_code("support")) not in decoded.codes


def test_a_word_said_a_thousand_times_counts_255() -> None:
    decoded = decode([encode(entry("tea " * 1000))])
    assert decoded.counts.max() == 255
    assert encode_many(["tea " * 1000], [["tea"] * 1000]) == [encode(entry("tea " * 1000))]


def test_a_fingerprint_of_another_version_is_not_current() -> None:
    mark = encode(entry("tea"))
    assert is_current(mark)
    assert not is_current(b"\xff" + mark[1:])
    assert not is_current(b"")


@pytest.mark.parametrize("damaged", [b"\x01", b"\x01\x00\x00\x00\x09\x00\x00\x00", b"\x02\x00\x00\x00\x00\x00\x00\x00"])
def test_a_damaged_fingerprint_is_refused(damaged: bytes) -> None:
    with pytest.raises(InvalidArgument):
        decode([damaged])


def test_signs_of_an_item() -> None:
    def of(text: str) -> Sign:
        return Sign(signs(text, analyse(text)))

    assert of("I went there last Tuesday") == Sign.TIME
    assert of("We have 3 cats") == Sign.NUMBER
    assert of("Do you like it?") == Sign.ASKS
    assert of("Always use metric units") == Sign.STANDING
    assert of("下周三下午两点") == Sign.TIME | Sign.NUMBER


def test_cues_of_a_question() -> None:
    assert cues("When did she leave?").asks_when
    assert cues("How many cats do we have?").asks_number
    assert cues("What is my current address?").asks_latest
    assert cues("What did you recommend for dinner?").of_assistant
    assert cues("Where should I eat?").asks_advice
    assert cues("What happened in May 2023?").months == (5,)
    assert cues("What happened in May 2023?").years == (2023,)
    assert cues("may I ask?").months == ()
    assert cues("2023年11月发生了什么").months == (11,)


_ASKED = """how long many much When what WHICH day date month year time should i can you could help suggest recommend do
would are some any tips advice recommended current latest now most recent these days still newest did had you said your
answers remind me summarise resummar overview may May june 2023 12023 19 whatever dayly i'm"""


@given(st.lists(st.sampled_from([*_ASKED.split(), "_", "-", "?"])), st.sampled_from([" ", " ", "", "_", "\n"]))
def test_cues_of_plain_ascii_are_those_of_any_text(words: list[str], between: str) -> None:
    question = between.join(words)
    # One foreign letter, and no pattern is left out any more.
    assert cues(question) == cues(f"{question} é")


@given(st.text(alphabet=st.sampled_from("ab12?？. ٣é\n")))
def test_digits_and_questions_are_seen_in_any_text(text: str) -> None:
    found = Sign(signs(text, []))
    assert (Sign.NUMBER in found) == any(one.isdecimal() for one in text)
    assert (Sign.ASKS in found) == (re.search(r"[?？][^.!?。！？]{0,60}\Z", text.rstrip()[-80:]) is not None)
