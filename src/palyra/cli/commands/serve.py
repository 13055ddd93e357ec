"""`palyra serve`: the daemon in the foreground, with a screen that says where everything is."""

from typing import TYPE_CHECKING, Any

import click

from palyra.cli.command import Invocation, command_options
from palyra.cli.output import styled, write_json

if TYPE_CHECKING:
    from palyra.daemon import Started


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
    run(_settings(flags), lambda started: _show(call, started))
    if not call.as_json:
        click.echo("stopped; everything that was accepted is in the journal", err=True)


def _settings(flags: dict[str, str]) -> Any:
    from palyra.settings import load

    return load(flags).settings


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
    rows = (
        ("console", started.login_link),
        ("", "(works once, for 15 minutes; palyra console link prints another)"),
        ("HTTP", f"{started.http}/v1   described at {started.http}/v1/openapi.json"),
        ("MCP", f"{started.http}/mcp   or over stdio: palyra mcp install claude-code"),
        ("gRPC", started.grpc or "off"),
        ("data", f"{started.data_dir}   ({started.events} events)"),
        ("search", started.embedding_model),
        ("chat", f"{started.chat_model}   palyra chat; other programs: docs/guides/proxy.md"),
    )
    click.echo(f"{styled('Palyra is ready', bold=True)}\n")
    for name, value in rows:
        click.echo(f"  {name:<8} {value}")
    click.echo('\nIn another terminal: palyra memory retain "I moved to Lisbon in March"')
    click.echo("Programs need a token: palyra token create --can read --can write")
    click.echo("Ctrl-C stops.\n")
