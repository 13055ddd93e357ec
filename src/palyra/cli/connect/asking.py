"""Questions at a terminal, each of which a flag answers, too: where nobody can be asked, the error names the flag."""

import sys

import click

from palyra.core.errors import Cancelled, InvalidArgument


def is_at_a_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def answered(given: str | None, flag: str, question: str, *, default: str | None = None, hidden: bool = False) -> str:
    """What the flag says, else what a person types; nobody there: the default, or an error if there is none."""
    if given is not None:
        return given
    if is_at_a_terminal():
        shown = None if hidden or default == "" else default
        return str(click.prompt(question, default=default, show_default=shown is not None, hide_input=hidden, err=True))
    if default is None:
        raise InvalidArgument(f"{flag} is missing: {question}", hint=f"without a terminal nobody can be asked: {flag}")
    return default


def agreed(question: str, yes: bool) -> None:
    """Cancelled for a no."""
    if yes:
        return
    try:
        agrees = click.confirm(question, err=True)
    except click.Abort:
        if is_at_a_terminal():
            raise
        raise InvalidArgument(
            "nobody is here to agree to the change; nothing was changed", hint="--yes writes without asking"
        ) from None
    if not agrees:
        raise Cancelled("nothing was changed", hint="--yes writes without asking")
