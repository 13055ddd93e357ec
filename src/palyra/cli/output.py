"""How answers look: an answer first, `--json` as a contract, errors on stderr, progress only for a person."""

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import click

from palyra.core.errors import PalyraError


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


def write_table(rows: Sequence[Sequence[str]], *, width: int) -> None:
    """Columns as wide as their content; the last one takes what is left of the line."""
    if not rows:
        return
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    room = max(20, width - sum(widths) - 2 * len(widths))
    for row in rows:
        cells = [cell.ljust(size) for cell, size in zip(row, widths, strict=False)]
        last = row[-1] if len(row[-1]) <= room else row[-1][: room - 1] + "…"
        click.echo("  ".join([*cells, last]).rstrip())


def moment(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def breakdown(parts: Mapping[str, float]) -> str:
    """What a score is made of, the most first."""
    most_first = sorted(parts.items(), key=lambda part: -abs(part[1]))
    return "  ".join(f"{name} {value:+.3f}" for name, value in most_first if abs(value) >= 0.0005)


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
        self._bars: dict[str, Callable[[int], None]] = {}
        self._live: object = None

    def __call__(self, what: str, done: int, total: int) -> None:
        if not self.is_watched or total == 0:
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        if self._live is None:
            self._live = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._live.start()
        live = self._live
        assert isinstance(live, Progress)  # noqa: S101 - made above
        if what not in self._bars:
            task = live.add_task(what, total=total)
            self._bars[what] = lambda at: live.update(task, completed=at)
        self._bars[what](done)

    def close(self) -> None:
        stop = getattr(self._live, "stop", None)
        if stop is not None:
            stop()
