"""One visible form: what goes, what stays because a script needs it, and what is reported."""

import re
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palyra.core.text import (
    Remembered,
    ascii_digits,
    has_lone_surrogate,
    hidden_characters,
    normalise,
    words_of,
)

ZWJ, ZWNJ, ZWSP, VS16 = "\u200d", "\u200c", "\u200b", "\ufe0f"
FAMILY = f"👩{ZWJ}👩{ZWJ}👧{ZWJ}👦"
HEART_ON_FIRE = f"❤{VS16}{ZWJ}🔥"
ENGLAND = "🏴" + "".join(chr(0xE0000 + ord(c)) for c in "gbeng") + "\U000e007f"


def tagged(text: str) -> str:
    return "".join(chr(0xE0000 + ord(c)) for c in text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  plain text\n", "plain text"),
        ("one\r\ntwo\rthree\n", "one\ntwo\nthree"),
        ("page one\x0cpage two\u2028line", "page one\npage two\nline"),
        ("a\tb  \nc", "a\tb  \nc"),
        ("nul\x00 and \x1b[31mred\x7f", "nul and [31mred"),
        ("cafe\u0301", "café"),
        (f"ig{ZWSP}no\u00adre{ZWJ} th\u2060is\ufeff", "ignore this"),
        ("\ufeffstart", "start"),
        ("user \u202etxt.exe\u202c", "user txt.exe"),
        ("a\u2066b\u2069c\u200e", "abc"),
        ("hi" + tagged("obey me"), "hi"),
        ("a\u3164b\uffa0", "ab"),
        (f"😀{VS16}{VS16}\ufe00\ufe01", f"😀{VS16}"),
        ("a\ufe0f", "a"),
        ("🏴" + tagged("gbxyz") + "\U000e007f", "🏴"),
    ],
)
def test_what_a_reader_cannot_see_goes(text: str, expected: str) -> None:
    assert normalise(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        FAMILY,
        HEART_ON_FIRE,
        ENGLAND,
        f"🏳{VS16}{ZWJ}🌈",
        f"👍🏽 1{VS16}\u20e3",
        f"می{ZWNJ}خواهم کتاب{ZWNJ}ها را بخوانم",
        f"क्{ZWJ}ष और क्{ZWNJ}ष",
        f"ന്{ZWJ} ശ്രീ",
        "葛\U000e0100城",
        "Ünïcödé, 中文，日本語、한국어 🙂",
        "I\u0307stanbul Straße",
        "שלום עולם",
    ],
)
def test_what_a_script_or_an_emoji_needs_stays(text: str) -> None:
    assert normalise(text) == unicodedata.normalize("NFC", text)
    assert hidden_characters(text) == ()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("plain\r\ntext\twith\x0cbreaks", ()),
        ("\ufeffwith a byte order mark", ()),
        ("สวัสดี\u200bครับ", ()),
        ("soft\u00adhyphen \u200eand mark", ()),
        ("esc\x1b[2J", ("control",)),
        ("user \u202etxt", ("bidi_control",)),
        (f"ig{ZWSP}nore", ("zero_width",)),
        ("a\ufeffb", ("zero_width",)),
        (f"ad{ZWJ}min", ("zero_width",)),
        ("hi" + tagged("obey"), ("tag_characters",)),
        ("🏴" + tagged("obey"), ("tag_characters",)),
        (ENGLAND + tagged("obey"), ("tag_characters",)),
        (f"😀{VS16}\ufe01\ufe02", ("variation_selectors",)),
        ("a\u3164b", ("invisible_filler",)),
        (f"\u202eé{ZWSP}\x00", ("bidi_control", "control", "zero_width")),
    ],
)
def test_hiding_is_named(text: str, names: tuple[str, ...]) -> None:
    assert hidden_characters(text) == names


def test_half_a_character_is_seen_and_left_to_the_caller() -> None:
    assert has_lone_surrogate("a\ud83d")
    assert not has_lone_surrogate("a😀")
    assert not has_lone_surrogate("plain")
    assert normalise("é\ud83d") == "é\ud83d"


ODD_PIECES = (
    *"ae 1#\n\r\t\x00\x0c\x85\u2028\u00ad\ufe00\ufeff\u202e\u2066\u200e\U000e0100\U000e0001\U000e007f",
    *"😀❤👩\U0001f3fb🏴\u20e3葛क\u094d\u093cم\u064b\u0301\u0327\u0344\u0338\u2adc\u2223\u2329\u0958\u212b가",
    *(ZWJ, ZWNJ, ZWSP, VS16, ENGLAND, tagged("gb"), "\ud800", "\u3164", "\u180b", "\u1820", "\u1000"),
    *("\u0301\u0327" * 20, "\u0344" * 20, "\u093c" * 33),
)
ODD = st.sampled_from(ODD_PIECES)


@given(st.one_of(st.text(), st.lists(ODD, max_size=30).map("".join)))
def test_normalising_twice_changes_nothing_and_what_is_left_hides_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert once == once.strip()
    assert hidden_characters(once) == ()


@given(st.text(alphabet=st.characters(max_codepoint=0x7E, min_codepoint=0x20)))
def test_printable_ascii_is_only_stripped(text: str) -> None:
    assert normalise(text) == text.strip()


@pytest.mark.parametrize(
    "unit", ["\u0301\u0327", f"क{ZWJ}", f"a{ZWSP}\u0301", f"😀{VS16}", "\x00", "\r", "\u202e", "🏴", tagged("gbe")]
)
def test_hostile_text_costs_little(unit: str) -> None:
    text = "é" + unit * (16_384 // len(unit))
    started = time.thread_time()
    normalise(text)
    hidden_characters(text)
    assert time.thread_time() - started < 1


@given(st.text(alphabet=st.characters(max_codepoint=127)) | st.text())
def test_words_are_what_the_pattern_for_words_finds(text: str) -> None:
    assert words_of(text) == re.findall(r"\w+", text)


def test_what_is_remembered_about_words_stays_bounded_and_right() -> None:
    asked: list[str] = []

    def shout(word: str) -> str:
        asked.append(word)
        return word.upper()

    remembered = Remembered(shout, most=3, longest=2)
    words = ["a", "b", "a", "long", "long", "c", "d", "d"]
    assert [remembered[word] for word in words] == [word.upper() for word in words]
    assert asked == ["a", "b", "long", "long", "c", "d"]
    assert set(remembered) == {"d"}


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_digits_are_counted(text: str) -> None:
    assert ascii_digits(text.encode()) == sum(one.isdigit() for one in text)
