"""`palyra mcp`: memory for an agent over standard input and output, and how agents come to start it."""

import asyncio
import logging
import sys
from typing import Any

import click

from palyra.cli.command import Invocation, command_options
from palyra.cli.commands.memory import scope_options
from palyra.cli.connect.clients import AGENTS
from palyra.cli.connect.options import client_options


@click.group(invoke_without_command=True)
@click.pass_context
@scope_options
@command_options
def mcp(call: Invocation, context: click.Context, who: dict[str, Any]) -> None:
    """Speak MCP on standard input and output. An agent starts this; palyra connect tells it how."""
    if context.invoked_subcommand is None:
        if sys.stdin.isatty():
            click.echo("waiting for an MCP client on standard input; palyra connect sets one up", err=True)
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
@client_options
@scope_options
@command_options
def install(call: Invocation, agent: str, who: dict[str, Any], **how: bool) -> None:
    """Let an agent use this memory: another spelling of palyra connect AGENT."""
    from palyra.cli.connect.mcp import connect_agent

    connect_agent(call, agent, who=who, **how)
