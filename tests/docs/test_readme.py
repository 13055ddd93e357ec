"""The README does what it says, on a fresh home."""

import re

from docs.checking import check
from docs.pages import ROOT, unrun

README = ROOT / "README.md"


def test_every_block_of_the_readme_prints_what_it_shows(write: bool) -> None:
    check(README, write=write)


def test_no_command_of_the_readme_stands_where_nobody_runs_it() -> None:
    assert unrun(README.read_text("utf-8")) == []


def test_the_readme_is_short_and_no_option_in_it_hides_what_the_product_does() -> None:
    text = README.read_text("utf-8")
    assert len(text.splitlines()) <= 150
    assert not [option for option in ("--min-score", "--max-items", "--top-k", "max_items") if option in text]


def test_what_the_readme_points_to_is_there() -> None:
    text = README.read_text("utf-8")
    named = re.findall(r"\]\(([\w./-]+)|((?:tests|bench|verifier)/[\w./]+)", text)
    missing = [path for pair in named for path in pair if path and not (ROOT / path).exists()]
    assert len(named) > 30
    assert missing == []
