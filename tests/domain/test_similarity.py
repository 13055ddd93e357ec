"""The same, in conflict, or different: by tables of pairs, which the guide for users shares."""

import json
import re
import unicodedata
from pathlib import Path

import pytest

from palyra.language.wording import Relation, fingerprint, relate, related_terms

PAIRS = Path(__file__).with_name("similarity_pairs.txt")
GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "duplicates.md"
SHARED = Path(__file__).parents[3] / "shared" / "cases" / "duplicates-dev.jsonl"

ALLOWED = {
    "same": {Relation.SAME},
    "conflict": {Relation.CONFLICT},
    "different": {Relation.DIFFERENT},
    "not_same": {Relation.CONFLICT, Relation.DIFFERENT},
    "different_or_conflict": {Relation.CONFLICT, Relation.DIFFERENT},
    "different_or_same": {Relation.SAME, Relation.DIFFERENT},
}


def own_pairs() -> list[tuple[str, str, str]]:
    rows = [line for line in PAIRS.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    split = [re.split(r" ?\| ", row, maxsplit=2) for row in rows]
    return [(relation.strip(), older, newer) for relation, older, newer in split]


def guide_rows() -> list[tuple[str, str, str, str]]:
    rows = re.findall(r"^\| `(.+?)` \| `(.+?)` \| (\w+) \| `(\w+)` \|$", GUIDE.read_text("utf-8"), re.MULTILINE)
    return [(older, newer, relation, reason) for older, newer, relation, reason in rows]


OWN = own_pairs()
MERGEABLE = [pair for pair in OWN if pair[0] == "same"]


@pytest.mark.parametrize(("relation", "older", "newer"), OWN)
def test_a_pair_relates_as_the_table_says_in_either_order(relation: str, older: str, newer: str) -> None:
    assert relate(older, newer).relation in ALLOWED[relation]
    assert relate(newer, older).relation in ALLOWED[relation]


def test_the_table_is_wide() -> None:
    assert len(OWN) >= 500
    assert len({relation for relation, _, _ in OWN}) == 4


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are kept outside the repository")
def test_the_shared_cases_come_out_right_in_either_order() -> None:
    cases = [json.loads(line) for line in SHARED.read_text("utf-8").splitlines()]
    assert cases
    for case in cases:
        for older, newer in ((case["first"], case["second"]), (case["second"], case["first"])):
            assert relate(older, newer).relation in ALLOWED[case["relation"]], case


@pytest.mark.parametrize(("older", "newer", "relation", "reason"), guide_rows())
def test_every_example_of_the_guide_comes_out_as_printed(older: str, newer: str, relation: str, reason: str) -> None:
    found = relate(older, newer)
    assert found.relation == relation
    assert reason in found.reasons


def test_the_guide_holds_a_table_of_examples() -> None:
    assert len(guide_rows()) >= 40


def test_only_same_texts_share_a_fingerprint() -> None:
    for relation, older, newer in OWN:
        if fingerprint(older) == fingerprint(newer):
            assert relation == "same", (older, newer)


def test_a_fingerprint_sees_through_typing_only() -> None:
    assert fingerprint("Café  Slavia.") == fingerprint(unicodedata.normalize("NFD", "café slavia"))
    assert fingerprint("it’s “done”") == fingerprint('It\'s "done"!')
    assert fingerprint("I'm here") != fingerprint("I am here")
    assert fingerprint("ship to us") != fingerprint("ship to US")
    assert fingerprint("10²") != fingerprint("102")
    assert fingerprint("5 Mb") != fingerprint("5 MB")
    assert fingerprint("Ready?") != fingerprint("Ready")


@pytest.mark.parametrize(
    "newer",
    [
        "Actually, the staging port is 6543",
        "The staging port is now 6543",
        "Correction: the staging port is 6543",
        "The staging port is 6543, not 5432",
        "The staging port was changed to 6543",
    ],
)
def test_a_correction_says_so(newer: str) -> None:
    found = relate("The staging port is 5432", newer)
    assert found.relation is Relation.CONFLICT
    assert found.explicit


@pytest.mark.parametrize(
    "newer",
    [
        "Ich wohne jetzt in Hamburg",
        "Ya no vivo en Madrid",
        "Теперь я живу в Казани",
        "我现在住在北京",
        "Já não moro em Braga",
    ],
)
def test_other_languages_have_words_for_a_correction(newer: str) -> None:
    assert relate("", newer).explicit


def test_a_plain_statement_is_not_explicit() -> None:
    assert not relate("Ana lives in Lisbon", "Ana lives in Porto").explicit


def test_only_the_newer_text_makes_a_correction_explicit() -> None:
    assert not relate("Actually, Ana lives in Lisbon", "Ana lives in Porto").explicit


LONG = "The team wrote down what it had agreed on, one sentence after the other. " * 6


def test_a_long_text_is_the_same_only_by_its_normal_form() -> None:
    assert relate(LONG, LONG.replace(" ", "  ").upper()).relation is Relation.SAME
    assert relate(LONG, LONG.replace("agreed", "not agreed")).relation is Relation.DIFFERENT
    assert relate(f"{LONG} Tell us.", f"{LONG} Tell US.").relation is Relation.DIFFERENT


def test_a_long_text_is_corrected_by_a_sentence_that_says_so() -> None:
    notes = f"{LONG} The staging port is 5432."
    found = relate(notes, "Actually, the staging port is 6543.")
    assert (found.relation, found.explicit) == (Relation.CONFLICT, True)
    assert relate(notes, "The staging port is 6543.").relation is Relation.DIFFERENT


def test_pairs_that_relate_share_words_to_be_found_by() -> None:
    for relation, older, newer in OWN:
        if relation in {"same", "conflict"}:
            shared = related_terms(older) & related_terms(newer)
            enough = 1 if len(older.split()) <= 2 else 2
            assert len(shared) >= enough, (older, newer, shared)


@pytest.mark.parametrize(
    "text", ["", " ", "\ud800", "\u202e abc", "שלום עולם", "a" * 20_000, "'" * 500, "?!", "1,", "-"]
)
def test_any_string_has_an_answer(text: str) -> None:
    assert relate(text, text).relation is Relation.SAME
    assert relate(text, "Ana lives in Lisbon").relation is Relation.DIFFERENT
    assert fingerprint(text)
    assert isinstance(related_terms(text), frozenset)
