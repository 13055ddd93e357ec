"""`palyra workspace …`: documents from outside, and the folder they are in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.daemon import a_daemon
from cli.terminal import Stage, StagedShell, a_stage


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with a_stage() as made:
        yield made


@pytest.fixture
def shell(tmp_path: Path, stage: Stage) -> StagedShell:
    return StagedShell(tmp_path / "data", stage).begin()


def told(shell: StagedShell, *arguments: str) -> str:
    done = shell("workspace", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_a_document_is_written_read_compared_moved_deleted_and_brought_back(shell: StagedShell, tmp_path: Path) -> None:
    folder = Path(told(shell, "path").strip())
    assert folder == tmp_path / "data" / "workspace"
    (folder / "MEMORY.md").write_bytes(b"one\r\n")
    assert shell("workspace", "show", "MEMORY.md").stdout == b"one\r\n"
    (tmp_path / "text").write_bytes(b"two\r\n")
    assert told(shell, "write", "MEMORY.md", str(tmp_path / "text")) == "MEMORY.md r3  written\n"
    assert (folder / "MEMORY.md").read_bytes() == b"two\r\n"
    assert told(shell, "versions", "MEMORY.md").splitlines()[1].startswith("r2  ")
    assert "-one" in told(shell, "diff", "MEMORY.md", "2", "3")
    assert told(shell, "restore", "MEMORY.md", "2") == "MEMORY.md r4  is as it was in r2\n"
    assert told(shell, "show", "MEMORY.md", "--revision", "3") == "two\r\n"
    seq = shell.json("workspace", "versions", "MEMORY.md")["revisions"][1]["seq"]
    assert told(shell, "show", "MEMORY.md", "--as-of", str(seq)) == "two\r\n"
    assert told(shell, "pin", "MEMORY.md") == "MEMORY.md r4  pinned\n"
    assert told(shell, "move", "MEMORY.md", "context/m.md") == "context/m.md r1  moved\n"
    assert told(shell, "search", "one").startswith("1 hit\ncontext/m.md:1")
    assert told(shell, "delete", "context/m.md") == "context/m.md r2  deleted\n"
    listed = told(shell, "list", "--deleted")
    assert [line.split()[0] for line in listed.splitlines()] == [
        "HEARTBEAT.md",
        "MEMORY.md",
        "README.md",
        "context/m.md",
    ]
    assert told(shell, "erase", "context/m.md", "--yes").startswith("context/m.md is erased: ")
    assert "2 documents in" in told(shell, "status")


def test_what_goes_wrong_is_one_line_with_the_code_of_the_table(shell: StagedShell, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    (tmp_path / "text").write_bytes(b"text\n")
    for arguments, code in (
        (("show", "nowhere.md"), 3),
        (("write", "../a.md", str(tmp_path / "text")), 2),
        (("write", "a.md", str(tmp_path / "binary")), 2),
        (("write", "MEMORY.md", str(tmp_path / "text"), "--base", "0" * 64), 5),
        (("write", "a.md", str(tmp_path / "text"), "--line", "nowhere"), 3),
        (("release", "MEMORY.md"), 5),
        (("diff", "MEMORY.md", "7"), 3),
    ):
        done = shell("workspace", *arguments)
        assert (done.returncode, done.stderr.decode().count("\n")) == (code, 1), done.stderr


def test_a_file_that_cannot_be_a_document_is_told_by_the_status(shell: StagedShell) -> None:
    folder = Path(told(shell, "path").strip())
    (folder / "a.md").mkdir()
    assert "a.md  is a folder, not a file" in told(shell, "status")
    assert shell.json("workspace", "status")["problems"] == [{"path": "a.md", "problem": "is a folder, not a file"}]


def test_with_a_daemon_it_is_the_same(shell: StagedShell, tmp_path: Path) -> None:
    with a_daemon(shell):
        folder = Path(told(shell, "path").strip())
        assert folder == tmp_path / "data" / "workspace"
        (folder / "a.md").write_text("one\n")
        assert told(shell, "show", "a.md") == "one\n"
        assert told(shell, "delete", "a.md") == "a.md r2  deleted\n"
        assert not (folder / "a.md").exists()
