"""Whether a page says what the product does; `--write-docs` makes it so."""

from difflib import unified_diff
from pathlib import Path

from docs.pages import ROOT, Step, with_printed
from docs.placeholders import is_same
from docs.running import printed_by


def check(page: Path, *, write: bool) -> None:
    text = page.read_text("utf-8")
    wrong = [(step, shown) for step, shown in printed_by(text) if not is_same(step.printed, shown)]
    if write and wrong:
        page.write_text(with_printed(text, wrong), "utf-8")
    elif wrong:
        name = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page.name
        raise AssertionError(f"{name} says otherwise; make docs writes what is so\n" + "\n".join(map(_told, wrong)))


def _told(wrong: tuple[Step, str]) -> str:
    step, shown = wrong
    lines = unified_diff(step.printed.splitlines(), shown.splitlines(), "the page", "the product", lineterm="")
    return "\n".join([f"line {step.line}: $ {step.command}", *lines])
