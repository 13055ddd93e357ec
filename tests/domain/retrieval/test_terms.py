"""Text into terms."""

import re

from hypothesis import given
from hypothesis import strategies as st

from palyra.domain.retrieval import terms
from palyra.domain.retrieval.terms import analyse, query_terms


def test_forms_of_an_english_word_share_a_term() -> None:
    assert analyse("paint") == analyse("Painted") == analyse("painting") == analyse("paints")


def test_irregular_forms_share_a_term() -> None:
    assert analyse("bought two women's bikes") == analyse("buy 2 woman bicycle")


def test_a_possessive_is_its_name() -> None:
    assert analyse("Caroline's") == analyse("Caroline\u2019s") == analyse("caroline")


def test_accents_do_not_matter() -> None:
    assert analyse("Café São Paulo") == analyse("cafe sao paulo")


def test_numbers_keep_their_parts_together() -> None:
    assert analyse("$325,000 or 2.5") == ["325000", "or", "2.5"]


def test_chinese_becomes_overlapping_pairs() -> None:
    assert analyse("恒隆广场") == ["恒隆", "隆广", "广场"]


def test_a_single_chinese_character_is_a_term() -> None:
    assert analyse("a 猫 b") == ["a", "猫", "b"]


def test_thai_becomes_pairs_and_hindi_stays_words() -> None:
    assert all(len(term) == 2 for term in analyse("สวัสดีครับ"))
    assert analyse("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_latin_words_inside_chinese_are_words() -> None:
    assert "findx3" in analyse("我的手机是FindX3手机")


def test_other_languages_are_not_stemmed_by_english_rules() -> None:
    assert analyse("книги") == ["книги"]


def test_a_question_loses_its_stop_words() -> None:
    assert query_terms("When did she go to the museum?") == ["museum"]


def test_a_question_of_stop_words_keeps_them() -> None:
    assert query_terms("Who are you?") == analyse("who are you") != []


@given(st.text(alphabet=st.characters()))
def test_any_text_gives_terms_without_space_or_quotes(text: str) -> None:
    for term in analyse(text):
        assert term
        assert not re.search(r"[\s\"'`]", term)
        term.encode("utf-8")


@given(st.text(alphabet=st.characters()))
def test_a_question_with_a_term_keeps_a_term(text: str) -> None:
    assert bool(query_terms(text)) == bool(analyse(text))


def test_a_form_that_looks_like_a_stop_word_does_not_stop_its_verb() -> None:
    assert query_terms("Who won the race?") == query_terms("win race")


@given(st.text(alphabet=st.sampled_from("ab'z09., -_\n\t!AZ\x1c")) | st.text(alphabet=st.characters(max_codepoint=127)))
def test_words_of_plain_ascii_are_what_the_pattern_finds(text: str) -> None:
    pattern = r"[0-9]+(?:[.,][0-9]+)*(?![0-9a-z])|[a-z0-9]+(?:'[a-z]+)*"
    assert terms._ascii_words(text.lower()) == re.findall(pattern, text.lower())
