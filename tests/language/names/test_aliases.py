"""Who somebody is to the speaker: from plain evidence, and from nothing else."""

import pytest

from palyra.language.names.aliases import Alias, aliases, names_of, roles_in


@pytest.mark.parametrize(
    ("text", "name", "role"),
    [
        ("My daughter Lotte turns seven in May", "Lotte", "daughter"),
        ("Lotte is my daughter", "Lotte", "daughter"),
        ("We meet Ines, my sister, on Sunday", "Ines", "sister"),
        ("My sister is Ines", "Ines", "sister"),
        ("Meine Tochter heißt Mia", "Mia", "tochter"),
        ("ma soeur Claire habite à Lyon", "Claire", "soeur"),
        ("mi hermana Lucía no come gluten", "Lucía", "hermana"),
        ("mijn zus Fenna woont in Gent", "Fenna", "zus"),
        ("Petra (my boss) wants it by Friday", "Petra", "boss"),
        ("我女儿叫莉莉。", "莉莉", "女儿"),
    ],
)
def test_a_name_beside_a_role_is_a_name_for_it(text: str, name: str, role: str) -> None:
    assert aliases(text) == (Alias(name, role),)


@pytest.mark.parametrize(
    "text",
    [
        "Lotte plays with my daughter",
        "my daughter loves Paris",
        "Your sister Ines called",
        "The daughter of Jan is Mia",
        "my boss said Monday is fine",
        "my mother turns 70",
        "",
    ],
)
def test_a_name_that_only_stands_near_is_no_evidence(text: str) -> None:
    assert aliases(text) == ()


def test_a_question_speaks_of_the_speakers_own() -> None:
    known = aliases("My sister Ines lives in Porto")
    assert roles_in("What is my sister's allergy?") == {"sister"}
    assert roles_in("Who is the sister of Jan?") == frozenset()
    assert names_of("Sister", known) == {"Ines"}
