"""`palyra serve`: the daemon in the foreground, with a screen that says where everything is."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from palyra.cli.command import Invocation, command_options, in_force
from palyra.cli.output import counted, styled, write_json
from palyra.cli.programs import from_elsewhere, spelled

if TYPE_CHECKING:
    from palyra.daemon import Started

# Printed so that they can be copied into another terminal, where nothing of this one is known but the home.
FIRST_COMMANDS = (
    'memory retain "My sister Ines lives in Porto"',
    'memory search "where does my sister live?"',
    "chat",
    "connect",
)


@click.command()
@click.option("--host", help="Where to listen (127.0.0.1).")
@click.option("--port", type=int, help="For HTTP, MCP and the console (7142); 0: any free one.")
@click.option("--grpc-port", type=int, help="For gRPC (7443); 0: any free one, -1: none.")
@command_options
def serve(call: Invocation, host: str | None, port: int | None, grpc_port: int | None) -> None:
    """Start the daemon: HTTP, gRPC, MCP and the console over one journal. Ctrl-C stops it; nothing is lost."""
    from palyra.daemon import run

    given = {"daemon.host": host, "daemon.http_port": port, "daemon.grpc_port": grpc_port}
    flags = {**call.flags(), **{key: str(value) for key, value in given.items() if value is not None}}
    run(in_force(flags), lambda started: _show(call, started))
    if not call.as_json:
        click.echo("stopped; everything that was accepted is in the journal", err=True)


def _show(call: Invocation, started: "Started") -> None:
    if call.as_json:
        write_json(
            {
                "http": started.http,
                "grpc": started.grpc,
                "data_dir": str(started.data_dir),
                "embedding_model": started.embedding_model,
                "chat_model": started.chat_model,
                "login_link": started.login_link,
                "events": started.events,
            }
        )
        return
    click.echo(f"{styled('Palyra is ready', bold=True)}\n")
    for name, value in _screen(started, spelled(), from_elsewhere(started.data_dir)):
        click.echo(f"  {name:<8} {value}".rstrip())
    click.echo("\nIn another terminal:")
    for command in FIRST_COMMANDS:
        click.echo(f"  {spelled()} {command}{from_elsewhere(started.data_dir)}")
    click.echo("\nCtrl-C stops.\n")


def _screen(started: "Started", palyra: str, where: str) -> Iterator[tuple[str, str]]:
    yield "console", started.login_link
    yield "", f"(works once, for 15 minutes; {palyra} console link{where} prints another)"
    yield "HTTP", f"{started.http}/v1   described at {started.http}/v1/openapi.json"
    yield "MCP", f"{started.http}/mcp   or over stdio: {palyra} connect claude-code{where}"
    yield "gRPC", started.grpc or "off"
    yield "data", f"{started.data_dir}   ({counted(started.events, 'event')})"
    yield "search", started.embedding_model
    yield "chat", f"{started.chat_model}   other programs: docs/guides/proxy.md"
