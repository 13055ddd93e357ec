"""Reading the workspace: a page at a time, inside the folders, and never half of a secret."""

import base64
import json
import re
import secrets
from pathlib import Path
from typing import Any

import pytest

from palyra.domain.access import Capability
from palyra.domain.journal import Actor
from palyra.domain.scope import Visibility
from palyra.ports import ToolOutcome
from palyra.providers.references.files import ReferenceFiles
from palyra.tools.box import ToolBox
from support import a_memory, run

ANA = Visibility("user:ana")


def called(tmp_path: Path, name: str, *calls: dict[str, Any], folders: bool = True) -> list[ToolOutcome]:
    """The outcomes of these calls in one run, over the folder `files`."""

    async def story() -> list[ToolOutcome]:
        async with a_memory(tmp_path / "data") as memory:
            files = ReferenceFiles([tmp_path / "files"]) if folders else None
            tools = ToolBox(memory, files).for_run(ANA, Actor.USER, frozenset({Capability.READ}), ())
            return [await tools.call(name, json.dumps(arguments)) for arguments in calls]

    return run(story())


@pytest.fixture
def files(tmp_path: Path) -> Path:
    root = tmp_path / "files"
    root.mkdir()
    return root


def test_a_file_is_read_page_by_page_without_loss(tmp_path: Path, files: Path) -> None:
    text = "".join(f"line {number} of the long story\n" for number in range(1_000))
    (files / "story.txt").write_text(text)
    pages: list[str] = []
    offset: int | None = 0
    while offset is not None:
        [outcome] = called(tmp_path, "workspace_read", {"path": "story.txt", "offset": offset})
        head, _, page = outcome.text.partition("\n")
        assert "without authority" in head
        pages.append(page)
        following = re.search(r"more with offset (\d+)", head)
        offset = int(following[1]) if following else None
    assert len(pages) == 3
    assert "".join(pages) == text


def test_beyond_the_end_there_is_nothing(tmp_path: Path, files: Path) -> None:
    (files / "a.txt").write_text("short")
    [outcome] = called(tmp_path, "workspace_read", {"path": "a.txt", "offset": 5})
    assert outcome.text == "a.txt has no characters from 5 on."


def test_no_offset_shows_a_part_of_a_secret(tmp_path: Path, files: Path) -> None:
    key = "sk-" + secrets.token_hex(24)
    before = "An ordinary line of text.\n" * 461  # so that the first page ends within the key
    (files / "notes.txt").write_text(f"{before}api_key = {key}\n" + "and so on\n" * 2_000)
    start = len(before) + 10
    assert start < 12_000 < start + len(key)
    for offset in (0, start - 100, start, start + 3, start + 10, start + 40, start + len(key)):
        [outcome] = called(tmp_path, "workspace_read", {"path": "notes.txt", "offset": offset})
        assert not outcome.is_error
        assert not any(key[at : at + 8] in outcome.text for at in range(3, len(key) - 8))
        if start < offset:
            assert outcome.text.partition("\n")[2].startswith("\nand so on\n")
    [first] = called(tmp_path, "workspace_read", {"path": "notes.txt"})
    following = re.search(r"more with offset (\d+)", first.text)
    assert following
    assert int(following[1]) == start + len(key)
    assert "[redacted:" in first.text


def test_a_secret_longer_than_a_page_is_passed_over_and_the_rest_of_the_file_is_reached(
    tmp_path: Path, files: Path
) -> None:
    body = "\n".join(base64.b64encode(secrets.token_bytes(48)).decode() for _ in range(600))
    dashes = "-" * 5
    key = f"{dashes}BEGIN RSA PRIVATE KEY{dashes}\n{body}\n{dashes}END RSA PRIVATE KEY{dashes}\n"
    (files / "long.txt").write_text("an ordinary line\n" * 500 + key + "the last line")
    shown, offset = "", 0
    for _ in range(9):
        [outcome] = called(tmp_path, "workspace_read", {"path": "long.txt", "offset": offset})
        shown += outcome.text
        following = re.search(r"more with offset (\d+)", outcome.text)
        if following is None:
            break
        offset = int(following[1])
    assert outcome.text.endswith("the last line")
    assert not [line for line in body.splitlines() if line in shown]


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/passwd", "link", ".env", ".git/config", "a\0b", "folder", ""])
def test_what_may_not_be_read_is_an_error_that_shows_nothing(tmp_path: Path, files: Path, path: str) -> None:
    canary = secrets.token_hex(8)
    (tmp_path / "outside.txt").write_text(canary)
    (files / ".env").write_text(canary)
    (files / "folder").mkdir()
    (files / "link").symlink_to(tmp_path / "outside.txt")
    [outcome] = called(tmp_path, "workspace_read", {"path": path})
    assert outcome.is_error
    assert canary not in outcome.text
    assert "root:" not in outcome.text
    assert "broken" not in outcome.text


def test_a_folder_is_listed_with_sizes_and_hides_what_is_refused(tmp_path: Path, files: Path) -> None:
    (files / "docs").mkdir()
    (files / "a.txt").write_text("12345")
    (files / ".env").write_text("x")
    top, dot, docs = called(tmp_path, "workspace_list", {}, {"path": ""}, {"path": "docs"})
    assert top.text.splitlines()[1:] == ["docs/", "a.txt (5 bytes)"]
    assert dot.text == top.text
    assert docs.text == "The folder is empty."


def test_a_folder_of_many_files_is_cut_and_says_so(tmp_path: Path, files: Path) -> None:
    for number in range(320):
        (files / f"{number:03}.txt").touch()
    [outcome] = called(tmp_path, "workspace_list", {})
    assert "320 entries" in outcome.text
    assert "the first 300" in outcome.text
    assert "299.txt" in outcome.text
    assert "300.txt" not in outcome.text


def test_without_folders_the_error_names_the_setting(tmp_path: Path) -> None:
    for name in ("workspace_list", "workspace_read"):
        [outcome] = called(tmp_path, name, {"path": "a"}, folders=False)
        assert outcome.is_error
        assert "workspace.reference_roots" in outcome.text
