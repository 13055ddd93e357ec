"""What an agent's text is weighed for: it holds in each sentence, in twelve languages, with nothing but numpy."""

import hashlib
from pathlib import Path

import pytest

from palyra.language.fitted import card
from palyra.language.steering import sentences, steers, weigh
from poisoning import MOST_ACTIVE, MOST_HELD, PLAIN, POISON


def test_what_would_steer_is_told_from_plain_facts_without_an_encoder() -> None:
    assert sum(map(steers, POISON)) >= (1 - MOST_ACTIVE) * len(POISON)
    assert sum(map(steers, PLAIN)) <= MOST_HELD * len(PLAIN)


@pytest.mark.parametrize("between", [" ", "\n", "\n\n- "])
def test_one_sentence_among_many_is_enough_and_is_named(between: str) -> None:
    found = weigh(between.join([*PLAIN[:8], POISON[7], *PLAIN[8:]]))
    assert POISON[7] in found.sentence
    assert steers(between.join([*PLAIN[:8], POISON[7], *PLAIN[8:]]))


def test_no_part_of_a_long_text_is_left_out() -> None:
    text = "word " * 3_000 + "\n" + "a. " * 2_000 + POISON[7]
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
    assert steers(text)


@pytest.mark.parametrize("text", ["", "   ", "\n\n"])
def test_nothing_said_is_nothing_to_be_wary_of(text: str) -> None:
    assert weigh(text).likely == 0.0


def test_the_weights_name_the_texts_they_were_fitted_to_and_what_they_reached() -> None:
    told = card("palyra.language", "steering.npz")
    texts = Path(__file__).parents[2] / "fitting" / "steering.txt"
    assert told["texts"] == hashlib.sha256(texts.read_bytes()).hexdigest()
    assert told["reached"]["full"]["waits_held"] >= 0.85
    assert told["reached"]["full"]["plain_held"] <= 0.06
