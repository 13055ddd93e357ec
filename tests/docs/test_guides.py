"""The guides do what they say, each on a fresh home."""

from pathlib import Path

import pytest

from docs.checking import check
from docs.commands import unknown_commands
from docs.pages import ROOT, guides, settings_of, unrun
from palyra import settings

PAGES = [pytest.param(page, id=page.stem) for page in guides()]


@pytest.mark.parametrize("page", PAGES)
def test_every_block_prints_what_the_page_shows(page: Path, write: bool) -> None:
    check(page, write=write)


@pytest.mark.parametrize("page", PAGES)
def test_no_command_stands_where_nobody_runs_it(page: Path) -> None:
    assert unrun(page.read_text("utf-8")) == []


@pytest.mark.parametrize("page", PAGES)
def test_settings_on_the_page_are_settings(page: Path, tmp_path: Path) -> None:
    for written in settings_of(page.read_text("utf-8")):
        (tmp_path / "palyra.toml").write_text(written, "utf-8")
        settings.load({}, {"PALYRA_HOME": str(tmp_path)})


@pytest.mark.parametrize("page", [pytest.param(ROOT / "README.md", id="README"), *PAGES])
def test_commands_named_in_sentences_exist(page: Path) -> None:
    assert unknown_commands(page.read_text("utf-8")) == []


def test_a_command_or_an_option_that_does_not_exist_is_found() -> None:
    text = "`palyra memory list --newest`, `palyra chat -c`, `palyra session explain`, `palyra chat work --new`"
    assert unknown_commands(text) == []
    assert unknown_commands("`palyra memory lost`, `palyra chat --news`") == ["memory lost", "chat --news"]
