"""`palyra mcp`: memory for an agent over standard input and output, and how agents come to start it."""

import asyncio
import logging
import sys
from pathlib import Path
from typing import Any

import click

from palyra.cli.command import Invocation, command_options
from palyra.cli.commands.mcp_install import AGENTS
from palyra.cli.commands.memory import scope_options


@click.group(invoke_without_command=True)
@click.pass_context
@scope_options
@command_options
def mcp(call: Invocation, context: click.Context, who: dict[str, Any]) -> None:
    """Speak MCP on standard input and output. An agent starts this; palyra mcp install tells it how."""
    if context.invoked_subcommand is None:
        if sys.stdin.isatty():
            click.echo("waiting for an MCP client on standard input; palyra mcp install sets one up", err=True)
        asyncio.run(_serve(call, who))


async def _serve(call: Invocation, who: dict[str, Any]) -> None:
    import structlog

    from palyra.client.connect import Client
    from palyra.transports.mcp.desk import OwnerDesk
    from palyra.transports.mcp.server import build_server
    from palyra.transports.mcp.stdio import serve_stdio
    from palyra.transports.observe import Metrics, Observer

    # Standard output carries the protocol; who started us keeps standard error.
    structlog.configure(
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
    )
    desk = OwnerDesk(Client(call.settings()).call, who)
    await serve_stdio(build_server(lambda _request: desk, Observer(Metrics())))


@mcp.command()
@click.argument("agent", type=click.Choice(sorted(AGENTS)))
@click.option("--project", is_flag=True, help="For the current directory only, instead of all your projects.")
@click.option("--print", "only_print", is_flag=True, help="Show the change and stop.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@scope_options
@command_options
def install(call: Invocation, agent: str, project: bool, only_print: bool, yes: bool, who: dict[str, Any]) -> None:
    """Let an agent use this memory: shows the change to its settings, asks, then writes it."""
    from palyra.cli.commands.mcp_install import plan, write
    from palyra.core.errors import Cancelled
    from palyra.core.redact import redact_text

    folder = Path.cwd() if project else Path.home()
    options = {"--principal": who["principal"], "--channel": who["channel"], "--session": who["session_id"]}
    arguments = ["mcp", "--data-dir", str(call.settings().data_dir)]
    arguments += [part for option, value in options.items() if value is not None for part in (option, value)]
    change = plan(AGENTS[agent], folder, project, arguments)
    done = False
    # The lines around it are the person's own, and may hold what should not stay on a screen.
    difference = redact_text(change.difference).text
    click.echo(difference or f"{change.path} has it already", err=call.as_json)
    if change.difference and not only_print:
        if not yes and not click.confirm(f"Write {change.path}?", err=True):
            raise Cancelled("nothing was changed", hint="--yes writes without asking")
        write(change)
        done = True
    answer = {
        "path": str(change.path),
        "difference": difference,
        "written": done,
        "backup": str(change.backup) if done and change.old is not None else None,
    }
    call.answer(answer, lambda: click.echo(f"written; start {agent} anew to use it") if done else None)
