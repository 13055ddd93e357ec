"""The child that reads hostile files: its limits hold, and its end is an answer in every case."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from attachment_files import a_docx, a_pdf, an_image
from palyra.core.errors import Exhausted, InvalidArgument, PalyraError, Unavailable
from palyra.domain.chat.attachments import FileKind, Sniffed, sniff
from palyra.providers.extract import sandbox
from palyra.providers.extract.clean import clean
from palyra.providers.extract.extractor import FileExtractor
from palyra.providers.extract.outcome import Unreadable
from palyra.providers.extract.sandbox import Sandbox
from palyra.providers.extract.table import EXTRACTORS
from support import run


def test_every_kind_of_file_has_somebody_who_reads_it() -> None:
    assert set(EXTRACTORS) == set(FileKind)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.png", an_image("png")),
        ("a.jpg", an_image("jpeg", (2_100, 10))),
        ("a.pdf", a_pdf("Words")),
        ("a.docx", a_docx("Words")),
        ("a.txt", b"Words and \x1b more"),
    ],
)
def test_what_the_child_finds_is_what_its_reader_finds(name: str, data: bytes) -> None:
    file = sniff(name, data)

    async def work() -> None:
        extractor = FileExtractor()
        try:
            assert await extractor.extract(file, data) == clean(file.kind, EXTRACTORS[file.kind](data))
        finally:
            extractor.close()

    run(work())


def test_a_file_that_cannot_be_read_is_refused_by_its_name() -> None:
    async def work() -> None:
        extractor = FileExtractor()
        try:
            with pytest.raises(InvalidArgument, match=r"'x\.pdf' was not taken: the PDF is damaged") as caught:
                await extractor.extract(Sniffed("x.pdf", FileKind.PDF), b"%PDF-1.7 nothing")
            assert caught.value.hint
        finally:
            extractor.close()

    run(work())


def a_child_that(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """The child's own limits, then something else than reading."""
    before = "import sys; sys.argv = ['child', 'pdf']; from palyra.providers.extract import child; "
    patched = f"{before}child._answer = lambda kind, data: exec({code!r}, {{'data': data}}); child.main()"

    def start(_kind: FileKind) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-I", "-c", patched],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    monkeypatch.setattr(sandbox, "_start", start)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import time; time.sleep(600)", "too much work"),
        ("import os; os.kill(os.getpid(), 11)", "too much work"),
        ("import os; os.kill(os.getpid(), 24)", "too much work"),
        ("x = bytearray(4 << 30)", "too much memory"),
        ("import sys\nwhile True: sys.stdout.buffer.write(bytes(1 << 20))", "too much work"),
        ("import os; os._exit(0)", "too much work"),
    ],
)
def test_a_child_that_does_not_live_to_tell_is_a_refusal(
    code: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_child_that(monkeypatch, code)
    with pytest.raises(Unreadable, match=reason):
        Sandbox(wall_seconds=1.5 if "sleep" in code else 60.0).read(FileKind.PDF, b"x" * 1_000_000)


def test_the_child_writes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "left"
    a_child_that(monkeypatch, f"open({str(target)!r}, 'wb', buffering=0).write(b'x')")
    with pytest.raises(Unavailable):
        Sandbox().read(FileKind.PDF, b"x")
    assert not target.exists() or target.stat().st_size == 0


def test_a_child_that_cannot_even_start_is_not_blamed_on_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    a_child_that(monkeypatch, "raise SystemExit(3)")
    with pytest.raises(Unavailable):
        Sandbox().read(FileKind.PDF, b"x")
    monkeypatch.undo()
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(Unavailable):
        Sandbox().read(FileKind.PDF, b"x")


def test_too_many_files_at_once_are_turned_away_and_closing_ends_those_being_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a_child_that(monkeypatch, "import time; time.sleep(600)")

    async def work() -> None:
        extractor = FileExtractor()
        file = Sniffed("a.pdf", FileKind.PDF)
        waiting = [asyncio.create_task(extractor.extract(file, b"x")) for _ in range(16)]
        await asyncio.sleep(0.3)
        with pytest.raises(Exhausted):
            await extractor.extract(file, b"x")
        extractor.close()
        extractor.close()
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(end, PalyraError | asyncio.CancelledError) for end in ends)

    run(work())
