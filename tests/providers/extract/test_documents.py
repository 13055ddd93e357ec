"""PDF and Word documents: their text, and what becomes of those that are made to hurt."""

import io
import zlib

import pytest
from pypdf import PdfReader, PdfWriter

from attachment_files import a_docx, a_pdf, a_pdf_of, rezipped
from palyra.domain.chat.attachments import FileKind
from palyra.providers.extract.outcome import TEXT_CHARS, Unreadable
from palyra.providers.extract.pdf import read_pdf
from palyra.providers.extract.sandbox import Sandbox
from palyra.providers.extract.word import read_docx

ANSWER = (
    b"<?xml version='1.0'?><!DOCTYPE d [%s]><w:document xmlns:w='%s'><w:body>"
    b"<w:p><w:r><w:t>%s</w:t></w:r></w:p></w:body></w:document>"
)
WORD = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def locked(data: bytes, password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(password, "owner", algorithm="AES-256")
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def test_the_pages_of_a_pdf_are_read_in_their_order() -> None:
    found = read_pdf(a_pdf("The launch is on Friday.", "Bring cake."))
    assert found.text == "The launch is on Friday.\n\nBring cake."
    assert found.warnings == ()


def test_a_pdf_that_needs_no_password_is_read_though_encrypted() -> None:
    assert read_pdf(locked(a_pdf("Open to all"), "")).text == "Open to all"


def test_a_pdf_with_a_password_is_refused_with_the_reason() -> None:
    with pytest.raises(Unreadable, match="encrypted"):
        read_pdf(locked(a_pdf("Not for you"), "sesame"))


def test_a_script_in_a_pdf_is_ignored() -> None:
    found = read_pdf(a_pdf("Words", catalog="/OpenAction << /S /JavaScript /JS (app.launchURL(1)) >>"))
    assert found.text == "Words"


def test_a_pdf_that_says_it_has_a_million_pages_has_those_it_has() -> None:
    found = read_pdf(a_pdf("The only one", count=1_000_000))
    assert (found.text, found.warnings) == ("The only one", ())


def test_a_pdf_of_pictures_says_that_no_text_was_found() -> None:
    assert "no text" in read_pdf(a_pdf("")).warnings[0]


def test_a_long_pdf_is_read_up_to_the_limit_and_says_so() -> None:
    found = read_pdf(a_pdf(*["x" * 300_000] * 5))
    assert len(found.text) <= TEXT_CHARS
    assert "page 4 of 5 is the last" in found.warnings[0]


def test_one_damaged_page_does_not_take_the_others_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pypdf._page.PageObject.extract_text", _failing_first())
    found = read_pdf(a_pdf("first", "second"))
    assert found.text == "page"
    assert "1 of its 2 pages" in found.warnings[0]


def _failing_first() -> object:
    calls = iter([True, False])

    def extract(_page: object) -> str:
        if next(calls):
            raise ValueError("damaged")
        return "page"

    return extract


@pytest.mark.parametrize("kids", ["2 0 R", "2 0 R 2 0 R 2 0 R"])
def test_a_page_tree_that_never_ends_is_refused(kids: str) -> None:
    with pytest.raises(Unreadable, match="damaged"):
        Sandbox().read(FileKind.PDF, a_pdf("x", kids=kids))


def test_a_stream_that_unpacks_to_a_thousand_times_its_size_ends_in_a_refusal_or_in_no_text() -> None:
    packed = zlib.compress(zlib.compress(bytes(100_000_000), 9), 9)
    bomb = a_pdf_of([
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>",
        b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n%s\nendstream" % (len(packed), packed),
    ])  # fmt: skip
    assert len(bomb) < 20_000
    try:
        found = Sandbox().read(FileKind.PDF, bomb)
    except Unreadable:
        return
    assert found.text == ""
    assert found.warnings


def test_paragraphs_and_tables_of_a_word_document_are_read_in_their_order() -> None:
    found = read_docx(a_docx("Minutes", "All were there.", table=[["who", "what"], ["Ana", "cake"]]))
    assert found.text == "Minutes\n\nAll were there.\n\nwho\twhat\nAna\tcake"
    assert found.warnings == ()


def test_an_empty_word_document_says_so() -> None:
    assert "no text" in read_docx(a_docx()).warnings[0]


def test_a_long_word_document_is_read_up_to_the_limit_and_says_so() -> None:
    found = read_docx(a_docx("x" * (TEXT_CHARS + 5), "the end"))
    assert len(found.text) == TEXT_CHARS
    assert "the end is missing" in found.warnings[0]


def test_a_word_document_that_unpacks_to_too_much_is_refused_before_it_is_unpacked() -> None:
    bomb = rezipped(a_docx("x"), **{"word/media/a.bin": bytes(140_000_000)})
    assert len(bomb) < 500_000
    with pytest.raises(Unreadable, match="too much work"):
        read_docx(bomb)


def test_entities_that_multiply_bring_nothing() -> None:
    entities = b"<!ENTITY a0 'ha'>" + b"".join(
        b"<!ENTITY a%d '&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;&a%d;'>" % (n, *[n - 1] * 8) for n in range(1, 12)
    )
    document = rezipped(a_docx("x"), document=ANSWER % (entities, WORD, b"&a11;"))
    try:
        found = Sandbox().read(FileKind.DOCX, document)
    except Unreadable:
        return
    assert "haha" not in found.text


def test_a_word_document_cannot_bring_in_a_file_of_this_machine() -> None:
    document = rezipped(a_docx("x"), document=ANSWER % (b"<!ENTITY e SYSTEM 'file:///etc/passwd'>", WORD, b"seen &e;"))
    found = read_docx(document)
    assert "root:" not in found.text
    assert found.text.startswith("seen")


def test_what_a_word_document_refers_to_outside_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_: object) -> None:
        raise AssertionError("it asked the network")

    monkeypatch.setattr("socket.socket.connect", connect)
    template = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate"
    relations = (
        b"<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>"
        b"<Relationship Id='r1' Type='%s' Target='http://127.0.0.1:9/t.dotm' TargetMode='External'/></Relationships>"
    )
    assert read_docx(rezipped(a_docx("Words"), relations=relations % template)).text == "Words"
