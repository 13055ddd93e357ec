"""`palyra connect`: the group, and what it asks whoever names nothing."""

from typing import Any

import click

from palyra.cli.command import Invocation, command_options
from palyra.cli.commands.memory import scope_options
from palyra.cli.connect.asking import is_at_a_terminal
from palyra.cli.connect.clients import AGENTS
from palyra.cli.connect.model import model
from palyra.cli.connect.options import client_options, turn_option
from palyra.cli.connect.program import program
from palyra.core.errors import InvalidArgument

_OFFERED = (
    ("model", "a model that answers, by its address and key"),
    ("claude-code", "Claude Code"),
    ("codex", "Codex"),
    ("cursor", "Cursor"),
    ("mcp", "another MCP client"),
    ("program", "any program, by its base URL"),
)


@click.group(invoke_without_command=True)
@click.pass_context
def connect(context: click.Context) -> None:
    """Connect a model, an MCP client or any program: sets it up, sends one turn, shows that it arrived."""
    if context.invoked_subcommand is not None:
        return
    names = [name for name, _ in _OFFERED]
    if not is_at_a_terminal():
        raise InvalidArgument("what to connect is missing", hint=f"palyra connect {' | '.join(names)}")
    click.echo("What do you want to connect?", err=True)
    for number, (_, what) in enumerate(_OFFERED, 1):
        click.echo(f"  {number}  {what}", err=True)
    chosen = click.prompt("Which", type=click.IntRange(1, len(_OFFERED)), err=True)
    command = connect.commands[names[chosen - 1]]
    with command.make_context(command.name, [], parent=context) as under:
        command.invoke(under)


def _agent_command(name: str) -> click.Command:
    @click.command(name, help=f"Let {dict(_OFFERED)[name]} start this memory's MCP server: shows, asks, tries, writes.")
    @client_options
    @scope_options
    @command_options
    def agent(call: Invocation, who: dict[str, Any], **how: bool) -> None:
        from palyra.cli.connect.mcp import connect_agent

        connect_agent(call, name, who=who, **how)

    return agent


@click.command("mcp")
@turn_option
@scope_options
@command_options
def other(call: Invocation, no_turn: bool, who: dict[str, Any]) -> None:
    """Show what another MCP client needs to start this memory's server, tried first."""
    from palyra.cli.connect.mcp import connect_other

    connect_other(call, turn=not no_turn, who=who)


for one in (model, *map(_agent_command, AGENTS), other, program):
    connect.add_command(one)
