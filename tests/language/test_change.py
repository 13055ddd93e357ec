"""What a new statement is to those before it."""

import pytest

from palyra.language.change import Changes, Link
from palyra.language.statements import Known

changes = Changes()


def links(older: str, newer: str, **of_newer: str) -> tuple[Link, ...]:
    return changes.links(Known("new", newer, of_newer.get("said", newer), 2_000), [Known("old", older, older, 1_000)])


def relation(older: str, newer: str) -> str | None:
    found = links(older, newer)
    return found[0].relation if found else None


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The chief executive of Brightwave is Carlos Ruiz", "The chief executive of Brightwave is Dana Bo"),
        ("Brightwave was founded by Carlos Ruiz", "Brightwave was founded by Dana Bo"),
        ("Carlos Ruiz was born in the city of Lima", "Carlos Ruiz was born in the city of Quito"),
        ("The headquarters of Brightwave is located in the city of Oslo",
         "The headquarters of Brightwave is located in the city of Bergen"),
        ("The school where Carlos learned is Northwind College", "The school where Carlos learned is Lyceum One"),
        ("Die Hauptstadt von Nordland ist Altburg", "Die Hauptstadt von Nordland ist Neuburg"),
        ("The capital of Nordland is Altburg", "Edit: The capital of Nordland is Neuburg"),
        ("The capital of Nordland is Altburg", "Since last week the capital of Nordland is Neuburg"),
        ("The capital of Nordland is Altburg", "It turns out that the capital of Nordland is Neuburg"),
        ("The capital of Nordland is Altburg", "That has changed: the capital of Nordland is Neuburg"),
        ("The capital of Nordland is Altburg", "The capital of Nordland is Neuburg (was Altburg)"),
        ("The capital of Nordland is Altburg", "The capital of Nordland used to be Altburg, but now it is Neuburg"),
        ("The capital of Nordland is Altburg", "Neuburg replaced Altburg as the capital of Nordland"),
        ("I live in Prague", "I moved to Brno"),
        ("The budget is 18k", "The budget is 23k now"),
    ],
)  # fmt: skip
def test_another_value_of_the_same_attribute_replaces_it(older: str, newer: str) -> None:
    assert relation(older, newer) == "replaces"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Kylie speaks the language of English", "Kylie speaks the language of German"),
        ("Joe is a citizen of Australia", "Joe is a citizen of Italy"),
        ("Walter's child is Ann", "Walter's child is Bob"),
    ],
)
def test_where_several_values_are_usual_both_hold_and_are_linked(older: str, newer: str) -> None:
    assert relation(older, newer) == "conflicts"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ana lives in Lisbon", "Bob lives in Lisbon"),
        ("The capital of Nordland is Altburg", "The capital of Westland is Bay"),
        ("The budget of Mars is 18k", "The budget of Venus is 23k"),
        ("I like tea", "I like coffee"),
        ("Backups are stored for 30 days in Frankfurt", "Backups are stored for 30 days in Dublin"),
    ],
)
def test_another_person_another_thing_and_an_addition_change_nothing(older: str, newer: str) -> None:
    assert links(older, newer) == ()


def test_nothing_said_before_is_nothing_changed() -> None:
    assert changes.links(Known("new", "Actually it moved to Friday", "Actually it moved to Friday", 1), []) == ()


def test_a_correction_of_something_never_said_finds_nothing() -> None:
    assert links("My sister Ines is allergic to peanuts", "Actually the deploy window moved to Thursday") == ()


def test_taking_back_is_about_what_was_replaced_last() -> None:
    held = [
        Known("dog", "My dog is called Rex", "", 1_000),
        Known("party", "The party is at the boathouse", "", 3_000, before=("The party is at home",)),
    ]
    [link] = changes.links(Known("new", "never mind, the first was right", "", 4_000), held)
    assert (link.key, link.relation, link.reasons) == ("party", "replaces", ("taken_back",))


def test_one_statement_replaces_few() -> None:
    held = [Known(n, f"The party is on {n} December in the boathouse", "", n) for n in range(1, 9)]
    found = changes.links(Known("new", "we cancelled the December party in the boathouse, it is off", "", 99), held)
    assert sum(link.relation == "replaces" for link in found) <= 2
