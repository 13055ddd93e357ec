"""What memory is asked, and what counts as the question itself."""

import pytest

from palyra.core import limits
from palyra.domain.prompt.question import is_echo, query_for


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Where do I live?", "Where do I live?"),
        ("Where do I live?", "where do i live"),
        ("Where do I live?", "  Where   do I\nlive ?"),
        ("Where do I live?", "So where do I live?"),
        ("Which port does the staging database use?", "which port is the staging database using?"),
        ("The lantern is red", "The lantern is red."),
        ("long " * 200, "Long " * 200),
    ],
)
def test_the_question_in_other_typing_or_the_same_words_is_an_echo(question: str, text: str) -> None:
    assert is_echo(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Where do I live?", "I live in Prague"),
        ("Is the lantern red?", "The lantern is red"),
        ("Where does Ana live?", "Where does Bob live?"),
        ("Where do I live?", "I moved to Berlin. Where do I live now?"),
        ("What is on port 5432?", "What is on port 6543?"),
        ("", "The lantern is red"),
        ("long " * 200, "long " * 199),
    ],
)
def test_what_could_answer_the_question_is_no_echo(question: str, text: str) -> None:
    assert not is_echo(question, text)


@pytest.mark.parametrize("question", ["and there?", "And what about Tuesday?", "why?", "what about Bo?"])
def test_a_follow_up_takes_the_question_before_it_along(question: str) -> None:
    assert query_for(question, "When is the shop in Prague open?") == f"{question}\nWhen is the shop in Prague open?"
    assert query_for(question, "") == question


def test_a_question_that_stands_for_itself_is_asked_alone() -> None:
    assert query_for("Which medicine is bad for Bo?", "When is the shop open?") == "Which medicine is bad for Bo?"


def test_quotes_and_stars_of_a_message_are_no_search_syntax() -> None:
    assert query_for('Who said "never again" about foo* ?', "") == "Who said  never again  about foo  ?"


@pytest.mark.parametrize("text", ["x" * 20_000, "é" * 20_000, "🙂 " * 9_000, "中" * 2_000_000, "half \ud800 " * 5_000])
def test_a_long_question_is_cut_between_characters(text: str) -> None:
    query = query_for(text, text)
    assert 0 < len(query.encode()) <= limits.QUERY_BYTES
    assert not query.endswith("\ufffd")


@pytest.mark.parametrize("text", ["", "   ", "\u200b\x00"])
def test_nothing_to_look_for_is_an_empty_query(text: str) -> None:
    assert query_for(text, "") == ""
