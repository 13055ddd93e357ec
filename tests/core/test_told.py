"""Secrets told in prose: masked in twelve languages, and the identifiers beside them left alone.

The sentences are in `told.txt`; what looks like a secret is made at run time.
"""

import random
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from palyra.core.redact import find_spans, redact_text
from palyra.core.redact_rules import LABELS
from palyra.core.told.words import SECRETS, telling, words

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "zh", "ja", "ko")
_WORDS = ("Otter", "Pepper", "Luna", "Sable", "Harbor", "Zucker", "Perro", "Maison", "Cielo", "Fenster", "Vrana")
_HOLE = re.compile(r"\{([SB]):(\w+)\}")


def made(shape: str, rng: random.Random) -> str:
    def of(letters: str, count: int) -> str:
        return "".join(rng.choices(letters, k=count))

    match shape:
        case "digits4" | "digits6":
            return of(string.digits, int(shape[-1]))
        case "word2digits":
            return rng.choice(_WORDS) + of(string.digits, 2)
        case "words3":
            return " ".join(rng.sample([word.lower() for word in _WORDS], 3))
        case "mixed12":
            return of(string.ascii_letters + string.digits + "!#%", 12)
        case "hex20":
            return of("0123456789abcdef", 20)
        case "user_slash":
            return f"admin / {rng.choice(_WORDS)}{of(string.digits, 2)}"
        case _:
            return "密钥" + of(string.digits, 4)


def sentences(kind: str, rounds: int = 3) -> Iterator[tuple[str, str]]:
    """Each sentence with its hole filled, and what it was filled with: all of a secret that must not be seen."""
    rng = random.Random(34)
    for line in (Path(__file__).parent / "told.txt").read_text("utf-8").splitlines():
        hole = _HOLE.search(line)
        if line.startswith("#") or hole is None or hole[1] != kind:
            continue
        for _ in range(rounds):
            value = made(hole[2], rng)
            yield line.partition(": ")[2].replace(hole[0], value), value.rpartition(" / ")[2]


def test_secrets_told_in_prose_are_masked() -> None:
    told = list(sentences("S"))
    passed = [text for text, value in told if value in redact_text(text).text]
    assert len(told) > 3 * 240
    assert len(passed) <= 0.02 * len(told), passed[:10]


def test_harmless_identifiers_stay_as_written() -> None:
    harmless = list(sentences("B"))
    altered = [text for text, value in harmless if value not in redact_text(text).text]
    assert len(harmless) > 3 * 150
    assert len(altered) <= 0.005 * len(harmless), altered[:10]


def test_what_is_masked_is_the_secret_and_nothing_around_it() -> None:
    text = "Für den Tresor musst du 482913 eingeben, danach den Griff nach rechts."
    assert redact_text(text).text == text.replace("482913", "[redacted:pin]")


def test_a_text_redacted_once_is_not_changed_again() -> None:
    for text, _ in sentences("S", rounds=1):
        once = redact_text(text).text
        assert redact_text(once).text == once


def test_every_label_given_is_known_so_that_its_mask_counts_as_one() -> None:
    assert {span.label for text, _ in sentences("S", rounds=1) for span in find_spans(text)} <= LABELS


@pytest.mark.parametrize(
    "text",
    [
        "The password reset took 4821 users by surprise.",
        "We changed the locks in 2019 and again in 2023.",
        "Das Passwort muss mindestens 1200 Sekunden gelten.",
        "Le code postal de la mairie est 75011.",
        "The gate is 2400 mm wide and opens inwards.",
        "我的手机号是138001。",
        "Use the code path that parses float16 before it opens the door.",
        "The password is stored with bcrypt hashing rounds set to twelve.",
    ],
)
def test_a_sentence_about_secrets_that_tells_none_stays(text: str) -> None:
    assert redact_text(text).text == text


def test_every_kind_of_noun_is_known_in_every_language() -> None:
    for kind in (*SECRETS, "identifier", "is", "enter", "unit"):
        missing = [language for language in LANGUAGES if not words(kind, language)]
        assert missing == (["zh"] if kind == "loose" else []), kind
    assert all(word.isascii() and word for word in telling())


def test_an_event_id_beside_a_secret_stays() -> None:
    event = "01K" + "".join(random.Random(5).choices("0123456789ABCDEFGHJKMNPQRSTVWXYZ", k=23))
    text = f"{event} 0.99 2026-01-01: the door code is 4821"
    assert redact_text(text).text == text.replace("4821", "[redacted:pin]")


def test_text_with_half_a_character_is_read_all_the_same() -> None:
    text = "\ud800 the gate code is 4821"
    assert redact_text(text).text == "\ud800 the gate code is [redacted:pin]"


def test_an_id_at_the_edge_of_what_is_looked_at_is_known_for_one() -> None:
    for gap in range(60, 110):
        text = f"pass {'the rest on ' * 9}"[:gap] + " 01M7V84G7ZWYRD6Z1RV0WHE6M1"
        assert redact_text(text).text == text


def test_the_marker_of_a_managed_block_is_no_part_of_what_its_line_says() -> None:
    marker = "<!-- PALYRA:ITEM {} -->"
    text = (
        f"{marker.format('70ee1f2c9b3a4d55')}\n- she gets the keys of the flat\n{marker.format('9b3a70ee1f2c4d55')}\n"
    )
    assert redact_text(text).text == text
