"""What a file is by its bytes, what it may be called, and how its text becomes memory."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attachment_files import a_docx, a_pdf, an_animation, an_image
from palyra.core import limits
from palyra.core.errors import InvalidArgument, TooLarge
from palyra.domain.chat.attachments import NAME_BYTES, FileKind, clean_name, sniff


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.png", an_image("png"), FileKind.PNG),
        ("a.jpeg", an_image("jpeg"), FileKind.JPEG),
        ("a.webp", an_image("webp"), FileKind.WEBP),
        ("a.pdf", a_pdf("x"), FileKind.PDF),
        ("a.docx", a_docx("x"), FileKind.DOCX),
        ("a", b"plain words", FileKind.TEXT),
        ("script.py", b"print(1)", FileKind.TEXT),
        ("A.MD", b"# Title", FileKind.MARKDOWN),
        ("a.json", b' {"a": [1]}\n', FileKind.JSON),
        ("a.json", "\ufeff[1]".encode("utf-16-le"), FileKind.JSON),
        ("a.csv", b"a,b\n1,2\n", FileKind.CSV),
        ("a.txt", "\ufeffGr\u00fc\u00dfe".encode("utf-16-be"), FileKind.TEXT),
        ("page.html", b"<html><svg></svg></html>", FileKind.TEXT),
    ],
)
def test_the_bytes_say_what_a_file_is(name: str, data: bytes, kind: FileKind) -> None:
    found = sniff(name, data)
    assert (found.kind, found.warnings) == (kind, ())


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("photo.png", an_image("jpeg"), FileKind.JPEG),
        ("notes.txt", a_pdf("x"), FileKind.PDF),
        ("photo.jpg", b"not a photo", FileKind.TEXT),
        ("data.json", b"a,b,c", FileKind.TEXT),
        ("data.csv", a_docx("x"), FileKind.DOCX),
    ],
)
def test_a_name_that_lies_gets_a_warning_and_changes_nothing(name: str, data: bytes, kind: FileKind) -> None:
    found = sniff(name, data)
    assert found.kind is kind
    assert "its name says" in found.warnings[0]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"", "empty"),
        ("a.gif", an_animation("gif"), "GIF"),
        ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>", "SVG"),
        ("a.txt", b"<?xml version='1.0'?>\n<!-- x -->\n<SVG/>", "SVG"),
        ("a.svg", "\ufeff<svg/>".encode("utf-16-le"), "SVG"),
        ("a.txt", b"words\x00words", "NUL"),
        ("a.txt", bytes(range(1, 32)) * 9, "control characters"),
        ("a.docx", b"PK\x03\x04 and nothing of a document", "archive"),
        ("a.xlsx", b"PK\x03\x04 xl/workbook.xml", "spreadsheet"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(64), "old Office"),
        ("a.heic", b"\x00\x00\x00\x18ftypheic" + bytes(64), "HEIC"),
        ("a.gz", gzip.compress(bytes(9), mtime=0), "NUL"),
    ],
)
def test_what_is_not_taken_is_refused_with_the_reason_and_a_way_out(name: str, data: bytes, reason: str) -> None:
    with pytest.raises(InvalidArgument, match=reason) as caught:
        sniff(name, data)
    assert caught.value.hint


def test_a_file_over_the_limit_is_too_large_whatever_it_is() -> None:
    with pytest.raises(TooLarge, match=str(limits.ATTACHMENT_BYTES)):
        sniff("a.txt", b"x" * (limits.ATTACHMENT_BYTES + 1))


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ana\\notes.txt", "notes.txt"),
        ("a\nb\x00c\u202e.txt", "a b c.txt"),
        ("..", "attachment"),
        ("", "attachment"),
        ("folder/", "attachment"),
        ("\ud800", "attachment"),
        ("  spaced .txt ", "spaced .txt"),
    ],
)
def test_a_name_loses_its_path_and_whatever_cannot_be_seen(name: str, clean: str) -> None:
    assert clean_name(name) == clean


def test_a_name_of_ten_thousand_characters_keeps_its_ending() -> None:
    name = clean_name("\u00e4" * 10_000 + ".pdf")
    assert len(name.encode()) <= NAME_BYTES
    assert name.endswith("\u00e4.pdf")


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_every_name_becomes_one_that_is_clean_already(name: str) -> None:
    clean = clean_name(name)
    assert clean_name(clean) == clean
    assert 1 <= len(clean.encode()) <= NAME_BYTES
    assert "/" not in clean
