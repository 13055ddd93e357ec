"""`palyra connect codex` and other MCP clients: the change to their settings shown, agreed to, tried, written."""

from pathlib import Path
from typing import Any

import click

from palyra.cli.command import Invocation
from palyra.cli.connect.asking import agreed
from palyra.cli.connect.change import write
from palyra.cli.connect.clients import AGENTS, plan, server_command
from palyra.cli.connect.trying_mcp import Tried, try_server


def connect_agent(
    call: Invocation, agent: str, *, project: bool, only_print: bool, yes: bool, turn: bool, who: dict[str, Any]
) -> None:
    """Also what `palyra mcp install` does."""
    from palyra.core.redact import redact_text

    command = server_command(call.settings().data_dir, who)
    change = plan(AGENTS[agent], Path.cwd() if project else Path.home(), project, command)
    # The lines around it are the person's own, and may hold what should not stay on a screen.
    difference = redact_text(change.difference).text
    click.echo(difference or f"{change.path} has it already", err=call.as_json)
    done, tried = False, None
    if not only_print:
        if change.difference:
            agreed(f"Write {change.path}?", yes)
        tried = try_server(command) if turn else None
        if change.difference:
            write(change)
            done = True
    answer = {
        "path": str(change.path),
        "difference": difference,
        "written": done,
        "backup": str(change.backup) if done and change.old is not None else None,
        "tried": _as_json(tried),
    }

    def show() -> None:
        if done:
            click.echo(f"written; start {agent} anew to use it")
        if tried is not None:
            click.echo(f"tried as {agent} will start it; {tried}")

    call.answer(answer, show)


def connect_other(call: Invocation, *, turn: bool, who: dict[str, Any]) -> None:
    """For a client whose settings we do not know: what to put there."""
    command = server_command(call.settings().data_dir, who)
    tried = try_server(command) if turn else None
    entry = {"palyra": {"command": command[0], "args": command[1:]}}

    def show() -> None:
        from json import dumps

        click.echo("Put this where your client lists its MCP servers, then start it anew:", err=True)
        click.echo(dumps(entry, ensure_ascii=False, indent=2))
        if tried is not None:
            click.echo(f"tried as it will be started; {tried}", err=True)

    call.answer({"server": entry, "tried": _as_json(tried)}, show)


def _as_json(tried: Tried | None) -> dict[str, Any] | None:
    return None if tried is None else {"tools": tried.tools, "memories": tried.memories}
