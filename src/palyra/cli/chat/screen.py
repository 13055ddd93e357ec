"""What a chat writes: the answer as it comes, and everything else in dim lines of its own.

Text of others must not steer the terminal, so control characters in it are shown as escapes. Lines are not wrapped:
a terminal does that, and what is copied from it stays whole.
"""

from typing import TYPE_CHECKING, Any

import click

from palyra.cli.command import terminal_width
from palyra.cli.output import one_line, printable, write_error

if TYPE_CHECKING:
    from palyra.core.errors import PalyraError


class Screen:
    def __init__(self, *, notes_apart: bool = False, quiet: bool = False) -> None:
        """`notes_apart`: standard output gets the answer alone, for whoever reads it there. `quiet`: no notes."""
        self._notes_apart = notes_apart
        self._quiet = quiet
        self._is_open = False
        """a line of the answer has begun"""
        self._held: list[str] = []

    def say(self, text: str) -> None:
        """A piece of the answer."""
        if text:
            click.echo("\t".join(map(printable, text.split("\t"))), nl=False)
            self._is_open = not text.endswith("\n")

    def end_answer(self) -> None:
        if self._is_open:
            click.echo()
        self._is_open = False
        held, self._held = self._held, []
        for text in held:
            self.note(text)

    def note(self, text: str) -> None:
        """Something beside the answer, on one line, so that no text in it can pose as another; in the middle of an
        answer it waits for its end."""
        if self._is_open:
            self._held.append(text)
        elif not self._quiet:
            click.echo(dim(f"· {one_line(text)}"), err=self._notes_apart)

    def break_in(self, text: str) -> None:
        """A note that cannot wait for the end of an answer."""
        if self._is_open and not self._notes_apart:
            click.echo()
        was_open, self._is_open = self._is_open, False
        self.note(text)
        self._is_open = was_open and self._notes_apart

    def show(self, text: str) -> None:
        """Whole lines that were asked for."""
        self.end_answer()
        click.echo(printable(text))

    def fail(self, error: "PalyraError") -> None:
        self.end_answer()
        write_error(error, as_json=False)

    def gap(self) -> None:
        if not self._notes_apart:
            click.echo()


def dim(text: str) -> str:
    from palyra.settings import wants_colours

    return click.style(text, dim=True) if wants_colours() else text


def short(text: str, size: int) -> str:
    """On one line, cut to `size` characters."""
    flat = one_line(text)
    return flat if len(flat) <= size else flat[: max(1, size - 1)].rstrip() + "…"


def room(taken: int, among: int = 1) -> int:
    """Characters each of so many texts may have, for all of them to stand on one line; never so few that they say
    nothing."""
    return max(16, (min(terminal_width(), 120) - taken) // max(1, among))


def reference_name(data: dict[str, Any]) -> str:
    """As a person writes it."""
    kind, target = data.get("kind"), data.get("target")
    return f"[[{target}]]" if kind == "named" else f"@{kind}:{target}"
