"""Text in the encodings people have, and what is said when it is not quite text."""

import time

import pytest

from palyra.providers.extract.outcome import TEXT_CHARS, Unreadable
from palyra.providers.extract.plain import read_plain


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_is_read_without_a_warning(encoding: str) -> None:
    text = "Gr\u00fc\u00dfe, \u6f22\u5b57, \U0001f600\nend"
    assert read_plain(text.encode(encoding)) == (text, ())


def test_what_is_not_utf_8_is_read_as_latin_with_a_warning() -> None:
    text, [warning] = read_plain("Caf\u00e9 \u201cM\u00fcnchen\u201d".encode("cp1252"))
    assert text == "Caf\u00e9 \u201cM\u00fcnchen\u201d"
    assert "not UTF-8" in warning


def test_latin_1_bytes_that_windows_does_not_know_are_still_read() -> None:
    text, _ = read_plain(b"caf\xe9 \x81")
    assert text == "caf\u00e9 \x81"


def test_damaged_utf_8_keeps_its_other_characters() -> None:
    text, [warning] = read_plain("\u6f22\u5b57 und \u00dcber".encode() + b"\xed\xa0\x80 end")
    assert text.startswith("\u6f22\u5b57 und \u00dcber\ufffd")
    assert "no characters" in warning


def test_half_a_surrogate_pair_in_utf_16_is_replaced() -> None:
    data = b"\xff\xfe" + ("word " * 100).encode("utf-16-le") + b"\x00\xd8" + "x".encode("utf-16-le")
    text, [warning] = read_plain(data)
    assert "\ufffd" in text
    assert "no characters" in warning


def test_noise_that_begins_like_utf_16_is_refused() -> None:
    with pytest.raises(Unreadable, match="UTF-16"):
        read_plain(b"\xff\xfe" + bytes(range(0xD0, 0xE0)) * 100)


def test_a_table_of_a_million_columns_is_only_text_and_only_its_beginning() -> None:
    started = time.thread_time()
    text, [warning] = read_plain(b"1," * 1_000_000 + b"\n")
    assert len(text) == TEXT_CHARS
    assert "only its first" in warning
    assert time.thread_time() - started < 5


def test_a_long_text_is_cut_between_characters() -> None:
    text, [warning] = read_plain(("\u6f22" * (2 * TEXT_CHARS)).encode())
    assert text == "\u6f22" * TEXT_CHARS
    assert "\ufffd" not in text
    assert "only its first" in warning
