"""The folder of documents: nothing outside it is touched, and nothing in it is lost."""

import errno
import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from palyra.core.errors import Conflict, FailedPrecondition, Unavailable
from palyra.providers.workspace import swap
from palyra.providers.workspace.files import DocumentFolder


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def folder(root: Path) -> DocumentFolder:
    made = DocumentFolder(root, "ours", 1_000)
    made.claim()
    return made


def names(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.name != ".palyra-workspace")


def test_what_we_make_is_for_its_owner_alone(folder: DocumentFolder, root: Path) -> None:
    folder.replace("projects/one.md", b"text", None)
    assert stat.S_IMODE((root / "projects/one.md").stat().st_mode) == 0o600
    assert stat.S_IMODE((root / "projects").stat().st_mode) == 0o700
    assert stat.S_IMODE(root.stat().st_mode) == 0o700


def test_a_replaced_file_keeps_its_mode_and_leaves_nothing_behind(folder: DocumentFolder, root: Path) -> None:
    (root / "a.md").write_bytes(b"old")
    (root / "a.md").chmod(0o644)
    folder.replace("a.md", b"new", sha(b"old"))
    assert (root / "a.md").read_bytes() == b"new"
    assert stat.S_IMODE((root / "a.md").stat().st_mode) == 0o644
    assert names(root) == ["a.md"]


@pytest.mark.parametrize(
    ("data", "expected"), [(b"new", sha(b"other")), (b"new", None), (None, sha(b"other"))], ids=["swap", "new", "gone"]
)
def test_a_file_that_is_not_what_was_expected_stays_as_it_is(
    folder: DocumentFolder, root: Path, data: bytes | None, expected: str | None
) -> None:
    (root / "a.md").write_bytes(b"a person's")
    with pytest.raises(Conflict):
        folder.replace("a.md", data, expected)
    assert (root / "a.md").read_bytes() == b"a person's"
    assert names(root) == ["a.md"]


def test_a_file_that_is_gone_is_not_brought_back_by_a_replacement(folder: DocumentFolder, root: Path) -> None:
    with pytest.raises(Conflict):
        folder.replace("a.md", b"new", sha(b"old"))
    folder.replace("a.md", None, sha(b"old"))
    assert names(root) == []


@pytest.mark.parametrize("data", [b"new", None], ids=["swap", "gone"])
def test_a_file_that_somebody_has_open_is_left_to_them(folder: DocumentFolder, root: Path, data: bytes | None) -> None:
    (root / "a.md").write_bytes(b"old")
    with (root / "a.md").open("r+b") as editor:
        with pytest.raises(Conflict):
            folder.replace("a.md", data, sha(b"old"))
        editor.write(b"saved late")
    assert (root / "a.md").read_bytes() == b"saved late"


def test_a_file_that_somebody_only_reads_can_be_replaced(folder: DocumentFolder, root: Path) -> None:
    (root / "a.md").write_bytes(b"old")
    with (root / "a.md").open("rb") as reader:
        folder.replace("a.md", b"new", sha(b"old"))
        assert reader.read() == b"old"
    assert (root / "a.md").read_bytes() == b"new"


def test_two_texts_of_a_person_that_cross_ours_are_both_kept(root: Path) -> None:
    def save(step: str) -> None:
        if step == "written beside":
            (root / "a.md").write_bytes(b"first")
        if step == "exchanged":
            (root / "other").write_bytes(b"second")
            (root / "other").replace(root / "a.md")

    folder = DocumentFolder(root, "ours", 1_000, save)
    folder.claim()
    (root / "a.md").write_bytes(b"old")
    with pytest.raises(Conflict):
        folder.replace("a.md", b"new", sha(b"old"))
    assert (root / "a.md").read_bytes() == b"second"
    assert {path.read_bytes() for path in root.rglob("*.md")} == {b"first", b"second"}


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("/etc/hostname")], ids=["folder", "link"])
def test_a_folder_or_a_link_in_the_place_of_a_file_is_left_alone(
    folder: DocumentFolder, root: Path, make: Callable[[Path], None]
) -> None:
    make(root / "a.md")
    with pytest.raises(FailedPrecondition, match="left alone"):
        folder.read("a.md")
    for data, expected in ((b"new", sha(b"old")), (None, sha(b"old"))):
        with pytest.raises(FailedPrecondition, match="left alone"):
            folder.replace("a.md", data, expected)
    with pytest.raises(Conflict):
        folder.replace("a.md", b"new", None)
    assert folder.scan()[1].keys() == {"a.md"}
    assert names(root) == ["a.md"]


