"""Names put back for pronouns, where it is plain whose."""

import pytest

from palyra.language.names.naming import named
from palyra.language.statements import Role, ToldTurn

BEFORE = [ToldTurn(Role.USER, "my sister is called Ines", 0)]


def test_the_one_named_just_before_is_meant() -> None:
    assert named("she takes two sugars", "you know Effie. ", ()) == "she takes two sugars (she: Effie)"
    assert named("she moved house", "", BEFORE) == "she moved house (she: Ines)"


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("she sees Callum on Sunday", "so my mum is Effie. "),
        ("she takes two sugars", "so Effie met Greta today. "),
        ("the hall is closed", "so my mum is Effie. "),
        ("she takes two sugars", "it was on Monday. "),
        ("sie nimmt zwei Stück Zucker und das ist nicht viel", "die Frau ist nicht im Haus. "),
    ],
)
def test_where_it_is_not_plain_the_words_stay(text: str, before: str) -> None:
    assert named(text, before, ()) == text
