"""Yes to what the assistant has just asked about."""

import pytest

from palyra.language.asking import agreement, is_excepted

ASKED = "Rate limit 600 requests a minute per client, tokens valid for one hour. Ok?"


@pytest.mark.parametrize(
    ("said", "besides"),
    [
        ("yes", ""),
        ("yes, exactly!", ""),
        ("ja, genau", ""),
        ("可以", ""),
        ("はい、そうです", ""),
        ("yes to all of it, only no limit for Tarrant", "to all of it, only no limit for tarrant"),
    ],
)
def test_a_yes_to_a_question_agrees_and_the_rest_is_told(said: str, besides: str) -> None:
    rest = agreement(said, ASKED)
    assert rest is not None
    assert rest.lower() == besides


@pytest.mark.parametrize(
    ("said", "asked"),
    [("no", ASKED), ("yes", "Done."), ("yes " + "and more " * 40, ASKED), ("the yes-men came", ASKED)],
)
def test_without_a_question_or_a_yes_nothing_is_agreed(said: str, asked: str) -> None:
    assert agreement(said, asked) is None


def test_an_exception_speaks_of_the_same() -> None:
    assert is_excepted("Rate limit 600 requests a minute", "only no limit for Tarrant")
    assert not is_excepted("tokens valid for one hour", "only no limit for Tarrant")
