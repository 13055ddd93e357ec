"""Paths, contents and kinds of documents."""

import json
from pathlib import Path

import pytest

from palyra.core.errors import InvalidArgument, PalyraError, TooLarge
from palyra.domain.workspace.documents import (
    CONTENT_BYTES,
    KINDS,
    PATH_BYTES,
    TEMPLATES,
    DocumentClass,
    PromptBinding,
    check_content,
    check_path,
    kind_of,
    path_key,
)

CASES = Path(__file__).parents[4] / "shared" / "cases" / "paths.jsonl"


@pytest.mark.parametrize(
    ("path", "document_class", "binding"),
    [
        ("README.md", "curated", "system_candidate"),
        ("MEMORY.md", "curated", "system_candidate"),
        ("HEARTBEAT.md", "system", "never"),
        ("daily/2026-01-31.md", "user", "manual_only"),
        ("context/travel.md", "curated", "manual_only"),
        ("projects/a/b.md", "curated", "manual_only"),
        ("procedures/release.md", "curated", "manual_only"),
        ("notes/README.md", "user", "manual_only"),
        ("Memory.md", "user", "manual_only"),
        ("dailyx.md", "user", "manual_only"),
    ],
)
def test_a_path_says_what_a_document_is_and_whether_a_prompt_may_hold_it(
    path: str, document_class: str, binding: str
) -> None:
    kind = kind_of(check_path(path))
    assert (kind.document_class, kind.binding) == (DocumentClass(document_class), PromptBinding(binding))


def test_every_kind_has_its_own_name_and_place() -> None:
    assert len({kind.name for kind in KINDS}) == len({kind.where for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize(
    "path",
    ["x.md", "daily/2026-01-31.md", "notes/Übersicht 2.md", "メモ/旅行.md", "a-b_c (1).md", "-rf.md", "x.md/y.md"],
)
def test_ordinary_paths_are_taken_as_they_are(path: str) -> None:
    assert check_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        *("", " ", ".", "..", "/x.md", "//x.md", "../x.md", "a/../x.md", "a/./x.md", "a//x.md", "x.md/", "./x.md"),
        *(".x.md", ".git/x.md", "a/.x.md", "...md", "~/x.md", "~x.md"),
        *("x.txt", "x", "x.MD", "x.md ", " x.md", "a /x.md", "a./x.md", "a/ x.md", "x.md."),
        *("a\\x.md", "C:x.md", "C:/x.md", "x.md:ads.md", "a*.md", "a?.md", "a|b.md", 'a".md', "<a>.md"),
        *("a\x00.md", "a\n.md", "a\t.md", "a\r.md", "a\x7f.md", "a\u202e.md", "a\u200b.md", "a\u2028.md", "\ufeffx.md"),
        *("CON.md", "nul.md", "aux/x.md", "com1.x.md", "LPT9.md", "CONIN$.md", "COM\u00b9.md", "con .md"),
        *("%2e%2e/x.md", "a%2fx.md", "\uff0e\uff0e/x.md", "\u2025/x.md", "a\uff0fx.md", "a\uff1ax.md", "e\u0301.md"),
        *("\ud800.md", "x" * 300 + ".md", "a/" * 300 + "x.md"),
    ],
)
def test_a_path_that_could_mean_something_else_somewhere_is_one_clear_error(path: str) -> None:
    with pytest.raises(InvalidArgument, match="cannot be the path of a document: ") as caught:
        check_path(path)
    assert caught.value.hint
    assert caught.value.message.isascii()
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 600


def test_no_known_trick_gives_a_path_that_leaves_its_folder() -> None:
    if not CASES.exists():
        pytest.skip("the shared cases are not here")
    for line in CASES.read_text().splitlines():
        path = json.loads(line)["text"]
        try:
            checked = check_path(path)
        except PalyraError:
            continue
        parts = checked.split("/")
        assert checked.endswith(".md")
        assert not any(part.startswith(".") or not part for part in parts)
        assert len(checked.encode()) <= PATH_BYTES


def test_paths_that_some_file_system_takes_for_one_have_the_same_key() -> None:
    assert path_key("Memory.md") == path_key("MEMORY.md") != path_key("memories.md")
    assert path_key("Straße.md") == path_key("STRASSE.md")


@pytest.mark.parametrize(
    "data", [b"", b"\xef\xbb\xbf# A\r\n\r\nb\rc\n", "\u202e\U0001f600".encode(), b"x" * CONTENT_BYTES]
)
def test_any_text_comes_back_byte_for_byte(data: bytes) -> None:
    assert check_content(data).encode() == data


def test_what_is_too_long_or_no_text_is_one_clear_error() -> None:
    with pytest.raises(TooLarge, match="131,073 bytes"):
        check_content(b"x" * (CONTENT_BYTES + 1))
    with pytest.raises(InvalidArgument, match="byte 2 is 0xff"):
        check_content(b"ab\xff\xfe")
    with pytest.raises(InvalidArgument, match="not UTF-8"):
        check_content(b"\xed\xa0\x80")
    with pytest.raises(InvalidArgument, match="NUL character in line 2"):
        check_content(b"a\nb\0c")


def test_templates_are_documents_that_are_not_notes() -> None:
    assert list(TEMPLATES) == ["README.md", "MEMORY.md", "HEARTBEAT.md"]
    for path, text in TEMPLATES.items():
        assert kind_of(check_path(path)).where == path
        assert check_content(text.encode()) == text
        assert text.endswith("\n")