def test_no_link_leads_out_of_the_folder(folder: DocumentFolder, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_bytes(b"old")
    (root / "projects").symlink_to(outside)
    with pytest.raises(FailedPrecondition):
        folder.replace("projects/a.md", b"new", sha(b"old"))
    with pytest.raises(FailedPrecondition):
        folder.replace("projects/b.md", b"new", None)
    assert folder.read("projects/a.md") is None
    assert folder.scan()[0] == {}
    assert [path.name for path in outside.iterdir()] == ["a.md"]
    assert (outside / "a.md").read_bytes() == b"old"


def test_a_read_only_folder_is_one_clear_error(
    folder: DocumentFolder, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a.md").write_bytes(b"old")
    opens = os.open

    def refuse(path: str, flags: int, *args: int, **more: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, "Read-only file system")
        return opens(path, flags, *args, **more)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(FailedPrecondition, match=r"a\.md cannot be read or written: Read-only"):
        folder.replace("a.md", b"new", sha(b"old"))
    assert (root / "a.md").read_bytes() == b"old"


def test_a_full_disk_leaves_the_file_as_it_was(
    folder: DocumentFolder, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a.md").write_bytes(b"old")

    def full(_fd: int, _data: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(Unavailable, match="disk is full"):
        folder.replace("a.md", b"new", sha(b"old"))
    assert (root / "a.md").read_bytes() == b"old"
    assert names(root) == ["a.md"]


def test_without_an_exchange_a_file_is_replaced_after_a_look(
    folder: DocumentFolder, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swap, "_LIBC", object())
    folder.replace("a.md", b"one", None)
    folder.replace("a.md", b"two", sha(b"one"))
    with pytest.raises(Conflict):
        folder.replace("a.md", b"three", sha(b"one"))
    with pytest.raises(Conflict):
        folder.replace("a.md", b"three", None)
    assert (root / "a.md").read_bytes() == b"two"
    folder.replace("a.md", None, sha(b"two"))
    assert names(root) == []


def test_a_scan_tells_documents_problems_and_leftovers_apart(folder: DocumentFolder, root: Path) -> None:
    (root / "a.md").write_bytes(b"text")
    (root / "deep").mkdir()
    (root / "deep" / "b.md").write_bytes(b"text")
    (root / "picture.png").write_bytes(b"text")
    (root / ".hidden.md").write_bytes(b"text")
    (root / "c.md").mkdir()
    (root / ".palyra-0123.tmp").write_bytes(b"text")
    os.mkfifo(root / "d.md")
    found, problems, leftovers = folder.scan()
    assert sorted(found) == ["a.md", "deep/b.md"]
    assert problems == {"c.md": "is a folder, not a file", "d.md": "is a device or a pipe, not a file"}
    assert leftovers == [".palyra-0123.tmp"]
    assert folder.settle(".palyra-0123.tmp", keep=True) == "kept-0123.md"
    assert (root / "kept-0123.md").read_bytes() == b"text"


def test_what_a_crash_left_half_written_goes_in_any_case(
    folder: DocumentFolder, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_fd: int) -> None:
        raise KeyboardInterrupt  # as far as the folder knows, a crash: nothing is tidied up

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        folder.replace("a.md", b"new text", None)
    monkeypatch.undo()
    _, _, [leftover] = folder.scan()
    assert folder.settle(leftover, keep=True) is None
    assert names(root) == []


def test_a_folder_is_ours_only_with_our_mark(root: Path, folder: DocumentFolder) -> None:
    assert folder.is_ours()
    assert not DocumentFolder(root, "another journal", 1_000).is_ours()
    assert not DocumentFolder(root / "nowhere", "ours", 1_000).is_ours()


def test_no_more_of_a_file_is_read_than_a_document_may_have(folder: DocumentFolder, root: Path) -> None:
    (root / "a.md").write_bytes(b"x" * 5_000)
    assert folder.read("a.md") == b"x" * 1_001
