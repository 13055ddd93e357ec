"""`palyra console`: ways to sign in to the web console."""

import sys

import click

from palyra.cli.command import Group, Invocation, command_options


@click.group(cls=Group)
def console() -> None:
    """Sign in to the web console: by a link that works once, or by a password."""


@console.command()
@command_options
def link(call: Invocation) -> None:
    """Print a link that signs one browser in. Works once, for 15 minutes."""
    from palyra.api.operating import console as api
    from palyra.wire.console import NewLink

    made = call.call(api.link, NewLink())
    call.answer(made, lambda: click.echo(made.link))


@console.command()
@click.option("--remove", is_flag=True, help="Have no password: sign in by link only.")
@command_options
def password(call: Invocation, *, remove: bool) -> None:
    """Set the console's password, asked for twice (or read from standard input). Everybody is signed out."""
    from palyra.api.operating import console as api
    from palyra.wire.console import SetPassword

    text = None if remove else _ask()
    done = call.call(api.password, SetPassword(password=text))
    call.answer(done, lambda: click.echo("password set" if done.is_set else "password removed"))


def _ask() -> str:
    stdin = sys.stdin
    if not stdin.isatty():
        return stdin.readline().rstrip("\n")
    chosen: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    return chosen
