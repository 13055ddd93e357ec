"""`palyra help` and `palyra version`: what most people type before they look for an option."""

from importlib.metadata import version as version_of

import click

from palyra.cli.command import Invocation, command_options


@click.command("help")
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def help_(context: click.Context, names: tuple[str, ...]) -> None:
    """Show what COMMAND does and takes, or all commands."""
    parent = context.parent
    assert parent is not None  # noqa: S101 - it is a command of a group
    command: click.Command = parent.command
    for name in names:
        if not isinstance(command, click.Group):
            raise click.UsageError(f"{parent.command_path} has no subcommands", parent)
        _, found, _ = command.resolve_command(parent, [name])
        assert found is not None  # noqa: S101 - else it raises
        command, parent = found, click.Context(found, parent, name)
    click.echo(command.get_help(parent))


@click.command()
@command_options
def version(call: Invocation) -> None:
    """Print the version."""
    number = version_of("palyra")
    call.answer({"version": number}, lambda: click.echo(f"palyra {number}"))
