"""How answers look: an answer first, `--json` as a contract, errors on stderr, progress only for a person."""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from palyra.core.errors import PalyraError

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

_LEAST_ROOM = 20


def write_json(value: object) -> None:
    import msgspec

    click.echo(msgspec.json.encode(value, order="deterministic"))


def write_error(error: PalyraError, *, as_json: bool) -> None:
    """One line: what happened, the code, what to do. Messages quote input, so they are redacted too."""
    from palyra.core.redact import redact_text

    if as_json:
        body = json.dumps(error.body(), ensure_ascii=False, default=str)
        click.echo(redact_text(body).text, err=True)
        return
    label = styled("error:", "red")
    hint = f"   hint: {redact_text(error.hint).text}" if error.hint else ""
    click.echo(f"{label} {redact_text(error.message).text}  [{error.code}]{hint}", err=True)


def styled(text: str, colour: str | None = None, *, bold: bool = False) -> str:
    """For `click.echo`, which takes the colours out again where no terminal is."""
    from palyra.settings import wants_colours

    return click.style(text, fg=colour, bold=bold or None) if wants_colours() else text


def warn_of_copies(places: Sequence[str]) -> None:
    """Where an erasure could not reach yet."""
    for place in places:
        click.echo(f"{styled('warning:', 'yellow')} {place} may still hold it", err=True)


def write_table(rows: Sequence[Sequence[str]], *, width: int) -> None:
    """Columns as wide as their content; the last one takes what is left of the line, or where that would say nothing,
    a line of its own."""
    if not rows:
        return
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    room = width - sum(widths) - 2 * len(widths)
    is_narrow = room < _LEAST_ROOM and any(len(row[-1]) > room for row in rows)
    for row in rows:
        cells = [cell.ljust(size) for cell, size in zip(row, widths, strict=False)]
        if is_narrow:
            click.echo("  ".join(cells).rstrip())
            cells, room = [""], max(_LEAST_ROOM, width - 2)
        last = row[-1] if len(row[-1]) <= room else row[-1][: room - 1] + "…"
        click.echo("  ".join([*cells, last]).rstrip())


def moment(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def breakdown(parts: Mapping[str, float]) -> str:
    """What a score is made of, the most first."""
    most_first = sorted(parts.items(), key=lambda part: -abs(part[1]))
    return "  ".join(f"{name} {value:+.3f}" for name, value in most_first if abs(value) >= 0.0005)


def counted(count: int, one: str, many: str = "") -> str:
    """1 hit, 2 hits, 2 memories; `many` where the last word is not the one that changes."""
    regular = f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
    return f"{count} {one if count == 1 else many or regular}"


def one_line(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    """Stored text must not steer the terminal: control and direction characters are shown as escapes."""
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


_UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class Progress:
    """A bar on stderr for work that takes longer than a moment, if a person is watching."""

    def __init__(self, *, quiet: bool) -> None:
        self.is_watched = not quiet and sys.stderr.isatty()
        self._what = ""
        self._bar: ProgressBar[int] | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        if not self.is_watched or total == 0:
            return
        if self._bar is None or what != self._what:
            self.close()
            self._what = what
            self._bar = click.progressbar(length=total, label=what, show_pos=True, file=sys.stderr)
            self._bar.render_progress()
        self._bar.update(done - self._bar.pos)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.render_finish()
            self._bar = None
